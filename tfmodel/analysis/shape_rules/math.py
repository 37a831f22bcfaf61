"""Shape rules of all ops of the group: elementwise ops, ranges, products, Fourier transforms, reductions, segments."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from ...errors import GraphError
from ...messages import DataType
from ...values.shape import (
    SCALAR,
    Dim,
    Shape,
    axis_of,
    broadcast,
    is_known,
    merge_dims,
    merge_shapes,
    rows_shape,
    shape_to_text,
    with_rank,
)
from .partial_tensors import (
    BINARY,
    MAX_KNOWN_ELEMENTS,
    UNARY,
    Tensor,
    apply_binary,
    apply_unary,
    cast_elements,
    compute_element,
)
from .table import Call, Result, Rule, broadcast_inputs, merge_inputs, same_shape, share_rule, subtract_dim


def _unary(call: Call) -> Result:
    tensor = call.tensor(0)
    if tensor.value is None:
        return tensor.shape
    return Tensor(tensor.shape, apply_unary(UNARY[call.node.op], tensor, call.attr("T", DataType)))


def _cast(call: Call) -> Result:
    tensor = call.tensor(0)
    if tensor.value is None:
        return tensor.shape
    return Tensor(tensor.shape, cast_elements(tensor, call.attr("DstT", DataType)))


def _arithmetic(call: Call) -> Result:
    a, b = call.tensor(0), call.tensor(1)
    shape = broadcast(a.shape, b.shape)
    if a.value is None or b.value is None:
        return shape
    return Tensor(shape, apply_binary(BINARY[call.node.op], a, b, shape, call.attr("T", DataType)))


def _equal(call: Call) -> Result:
    """Return the broadcast shape, or a scalar if shapes do not fit and incompatible_shape_error is false."""
    a, b = call.shape(0), call.shape(1)
    if call.attr("incompatible_shape_error", bool, True):
        return broadcast(a, b)
    try:
        return broadcast(a, b) if is_known(a) and is_known(b) else None
    except GraphError:
        return SCALAR


def _broadcast_three(call: Call) -> Result:
    return broadcast(broadcast(call.shape(0), call.shape(1)), call.shape(2))


def _select(call: Call) -> Result:
    """Return the common shape of t and e. The condition has this shape, is a scalar, or has one element per row."""
    condition, shape = call.shape(0), merge_shapes(call.shape(1), call.shape(2))
    if condition is None or shape is None or condition == ():
        return shape
    if shape and len(condition) == 1:
        merge_shapes(condition, shape[:1])
        return shape if len(shape) > 1 else merge_shapes(condition, shape)
    return merge_shapes(condition, shape)


def _accumulate(call: Call) -> Result:
    shape = call.shape_attr("shape")
    for input_shape in call.shapes:
        shape = merge_shapes(shape, input_shape)
    return shape


def _product(call: Call, a: Shape, b: Shape, transpose_a: bool, transpose_b: bool) -> Shape:
    if transpose_a:
        a = a[::-1]
    if transpose_b:
        b = b[::-1]
    try:
        merge_dims(a[1], b[0])
    except GraphError:
        raise GraphError(
            f"{shape_to_text(call.shape(0))} and {shape_to_text(call.shape(1))} cannot be multiplied"
        ) from None
    return a[0], b[1]


def matmul(call: Call) -> Shape:
    a, b = with_rank(call.shape(0), 2), with_rank(call.shape(1), 2)
    return _product(call, a, b, call.attr("transpose_a", bool, False), call.attr("transpose_b", bool, False))


def _batch_matmul(a_name: str, b_name: str) -> Rule:
    def rule(call: Call) -> Result:
        a, b = rows_shape(call.shape(0), 2), rows_shape(call.shape(1), 2)
        if a is None or b is None:
            return None
        if call.node.op == "BatchMatMul":
            outer = merge_shapes(a[:-2], b[:-2])
        else:
            outer = broadcast(a[:-2], b[:-2])
        transposed = call.attr(a_name, bool, False), call.attr(b_name, bool, False)
        return (*(outer or ()), *_product(call, a[-2:], b[-2:], *transposed))

    return rule


def _cross(call: Call) -> Result:
    shape = rows_shape(merge_shapes(call.shape(0), call.shape(1)), 1)
    if shape is not None and shape[-1] not in (3, None):
        raise GraphError(f"the last dimension of {shape_to_text(shape)} must be 3")
    return shape


def _fft(rank: int) -> Rule:
    def rule(call: Call) -> Result:
        return rows_shape(call.shape(0), rank)

    return rule


def _real_fft(rank: int, forward: bool) -> Rule:
    """Return the rule: the last dimensions are fft_length; a forward transform gives half of the last plus one."""

    def rule(call: Call) -> Result:
        shape, lengths = rows_shape(call.shape(0), rank), call.numbers(1)
        if shape is None:
            return None
        sizes = (None,) * rank if lengths is None else with_rank(lengths, rank)
        if forward and sizes[-1]:
            sizes = (*sizes[:-1], sizes[-1] // 2 + 1)
        return (*shape[:-rank], *sizes)

    return rule


def _range(call: Call) -> Result:
    values = [call.value(index) for index in range(3)]
    for shape in call.shapes:
        merge_shapes(shape, SCALAR)
    start, limit, delta = (None if value is None or len(value) != 1 else value[0] for value in values)
    if start is None or limit is None or delta is None:
        return (None,)
    if not delta or ((start < limit) == (delta < 0) and start != limit):
        raise GraphError(f"a range from {start} to {limit} in steps of {delta} never ends")
    if isinstance(start, int) and isinstance(limit, int) and isinstance(delta, int):
        count = -(-abs(limit - start) // abs(delta))
        return Tensor((count,), tuple(range(start, limit, delta))) if count <= MAX_KNOWN_ELEMENTS else (count,)
    dtype = call.attr("Tidx", DataType)
    steps = compute_element(dtype, operator.truediv, compute_element(dtype, operator.sub, limit, start), delta)
    return (None if steps is None or not math.isfinite(steps) else math.ceil(steps),)


def _linspace(call: Call) -> Result:
    return (call.number(2),)


# --- reductions ------------------------------------------------------------------------------------------------------

_REDUCTIONS: dict[str, Callable[[Any], Any]] = {"Prod": math.prod, "Sum": sum, "Max": max, "Min": min}


def _reduced_shape(call: Call) -> Shape | None:
    shape, axes = call.shape(0), call.numbers(1)
    keep = call.attr("keep_dims", bool, False)
    if shape == ():
        return shape
    if axes is None:
        return None if shape is None or not keep else (None,) * len(shape)
    if shape is None:
        return None
    removed = {axis_of(axis, len(shape)) for axis in axes}
    if keep:
        return tuple(1 if axis in removed else size for axis, size in enumerate(shape))
    return tuple(size for axis, size in enumerate(shape) if axis not in removed)


def _reduce(call: Call) -> Result:
    return _reduced_shape(call)


def _reduce_elements(call: Call) -> Result:
    """Return the reduced input, with its element if it is a scalar: sizes are often the product of other sizes."""
    shape, value = _reduced_shape(call), call.value(0)
    if value is None or shape != SCALAR or None in value or (call.node.op in ("Max", "Min") and not value):
        return shape
    if not all(isinstance(element, int) for element in value):
        return shape
    result = _REDUCTIONS[call.node.op](value)
    bound = 1 << (31 if call.attr("T", DataType) == DataType.DT_INT32 else 63)
    return Tensor(shape, (result if -bound <= result < bound else None,))


def _arg(call: Call) -> Result:
    """Return the shape of ArgMax and ArgMin: the input without one dimension."""
    shape, axis = call.shape(0), call.number(1)
    if shape is None:
        return None
    if len(shape) <= 1:
        return SCALAR
    if axis is None:
        return (None,) * (len(shape) - 1)
    dim = axis_of(axis, len(shape))
    return shape[:dim] + shape[dim + 1 :]


def _segment(call: Call) -> Result:
    """Return the shape: one row for each segment. Their number depends on the ids."""
    with_rank(call.shape(1), 1)
    shape = rows_shape(call.shape(0), 1)
    return None if shape is None else (None, *shape[1:])


def _unsorted_segment(call: Call) -> Result:
    data, ids, count = call.shape(0), call.shape(1), call.number(2)
    if data is None or ids is None:
        return None
    if len(ids) > len(data):
        raise GraphError(f"segment_ids of shape {shape_to_text(ids)} do not fit data of shape {shape_to_text(data)}")
    merge_shapes(data[: len(ids)], ids)
    return (count, *data[len(ids) :])


def _sparse_segment(call: Call) -> Result:
    data = rows_shape(call.shape(0), 1)
    merge_dims(with_rank(call.shape(1), 1)[0], with_rank(call.shape(2), 1)[0])
    return None if data is None else (None, *data[1:])


def _sparse_segment_with_count(call: Call) -> Result:
    data = rows_shape(call.shape(0), 1)
    merge_dims(with_rank(call.shape(1), 1)[0], with_rank(call.shape(2), 1)[0])
    return None if data is None else (call.number(3), *data[1:])


def _sparse_segment_grad(call: Call) -> Result:
    data = rows_shape(call.shape(0), 1)
    return None if data is None else (call.number(3), *data[1:])


def _bincount(call: Call) -> Result:
    return (_check_size(call.number(1)),)


def _dense_bincount(call: Call) -> Result:
    shape = call.shape(0)
    size = _check_size(call.number(1))
    if shape is None:
        return None
    if len(shape) > 2:
        raise GraphError(f"{shape_to_text(shape)} has more than two dimensions")
    return (shape[0], size) if len(shape) == 2 else (size,)


def _sparse_bincount(call: Call) -> Result:
    """Return the shape of a count, or of a row of counts for each row of a sparse matrix."""
    size, rank, shape = _check_size(call.number(3)), call.shape(2), call.numbers(2)
    if rank is None or len(rank) != 1 or rank[0] is None:
        return None
    return (size,) if rank[0] == 1 else (None if shape is None else shape[0], size)


def _ragged_bincount(call: Call) -> Result:
    splits, size = with_rank(call.shape(0), 1), _check_size(call.number(2))
    return (None if splits is None else subtract_dim(splits[0], 1), size)


def _count_sparse_output(rank: Callable[[Call], Dim]) -> Rule:
    """Return the rule of a sparse tensor of counts, whose number of dimensions is known or not."""

    def rule(call: Call) -> Result:
        dims = rank(call)
        return [(None, dims), (None,), (dims,)]

    return rule


def _rank_of_values(call: Call) -> Dim:
    shape = call.shape(0)
    return None if shape is None else len(shape)


def _rank_of_sparse(call: Call) -> Dim:
    shape = with_rank(call.shape(2), 1)
    return None if shape is None else shape[0]


def _check_size(size: Dim) -> Dim:
    if size is not None and size < 0:
        raise GraphError(f"size must not be negative, got {size}")
    return size


def _histogram(call: Call) -> Result:
    return (call.number(2),)


# --- tables ----------------------------------------------------------------------------------------------------------

ELEMENTWISE: dict[str, Rule] = {
    "AccumulateNV2": _accumulate,
    "AddN": merge_inputs,
    "ApproximateEqual": merge_inputs,
    "Betainc": _broadcast_three,
    "Cast": _cast,
    "Cumprod": same_shape,
    "Cumsum": same_shape,
    "CumulativeLogsumexp": same_shape,
    "Equal": _equal,
    "NotEqual": _equal,
    "Select": _select,
    "SelectV2": _broadcast_three,
    **share_rule(
        """
        Acos Acosh Angle Asin Asinh Atan Atanh BesselI0 BesselI0e BesselI1 BesselI1e BesselJ0 BesselJ1
        BesselK0 BesselK0e BesselK1 BesselK1e BesselY0 BesselY1 ClipByValue ComplexAbs Conj Cos Cosh Dawsn
        Digamma Erf Erfc Erfinv Exp Expint Expm1 FresnelCos FresnelSin Imag Inv InvGrad Invert IsFinite
        IsInf IsNan Lgamma Log Log1p LogicalNot Ndtri PopulationCount Real Reciprocal ReciprocalGrad Rsqrt
        RsqrtGrad Sigmoid SigmoidGrad Sign Sin Sinh Spence Sqrt SqrtGrad Tan Tanh TanhGrad
        _UnaryOpsComposition
        """,
        same_shape,
    ),
    **share_rule(
        """
        Atan2 BitwiseAnd BitwiseOr BitwiseXor Complex DivNoNan Greater GreaterEqual Igamma IgammaGradA
        Igammac LeftShift Less LessEqual LogicalAnd LogicalOr MulNoNan NextAfter Polygamma Pow RightShift
        SquaredDifference Xdivy Xlog1py Xlogy Zeta
        """,
        broadcast_inputs,
    ),
    **dict.fromkeys(BINARY, _arithmetic),
    **dict.fromkeys(UNARY, _unary),
}

RULES: dict[str, Rule] = {
    **ELEMENTWISE,
    "BatchMatMul": _batch_matmul("adj_x", "adj_y"),
    "BatchMatMulV2": _batch_matmul("adj_x", "adj_y"),
    "BatchMatMulV3": _batch_matmul("adj_x", "adj_y"),
    "Cross": _cross,
    "FFT2D": _fft(2),
    "FFT3D": _fft(3),
    "IFFT2D": _fft(2),
    "IFFT3D": _fft(3),
    "IRFFT": _real_fft(1, False),
    "IRFFT2D": _real_fft(2, False),
    "IRFFT3D": _real_fft(3, False),
    "LinSpace": _linspace,
    "MatMul": matmul,
    "RFFT": _real_fft(1, True),
    "RFFT2D": _real_fft(2, True),
    "RFFT3D": _real_fft(3, True),
    "Range": _range,
    "SparseMatMul": matmul,
    **share_rule("BatchFFT BatchIFFT FFT IFFT", _fft(1)),
    "ArgMax": _arg,
    "ArgMin": _arg,
    "Bincount": _bincount,
    "Bucketize": same_shape,
    "DenseBincount": _dense_bincount,
    "DenseCountSparseOutput": _count_sparse_output(_rank_of_values),
    "HistogramFixedWidth": _histogram,
    "RaggedBincount": _ragged_bincount,
    "RaggedCountSparseOutput": _count_sparse_output(lambda call: 2),
    "SparseBincount": _sparse_bincount,
    "SparseCountSparseOutput": _count_sparse_output(_rank_of_sparse),
    "SparseSegmentMean": _sparse_segment,
    "SparseSegmentMeanGrad": _sparse_segment_grad,
    "SparseSegmentMeanWithNumSegments": _sparse_segment_with_count,
    "SparseSegmentSqrtN": _sparse_segment,
    "SparseSegmentSqrtNGrad": _sparse_segment_grad,
    "SparseSegmentSqrtNWithNumSegments": _sparse_segment_with_count,
    "SparseSegmentSum": _sparse_segment,
    "SparseSegmentSumGrad": _sparse_segment_grad,
    "SparseSegmentSumWithNumSegments": _sparse_segment_with_count,
    **share_rule("All Any EuclideanNorm Mean", _reduce),
    **share_rule("Max Min Prod Sum", _reduce_elements),
    **share_rule("SegmentMax SegmentMean SegmentMin SegmentProd SegmentSum", _segment),
    **share_rule("UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd UnsortedSegmentSum", _unsorted_segment),
}
