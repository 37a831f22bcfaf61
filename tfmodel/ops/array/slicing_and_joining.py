"""Slice, StridedSlice, Concat, Pack, Split, Pad, Tile: parts of tensors, and tensors from parts.

Slice and StridedSlice, `x[a:b:c, ..., newaxis, i]`, its gradient, and assignment to a slice.

    sparse     the node's form: a begin, an end and a stride for some places, and masks with a bit for each place
    dense      its meaning for a tensor: one Python slice for each dimension: `_Spec`

A bit in `ellipsis_mask` makes its place stand for as many dimensions as the others leave over; one in `new_axis_mask`
for a new dimension of 1; one in `shrink_axis_mask` for a single index, whose dimension is gone; `begin_mask` and
`end_mask` leave the begin or the end open.

Concatenate, stack, split, pad and tile tensors.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import RunError
from ...io.terminal import printable
from ..runtime.argument_checks import check, int_list, normalize_axis, read_scalar, read_shape, read_vector, show, zeros
from ..runtime.registry import Tensor, kernel

__all__: list[str] = []


_Slices = tuple[slice, ...]


@kernel("Slice")
def slice_(x: Tensor, begin: Tensor, size: Tensor) -> Tensor:
    starts, sizes = read_vector(begin, "begin", x.ndim), read_vector(size, "size", x.ndim)
    ends = [limit if size == -1 else start + size for start, size, limit in zip(starts, sizes, x.shape, strict=True)]
    fits = all(0 <= a <= b <= limit for a, b, limit in zip(starts, ends, x.shape, strict=True))
    check(fits, f"a slice of {show(sizes)} from {show(starts)} on is not inside of {show(x.shape)}")
    return x[tuple(map(slice, starts, ends))]


@dataclass(frozen=True)
class _Masks:
    begin: int
    end: int
    ellipsis: int
    new_axis: int
    shrink: int


@dataclass(frozen=True)
class _Spec:
    """A slice for each dimension, and the shape of the result, which has other dimensions."""

    slices: _Slices
    shape: tuple[int, ...]


@kernel("StridedSlice")
def strided_slice(
    x: Tensor,
    begin: Tensor,
    end: Tensor,
    strides: Tensor,
    *,
    begin_mask: int,
    end_mask: int,
    ellipsis_mask: int,
    new_axis_mask: int,
    shrink_axis_mask: int,
) -> Tensor:
    masks = _Masks(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    spec = _spec(x.shape, begin, end, strides, masks)
    return x[spec.slices].reshape(spec.shape)


@kernel("StridedSliceGrad")
def strided_slice_grad(
    shape: Tensor,
    begin: Tensor,
    end: Tensor,
    strides: Tensor,
    dy: Tensor,
    *,
    begin_mask: int,
    end_mask: int,
    ellipsis_mask: int,
    new_axis_mask: int,
    shrink_axis_mask: int,
) -> Tensor:
    masks = _Masks(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    check(shape.ndim == 1, f"shape must be a vector, not of shape {show(shape.shape)}")
    result = zeros(read_shape(shape, "shape"), dy.dtype)
    spec = _spec(result.shape, begin, end, strides, masks)
    check(dy.shape == spec.shape, f"dy has shape {show(dy.shape)}, the slice {show(spec.shape)}")
    part = result[spec.slices]
    part[...] = dy.reshape(part.shape)
    return result


@kernel("TensorStridedSliceUpdate")
def strided_slice_update(
    x: Tensor,
    begin: Tensor,
    end: Tensor,
    strides: Tensor,
    value: Tensor,
    *,
    begin_mask: int,
    end_mask: int,
    ellipsis_mask: int,
    new_axis_mask: int,
    shrink_axis_mask: int,
) -> Tensor:
    masks = _Masks(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    spec = _spec(x.shape, begin, end, strides, masks)
    result = x.copy()
    part = result[spec.slices]
    if not part.size:
        return result
    extra = max(value.ndim - len(spec.shape), 0)
    check(
        value.shape[:extra] == (1,) * extra
        and all(own in (1, size) for own, size in zip(value.shape[::-1], spec.shape[::-1], strict=False)),
        f"a value of shape {show(value.shape)} cannot be put into a slice of shape {show(spec.shape)}",
    )
    part[...] = np.broadcast_to(value.reshape(value.shape[extra:]), spec.shape).reshape(part.shape)
    return result


def _spec(shape: Sequence[int], begin: Tensor, end: Tensor, strides: Tensor, masks: _Masks) -> _Spec:
    starts = read_vector(begin, "begin")
    ends, steps = read_vector(end, "end", len(starts)), read_vector(strides, "strides", len(starts))
    check(len(starts) < 32, f"begin has {len(starts)} elements, but at most 31 are possible")
    kinds = _kinds(len(starts), masks)
    check(
        all(step or kind in ("ellipsis", "newaxis") for step, kind in zip(steps, kinds, strict=True)),
        f"strides is {show(steps)}, but must not be 0",
    )
    check(kinds.count("ellipsis") <= 1, "there is more than one ellipsis")
    if "ellipsis" not in kinds:
        kinds.append("ellipsis")
    rest = len(shape) - kinds.count("range") - kinds.count("index")
    check(rest >= 0, f"there are {len(shape) - rest} indices for a tensor of {len(shape)} dimensions")

    slices: list[slice] = []
    sizes: list[int] = []
    for place, kind in enumerate(kinds):
        axis = len(slices)
        if kind == "ellipsis":
            slices += [slice(None)] * rest
            sizes += shape[axis : axis + rest]
        elif kind == "newaxis":
            sizes.append(1)
        elif kind == "index":
            slices.append(_one(starts[place], steps[place], shape[axis], axis))
        else:
            first = None if masks.begin >> place & 1 else starts[place]
            last = None if masks.end >> place & 1 else ends[place]
            slices.append(slice(first, last, steps[place]))  # out of bounds is the same in Python: clipped
            sizes.append(len(range(*slices[-1].indices(shape[axis]))))
    return _Spec(tuple(slices), tuple(sizes))


def _kinds(count: int, masks: _Masks) -> list[str]:
    """Return the meaning of each place. If several bits are set, the ellipsis wins, then the new axis."""
    named = ((masks.ellipsis, "ellipsis"), (masks.new_axis, "newaxis"), (masks.shrink, "index"), (-1, "range"))
    return [next(kind for mask, kind in named if mask >> place & 1) for place in range(count)]


def _one(start: int, step: int, size: int, axis: int) -> slice:
    if step < 0:
        raise RunError(f"the index of dimension {axis} has a stride of {step}, but must have a positive one")
    index = start + size if start < 0 else start
    if not 0 <= index < size:
        raise RunError(f"the index {start} is not in dimension {axis}, which has a size of {size}")
    return slice(index, index + 1)


@kernel("ConcatV2")
def concat(*tensors: Tensor) -> Tensor:
    *values, axis = tensors
    return _joined(values, read_scalar(axis, "axis", vector_of_one=True))


@kernel("Concat")
def old_concat(concat_dim: Tensor, *values: Tensor) -> Tensor:
    return _joined(values, read_scalar(concat_dim, "concat_dim", vector_of_one=True))


def _joined(values: Sequence[Tensor], axis: int) -> Tensor:
    first = values[0].shape
    place = normalize_axis(axis, len(first))
    for value in values[1:]:
        fits = value.ndim == len(first) and all(
            a == b for number, (a, b) in enumerate(zip(value.shape, first, strict=True)) if number != place
        )
        check(
            fits,
            f"tensors of shapes {show(first)} and {show(value.shape)} cannot be joined along axis {axis}",
        )
    return np.concatenate(values, place)


@kernel("Pack")
def pack(*values: Tensor, axis: int) -> Tensor:
    first = values[0].shape
    for value in values:
        check(
            value.shape == first,
            f"tensors of shapes {show(first)} and {show(value.shape)} cannot be stacked",
        )
    return np.stack(values, normalize_axis(axis, values[0].ndim + 1))


# --- splitting -------------------------------------------------------------------------------------------------------


@kernel("Unpack")
def unpack(value: Tensor, *, num: int, axis: int) -> list[Tensor]:
    place = normalize_axis(axis, value.ndim)
    check(value.shape[place] == num, f"axis {axis} of {show(value.shape)} has no {num} elements")
    return list(np.moveaxis(value, place, 0))


@kernel("Split")
def split(split_dim: Tensor, value: Tensor, *, num_split: int) -> list[Tensor]:
    axis = normalize_axis(read_scalar(split_dim, "split_dim"), value.ndim, "split_dim")
    check(
        num_split > 0 and value.shape[axis] % num_split == 0,
        f"dimension {axis} of {show(value.shape)} cannot be split into {num_split} equal parts",
    )
    return _pieces(value, [value.shape[axis] // num_split] * num_split, axis)


@kernel("SplitV")
def split_v(value: Tensor, size_splits: Tensor, split_dim: Tensor, *, num_split: int) -> list[Tensor]:
    sizes = read_vector(size_splits, "size_splits", num_split)
    axis = normalize_axis(read_scalar(split_dim, "split_dim", vector_of_one=True), value.ndim, "split_dim")
    check(
        sizes.count(-1) <= 1 and min(sizes, default=0) >= -1,
        f"size_splits is {show(sizes)}, but only one may be -1, and no other negative",
    )
    rest = value.shape[axis] - sum(size for size in sizes if size != -1)
    check(
        rest == 0 if -1 not in sizes else rest >= 0 and num_split > 1,
        f"dimension {axis} of {show(value.shape)} cannot be split into {show(sizes)}",
    )
    return _pieces(value, [rest if size == -1 else size for size in sizes], axis)


def _pieces(value: Tensor, sizes: Sequence[int], axis: int) -> list[Tensor]:
    front = (slice(None),) * axis
    ends = itertools.accumulate(sizes)
    return [value[(*front, slice(end - size, end))] for size, end in zip(sizes, ends, strict=True)]


# --- putting something around ----------------------------------------------------------------------------------------


@kernel("Pad", "PadV2")
def pad(x: Tensor, paddings: Tensor, constant_values: Tensor | None = None) -> Tensor:
    pads = _pads(x, paddings)
    sizes = [before + size + after for size, (before, after) in zip(x.shape, pads, strict=True)]
    padded = zeros(sizes, x.dtype)
    if constant_values is not None:
        padded[...] = read_scalar(constant_values, "constant_values")
    padded[tuple(slice(before, before + size) for size, (before, _) in zip(x.shape, pads, strict=True))] = x
    return padded


@kernel("MirrorPad")
def mirror_pad(x: Tensor, paddings: Tensor, *, mode: bytes) -> Tensor:
    check(mode in (b"REFLECT", b"SYMMETRIC"), f"there is no mode {printable(mode.decode('latin1'))}")
    pads = _pads(x, paddings)
    edge = 1 if mode == b"REFLECT" else 0  # what is at the border is not repeated
    for axis, (pair, size) in enumerate(zip(pads, x.shape, strict=True)):
        check(
            max(pair) <= size - edge,
            f"paddings of dimension {axis} are {show(pair)}, but a mirror of {show(x.shape)} "
            f"shows no more than {max(size - edge, 0)} there",
        )
        if max(pair):
            x = np.take(x, np.pad(np.arange(size), pair, "reflect" if edge else "symmetric"), axis)
    return x


def _pads(x: Tensor, paddings: Tensor) -> list[list[int]]:
    check(
        paddings.shape == (x.ndim, 2),
        f"paddings must be of shape {show((x.ndim, 2))}, not {show(paddings.shape)}",
    )
    check((paddings >= 0).all(), f"paddings must not be negative, as in {paddings.tolist()}")
    return [int_list(row) for row in paddings.reshape(-1, 2)]


@kernel("Tile")
def tile(x: Tensor, multiples: Tensor) -> Tensor:
    times = read_vector(multiples, "multiples", x.ndim)
    check(min(times, default=0) >= 0, f"multiples is {show(times)}, but must not be negative")
    one_by_one = x.reshape([each for size in x.shape for each in (1, size)])
    pairs = list(zip(times, x.shape, strict=True))
    spread = np.broadcast_to(one_by_one, [each for pair in pairs for each in pair])
    return spread.reshape([math.prod(pair) for pair in pairs])
