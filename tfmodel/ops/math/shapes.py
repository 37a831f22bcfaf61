"""Shape rules of elementwise arithmetic, comparisons, ranges, matrix products and Fourier transforms."""

from __future__ import annotations

import math
import operator

from ...errors import GraphError
from ...messages import DataType
from ...shape import SCALAR, Shape, broadcast, is_known, merge_dims, merge_shapes, rows_shape, shape_to_text, with_rank
from ..partial_tensors import BINARY, UNARY, Tensor, apply_binary, apply_unary, cast_elements, compute_element
from ..shape_rules import MAX_KNOWN_ELEMENTS, Call, Result, Rule, broadcast_inputs, merge_inputs, same_shape, share_rule

__all__ = ["ELEMENTWISE", "RULES", "matmul"]


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


ELEMENTWISE: dict[str, Rule] = {
    "AccumulateNV2": _accumulate,
    "AddN": merge_inputs,
    "ApproximateEqual": merge_inputs,
    "Betainc": _broadcast_three,
    "Cast": _cast,
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
}
