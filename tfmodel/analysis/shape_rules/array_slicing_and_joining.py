"""Shape rules of ops that slice, join, split, pad and tile tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ...errors import GraphError
from ...values.shape import (
    Dim,
    Shape,
    axis_of,
    merge_shapes,
    multiply_sizes,
    rows_shape,
    shape_to_text,
    sum_sizes,
    with_rank,
)
from .partial_tensors import MAX_KNOWN_ELEMENTS, Repeated, Tensor, Value
from .table import Call, Result, Rule, divide_dim, read_pairs, subtract_dim

_MASKS = ("begin", "end", "ellipsis", "new_axis", "shrink_axis")


# --- slicing ---------------------------------------------------------------------------------------------------------


def _slice(call: Call) -> Result:
    """Return the shape of Slice: `size` elements from `begin`; -1 means the rest."""
    shape, begins, counts = call.shape(0), call.integers(1), call.integers(2)
    rank = None if shape is None else len(shape)
    for index in (1, 2):
        length = with_rank(call.shape(index), 1)[0]
        rank = rank if length is None else length
    if rank is None or rank > MAX_KNOWN_ELEMENTS:
        return None
    sizes = with_rank(shape, rank)
    begins = begins if begins is not None else (None,) * rank
    counts = counts if counts is not None else (None,) * rank
    if len(begins) != rank or len(counts) != rank:
        raise GraphError(f"begin and size must have {rank} numbers each, for {shape_to_text(shape)}")
    result_shape = tuple(
        _slice_dim(size, begin, count) for size, begin, count in zip(sizes, begins, counts, strict=True)
    )
    value = call.value(0)
    if value is not None and rank == 1 and result_shape[0] is not None and begins[0] is not None:
        return Tensor(result_shape, value[begins[0] : begins[0] + result_shape[0]])
    return result_shape


def _slice_dim(size: Dim, begin: Dim, count: Dim) -> Dim:
    if count is None:
        return None
    if count != -1:
        if begin is not None and size is not None and not 0 <= begin <= begin + count <= size:
            raise GraphError(f"{count} elements from {begin} are out of range for a size of {size}")
        return count
    if size is None or begin is None:
        return None
    if not 0 <= begin <= size:
        raise GraphError(f"{begin} is out of range for a size of {size}")
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
    parts, remaining = _slice_parts(call, len(shape), steps)
    sizes = [_strided_slice_dim(size, part) for size, part in zip(shape, parts, strict=True)]
    result: list[Dim] = []
    for axis in remaining:
        result.append(1 if axis is None else sizes[axis])
    value = call.value(0)
    if value is not None and len(shape) == 1 and parts[0].is_known and None not in result:
        return Tensor(tuple(result), _slice_elements(value, parts[0]))
    return tuple(result)


def _slice_parts(call: Call, rank: int, steps: tuple[int, ...]) -> tuple[list[_Part], list[int | None]]:
    """Return the slice of each dimension, and the dimensions that remain: None is a new one of size 1."""
    masks = {name: call.attr(f"{name}_mask", int, 0) for name in _MASKS}
    count = len(steps)
    begins = call.integers(1) or (None,) * count
    ends = call.integers(2) or (None,) * count
    if len(begins) != count or len(ends) != count:
        raise GraphError("begin, end and strides differ in length")
    if bin(masks["ellipsis"]).count("1") > 1:
        raise GraphError("ellipsis_mask has more than one bit set")
    parts: list[_Part] = []
    remaining: list[int | None] = []
    full_part = _Part(None, None, 1, True, True)
    ellipsis_seen = False
    for entry in range(count):
        bit = 1 << entry
        if masks["ellipsis"] & bit:
            entries_after = sum(not masks["new_axis"] & 1 << other for other in range(entry + 1, count))
            ellipsis_size = rank - len(parts) - entries_after
            remaining += range(len(parts), len(parts) + ellipsis_size)
            parts += [full_part] * ellipsis_size
            ellipsis_seen = True
        elif masks["new_axis"] & bit:
            remaining.append(None)
        else:
            part = _part(begins[entry], ends[entry], steps[entry], {name: bool(masks[name] & bit) for name in masks})
            if not part.is_one:
                remaining.append(len(parts))
            parts.append(part)
    if len(parts) > rank:
        raise GraphError(f"it slices {len(parts)} dimensions of a tensor of {rank}")
    if not ellipsis_seen or len(parts) < rank:
        remaining += range(len(parts), rank)
        parts += [full_part] * (rank - len(parts))
    return parts, remaining


def _part(begin: Dim, end: Dim, step: int, masks: dict[str, bool]) -> _Part:
    if step == 0:
        raise GraphError("strides must not be 0")
    if masks["shrink_axis"]:
        if step < 0:
            raise GraphError("the stride of a single index must not be negative")
        return _Part(begin, None, 1, begin is not None, is_one=True)
    is_known = (begin is not None or masks["begin"]) and (end is not None or masks["end"])
    begin, end = None if masks["begin"] else begin, None if masks["end"] else end
    return _Part(begin, end, step, is_known, masks["begin"] and masks["end"])


def _strided_slice_dim(size: Dim, part: _Part) -> Dim:
    if part.is_one:
        if size is not None and part.begin is not None and not -size <= part.begin < size:
            raise GraphError(f"{part.begin} is out of range for a size of {size}")
        return 1
    if size is None or not part.is_known:
        return None
    if size > 1 << 62:
        return None
    return len(range(*slice(part.begin, part.end, part.step).indices(size)))


def _slice_elements(value: Value, part: _Part) -> Value:
    if part.is_one:
        return (value[part.begin or 0],)
    return value[part.begin : part.end : part.step]


# --- joining and splitting -------------------------------------------------------------------------------------------


def _pack(call: Call) -> Result:
    shape, count = None, len(call.inputs)
    for input_shape in call.shapes:
        shape = merge_shapes(shape, input_shape)
    if shape is None:
        return None
    axis = axis_of(call.attr("axis", int, 0), len(shape) + 1)
    result = (*shape[:axis], count, *shape[axis:])
    if shape == () and count <= MAX_KNOWN_ELEMENTS and any(tensor.value for tensor in call.inputs):
        return Tensor(result, tuple(tensor.value[0] if tensor.value else None for tensor in call.inputs))
    return result


def _unpack(call: Call) -> Result:
    shape, count = call.shape(0), call.count("num")
    if shape is None:
        return Repeated(Tensor(), count)
    axis = axis_of(call.attr("axis", int, 0), len(shape))
    if shape[axis] not in (None, count):
        raise GraphError(f"dimension {axis} of {shape_to_text(shape)} is not {count}")
    value = call.value(0)
    if value is not None and len(shape) == 1:
        return [Tensor((), (element,)) for element in value]
    return Repeated(Tensor(shape[:axis] + shape[axis + 1 :]), count)


def _parallel_concat(call: Call) -> Result:
    """Return the attribute, which has the shape of the result."""
    return call.shape_attr("shape")


def concatenation(shapes: Sequence[Shape | None], axis: int | None) -> Shape | None:
    """Return the shape of a concatenation along a dimension, which may be unknown."""
    rank = next((len(shape) for shape in shapes if shape is not None), None)
    if rank is None:
        return None
    all_ranked = [with_rank(shape, rank) for shape in shapes]
    if axis is None and rank == 1:
        axis = 0
    if axis is None:
        rows_shape(all_ranked[0], 1)
        return (None,) * rank
    dim = axis_of(axis, rank)
    before: Shape | None = None
    after: Shape | None = None
    for shape in all_ranked:
        before, after = merge_shapes(before, shape[:dim]), merge_shapes(after, shape[dim + 1 :])
    return (*(before or ()), sum_sizes(shape[dim] for shape in all_ranked), *(after or ()))


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


def _split_axis(call: Call, index: int) -> int | None:
    """Return the axis if it is known. Raises GraphError if it is, and is not a scalar: TensorFlow checks no other."""
    if call.value(index) is not None and call.shape(index) != ():
        raise GraphError(f"its axis must be a scalar, not {shape_to_text(call.shape(index))}")
    return call.number(index)


def _split(call: Call) -> Result:
    count, axis, shape = call.count("num_split"), _split_axis(call, 0), call.shape(1)
    if shape is None:
        return Repeated(Tensor(), count)
    if axis is None:
        return Repeated(Tensor((None,) * len(shape)), count)
    dim = axis_of(axis, len(shape))
    size = divide_dim(shape[dim], count)
    value = call.value(1)
    if value is not None and len(shape) == 1 and size is not None:
        return [Tensor((size,), value[start : start + size]) for start in range(0, len(value), size or 1)]
    return Repeated(Tensor((*shape[:dim], size, *shape[dim + 1 :])), count)


def _split_v(call: Call) -> Result:
    count, shape, sizes, axis = call.count("num_split"), call.shape(0), call.value(1), _split_axis(call, 2)
    if shape is None:
        return Repeated(Tensor(), count)
    if count == 1 and (axis is None or sizes is None):
        return [shape]
    if axis is None:
        return Repeated(Tensor((None,) * len(shape)), count)
    dim = axis_of(axis, len(shape))
    if sizes is None:
        return Repeated(Tensor((*shape[:dim], None, *shape[dim + 1 :])), count)
    if len(sizes) != count:
        raise GraphError(f"it has {count} outputs, but size_splits has {len(sizes)} numbers")
    return [
        (*shape[:dim], size, *shape[dim + 1 :])
        for size in _split_sizes(shape[dim], call.sizes(1) or (), sizes.count(-1))
    ]


def _split_sizes(total: Dim, sizes: Shape, unknown_count: int) -> list[Dim]:
    """Return the sizes of parts. One of them may be unknown: the remainder."""
    result = list(sizes)
    if unknown_count > 1:
        raise GraphError("size_splits has -1 more than once")
    known_total = sum_sizes(size for size in sizes if size is not None)
    if unknown_count == 1 and sizes.count(None) == 1 and total is not None and known_total is not None:
        result[sizes.index(None)] = total - known_total
    elif None not in sizes and total is not None and known_total != total:
        raise GraphError(f"the sum of size_splits is {known_total}, not {total}")
    return result


# --- padding and tiling ----------------------------------------------------------------------------------------------


def _tile(call: Call) -> Result:
    shape, factors = call.shape(0), call.sizes(1)
    if factors is None:
        return None if shape is None else (None,) * len(shape)
    return multiply_sizes(with_rank(shape, len(factors)), factors)


def _rank_of_paddings(call: Call) -> Dim:
    length = with_rank(call.shape(1), 2)[0]
    return None if length is None or length > MAX_KNOWN_ELEMENTS else length


def _change_by_paddings(call: Call, change: Callable[[Dim, Shape], Dim]) -> Result:
    """Return the shape of input 0 with the size of each dimension changed by its two paddings."""
    shape, paddings = call.shape(0), read_pairs(call, 1)
    rank = _rank_of_paddings(call)
    if rank is None:
        return None if shape is None else (None,) * len(shape)
    sizes = with_rank(shape, rank)
    return (None,) * rank if paddings is None else tuple(map(change, sizes, paddings))


def _pad(call: Call) -> Result:
    return _change_by_paddings(call, _padded_size)


def _padded_size(size: Dim, paddings: Shape) -> Dim:
    if any(padding is not None and padding < 0 for padding in paddings):
        raise GraphError("paddings must not be negative")
    return sum_sizes([size, *paddings])


def _mirror_pad_grad(call: Call) -> Result:
    return _change_by_paddings(call, lambda size, paddings: subtract_dim(size, sum_sizes(paddings)))


# --- tables ----------------------------------------------------------------------------------------------------------

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
    "Slice": _slice,
    "Split": _split,
    "SplitV": _split_v,
    "StridedSlice": _strided_slice,
    "StridedSliceGrad": lambda call: call.sizes(0),
    "Tile": _tile,
    "Unpack": _unpack,
}
