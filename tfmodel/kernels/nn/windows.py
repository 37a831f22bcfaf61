"""Sliding windows over images, for kernels: their positions and views of their contents.

The number of windows along a dimension of size n, with k taps, dilation d and stride s:

    SAME       ceil(n / s); half of the padding (rounded down) is before the elements, the other half after them
    VALID      the windows that fit into n
    EXPLICIT   the windows that fit into n with the padding of the attribute `explicit_paddings`

Images are channels-last here, (n, *space, c), with one to three dimensions of space: `to_channels_last` and
`to_format` convert from and to NCHW and NCDHW. `Axis` is one dimension of space.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ...errors import RunError
from ...values.terminal import escape
from ..runtime.memory_limit import claim_array
from ..runtime.registry import Tensor

_CHANNELS_LAST = {(b"NHWC", 4): True, (b"NCHW", 4): False, (b"NDHWC", 5): True, (b"NCDHW", 5): False}


@dataclass(frozen=True, slots=True)
class Axis:
    """The windows along one dimension: `out` windows of `kernel` taps each, over `size` elements.

    Tap i of window y is at element y * stride + i * dilation - before; `before` is the padding.
    """

    size: int
    kernel: int
    stride: int
    dilation: int
    before: int
    out: int

    @property
    def reach(self) -> int:
        """Return the extent of all windows, padding included."""
        return max(0, (self.out - 1) * self.stride + (self.kernel - 1) * self.dilation + 1) if self.out else 0


# --- layouts ---------------------------------------------------------------------------------------------------------


def _is_channels_last(data_format: bytes, rank: int) -> bool:
    is_last = _CHANNELS_LAST.get((data_format, rank))
    if is_last is None:
        name = escape(data_format.decode("latin-1"))
        raise RunError(f'there is no kernel for the data format "{name}" of tensors of rank {rank}')
    return is_last


def to_channels_last(x: Tensor, data_format: bytes, rank: int) -> Tensor:
    """Return a tensor as (n, *space, c). Raises RunError for another rank."""
    if x.ndim != rank:
        raise RunError(f"its input must be of rank {rank}, and is of shape {list(x.shape)}")
    return x if _is_channels_last(data_format, rank) else np.moveaxis(x, 1, -1)


def to_format(y: Tensor, data_format: bytes) -> Tensor:
    """Return a view with the axes of the format: the inverse of `to_channels_last`."""
    return y if _is_channels_last(data_format, y.ndim) else np.moveaxis(y, -1, 1)


def read_spatial(values: Sequence[int], data_format: bytes, name: str, rank: int) -> list[int]:
    """Return the spatial elements of an attribute. Those of batch and channels must be 1."""
    if len(values) != rank:
        raise RunError(f"its {name} must be {rank} numbers, and are {list(values)}")
    last = _is_channels_last(data_format, rank)
    outer_values = (values[0], values[-1] if last else values[1])
    if outer_values != (1, 1):
        raise RunError(f"its {name} of batch and channels must be 1, and they are {list(values)}")
    inner_values = list(values[1:-1] if last else values[2:])
    if min(inner_values) < 1:
        raise RunError(f"its {name} must be positive, and are {list(values)}")
    return inner_values


def _read_explicit_paddings(values: Sequence[int], data_format: bytes, rank: int) -> list[tuple[int, int]]:
    """Return the padding before and after each spatial dimension."""
    if len(values) != 2 * rank:
        raise RunError(f"its explicit_paddings must be {2 * rank} numbers, and are {list(values)}")
    if values and min(values) < 0:
        raise RunError(f"its explicit_paddings must not be negative, and are {list(values)}")
    pairs = list(zip(values[::2], values[1::2], strict=True))
    last = _is_channels_last(data_format, rank)
    if pairs[0] != (0, 0) or pairs[-1 if last else 1] != (0, 0):
        raise RunError(f"its explicit_paddings of batch and channels must be 0, and they are {list(values)}")
    return pairs[1:-1] if last else pairs[2:]


# --- sizes -----------------------------------------------------------------------------------------------------------


def axes_of(
    space: Sequence[int],
    kernel: Sequence[int],
    *,
    strides: Sequence[int],
    padding: bytes,
    data_format: bytes,
    dilations: Sequence[int] = (),
    explicit_paddings: Sequence[int] = (),
) -> list[Axis]:
    """Return the spatial axes from the attributes of a node. Raises RunError for invalid attributes."""
    rank = len(space) + 2
    steps = read_spatial(strides, data_format, "strides", rank)
    rates = read_spatial(dilations, data_format, "dilations", rank) if len(dilations) else [1] * len(space)
    if min(kernel) < 1:
        raise RunError(f"its windows must not be empty, and are {list(kernel)}")
    paddings = [(0, 0)] * len(space)
    if padding == b"EXPLICIT":
        paddings = _read_explicit_paddings(explicit_paddings, data_format, rank)
    elif explicit_paddings:
        raise RunError("it has explicit_paddings, which need the padding EXPLICIT")
    return [_axis(*values, padding) for values in zip(space, kernel, steps, rates, paddings, strict=True)]


def _axis(size: int, kernel: int, stride: int, dilation: int, paddings: tuple[int, int], padding: bytes) -> Axis:
    span = (kernel - 1) * dilation + 1
    if padding == b"SAME":
        out = -(-size // stride)
        before = max(0, (out - 1) * stride + span - size) // 2
        return Axis(size, kernel, stride, dilation, before, out)
    if padding not in (b"VALID", b"EXPLICIT"):
        raise RunError(f'unknown padding "{escape(padding.decode("latin-1"))}"')
    before, after = paddings
    extent = size + before + after - span + stride
    if extent <= -stride:
        raise RunError(f"a window of {span} does not fit into {size + before + after}")
    return Axis(size, kernel, stride, dilation, before, max(0, extent) // stride)


def trim_taps(axes: Sequence[Axis]) -> tuple[list[Axis], tuple[slice, ...]]:
    """Return axes without the taps that cover only padding, and the remaining taps.

    This also removes the padding for these taps: a window may be far larger than the image.
    """
    new_axes, remaining = [], []
    for axis in axes:
        first = max(0, -(-(axis.before - (axis.out - 1) * axis.stride) // axis.dilation))
        stop = max(first, min(axis.kernel, -(-(axis.before + axis.size) // axis.dilation)))
        if stop - first != axis.kernel:
            axis = replace(axis, kernel=stop - first, before=axis.before - first * axis.dilation)
        new_axes.append(axis)
        remaining.append(slice(first, stop))
    return new_axes, tuple(remaining)


# --- contents of windows ---------------------------------------------------------------------------------------------


def pad_image(x: Tensor, axes: Sequence[Axis], fill: Any = 0) -> Tensor:
    """Return the part of (n, *space, c) that the windows cover, padded if necessary, else a view."""
    if all(axis.before == 0 and axis.reach <= axis.size for axis in axes):
        return x
    shape = (x.shape[0], *(axis.reach for axis in axes), x.shape[-1])
    claim_array(shape, x.dtype)
    result = np.empty(shape, x.dtype)
    source, target = [slice(None)], [slice(None)]
    for axis in axes:
        start = min(axis.reach, max(0, axis.before))
        stop = max(start, min(axis.reach, axis.before + axis.size))
        result[(*target, slice(start))] = fill  # within the parts of the dimensions before this one
        result[(*target, slice(stop, None))] = fill
        target.append(slice(start, stop))
        source.append(slice(start - axis.before, stop - axis.before))
    result[tuple(target)] = x[tuple(source)]
    return result


def window_views(x: Tensor, axes: Sequence[Axis]) -> Tensor:
    """Return the contents of all windows of a padded (n, *space, c): a view of shape (n, *out, *kernel, c)."""
    inner = x.strides[1:-1]
    shape = (x.shape[0], *(axis.out for axis in axes), *(axis.kernel for axis in axes), x.shape[-1])
    strides = (
        x.strides[0],
        *(stride * axis.stride for stride, axis in zip(inner, axes, strict=True)),
        *(stride * axis.dilation for stride, axis in zip(inner, axes, strict=True)),
        x.strides[-1],
    )
    if any(axis.reach > size for axis, size in zip(axes, x.shape[1:-1], strict=True)):
        raise RunError("its windows reach beyond the image")  # this would read other memory
    return as_strided(x, shape, strides)


def tap_view(x: Tensor, axes: Sequence[Axis], position: Sequence[int]) -> Tensor:
    """Return one tap of all windows of a padded (n, *space, c): a view of shape (n, *out, c)."""
    slices = [
        slice(i * axis.dilation, i * axis.dilation + (axis.out - 1) * axis.stride + 1, axis.stride)
        if axis.out
        else slice(0)
        for axis, i in zip(axes, position, strict=True)
    ]
    return x[(slice(None), *slices)]


def blocks(shape: Sequence[int], limit: int) -> Iterator[tuple[int | slice, ...]]:
    """Yield indices that cut an array into contiguous blocks of at most `limit` elements.

    >>> list(blocks((2, 3, 100), 200))
    [(0, slice(0, 2, None)), (0, slice(2, 3, None)), (1, slice(0, 2, None)), (1, slice(2, 3, None))]
    """
    if not prod(shape):
        return
    axis = next((number for number in range(len(shape)) if prod(shape[number + 1 :]) <= limit), len(shape) - 1)
    step = max(1, limit // prod(shape[axis + 1 :]))
    for leading in np.ndindex(*shape[:axis]):
        for start in range(0, shape[axis], step):
            yield (*leading, slice(start, min(shape[axis], start + step)))
