"""Shape rules of ops that concatenate, stack, split, pad and tile."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import GraphError
from ...shape import Dim, Shape, added, axis_of, merged, ranked, rows, scaled, text
from ..partial_tensors import Repeated, Tensor
from ..shape_helpers import divided, less, pairs_of
from ..shape_rules import MOST_ELEMENTS, Call, Result, Rule

__all__ = ["RULES", "concatenation"]


def _pack(call: Call) -> Result:
    shape, count = None, len(call.inputs)
    for each in call.shapes:
        shape = merged(shape, each)
    if shape is None:
        return None
    axis = axis_of(call.attr("axis", int, 0), len(shape) + 1)
    made = (*shape[:axis], count, *shape[axis:])
    if shape == () and count <= MOST_ELEMENTS and any(tensor.value for tensor in call.inputs):
        return Tensor(made, tuple(tensor.value[0] if tensor.value else None for tensor in call.inputs))
    return made


def _unpack(call: Call) -> Result:
    shape, count = call.shape(0), call.count("num")
    if shape is None:
        return Repeated(Tensor(), count)
    axis = axis_of(call.attr("axis", int, 0), len(shape))
    if shape[axis] not in (None, count):
        raise GraphError(f"dimension {axis} of {text(shape)} is not {count}")
    value = call.value(0)
    if value is not None and len(shape) == 1:
        return [Tensor((), (each,)) for each in value]
    return Repeated(Tensor(shape[:axis] + shape[axis + 1 :]), count)


def _parallel_concat(call: Call) -> Result:
    """Rows of one are put together; the attribute says of which shape."""
    return call.shape_attr("shape")


def concatenation(shapes: Sequence[Shape | None], axis: int | None) -> Shape | None:
    """Return the shape of a concatenation along a dimension, which may be unknown."""
    rank = next((len(shape) for shape in shapes if shape is not None), None)
    if rank is None:
        return None
    all_ranked = [ranked(shape, rank) for shape in shapes]
    if axis is None and rank == 1:
        axis = 0
    if axis is None:
        rows(all_ranked[0], 1)
        return (None,) * rank
    at = axis_of(axis, rank)
    before: Shape | None = None
    behind: Shape | None = None
    for shape in all_ranked:
        before, behind = merged(before, shape[:at]), merged(behind, shape[at + 1 :])
    return (*(before or ()), added(shape[at] for shape in all_ranked), *(behind or ()))


def _concat(call: Call) -> Result:
    return concatenation(call.shapes[1:], call.number(0))


def _concat_v2(call: Call) -> Result:
    call.tensor(0)
    shape = concatenation(call.shapes[:-1], call.number(len(call.inputs) - 1))
    if shape is None or len(shape) != 1 or shape[0] is None or shape[0] > MOST_ELEMENTS:
        return shape
    if not any(tensor.value for tensor in call.inputs[:-1]):
        return shape
    value: list[int | float | None] = []
    for tensor in call.inputs[:-1]:
        unknown = (None,) * ((tensor.shape or (0,))[0] or 0)
        value += unknown if tensor.value is None else tensor.value
    return Tensor(shape, tuple(value)) if len(value) == shape[0] else shape


def _concat_offset(call: Call) -> Result:
    return list(call.shapes[1:])


def _split(call: Call) -> Result:
    count, axis, shape = call.count("num_split"), call.number(0), call.shape(1)
    if shape is None:
        return Repeated(Tensor(), count)
    if axis is None:
        return Repeated(Tensor((None,) * len(shape)), count)
    at = axis_of(axis, len(shape))
    size = divided(shape[at], count)
    value = call.value(1)
    if value is not None and len(shape) == 1 and size is not None:
        return [Tensor((size,), value[start : start + size]) for start in range(0, len(value), size or 1)]
    return Repeated(Tensor((*shape[:at], size, *shape[at + 1 :])), count)


def _split_v(call: Call) -> Result:
    count, shape, sizes, axis = call.count("num_split"), call.shape(0), call.value(1), call.number(2)
    if shape is None:
        return Repeated(Tensor(), count)
    if count == 1 and (axis is None or sizes is None):
        return [shape]
    if axis is None:
        return Repeated(Tensor((None,) * len(shape)), count)
    at = axis_of(axis, len(shape))
    if sizes is None:
        return Repeated(Tensor((*shape[:at], None, *shape[at + 1 :])), count)
    if len(sizes) != count:
        raise GraphError(f"it has {count} outputs, of {len(sizes)} sizes")
    return [(*shape[:at], size, *shape[at + 1 :]) for size in _split_sizes(shape[at], call.sizes(1) or (), sizes.count(-1))]


def _split_sizes(whole: Dim, sizes: Shape, left_open: int) -> list[Dim]:
    """The sizes of parts, one of which may be what the others leave."""
    found = list(sizes)
    if left_open > 1:
        raise GraphError("more than one size is left to be found")
    others = added(size for size in sizes if size is not None)
    if left_open == 1 and sizes.count(None) == 1 and whole is not None and others is not None:
        found[sizes.index(None)] = whole - others
    elif None not in sizes and whole is not None and others != whole:
        raise GraphError(f"parts of {others} do not make {whole}")
    return found


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
    "Concat": _concat,
    "ConcatOffset": _concat_offset,
    "ConcatV2": _concat_v2,
    "MirrorPad": _pad,
    "MirrorPadGrad": _mirror_pad_grad,
    "Pack": _pack,
    "Pad": _pad,
    "PadV2": _pad,
    "ParallelConcat": _parallel_concat,
    "Split": _split,
    "SplitV": _split_v,
    "Tile": _tile,
    "Unpack": _unpack,
}
