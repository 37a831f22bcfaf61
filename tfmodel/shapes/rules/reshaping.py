"""Ops that look at shapes, change them, or lay elements out anew: reshape, transpose, tile, pad."""

from __future__ import annotations

from ...errors import GraphError
from ...messages import DataType
from ...ops.partial_tensors import Tensor, vector
from ...ops.shape_rules import MOST_ELEMENTS, Call, Result, Rule
from ...shape import (
    SCALAR,
    Dim,
    Shape,
    added,
    axis_of,
    broadcast,
    known,
    merged,
    merged_dim,
    ranked,
    scaled,
    size_of,
    text,
)
from .spaces import less, pairs_of

__all__ = ["RULES", "reshape"]


# --- what a shape is -------------------------------------------------------------------------------------------------


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


# --- the same elements in another shape ------------------------------------------------------------------------------


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


def _set_shape(call: Call) -> Result:
    return merged(call.shape(0), call.sizes(1))


def _transpose(call: Call) -> Result:
    shape, order = call.shape(0), call.numbers(1)
    length = call.shape(1)
    if order is None:
        rank = len(shape) if shape is not None else length[0] if length is not None and len(length) == 1 else None
        return None if rank is None or rank > MOST_ELEMENTS else (shape or (None,)) * (rank == 1) or (None,) * rank
    axes = [axis_of(axis, len(order)) for axis in order]
    if len(set(axes)) != len(axes):
        raise GraphError(f"{order} is no order of dimensions")
    sizes = ranked(shape, len(order))
    return tuple(sizes[axis] for axis in axes)


def _bitcast(call: Call) -> Result:
    """Of larger elements, the bytes of several make one; of smaller ones, one makes several."""
    from ...dtypes import dtype_of

    shape = call.shape(0)
    before = dtype_of(call.attr("T", DataType)).itemsize
    after = dtype_of(call.attr("type", DataType)).itemsize
    if shape is None or before == after or not before or not after:
        return shape
    if before > after:
        return (*shape, before // after)
    if not shape or shape[-1] not in (None, after // before):
        raise GraphError(f"the last dimension of {text(shape)} is not {after // before}")
    return shape[:-1]


# --- broadcasting ----------------------------------------------------------------------------------------------------


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


# --- more or fewer elements ------------------------------------------------------------------------------------------


def _tile(call: Call) -> Result:
    shape, factors = call.shape(0), call.sizes(1)
    if factors is None:
        return None if shape is None else (None,) * len(shape)
    return scaled(ranked(shape, len(factors)), factors)


def _table_rank(call: Call, place: int) -> Dim:
    length = ranked(call.shape(place), 2)[0]
    return None if length is None or length > MOST_ELEMENTS else length


def _pad(call: Call) -> Result:
    shape, paddings = call.shape(0), pairs_of(call, 1)
    rank = _table_rank(call, 1)
    if rank is None:
        return None if shape is None else (None,) * len(shape)
    sizes = ranked(shape, rank)
    if paddings is None:
        return (None,) * rank
    if any(each is not None and each < 0 for row in paddings for each in row):
        raise GraphError("a padding is negative")
    return tuple(added([size, *row]) for size, row in zip(sizes, paddings, strict=True))


def _mirror_pad_grad(call: Call) -> Result:
    shape, paddings = call.shape(0), pairs_of(call, 1)
    rank = _table_rank(call, 1)
    if rank is None:
        return None if shape is None else (None,) * len(shape)
    sizes = ranked(shape, rank)
    if paddings is None:
        return (None,) * rank
    return tuple(less(size, added(row)) for size, row in zip(sizes, paddings, strict=True))


RULES: dict[str, Rule] = {
    "Bitcast": _bitcast,
    "BroadcastArgs": _broadcast_args,
    "BroadcastGradientArgs": _broadcast_gradient_args,
    "BroadcastTo": _broadcast_to,
    "ConjugateTranspose": _transpose,
    "EnsureShape": _ensure_shape,
    "ExpandDims": _expand_dims,
    "MirrorPad": _pad,
    "MirrorPadGrad": _mirror_pad_grad,
    "Pad": _pad,
    "PadV2": _pad,
    "Rank": _rank,
    "Reshape": reshape,
    "Shape": _shape,
    "ShapeN": _shape_n,
    "Size": _size,
    "Squeeze": _squeeze,
    "Tile": _tile,
    "Transpose": _transpose,
    "XlaSetDynamicDimensionSize": lambda call: call.shape(0),
}
