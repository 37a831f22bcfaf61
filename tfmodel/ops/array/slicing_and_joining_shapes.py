"""Shape rules of ops that take parts of tensors and join tensors.

Shape rules of Slice and StridedSlice.

Shape rules of ops that concatenate, stack, split, pad and tile.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...errors import GraphError
from ...shape import Dim, Shape, added, axis_of, merged, ranked, rows, scaled, text
from ..partial_tensors import Repeated, Tensor, Value
from ..shape_rules import MAX_KNOWN_ELEMENTS, Call, Result, Rule, divide_dim, read_pairs, subtract_dim

__all__ = ["RULES", "concatenation"]


_MASKS = ("begin", "end", "ellipsis", "new_axis", "shrink_axis")


def _slice(call: Call) -> Result:
    """From `begin` so many elements; -1 is all that are left."""
    shape, begins, counts = call.shape(0), call.integers(1), call.integers(2)
    rank = None if shape is None else len(shape)
    for place in (1, 2):
        length = ranked(call.shape(place), 1)[0]
        rank = rank if length is None else length
    if rank is None or rank > MAX_KNOWN_ELEMENTS:
        return None
    sizes = ranked(shape, rank)
    begins = begins if begins is not None else (None,) * rank
    counts = counts if counts is not None else (None,) * rank
    if len(begins) != rank or len(counts) != rank:
        raise GraphError(f"it begins at {len(begins)} numbers, for {text(shape)}")
    made = tuple(_sliced(size, begin, count) for size, begin, count in zip(sizes, begins, counts, strict=True))
    value = call.value(0)
    if value is not None and rank == 1 and made[0] is not None and begins[0] is not None:
        return Tensor(made, value[begins[0] : begins[0] + made[0]])
    return made


def _sliced(size: Dim, begin: Dim, count: Dim) -> Dim:
    if count is None:
        return None
    if count != -1:
        if begin is not None and size is not None and not 0 <= begin <= begin + count <= size:
            raise GraphError(f"{count} from {begin} on is not within {size}")
        return count
    if size is None or begin is None:
        return None
    if not 0 <= begin <= size:
        raise GraphError(f"{begin} is not within {size}")
    return size - begin


class _Part(NamedTuple):
    """The slice of one dimension. `begin` and `end` are None if they are masked or unknown."""

    begin: int | None
    end: int | None
    step: int
    is_known: bool = True
    is_all: bool = False
    """Whether both ends are masked."""
    is_one: bool = False
    """Whether the dimension is removed."""


def _strided_slice(call: Call) -> Result:
    shape, length, steps = call.shape(0), call.shape(1), call.numbers(3)
    if shape is None or steps is None or length is None:
        return None
    parts, kept = _slice_parts(call, len(shape), steps)
    sizes = [_taken(size, part) for size, part in zip(shape, parts, strict=True)]
    made: list[Dim] = []
    for place in kept:
        made.append(1 if place is None else sizes[place])
    value = call.value(0)
    if value is not None and len(shape) == 1 and parts[0].is_known and None not in made:
        return Tensor(tuple(made), _elements(value, parts[0]))
    return tuple(made)


def _slice_parts(call: Call, rank: int, steps: tuple[int, ...]) -> tuple[list[_Part], list[int | None]]:
    """Return the slice of each dimension, and the dimensions that remain: None is a new one of size 1."""
    masks = {name: call.attr(f"{name}_mask", int, 0) for name in _MASKS}
    count = len(steps)
    begins = call.integers(1) or (None,) * count
    ends = call.integers(2) or (None,) * count
    if len(begins) != count or len(ends) != count:
        raise GraphError("begin, end and strides are not of one length")
    if bin(masks["ellipsis"]).count("1") > 1:
        raise GraphError("it has more than one ellipsis")
    parts: list[_Part] = []
    kept: list[int | None] = []
    whole = _Part(None, None, 1, True, True)
    ellipsis_seen = False
    for place in range(count):
        bit = 1 << place
        if masks["ellipsis"] & bit:
            behind = sum(not masks["new_axis"] & 1 << later for later in range(place + 1, count))
            spanned = rank - len(parts) - behind
            kept += range(len(parts), len(parts) + spanned)
            parts += [whole] * spanned
            ellipsis_seen = True
        elif masks["new_axis"] & bit:
            kept.append(None)
        else:
            part = _part(begins[place], ends[place], steps[place], {name: bool(masks[name] & bit) for name in masks})
            if not part.is_one:
                kept.append(len(parts))
            parts.append(part)
    if len(parts) > rank:
        raise GraphError(f"it takes {len(parts)} dimensions, and there are {rank}")
    if not ellipsis_seen or len(parts) < rank:
        kept += range(len(parts), rank)
        parts += [whole] * (rank - len(parts))
    return parts, kept


def _part(begin: Dim, end: Dim, step: int, masks: dict[str, bool]) -> _Part:
    if step == 0:
        raise GraphError("a stride is 0")
    if masks["shrink_axis"]:
        if step < 0:
            raise GraphError("a stride is negative where one element is taken")
        return _Part(begin, None, 1, begin is not None, is_one=True)
    is_known = (begin is not None or masks["begin"]) and (end is not None or masks["end"])
    begin, end = None if masks["begin"] else begin, None if masks["end"] else end
    return _Part(begin, end, step, is_known, masks["begin"] and masks["end"])


def _taken(size: Dim, part: _Part) -> Dim:
    if part.is_one:
        if size is not None and part.begin is not None and not -size <= part.begin < size:
            raise GraphError(f"{part.begin} is not within {size}")
        return 1
    if size is None or not part.is_known:
        return None
    if size > 1 << 62:
        return None
    return len(range(*slice(part.begin, part.end, part.step).indices(size)))


def _elements(value: Value, part: _Part) -> Value:
    if part.is_one:
        return (value[part.begin or 0],)
    return value[part.begin : part.end : part.step]


def _pack(call: Call) -> Result:
    shape, count = None, len(call.inputs)
    for each in call.shapes:
        shape = merged(shape, each)
    if shape is None:
        return None
    axis = axis_of(call.attr("axis", int, 0), len(shape) + 1)
    made = (*shape[:axis], count, *shape[axis:])
    if shape == () and count <= MAX_KNOWN_ELEMENTS and any(tensor.value for tensor in call.inputs):
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
    if shape is None or len(shape) != 1 or shape[0] is None or shape[0] > MAX_KNOWN_ELEMENTS:
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
    size = divide_dim(shape[at], count)
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
    return [
        (*shape[:at], size, *shape[at + 1 :]) for size in _split_sizes(shape[at], call.sizes(1) or (), sizes.count(-1))
    ]


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
    return None if length is None or length > MAX_KNOWN_ELEMENTS else length


def _pad(call: Call) -> Result:
    shape, paddings = call.shape(0), read_pairs(call, 1)
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
    shape, paddings = call.shape(0), read_pairs(call, 1)
    rank = _table_rank(call, 1)
    if rank is None:
        return None if shape is None else (None,) * len(shape)
    sizes = ranked(shape, rank)
    if paddings is None:
        return (None,) * rank
    return tuple(subtract_dim(size, added(row)) for size, row in zip(sizes, paddings, strict=True))


RULES: dict[str, Rule] = {
    "Slice": _slice,
    "StridedSlice": _strided_slice,
    "StridedSliceGrad": lambda call: call.sizes(0),
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
