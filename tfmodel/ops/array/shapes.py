"""Shape rules of constants, placeholders, pass-through ops, reshaping, broadcasting, unique elements, diagonals, and of
ops that read or write elements and slices by index."""

from __future__ import annotations

from ...errors import GraphError
from ...messages import TensorProto
from ...shape import (
    SCALAR,
    Dim,
    Shape,
    axis_of,
    broadcast,
    count_elements,
    is_known,
    merge_dims,
    merge_shapes,
    rows_shape,
    shape_to_text,
    with_rank,
)
from ..partial_tensors import Tensor, constant, vector
from ..shape_rules import MAX_KNOWN_ELEMENTS, Call, Result, Rule, first_input, same_shape, share_rule

__all__ = ["ELEMENTWISE", "RULES", "gather_nd_shape", "gather_shape", "reshape", "sizes"]


_LAST_VERSION_WITHOUT_SHAPES = 21
"""The last version of graphs in which a placeholder of unknown shape has the shape of a scalar."""


def _identity_n(call: Call) -> Result:
    return list(call.inputs)


def _search_sorted(call: Call) -> Result:
    with_rank(call.shape(0), 2)
    return with_rank(call.shape(1), 2)


def _unique(call: Call) -> Result:
    return [(None,), with_rank(call.shape(0), 1)]


def _unique_with_counts(call: Call) -> Result:
    return [(None,), with_rank(call.shape(0), 1), (None,)]


def _unique_v2(call: Call) -> Result:
    shape, axes = call.shape(0), call.numbers(1)
    indices: Shape = (None,)
    unique_shape: Shape | None = None
    if shape is not None:
        unique_shape = (None,) * len(shape)
        if axes is not None:
            axis = axis_of(axes[0], len(with_rank(shape, len(shape) if axes else 1))) if axes else 0
            indices = (shape[axis],)
            unique_shape = (*shape[:axis], None, *shape[axis + 1 :])
    counts: list[Shape | Tensor | None] = [(None,)] if call.node.op == "UniqueWithCountsV2" else []
    return [unique_shape, indices, *counts]


def _list_diff(call: Call) -> Result:
    return [(None,), (None,)]


def _invert_permutation(call: Call) -> Result:
    """Return the inverse permutation, with its elements if those of the input are known."""
    shape, order = with_rank(call.shape(0), 1), call.numbers(0)
    if order is None:
        return shape
    if sorted(order) != list(range(len(order))):
        raise GraphError(f"{order} is not a permutation")
    return Tensor(shape, tuple(order.index(number) for number in range(len(order))))


def _shape(call: Call) -> Result:
    return _shape_vector(call.shape(0))


def _shape_n(call: Call) -> Result:
    return [_shape_vector(shape) for shape in call.shapes]


def _shape_vector(shape: Shape | None) -> Tensor:
    return Tensor((None,)) if shape is None else vector(shape)


def _size(call: Call) -> Result:
    return Tensor(SCALAR, (count_elements(call.shape(0)),))


def _rank(call: Call) -> Result:
    shape = call.shape(0)
    return Tensor(SCALAR, (None if shape is None else len(shape),))


def _keep_elements(call: Call, shape: Shape | None) -> Tensor:
    """Return the first input in another shape."""
    tensor = call.tensor(0)
    return Tensor(shape, tensor.value if is_known(shape) else None, tensor.handle)


def reshape(call: Call) -> Shape | Tensor | None:
    shape, target = call.shape(0), call.sizes(1)
    value = call.value(1)
    if target is None:
        return None
    if value is not None and value.count(-1) > 1:
        raise GraphError(f"{shape_to_text(target)} has more than one unknown dimension")
    unknown_axes = [axis for axis, size in enumerate(target) if size is None]
    count = count_elements(shape)
    if not unknown_axes:
        if count is not None and count != count_elements(target):
            raise GraphError(
                f"{shape_to_text(shape)} has {count:,} elements, which do not fit into {shape_to_text(target)}"
            )
        return _keep_elements(call, target)
    if len(unknown_axes) > 1 or count is None:
        return target
    known_size = count_elements(tuple(size for size in target if size is not None))
    if not known_size:
        if count:
            raise GraphError(f"{shape_to_text(shape)} does not fit into {shape_to_text(target)}")
        return target
    if count % known_size:
        raise GraphError(f"{shape_to_text(shape)} has {count:,} elements, which is not a multiple of {known_size:,}")
    sizes = list(target)
    sizes[unknown_axes[0]] = count // known_size
    return _keep_elements(call, tuple(sizes))


def _squeeze(call: Call) -> Result:
    shape = call.shape(0)
    axes = call.attr("squeeze_dims", list[int], None) or call.attr("axis", list[int], None) or []
    if shape is None:
        return None
    if not axes:
        return None if None in shape else _keep_elements(call, tuple(size for size in shape if size != 1))
    removed = {axis_of(axis, len(shape)) for axis in axes}
    for axis in removed:
        if shape[axis] not in (1, None):
            raise GraphError(f"dimension {axis} of {shape_to_text(shape)} is not 1")
    return _keep_elements(call, tuple(size for axis, size in enumerate(shape) if axis not in removed))


def _expand_dims(call: Call) -> Result:
    shape, axis = call.shape(0), call.number(1)
    if shape is None:
        return None
    if axis is None:
        return (None,) * (len(shape) + 1)
    dim = axis_of(axis, len(shape) + 1)
    return _keep_elements(call, (*shape[:dim], 1, *shape[dim:]))


def _ensure_shape(call: Call) -> Result:
    return _keep_elements(call, merge_shapes(call.shape(0), call.shape_attr("shape")))


def _broadcast_to(call: Call) -> Result:
    shape = call.shape(0)
    target = call.sizes(1)
    if target is None or shape is None:
        return target
    extra = len(target) - len(shape)
    if extra < 0:
        raise GraphError(f"{shape_to_text(shape)} cannot be broadcast to {shape_to_text(target)}")
    return target[:extra] + tuple(map(_broadcast_dim, shape, target[extra:]))


def _broadcast_dim(size: Dim, target: Dim) -> Dim:
    """Return a dimension after broadcasting: only 1 becomes another size."""
    if size is None or size == 1:
        return target
    return merge_dims(size, target)


def _broadcast_args(call: Call) -> Result:
    a, b = call.numbers(0), call.numbers(1)
    if a is not None and b is not None:
        return vector(broadcast(a, b) or ())
    lengths = [with_rank(shape, 1)[0] for shape in call.shapes]
    return (None if None in lengths else max(lengths, key=lambda size: size or 0),)


def _broadcast_gradient_args(call: Call) -> Result:
    return [(None,), (None,)]


def _const(call: Call) -> Result:
    return constant(call.attr("value", TensorProto))


def _placeholder(call: Call) -> Result:
    shape = call.shape_attr("shape")
    return None if shape == () and call.producer <= _LAST_VERSION_WITHOUT_SHAPES else shape


def _shape_attribute(call: Call) -> Result:
    return call.shape_attr("shape")


def _placeholder_with_default(call: Call) -> Result:
    """Return the shape of the attribute: a fed value may have any shape that it allows."""
    merge_shapes(call.shape(0), call.shape_attr("shape"))
    return call.shape_attr("shape")


def _fill(call: Call) -> Result:
    shape, size = call.sizes(0), None
    value, element = call.value(0), call.value(1)
    if value is not None and -1 in value:
        raise GraphError("sizes must not be negative")
    size = count_elements(shape)
    if size is not None and size <= MAX_KNOWN_ELEMENTS and element is not None and len(element) == 1:
        return Tensor(shape, element * size)
    return shape


def sizes(index: int) -> Rule:
    """Return a rule: the output has the shape that is in an input."""

    def rule(call: Call) -> Result:
        return call.sizes(index)

    return rule


# --- diagonals -------------------------------------------------------------------------------------------------------


def _band_part(call: Call) -> Result:
    return rows_shape(call.shape(0), 2)


def _diag(call: Call) -> Result:
    shape = rows_shape(call.shape(0), 1)
    return None if shape is None else shape + shape


def _diag_part(call: Call) -> Result:
    shape = call.shape(0)
    if shape is None:
        return None
    half, odd = divmod(len(shape), 2)
    if odd or not half:
        raise GraphError(f"a tensor of shape {shape_to_text(shape)} has no diagonal")
    return merge_shapes(shape[:half], shape[half:])


def _matrix_diag(call: Call) -> Result:
    shape = rows_shape(call.shape(0), 1)
    return None if shape is None else (*shape, shape[-1])


def _matrix_diag_part(call: Call) -> Result:
    shape = rows_shape(call.shape(0), 2)
    return None if shape is None else (*shape[:-2], _min_dim(shape[-2], shape[-1]))


def _min_dim(a: Dim, b: Dim) -> Dim:
    return 0 if 0 in (a, b) else None if a is None or b is None else min(a, b)


def _band(value: tuple[int, ...] | None) -> tuple[int, int] | None:
    """Return the lowest and the highest diagonal of the input `k`; None if they are unknown."""
    if value is None or not value:
        return None
    if value[0] > value[-1]:
        raise GraphError(f"k is {value[0]} and {value[-1]}, but the first must not be larger")
    return value[0], value[-1]


def _matrix_diag_v2(call: Call) -> Result:
    shape, band = rows_shape(call.shape(0), 1), _band(call.numbers(1))
    if shape is None:
        return None
    if band is None:
        return None
    low, high = band
    outer = shape[:-1] if low == high else (rows_shape(shape, 2) or ())[:-2]
    if low != high:
        merge_dims(shape[-2], high - low + 1)
    longest, height, width = shape[-1], call.number(2), call.number(3)
    height, width = (None if size == -1 else size for size in (height, width))
    is_default = [call.number(index) == -1 for index in (2, 3)]
    if longest is None or None in (call.number(2), call.number(3)):
        return (*outer, height, width)
    min_height, min_width = longest - min(high, 0), longest + max(low, 0)
    if all(is_default):
        height = width = max(min_height, min_width)
    elif is_default[0]:
        height = min_height
    elif is_default[1]:
        width = min_width
    return (*outer, height, width)


def _matrix_diag_part_v2(call: Call) -> Result:
    shape, band = rows_shape(call.shape(0), 2), _band(call.numbers(1))
    if shape is None or band is None:
        return None
    low, high = band
    height, width = shape[-2:]
    longest = None
    if height is not None and width is not None:
        longest = min(height + min(high, 0), width - max(low, 0))
        if longest < 0:
            raise GraphError(f"{shape_to_text(shape)} has no diagonals from {low} to {high}")
    return (*shape[:-2], *((high - low + 1,) if low != high else ()), longest)


# --- the tables ------------------------------------------------------------------------------------------------------

ELEMENTWISE: dict[str, Rule] = {
    "OnesLike": same_shape,
    "ZerosLike": same_shape,
    **share_rule(
        """
        CheckNumerics CheckNumericsV2 Copy CopyHost DebugGradientIdentity DebugGradientRefIdentity
        DebugIdentity DebugIdentityV2 DebugIdentityV3 DeepCopy Identity PreventGradient Snapshot
        StopGradient
        """,
        first_input,
    ),
}


def gather_shape(params: Shape | None, indices: Shape | None, axis: int | None, batch: int = 0) -> Shape | None:
    """Return the shape of Gather: the indices replace dimension `axis`; both share the first `batch` dimensions."""
    if params is None or indices is None:
        return None
    rows_shape(params, 1)
    if batch:
        batch = batch if batch == len(indices) else axis_of(batch, len(indices))
        if batch > len(params):
            raise GraphError(
                f"{shape_to_text(params)} has no {batch} dimensions in common with {shape_to_text(indices)}"
            )
    if axis is None:
        return (None,) * (len(params) + len(indices) - 1 - batch)
    dim = axis_of(axis, len(params))
    if batch > dim:
        raise GraphError(f"axis is {dim}, but the first {batch} dimensions are batch dimensions")
    common = merge_shapes(params[:batch], indices[:batch]) or ()
    return (*common, *params[batch:dim], *indices[batch:], *params[dim + 1 :])


def _gather(call: Call) -> Result:
    return _add_elements(call, gather_shape(call.shape(0), call.shape(1), 0))


def _gather_v2(call: Call) -> Result:
    shape = gather_shape(call.shape(0), call.shape(1), call.number(2), call.attr("batch_dims", int, 0))
    return _add_elements(call, shape)


def _add_elements(call: Call, shape: Shape | None) -> Result:
    value, indices = call.value(0), call.integers(1)
    if value is None or indices is None or len(call.shape(0) or ()) != 1 or shape is None or None in shape:
        return shape
    if any(index is not None and not 0 <= index < len(value) for index in indices):
        return shape
    return Tensor(shape, tuple(None if index is None else value[index] for index in indices))


def _gather_nd(call: Call) -> Result:
    return gather_nd_shape(call.shape(0), call.shape(1))


def gather_nd_shape(params: Shape | None, indices: Shape | None) -> Shape | None:
    """Return the shape of GatherNd: the last dimension of the indices holds an index into the first ones of params."""
    rows_shape(indices, 1)
    if params is None or indices is None or indices[-1] is None:
        return None
    if indices[-1] > len(params):
        raise GraphError(f"indices of {indices[-1]} numbers are too long for {shape_to_text(params)}")
    return (*indices[:-1], *params[indices[-1] :])


def _scatter_nd(call: Call) -> Result:
    return call.sizes(2)


def _one_hot(call: Call) -> Result:
    shape, depth = call.shape(0), call.number(1)
    if depth is not None and depth < 0:
        raise GraphError(f"depth must not be negative, got {depth}")
    if shape is None:
        return None
    axis = call.attr("axis", int, -1)
    dim = axis_of(axis, len(shape) + 1)
    return (*shape[:dim], depth, *shape[dim:])


def _where(call: Call) -> Result:
    shape = call.shape(0)
    return (None, None if shape is None else len(shape))


RULES: dict[str, Rule] = {
    **ELEMENTWISE,
    "BroadcastArgs": _broadcast_args,
    "BroadcastGradientArgs": _broadcast_gradient_args,
    "BroadcastTo": _broadcast_to,
    "Const": _const,
    "Diag": _diag,
    "DiagPart": _diag_part,
    "Empty": sizes(0),
    "EnsureShape": _ensure_shape,
    "ExpandDims": _expand_dims,
    "Fill": _fill,
    "Gather": _gather,
    "GatherNd": _gather_nd,
    "GatherV2": _gather_v2,
    "HostConst": _const,
    "IdentityN": _identity_n,
    "ImmutableConst": _shape_attribute,
    "InvertPermutation": _invert_permutation,
    "ListDiff": _list_diff,
    "LowerBound": _search_sorted,
    "MatrixBandPart": _band_part,
    "MatrixDiag": _matrix_diag,
    "MatrixDiagPart": _matrix_diag_part,
    "MatrixDiagPartV2": _matrix_diag_part_v2,
    "MatrixDiagPartV3": _matrix_diag_part_v2,
    "MatrixDiagV2": _matrix_diag_v2,
    "MatrixDiagV3": _matrix_diag_v2,
    "MatrixSetDiag": lambda call: rows_shape(call.shape(0), 2),
    "MatrixSetDiagV2": lambda call: rows_shape(call.shape(0), 2),
    "MatrixSetDiagV3": lambda call: rows_shape(call.shape(0), 2),
    "OneHot": _one_hot,
    "Placeholder": _placeholder,
    "PlaceholderV2": _shape_attribute,
    "PlaceholderWithDefault": _placeholder_with_default,
    "Rank": _rank,
    "Reshape": reshape,
    "ScatterNd": _scatter_nd,
    "Shape": _shape,
    "ShapeN": _shape_n,
    "Size": _size,
    "Squeeze": _squeeze,
    "Unique": _unique,
    "UniqueV2": _unique_v2,
    "UniqueWithCounts": _unique_with_counts,
    "UniqueWithCountsV2": _unique_v2,
    "UpperBound": _search_sorted,
    "Where": _where,
    "XlaSetDynamicDimensionSize": lambda call: call.shape(0),
    **share_rule(
        """
        InplaceAdd InplaceSub InplaceUpdate ScatterNdNonAliasingAdd TensorScatterAdd TensorScatterMax
        TensorScatterMin TensorScatterSub TensorScatterUpdate TensorStridedSliceUpdate
        """,
        same_shape,
    ),
}
