"""Kernels that slice, join, split, pad and tile tensors: Slice, StridedSlice, Concat, Pack, Split, Pad, Tile.

StridedSlice is `x[a:b:c, ..., newaxis, i]`. Its inputs hold a begin, an end and a stride for each of some entries, and
each mask has a bit for each entry:

    begin_mask, end_mask    the begin or the end is open
    ellipsis_mask           the entry stands for all dimensions without an entry
    new_axis_mask           the entry is a new dimension of size 1
    shrink_axis_mask        the entry is a single index; its dimension is removed

`_Slicing` is the result for one tensor: a Python slice for each dimension.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import RunError
from ...values.terminal import escape
from ..runtime.argument_checks import check, int_list, normalize_axis, read_scalar, read_shape, read_vector, show, zeros
from ..runtime.registry import Tensor, kernel

# --- slicing ---------------------------------------------------------------------------------------------------------


@kernel("Slice")
def slice_(x: Tensor, begin: Tensor, size: Tensor) -> Tensor:
    starts, sizes = read_vector(begin, "begin", x.ndim), read_vector(size, "size", x.ndim)
    ends = [limit if size == -1 else start + size for start, size, limit in zip(starts, sizes, x.shape, strict=True)]
    fits = all(0 <= a <= b <= limit for a, b, limit in zip(starts, ends, x.shape, strict=True))
    check(fits, f"a slice of {show(sizes)} from {show(starts)} is out of range for {show(x.shape)}")
    return x[tuple(map(slice, starts, ends))]


@dataclass(frozen=True)
class _Masks:
    begin: int
    end: int
    ellipsis: int
    new_axis: int
    shrink: int


@dataclass(frozen=True)
class _Slicing:
    """A slice for each dimension, and the shape of the result, which may have other dimensions."""

    slices: tuple[slice, ...]
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
    slicing = _resolve_slices(x.shape, begin, end, strides, masks)
    return x[slicing.slices].reshape(slicing.shape)


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
    slicing = _resolve_slices(result.shape, begin, end, strides, masks)
    check(dy.shape == slicing.shape, f"dy has shape {show(dy.shape)}, the slice {show(slicing.shape)}")
    part = result[slicing.slices]
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
    slicing = _resolve_slices(x.shape, begin, end, strides, masks)
    result = x.copy()
    target = result[slicing.slices]
    if not target.size:
        return result
    extra = max(value.ndim - len(slicing.shape), 0)
    check(
        value.shape[:extra] == (1,) * extra
        and all(old in (1, new) for old, new in zip(value.shape[::-1], slicing.shape[::-1], strict=False)),
        f"a value of shape {show(value.shape)} cannot be assigned to a slice of shape {show(slicing.shape)}",
    )
    target[...] = np.broadcast_to(value.reshape(value.shape[extra:]), slicing.shape).reshape(target.shape)
    return result


def _resolve_slices(shape: Sequence[int], begin: Tensor, end: Tensor, strides: Tensor, masks: _Masks) -> _Slicing:
    starts = read_vector(begin, "begin")
    ends, steps = read_vector(end, "end", len(starts)), read_vector(strides, "strides", len(starts))
    check(len(starts) < 32, f"begin must have at most 31 elements, not {len(starts)}")
    kinds = _entry_kinds(len(starts), masks)
    check(
        all(step or kind in ("ellipsis", "newaxis") for step, kind in zip(steps, kinds, strict=True)),
        f"strides is {show(steps)}, but must not be 0",
    )
    check(kinds.count("ellipsis") <= 1, "ellipsis_mask has more than one bit set")
    if "ellipsis" not in kinds:
        kinds.append("ellipsis")
    ellipsis_size = len(shape) - kinds.count("range") - kinds.count("index")
    check(ellipsis_size >= 0, f"there are {len(shape) - ellipsis_size} indices for a tensor of {len(shape)} dimensions")

    slices: list[slice] = []
    sizes: list[int] = []
    for entry, kind in enumerate(kinds):
        axis = len(slices)
        if kind == "ellipsis":
            slices += [slice(None)] * ellipsis_size
            sizes += shape[axis : axis + ellipsis_size]
        elif kind == "newaxis":
            sizes.append(1)
        elif kind == "index":
            slices.append(_single_index(starts[entry], steps[entry], shape[axis], axis))
        else:
            first = None if masks.begin >> entry & 1 else starts[entry]
            last = None if masks.end >> entry & 1 else ends[entry]
            slices.append(slice(first, last, steps[entry]))  # both Python and TensorFlow clip to the bounds
            sizes.append(len(range(*slices[-1].indices(shape[axis]))))
    return _Slicing(tuple(slices), tuple(sizes))


def _entry_kinds(count: int, masks: _Masks) -> list[str]:
    """Return the meaning of each entry. If several bits are set, the ellipsis wins, then the new axis."""
    masked_kinds = ((masks.ellipsis, "ellipsis"), (masks.new_axis, "newaxis"), (masks.shrink, "index"), (-1, "range"))
    return [next(kind for mask, kind in masked_kinds if mask >> entry & 1) for entry in range(count)]


def _single_index(start: int, step: int, size: int, axis: int) -> slice:
    if step < 0:
        raise RunError(f"the stride of the index of dimension {axis} must be positive, not {step}")
    index = start + size if start < 0 else start
    if not 0 <= index < size:
        raise RunError(f"the index {start} is out of range for dimension {axis}, which has a size of {size}")
    return slice(index, index + 1)


# --- joining ---------------------------------------------------------------------------------------------------------


@kernel("ConcatV2")
def concat(*tensors: Tensor) -> Tensor:
    *values, axis = tensors
    return _concatenate(values, read_scalar(axis, "axis", vector_of_one=True))


@kernel("Concat")
def old_concat(concat_dim: Tensor, *values: Tensor) -> Tensor:
    return _concatenate(values, read_scalar(concat_dim, "concat_dim", vector_of_one=True))


def _concatenate(values: Sequence[Tensor], axis: int) -> Tensor:
    first = values[0].shape
    dim = normalize_axis(axis, len(first))
    for value in values[1:]:
        fits = value.ndim == len(first) and all(
            a == b for position, (a, b) in enumerate(zip(value.shape, first, strict=True)) if position != dim
        )
        check(
            fits,
            f"tensors of shapes {show(first)} and {show(value.shape)} cannot be joined along axis {axis}",
        )
    return np.concatenate(values, dim)


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
    dim = normalize_axis(axis, value.ndim)
    check(value.shape[dim] == num, f"axis {axis} of {show(value.shape)} does not have {num} elements")
    return list(np.moveaxis(value, dim, 0))


@kernel("Split")
def split(split_dim: Tensor, value: Tensor, *, num_split: int) -> list[Tensor]:
    axis = normalize_axis(read_scalar(split_dim, "split_dim"), value.ndim, "split_dim")
    check(
        num_split > 0 and value.shape[axis] % num_split == 0,
        f"dimension {axis} of {show(value.shape)} cannot be split into {num_split} equal parts",
    )
    return _split_at(value, [value.shape[axis] // num_split] * num_split, axis)


@kernel("SplitV")
def split_v(value: Tensor, size_splits: Tensor, split_dim: Tensor, *, num_split: int) -> list[Tensor]:
    sizes = read_vector(size_splits, "size_splits", num_split)
    axis = normalize_axis(read_scalar(split_dim, "split_dim", vector_of_one=True), value.ndim, "split_dim")
    check(
        sizes.count(-1) <= 1 and min(sizes, default=0) >= -1,
        f"size_splits is {show(sizes)}, but only one may be -1, and no other negative",
    )
    remainder = value.shape[axis] - sum(size for size in sizes if size != -1)
    check(
        remainder == 0 if -1 not in sizes else remainder >= 0 and num_split > 1,
        f"dimension {axis} of {show(value.shape)} cannot be split into {show(sizes)}",
    )
    return _split_at(value, [remainder if size == -1 else size for size in sizes], axis)


def _split_at(value: Tensor, sizes: Sequence[int], axis: int) -> list[Tensor]:
    front = (slice(None),) * axis
    ends = itertools.accumulate(sizes)
    return [value[(*front, slice(end - size, end))] for size, end in zip(sizes, ends, strict=True)]


# --- padding and tiling ----------------------------------------------------------------------------------------------


@kernel("Pad", "PadV2")
def pad(x: Tensor, paddings: Tensor, constant_values: Tensor | None = None) -> Tensor:
    pads = _read_paddings(x, paddings)
    sizes = [before + size + after for size, (before, after) in zip(x.shape, pads, strict=True)]
    padded = zeros(sizes, x.dtype)
    if constant_values is not None:
        padded[...] = read_scalar(constant_values, "constant_values")
    padded[tuple(slice(before, before + size) for size, (before, _) in zip(x.shape, pads, strict=True))] = x
    return padded


@kernel("MirrorPad")
def mirror_pad(x: Tensor, paddings: Tensor, *, mode: bytes) -> Tensor:
    check(mode in (b"REFLECT", b"SYMMETRIC"), f"unknown mode {escape(mode.decode('latin1'))}")
    pads = _read_paddings(x, paddings)
    edge = 1 if mode == b"REFLECT" else 0  # REFLECT does not repeat the border
    for axis, (pair, size) in enumerate(zip(pads, x.shape, strict=True)):
        check(
            max(pair) <= size - edge,
            f"paddings of dimension {axis} are {show(pair)}, but must be at most {max(size - edge, 0)} "
            f"for a tensor of shape {show(x.shape)}",
        )
        if max(pair):
            x = np.take(x, np.pad(np.arange(size), pair, "reflect" if edge else "symmetric"), axis)
    return x


def _read_paddings(x: Tensor, paddings: Tensor) -> list[list[int]]:
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
    expanded = x.reshape([dim for size in x.shape for dim in (1, size)])
    pairs = list(zip(times, x.shape, strict=True))
    repeated = np.broadcast_to(expanded, [dim for pair in pairs for dim in pair])
    return repeated.reshape([math.prod(pair) for pair in pairs])
