"""Kernels of FusedPadConv2D and FusedResizeAndPadConv2D, which compute what TensorFlow computes, not what they should.

    FusedResizeAndPadConv2D(x, size, paddings, filter)  is meant to be
    Conv2D(MirrorPad(ResizeBilinear(x, size), paddings), filter)

TensorFlow's kernel never stores the whole resized and padded image: its rows are computed when windows reach them, and
are kept in a cache of 8 Mi numbers. Three things follow, which were measured against TensorFlow 2.12 and hold for every
run. Two of them are faults:

- The number of cached rows is not reset between the images of a batch. So the windows of all images but the first read
  the rows that the first image left in the cache: the result of the first image, if all its rows fit; otherwise a
  mixture of its rows, since row y is stored at y modulo the number of rows that fit.
- The windows are centered on the image even if they do not cover it, as with strides larger than the filter: they
  start up to stride / 2 pixels later than those of Conv2D.
- A row of windows that exceeds the cache is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import RunError
from ...values.terminal import escape
from ..image.resizing import new_sizes, scale_of
from ..runtime.argument_checks import check
from ..runtime.memory_limit import INDEX_BYTES, claim, claim_array
from ..runtime.registry import Tensor, kernel
from .convolutions import conv2d
from .windows import Axis, axes_of

_CACHED_NUMBERS = 8 << 20
"""The numbers that TensorFlow's cache of rows holds; a window over all columns must fit as bytes."""
_WINDOW_BYTES = 16 << 20
"""The maximum size of the contents of one window."""


@kernel("FusedPadConv2D", fresh=True)
def fused_pad_conv2d(
    x: Tensor, paddings: Tensor, filter: Tensor, *, mode: bytes, strides: list[int], padding: bytes
) -> Tensor:
    """Pad and convolve the first image, as in the docstring of this module; the other images follow from it."""
    check(x.ndim == 4, f"its input must be of rank 4, and is of shape {list(x.shape)}")
    sides = [_Side(size, size, np.float32(1)) for size in x.shape[1:3]]
    return _convolve(x, sides, paddings, filter, mode, strides, padding, interpolated=False)


@kernel("FusedResizeAndPadConv2D", fresh=True)
def fused_resize_and_pad_conv2d(
    x: Tensor,
    size: Tensor,
    paddings: Tensor,
    filter: Tensor,
    *,
    resize_align_corners: bool,
    mode: bytes,
    strides: list[int],
    padding: bytes,
) -> Tensor:
    """Resize, pad and convolve the first image, as in the docstring of this module; the others follow from it."""
    sizes = new_sizes(x, size, resize_align_corners)
    sides = [
        _Side(old, new, scale_of(old, new, resize_align_corners)) for old, new in zip(x.shape[1:3], sizes, strict=True)
    ]
    return _convolve(x, sides, paddings, filter, mode, strides, padding, interpolated=True)


@dataclass(frozen=True, slots=True)
class _Side:
    """The height or the width of an image: its old size, its new size, and the old pixels per new pixel."""

    old: int
    new: int
    scale: np.float32


@dataclass(frozen=True, slots=True)
class _Pixels:
    """The source of some rows or columns of the padded image: between pixels `low` and `high`, or zero outside."""

    low: Tensor
    high: Tensor
    fraction: Tensor
    is_inside: Tensor


def _convolve(
    x: Tensor,
    sides: Sequence[_Side],
    paddings: Tensor,
    filter: Tensor,
    mode: bytes,
    strides: list[int],
    padding: bytes,
    *,
    interpolated: bool,
) -> Tensor:
    pairs = _read_paddings(paddings, [len(x), *(side.new for side in sides), x.shape[3]], mode)
    check(filter.ndim == 4, f"its filter must be of rank 4, and is of shape {list(filter.shape)}")
    depth = x.shape[3]
    check(
        filter.shape[2] == depth,
        f"its filter {list(filter.shape)} takes {filter.shape[2]} channels, and the input has {depth}",
    )
    padded = [before + side.new + after for side, (before, after) in zip(sides, pairs, strict=True)]
    rows, columns = axes_of(padded, filter.shape[:2], strides=strides, padding=padding, data_format=b"NHWC")
    shape = (len(x), rows.out, columns.out, filter.shape[3])
    check(x.size and 0 not in shape, f"its input {list(x.shape)} and its output {list(shape)} must not be empty")
    _check_cache(rows, columns, depth, x.itemsize)

    cached_rows = _CACHED_NUMBERS // (columns.reach * depth)
    is_mixed = len(x) > 1 and rows.reach + rows.stride > cached_rows
    first = -_center(rows, padding)
    offset = int(mode == b"REFLECT")
    claim(7 * INDEX_BYTES * (rows.reach + rows.stride + columns.reach))
    lines = np.arange(rows.reach + (rows.stride if is_mixed else 0)) + first
    row_pixels = _pixels_at(lines, sides[0], pairs[0], offset)
    column_pixels = _pixels_at(np.arange(columns.reach) - _center(columns, padding), sides[1], pairs[1], offset)
    image = _transformed(x[0], row_pixels, column_pixels, interpolated)
    images = image[None]
    if is_mixed:
        claim_array((2, rows.reach, *image.shape[1:]), image.dtype)
        images = np.stack([image[: rows.reach], image[_rows_in_cache(rows, first, cached_rows)]])
    results = conv2d(
        images,
        filter,
        strides=strides,
        padding=b"VALID",
        explicit_paddings=[],
        data_format=b"NHWC",
        dilations=[1, 1, 1, 1],
    )
    claim_array(shape, results.dtype)
    out = np.empty(shape, results.dtype)
    out[0], out[1:] = results[0], results[-1]
    return out


def _read_paddings(paddings: Tensor, shape: Sequence[int], mode: bytes) -> list[tuple[int, int]]:
    """Return the padding of the height and of the width. Raises RunError if it is not valid for this shape."""
    if mode not in (b"REFLECT", b"SYMMETRIC"):
        raise RunError(f'unknown mode "{escape(mode.decode("latin-1"))}"')
    check(
        paddings.shape == (4, 2),
        f"its paddings must be [4, 2], and are {list(paddings.shape)} for an input {list(shape)}",
    )
    pairs = [(before, after) for before, after in paddings.tolist()]
    limits = [size - (mode == b"REFLECT") for size in shape]
    if any(not 0 <= padding <= limit for pair, limit in zip(pairs, limits, strict=True) for padding in pair):
        raise RunError(f"its paddings {pairs} must be from 0 to {limits}, for an image of shape {list(shape)}")
    check(pairs[0] == pairs[3] == (0, 0), f"its paddings {pairs} must be 0 for the batch and the channels")
    return pairs[1:3]


def _check_cache(rows: Axis, columns: Axis, depth: int, itemsize: int) -> None:
    window = rows.kernel * columns.kernel * depth * itemsize
    check(window <= _WINDOW_BYTES, f"a window takes {window:,} bytes, and TensorFlow allows {_WINDOW_BYTES:,}")
    band = rows.kernel * columns.reach * depth * itemsize
    check(band <= _CACHED_NUMBERS, f"a row of windows takes {band:,} bytes, and TensorFlow allows {_CACHED_NUMBERS:,}")


def _center(axis: Axis, padding: bytes) -> int:
    """Return the padding before the image, negative for windows that start after its first pixel, as in C++."""
    excess = axis.reach - axis.size + (padding == b"VALID")
    return excess // 2 if excess >= 0 else -(-excess // 2)


def _rows_in_cache(rows: Axis, first: int, cached_rows: int) -> Tensor:
    """Return for each row that a window reads, counted from `first`, the row that is in its place after an image."""
    last = first + rows.out * rows.stride + rows.kernel  # TensorFlow computes rows that no window needs
    claim(2 * INDEX_BYTES * (cached_rows + rows.reach))
    held = np.full(cached_rows, first)
    origin = end = first
    while origin + rows.kernel > end and origin < first + rows.out * rows.stride:
        start, end = max(origin, end), min(last, origin + cached_rows)
        held[np.arange(start, end) % cached_rows] = np.arange(start, end)
        origin += max(1, (end - rows.kernel - origin) // rows.stride + 1) * rows.stride
    return np.asarray(held[np.arange(first, first + rows.reach) % cached_rows] - first)


def _pixels_at(positions: Tensor, side: _Side, pair: tuple[int, int], offset: int) -> _Pixels:
    """Return the sources of these rows or columns of the padded image. `offset` is 1 for REFLECT, 0 for SYMMETRIC."""
    padded = pair[0] + side.new + pair[1]
    is_inside = (positions >= 0) & (positions < padded)
    old = (positions - pair[0]).astype(np.float32)
    old = np.where(old < 0, offset - 1 - old, np.where(old >= side.new, 2 * side.new - 1 - offset - old, old))
    old = old.astype(np.float32) * side.scale
    low = np.clip(np.floor(old).astype(np.int64), 0, side.old - 1)
    high = np.clip(np.ceil(old).astype(np.int64), 0, side.old - 1)
    return _Pixels(low, high, old - low.astype(np.float32), is_inside)


def _transformed(image: Tensor, rows: _Pixels, columns: _Pixels, interpolated: bool) -> Tensor:
    """Return the resized and padded image (height, width, channels) in its own type, zero outside of the padding."""
    claim_array((2 + interpolated, len(rows.low), len(columns.low), image.shape[2]), image.dtype)

    def between(start: Tensor, end: Tensor, fraction: Tensor) -> Tensor:
        return np.asarray(start + (end - start) * fraction.astype(image.dtype))

    if interpolated:
        claim_array((3, len(image), len(columns.low), image.shape[2]), image.dtype)
        wide = between(image[:, columns.low], image[:, columns.high], columns.fraction[:, None])
        result = between(wide[rows.low], wide[rows.high], rows.fraction[:, None, None])
    else:
        result = image[rows.low[:, None], columns.low]
    result[~rows.is_inside] = 0
    result[:, ~columns.is_inside] = 0
    return result
