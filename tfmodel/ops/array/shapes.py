"""Shape rules of constants, placeholders, pass-through ops, reshaping and broadcasting.

Shape rules of ops on the diagonals of matrices.
"""

from __future__ import annotations

from ...errors import GraphError
from ...messages import TensorProto
from ...shape import SCALAR, Dim, Shape, axis_of, broadcast, known, merged, merged_dim, ranked, rows, size_of, text
from ..partial_tensors import Tensor, constant, vector
from ..shape_rules import MAX_KNOWN_ELEMENTS, Call, Result, Rule, first_input, same_shape, share_rule

__all__ = ["ELEMENTWISE", "RULES", "reshape", "sizes"]


_SCALAR_IS_UNKNOWN = 21  # the last version of graphs in which a placeholder of no shape is written as a scalar


def _identity_n(call: Call) -> Result:
    return list(call.inputs)


def _searched(call: Call) -> Result:
    ranked(call.shape(0), 2)
    return ranked(call.shape(1), 2)


def _unique(call: Call) -> Result:
    return [(None,), ranked(call.shape(0), 1)]


def _unique_with_counts(call: Call) -> Result:
    return [(None,), ranked(call.shape(0), 1), (None,)]


def _unique_v2(call: Call) -> Result:
    shape, axes = call.shape(0), call.numbers(1)
    indices: Shape = (None,)
    found: Shape | None = None
    if shape is not None:
        found = (None,) * len(shape)
        if axes is not None:
            at = axis_of(axes[0], len(ranked(shape, len(shape) if axes else 1))) if axes else 0
            indices = (shape[at],)
            found = (*shape[:at], None, *shape[at + 1 :])
    counts: list[Shape | Tensor | None] = [(None,)] if call.node.op == "UniqueWithCountsV2" else []
    return [found, indices, *counts]


def _list_diff(call: Call) -> Result:
    return [(None,), (None,)]


def _inverted(call: Call) -> Result:
    """Of an order of dimensions, the order that undoes it."""
    shape, order = ranked(call.shape(0), 1), call.numbers(0)
    if order is None:
        return shape
    if sorted(order) != list(range(len(order))):
        raise GraphError(f"{order} is no permutation")
    return Tensor(shape, tuple(order.index(place) for place in range(len(order))))


def _shape(call: Call) -> Result:
    return _spelled(call.shape(0))


def _shape_n(call: Call) -> Result:
    return [_spelled(shape) for shape in call.shapes]


def _spelled(shape: Shape | None) -> Tensor:
    return Tensor((None,)) if shape is None else vector(shape)


def _size(call: Call) -> Result:
    return Tensor(SCALAR, (size_of(call.shape(0)),))


def _rank(call: Call) -> Result:
    shape = call.shape(0)
    return Tensor(SCALAR, (None if shape is None else len(shape),))


def _kept(call: Call, shape: Shape | None) -> Tensor:
    """The elements of the first input in another shape."""
    tensor = call.tensor(0)
    return Tensor(shape, tensor.value if known(shape) else None, tensor.handle)


def reshape(call: Call) -> Shape | Tensor | None:
    shape, wanted = call.shape(0), call.sizes(1)
    value = call.value(1)
    if wanted is None:
        return None
    if value is not None and value.count(-1) > 1:
        raise GraphError(f"{text(wanted)} leaves more than one dimension to be found")
    open_places = [place for place, size in enumerate(wanted) if size is None]
    count = size_of(shape)
    if not open_places:
        if count is not None and count != size_of(wanted):
            raise GraphError(f"{text(shape)} has {count:,} elements, which do not fit into {text(wanted)}")
        return _kept(call, wanted)
    if len(open_places) > 1 or count is None:
        return wanted
    others = size_of(tuple(size for size in wanted if size is not None))
    if not others:
        if count:
            raise GraphError(f"{text(shape)} does not fit into {text(wanted)}")
        return wanted
    if count % others:
        raise GraphError(f"{text(shape)} has {count:,} elements, which are no multiple of {others:,}")
    found = list(wanted)
    found[open_places[0]] = count // others
    return _kept(call, tuple(found))


def _squeeze(call: Call) -> Result:
    shape = call.shape(0)
    axes = call.attr("squeeze_dims", list[int], None) or call.attr("axis", list[int], None) or []
    if shape is None:
        return None
    if not axes:
        return None if None in shape else _kept(call, tuple(size for size in shape if size != 1))
    gone = {axis_of(axis, len(shape)) for axis in axes}
    for axis in gone:
        if shape[axis] not in (1, None):
            raise GraphError(f"dimension {axis} of {text(shape)} is not 1")
    return _kept(call, tuple(size for axis, size in enumerate(shape) if axis not in gone))


def _expand_dims(call: Call) -> Result:
    shape, axis = call.shape(0), call.number(1)
    if shape is None:
        return None
    if axis is None:
        return (None,) * (len(shape) + 1)
    at = axis_of(axis, len(shape) + 1)
    return _kept(call, (*shape[:at], 1, *shape[at:]))


def _ensure_shape(call: Call) -> Result:
    return _kept(call, merged(call.shape(0), call.shape_attr("shape")))


def _broadcast_to(call: Call) -> Result:
    shape = call.shape(0)
    wanted = call.sizes(1)
    if wanted is None or shape is None:
        return wanted
    extra = len(wanted) - len(shape)
    if extra < 0:
        raise GraphError(f"{text(shape)} cannot become {text(wanted)}")
    return wanted[:extra] + tuple(map(_stretched, shape, wanted[extra:]))


def _stretched(size: Dim, wanted: Dim) -> Dim:
    """A dimension of 1 becomes any; others stay."""
    if size is None or size == 1:
        return wanted
    return merged_dim(size, wanted)


def _broadcast_args(call: Call) -> Result:
    a, b = call.numbers(0), call.numbers(1)
    if a is not None and b is not None:
        return vector(broadcast(a, b) or ())
    lengths = [ranked(shape, 1)[0] for shape in call.shapes]
    return (None if None in lengths else max(lengths, key=lambda size: size or 0),)


def _broadcast_gradient_args(call: Call) -> Result:
    return [(None,), (None,)]


def _const(call: Call) -> Result:
    return constant(call.attr("value", TensorProto))


def _placeholder(call: Call) -> Result:
    shape = call.shape_attr("shape")
    return None if shape == () and call.producer <= _SCALAR_IS_UNKNOWN else shape


def _shape_attribute(call: Call) -> Result:
    return call.shape_attr("shape")


def _with_default(call: Call) -> Result:
    """Return the shape of the attribute: a fed value may have any shape that it allows."""
    merged(call.shape(0), call.shape_attr("shape"))
    return call.shape_attr("shape")


def _fill(call: Call) -> Result:
    shape, size = call.sizes(0), None
    value, element = call.value(0), call.value(1)
    if value is not None and -1 in value:
        raise GraphError("a size is negative")
    size = size_of(shape)
    if size is not None and size <= MAX_KNOWN_ELEMENTS and element is not None and len(element) == 1:
        return Tensor(shape, element * size)
    return shape


def sizes(place: int) -> Rule:
    """Of the shape that an input spells."""

    def rule(call: Call) -> Result:
        return call.sizes(place)

    return rule


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


def _band_part(call: Call) -> Result:
    return rows(call.shape(0), 2)


def _diag(call: Call) -> Result:
    shape = rows(call.shape(0), 1)
    return None if shape is None else shape + shape


def _diag_part(call: Call) -> Result:
    shape = call.shape(0)
    if shape is None:
        return None
    half, rest = divmod(len(shape), 2)
    if rest or not half:
        raise GraphError(f"{text(shape)} has no diagonal")
    return merged(shape[:half], shape[half:])


def _matrix_diag(call: Call) -> Result:
    shape = rows(call.shape(0), 1)
    return None if shape is None else (*shape, shape[-1])


def _matrix_diag_part(call: Call) -> Result:
    shape = rows(call.shape(0), 2)
    return None if shape is None else (*shape[:-2], _least(shape[-2], shape[-1]))


def _least(a: Dim, b: Dim) -> Dim:
    return 0 if 0 in (a, b) else None if a is None or b is None else min(a, b)


def _band(value: tuple[int, ...] | None) -> tuple[int, int] | None:
    """The lowest and the highest of the diagonals that are meant."""
    if value is None or not value:
        return None
    if value[0] > value[-1]:
        raise GraphError(f"there are no diagonals from {value[0]} to {value[-1]}")
    return value[0], value[-1]


def _matrix_diag_v2(call: Call) -> Result:
    shape, band = rows(call.shape(0), 1), _band(call.numbers(1))
    if shape is None:
        return None
    if band is None:
        return None
    low, high = band
    outer = shape[:-1] if low == high else (rows(shape, 2) or ())[:-2]
    if low != high:
        merged_dim(shape[-2], high - low + 1)
    longest, height, width = shape[-1], call.number(2), call.number(3)
    height, width = (None if size == -1 else size for size in (height, width))
    unset = [call.number(place) == -1 for place in (2, 3)]
    if longest is None or None in (call.number(2), call.number(3)):
        return (*outer, height, width)
    least_height, least_width = longest - min(high, 0), longest + max(low, 0)
    if all(unset):
        height = width = max(least_height, least_width)
    elif unset[0]:
        height = least_height
    elif unset[1]:
        width = least_width
    return (*outer, height, width)


def _matrix_diag_part_v2(call: Call) -> Result:
    shape, band = rows(call.shape(0), 2), _band(call.numbers(1))
    if shape is None or band is None:
        return None
    low, high = band
    height, width = shape[-2:]
    longest = None
    if height is not None and width is not None:
        longest = min(height + min(high, 0), width - max(low, 0))
        if longest < 0:
            raise GraphError(f"{text(shape)} has no diagonals from {low} to {high}")
    return (*shape[:-2], *((high - low + 1,) if low != high else ()), longest)


RULES: dict[str, Rule] = {
    **ELEMENTWISE,
    "BroadcastArgs": _broadcast_args,
    "BroadcastGradientArgs": _broadcast_gradient_args,
    "BroadcastTo": _broadcast_to,
    "Const": _const,
    "Empty": sizes(0),
    "EnsureShape": _ensure_shape,
    "ExpandDims": _expand_dims,
    "Fill": _fill,
    "HostConst": _const,
    "IdentityN": _identity_n,
    "ImmutableConst": _shape_attribute,
    "InvertPermutation": _inverted,
    "ListDiff": _list_diff,
    "LowerBound": _searched,
    "Placeholder": _placeholder,
    "PlaceholderV2": _shape_attribute,
    "PlaceholderWithDefault": _with_default,
    "Rank": _rank,
    "Reshape": reshape,
    "Shape": _shape,
    "ShapeN": _shape_n,
    "Size": _size,
    "Squeeze": _squeeze,
    "Unique": _unique,
    "UniqueV2": _unique_v2,
    "UniqueWithCounts": _unique_with_counts,
    "UniqueWithCountsV2": _unique_v2,
    "UpperBound": _searched,
    "XlaSetDynamicDimensionSize": lambda call: call.shape(0),
    "Diag": _diag,
    "DiagPart": _diag_part,
    "MatrixBandPart": _band_part,
    "MatrixDiag": _matrix_diag,
    "MatrixDiagPart": _matrix_diag_part,
    "MatrixDiagPartV2": _matrix_diag_part_v2,
    "MatrixDiagPartV3": _matrix_diag_part_v2,
    "MatrixDiagV2": _matrix_diag_v2,
    "MatrixDiagV3": _matrix_diag_v2,
    "MatrixSetDiag": lambda call: rows(call.shape(0), 2),
    "MatrixSetDiagV2": lambda call: rows(call.shape(0), 2),
    "MatrixSetDiagV3": lambda call: rows(call.shape(0), 2),
}
