"""Slice and StridedSlice, `x[a:b:c, ..., newaxis, i]`, its gradient, and assignment to a slice.

    sparse     the node's form: a begin, an end and a stride for some places, and masks with a bit for each place
    dense      its meaning for a tensor: one Python slice for each dimension: `_Spec`

A bit in `ellipsis_mask` makes its place stand for as many dimensions as the others leave over; one in `new_axis_mask`
for a new dimension of 1; one in `shrink_axis_mask` for a single index, whose dimension is gone; `begin_mask` and
`end_mask` leave the begin or the end open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import RunError
from ..runtime.argument_checks import check, read_shape, read_vector, show
from ..runtime.arrays import zeros
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
