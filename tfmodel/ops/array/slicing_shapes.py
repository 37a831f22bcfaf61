"""Shape rules of Slice and StridedSlice."""

from __future__ import annotations

from typing import NamedTuple

from ...errors import GraphError
from ...shape import Dim, ranked, text
from ..partial_tensors import Tensor, Value
from ..shape_rules import MOST_ELEMENTS, Call, Result, Rule

__all__ = ["RULES"]

_MASKS = ("begin", "end", "ellipsis", "new_axis", "shrink_axis")


def _slice(call: Call) -> Result:
    """From `begin` so many elements; -1 is all that are left."""
    shape, begins, counts = call.shape(0), call.integers(1), call.integers(2)
    rank = None if shape is None else len(shape)
    for place in (1, 2):
        length = ranked(call.shape(place), 1)[0]
        rank = rank if length is None else length
    if rank is None or rank > MOST_ELEMENTS:
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


RULES: dict[str, Rule] = {
    "Slice": _slice,
    "StridedSlice": _strided_slice,
    "StridedSliceGrad": lambda call: call.sizes(0),
}
