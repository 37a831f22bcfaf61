"""Kernels that resize images: bilinear, nearest neighbor, bicubic, area; scale and translate; crop and resize.

    ResizeBilinear(images[n, 2, 2, c], [4, 4])     [n, 4, 4, c], as float32

`source_positions` maps output pixel i to a position in the input:

    i * scale                          TensorFlow 1: the corner of the image is the center of the corner pixel
    i * (in - 1) / (out - 1)           align_corners: the centers of all four corner pixels do not move
    (i + 0.5) * scale - 0.5            half_pixel_centers: the outer corners of the corner pixels do not move

Positions are computed in float32, as in TensorFlow, because their floor and ceil select pixels.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...errors import RunError
from ...values.terminal import escape
from ..runtime.argument_checks import check, check_indices, read_vector, show
from ..runtime.memory_limit import claim, claim_array
from ..runtime.registry import Tensor, kernel

_ONE, _HALF = np.float32(1), np.float32(0.5)
_BLOCK_BYTES = 1 << 19
"""The size of the temporary arrays of CropAndResize, which stay in the cache of one processor."""
_MIN_WEIGHT = 1000 * np.finfo(np.float32).tiny
"""The minimum sum of weights that is normalized."""


@kernel("ResizeBilinear")
def resize_bilinear(images: Tensor, size: Tensor, *, align_corners: bool, half_pixel_centers: bool = False) -> Tensor:
    height, width = new_sizes(images, size, align_corners, half_pixel_centers)
    x = images.astype(np.float32)
    if (height, width) == x.shape[1:3]:
        return x
    rows, columns = (
        neighbours(source_positions(old, new, align_corners, half_pixel_centers), old)
        for old, new in zip(x.shape[1:3], (height, width), strict=True)
    )
    low, high, fraction = columns
    claim_array((*x.shape[:2], width, x.shape[3]), x.dtype)
    x = _interpolate(x[:, :, low], x[:, :, high], fraction[:, None])
    low, high, fraction = rows
    claim_array((len(x), height, *x.shape[2:]), x.dtype)
    return _interpolate(x[:, low], x[:, high], fraction[:, None, None])


@kernel("ResizeNearestNeighbor")
def resize_nearest_neighbor(
    images: Tensor, size: Tensor, *, align_corners: bool, half_pixel_centers: bool = False
) -> Tensor:
    def nearest(old: int, new: int) -> Tensor:
        positions = np.arange(new, dtype=np.float32) + (_HALF if half_pixel_centers else np.float32(0))
        positions = positions * scale_of(old, new, align_corners)
        nearest_pixels = _round_half_up(positions) if align_corners else np.floor(positions)
        return np.clip(nearest_pixels.astype(np.int64), 0, old - 1)

    height, width = new_sizes(images, size, align_corners, half_pixel_centers)
    rows, columns = nearest(images.shape[1], height), nearest(images.shape[2], width)
    return np.asarray(images[:, rows[:, None], columns])


@kernel("ResizeBicubic")
def resize_bicubic(images: Tensor, size: Tensor, *, align_corners: bool, half_pixel_centers: bool = False) -> Tensor:
    height, width = new_sizes(images, size, align_corners, half_pixel_centers)
    x = images.astype(np.float32)
    for axis, new in ((1, height), (2, width)):
        positions = source_positions(x.shape[axis], new, align_corners, half_pixel_centers)
        x = _weighted_sum(x, axis, *_cubic_weights(positions, x.shape[axis], half_pixel_centers))
    return x


@kernel("ResizeArea")
def resize_area(images: Tensor, size: Tensor, *, align_corners: bool) -> Tensor:
    height, width = new_sizes(images, size)
    x = images.astype(np.float32)
    # Unlike in the other ops, a single pixel is not aligned: with a scale of 0 / (out - 1), it would have no area.
    sizes = zip(x.shape[1:3], (height, width), strict=True)
    scales = [scale_of(old, new, align_corners and old > 1) for old, new in sizes]
    x = _weighted_sum(x, 2, *_area_weights(x.shape[2], width, scales[1]))
    x = _weighted_sum(x, 1, *_area_weights(x.shape[1], height, scales[0]))
    return np.asarray(x * (_ONE / (scales[0] * scales[1])))


@kernel("ScaleAndTranslate")
def scale_and_translate(
    images: Tensor, size: Tensor, scale: Tensor, translation: Tensor, *, kernel_type: bytes, antialias: bool
) -> Tensor:
    sizes = new_sizes(images, size)
    check(scale.shape == (2,) and translation.shape == (2,), "scale and translation must have two elements each")
    check((scale > 0).all(), f"scale must be greater than zero, and is {scale.tolist()}")
    filter_and_radius = _FILTERS.get(kernel_type)
    if filter_and_radius is None:
        raise RunError(f'unknown kernel_type "{escape(kernel_type.decode("latin-1"))}"')
    x = images.astype(np.float32)
    for index, new in enumerate(sizes):
        weights = _filter_weights(
            x.shape[index + 1], new, *filter_and_radius, scale[index], translation[index], antialias
        )
        x = _weighted_sum(x, index + 1, *weights)
    return x


@kernel("CropAndResize")
def crop_and_resize(
    image: Tensor, boxes: Tensor, box_ind: Tensor, crop_size: Tensor, *, method: bytes, extrapolation_value: float
) -> Tensor:
    """Resize boxes [y1, x1, y2, x2], in fractions of the image; pixels outside are `extrapolation_value`.

    Boxes are computed in blocks whose temporary arrays fit into the cache.
    """
    check(image.ndim == 4, f"image must have 4 dimensions, not be of shape {show(image.shape)}")
    height, width = read_vector(crop_size, "crop_size", 2)
    check(min(height, width, *image.shape[1:3]) > 0, "image and crop dimensions must be positive")
    check(
        box_ind.ndim == 1 and boxes.shape == (len(box_ind), 4) if boxes.size else not box_ind.size,
        f"boxes must be [n,4] and box_ind [n], not {show(boxes.shape)} and {show(box_ind.shape)}",
    )
    if not boxes.size:
        return np.zeros((0, height, width, image.shape[3]), np.float32)
    check_indices(box_ind, image.shape[0], "box_ind")
    ys, y_in = _box_positions(boxes[:, 0], boxes[:, 2], image.shape[1], height)
    xs, x_in = _box_positions(boxes[:, 1], boxes[:, 3], image.shape[2], width)
    claim_array(image.shape, np.float32)
    pixels = np.asarray(image, np.float32).reshape(-1, image.shape[3])
    crops = np.empty((len(boxes), height, width, image.shape[3]), np.float32)
    step = max(1, _BLOCK_BYTES // max(1, crops[0].nbytes))
    claim(2 * step * crops[0].nbytes)
    lower_buffer, other_buffer = np.empty_like(crops[:step]), np.empty_like(crops[:step])

    def take(rows: Tensor, columns: Tensor, out: Tensor) -> None:
        row_numbers = box_ind[block].astype(np.int64)[:, None] * image.shape[1] + rows.astype(np.int64)
        pixel_numbers = row_numbers[:, :, None] * image.shape[2] + columns.astype(np.int64)[:, None]
        np.take(pixels, pixel_numbers, 0, out, "clip")

    for start in range(0, len(boxes), step):
        block = slice(start, start + step)
        crop, y, x = crops[block], ys[block], xs[block]
        if method == b"nearest":
            take(_round_half_up(y), _round_half_up(x), crop)
        else:
            (top, bottom), (left, right) = ((np.floor(values), np.ceil(values)) for values in (y, x))
            lower, other = lower_buffer[: len(crop)], other_buffer[: len(crop)]
            for rows, out in ((top, crop), (bottom, lower)):
                take(rows, left, out)
                take(rows, right, other)
                _interpolate_in_place(out, other, (x - left)[:, None, :, None])
            _interpolate_in_place(crop, lower, (y - top)[:, :, None, None])
        crop[~(y_in[block][:, :, None] & x_in[block][:, None])] = extrapolation_value
    return crops


# --- positions -------------------------------------------------------------------------------------------------------


def new_sizes(
    images: Tensor, size: Tensor, align_corners: bool = False, half_pixel_centers: bool = False
) -> tuple[int, int]:
    """Return the height and width in `size`. Raises RunError for invalid sizes and options."""
    check(images.ndim == 4, f"images must have 4 dimensions, not be of shape {show(images.shape)}")
    check(not (align_corners and half_pixel_centers), "half_pixel_centers and align_corners exclude each other")
    height, width = read_vector(size, "size", 2)
    check(height > 0 and width > 0, f"output dimensions must be positive, not {show([height, width])}")
    check(all(images.shape[1:]), f"images must not be empty, and have shape {show(images.shape)}")
    return height, width


def scale_of(old: int, new: int, align_corners: bool) -> np.float32:
    if align_corners and new > 1:
        return np.float32(old - 1) / np.float32(new - 1)
    return np.float32(old) / np.float32(new)


def source_positions(old: int, new: int, align_corners: bool, half_pixel_centers: bool) -> Tensor:
    """Return the positions of the pixels of the new size in the old image, as float32."""
    indices, scale = np.arange(new, dtype=np.float32), scale_of(old, new, align_corners)
    return np.asarray((indices + _HALF) * scale - _HALF if half_pixel_centers else indices * scale)


def _box_positions(first: Tensor, last: Tensor, old: int, new: int) -> tuple[Tensor, Tensor]:
    """Return positions in the image between two edges of each box, 0 if outside, and whether they are inside."""
    last_pixel = np.float32(old - 1)
    if new > 1:
        step = (last - first) * last_pixel / np.float32(new - 1)
        positions = first[:, None] * last_pixel + np.arange(new, dtype=np.float32) * step[:, None]
    else:
        positions = (0.5 * (first + last).astype(np.float64)[:, None] * last_pixel).astype(np.float32)
    inside = (positions >= 0) & (positions <= last_pixel)
    return np.where(inside, positions, np.float32(0)), inside


def _round_half_up(positions: Tensor) -> Tensor:
    """Round to the nearest integer, halves up; in float64, in which adding a half is exact."""
    return np.floor(positions.astype(np.float64) + 0.5)


# --- weights ---------------------------------------------------------------------------------------------------------


def neighbours(positions: Tensor, size: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return the pixels before and after positions, and the fraction of the way from the first to the second."""
    floor = np.floor(positions)
    high = np.minimum(np.ceil(positions).astype(np.int64), size - 1)
    low = np.minimum(np.maximum(floor.astype(np.int64), 0), high)
    return low, high, positions - floor


def _interpolate(low: Tensor, high: Tensor, fraction: Tensor) -> Tensor:
    return np.asarray(low + (high - low) * fraction)


def _interpolate_in_place(low: Tensor, high: Tensor, fraction: Tensor) -> None:
    """Set `low` to the interpolation; `high` is overwritten."""
    high -= low
    high *= fraction
    low += high


def _weighted_sum(x: Tensor, axis: int, indices: Tensor, weights: Tensor) -> Tensor:
    """Return the weighted sum of slices along an axis for each row of indices and weights, [new size, count]."""
    shape = (-1,) + (1,) * (x.ndim - axis - 1)
    new_shape = (*x.shape[:axis], len(indices), *x.shape[axis + 1 :])
    claim_array(new_shape, x.dtype)
    total = np.zeros(new_shape, x.dtype)
    for index, weight in zip(indices.T, weights.T, strict=True):
        total += np.take(x, index, axis) * weight.reshape(shape)
    return total


def _normalize(weights: Tensor) -> Tensor:
    """Normalize weights to a sum of one, unless all are zero."""
    total = weights.sum(1, keepdims=True, dtype=np.float32)
    return np.asarray(np.where(np.abs(total) >= _MIN_WEIGHT, weights * (_ONE / total), weights))


_TABLE_STEPS = 1024
"""The size of the C++ kernel's table of weights: distances are rounded to its steps."""


def _cubic_weights(positions: Tensor, size: int, keys: bool) -> tuple[Tensor, Tensor]:
    """Return the four pixels around each position and their weights.

    Pixels beyond the edge repeat the edge; with `keys`, they have no weight.
    """
    floor = np.floor(positions)
    step = np.rint((positions - floor) * np.float32(_TABLE_STEPS))
    a = -0.5 if keys else -0.75
    near, far = step / _TABLE_STEPS, (_TABLE_STEPS - step) / _TABLE_STEPS
    weights = np.stack([_outer(near, a), _inner(near, a), _inner(far, a), _outer(far, a)], 1).astype(np.float32)
    unclipped = floor.astype(np.int64)[:, None] + np.arange(-1, 3)
    indices = np.clip(unclipped, 0, size - 1)
    return indices, _normalize(np.where(indices == unclipped, weights, np.float32(0))) if keys else weights


def _inner(x: Tensor, a: float) -> Tensor:
    return np.asarray(((a + 2) * x - (a + 3)) * x * x + 1)


def _outer(x: Tensor, a: float) -> Tensor:
    x = x + 1
    return np.asarray(((a * x - 5 * a) * x + 8 * a) * x - 4 * a)


def _area_weights(old: int, new: int, scale: np.float32) -> tuple[Tensor, Tensor]:
    """Return the pixels that each pixel of the new size covers, and the covered part of each."""
    positions = np.arange(new, dtype=np.float32)
    first, last = (positions * scale)[:, None], ((positions + _ONE) * scale)[:, None]
    start, end = np.floor(first), np.ceil(last)
    claim_array((new, int((end - start).max())), np.float64)
    pixel = start + np.arange(int((end - start).max()), dtype=np.float32)
    is_last = pixel + _ONE > last
    weights = np.where(
        pixel < first, np.where(is_last, scale, pixel + _ONE - first), np.where(is_last, last - pixel, _ONE)
    )
    weights = np.where(pixel < end, weights, np.float32(0))
    return np.clip(pixel.astype(np.int64), 0, old - 1), weights


def _filter_weights(
    old: int,
    new: int,
    weigh: Callable[[Tensor], Tensor],
    radius: float,
    scale: np.float32,
    shift: np.float32,
    antialias: bool,
) -> tuple[Tensor, Tensor]:
    """Return the pixels around each position and their filter weights; the filter is wider when downscaling."""
    inverse = _ONE / scale
    width = np.maximum(inverse, _ONE) if antialias else _ONE
    positions = (np.arange(new, dtype=np.float32) + _HALF) * inverse - inverse * shift
    extent = np.float32(radius) * width
    start = np.clip(np.ceil(positions - extent - _HALF), 0, old - 1)
    end = np.clip(np.floor(positions + extent - _HALF), 0, old - 1)
    count = int((end - start).max()) + 1
    claim_array((new, count), np.float64)
    pixel = start[:, None] + np.arange(count, dtype=np.float32)
    weights = weigh(((pixel + _HALF - positions[:, None]) / width).astype(np.float32)).astype(np.float32)
    is_covered = (pixel <= end[:, None]) & ((positions >= 0) & (positions <= old))[:, None]
    weights = _normalize(np.where(is_covered, weights, np.float32(0)))
    return np.clip(pixel.astype(np.int64), 0, old - 1), weights


def _lanczos(radius: float) -> Callable[[Tensor], Tensor]:
    def weigh(x: Tensor) -> Tensor:
        x = np.abs(x)
        values = radius * np.sin(np.pi * x) * np.sin(np.pi * x / radius) / (np.pi**2 * np.maximum(x, 1e-3) ** 2)
        return np.where(x > radius, 0, np.where(x <= 1e-3, 1, values))

    return weigh


def _gaussian(x: Tensor) -> Tensor:
    return np.where(np.abs(x) >= 1.5, 0, np.exp(-(x * x) / (2 * 0.5 * 0.5)))


def _box(x: Tensor) -> Tensor:
    x = np.abs(x)
    return np.where(x < 0.5, 1, np.where(x == 0.5, 0.5, 0))


def _triangle(x: Tensor) -> Tensor:
    return np.asarray(np.maximum(1 - np.abs(x), 0))


def _keys_cubic(x: Tensor) -> Tensor:
    x = np.abs(x)
    near, far = (1.5 * x - 2.5) * x * x + 1, ((-0.5 * x + 2.5) * x - 4) * x + 2
    return np.where(x >= 2, 0, np.where(x >= 1, far, near))


def _mitchell_cubic(x: Tensor) -> Tensor:
    x = np.abs(x)
    near = (7 / 6 * x - 2) * x * x + 16 / 18
    far = ((-7 / 18 * x + 2) * x - 10 / 3) * x + 16 / 9
    return np.where(x >= 2, 0, np.where(x >= 1, far, near))


_FILTERS: dict[bytes, tuple[Callable[[Tensor], Tensor], float]] = {
    b"lanczos1": (_lanczos(1), 1),
    b"lanczos3": (_lanczos(3), 3),
    b"lanczos5": (_lanczos(5), 5),
    b"gaussian": (_gaussian, 1.5),
    b"box": (_box, 1),
    b"triangle": (_triangle, 1),
    b"keyscubic": (_keys_cubic, 2),
    b"mitchellcubic": (_mitchell_cubic, 2),
}
"""The filters by kernel_type, with their radius."""
