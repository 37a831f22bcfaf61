"""Kernels that adjust images [..., height, width, channels]: color spaces, contrast, projections, bounding boxes.

    RGBToHSV([1, 0.5, 0.5])     [0, 0.5, 1]
    AdjustHue(images, 0.25)     hues rotated by a quarter of the color circle

Colors are numbers from 0 to 1; hue goes from red at 0 over green at 1/3 and blue at 2/3 back to red at 1.
"""

from __future__ import annotations

import math

import numpy as np

from ...errors import RunError
from ...values.terminal import escape
from ..runtime.argument_checks import check, read_scalar, read_vector, show
from ..runtime.memory_limit import claim, claim_array
from ..runtime.registry import Tensor, kernel

# --- colors ----------------------------------------------------------------------------------------------------------


@kernel("RGBToHSV")
def rgb_to_hsv(images: Tensor) -> Tensor:
    _check_channels(images)
    r, g, b = (images[..., channel] for channel in range(3))
    highest = images.max(-1)
    chroma = highest - images.min(-1)
    unit = images.dtype.type(1) / (6 * chroma)
    third = images.dtype.type(1 / 3)
    hue = np.where(g == highest, unit * (b - r) + third, unit * (r - g) + 2 * third)
    hue = np.where(r == highest, unit * (g - b), hue)
    hue = np.where(chroma > 0, hue, images.dtype.type(0))
    hue = np.where(hue < 0, hue + 1, hue)
    saturation = np.where(highest > 0, chroma / highest, images.dtype.type(0))
    return np.stack([hue, saturation, highest], -1).astype(images.dtype)


@kernel("HSVToRGB")
def hsv_to_rgb(images: Tensor) -> Tensor:
    _check_channels(images)
    hue, saturation, value = (images[..., channel : channel + 1] for channel in range(3))
    sector = hue * 6
    weights = np.concatenate([np.abs(sector - 3) - 1, 2 - np.abs(sector - 2), 2 - np.abs(sector - 4)], -1)
    return np.asarray((1 - saturation + saturation * np.clip(weights, 0, 1)) * value)


@kernel("AdjustHue")
def adjust_hue(images: Tensor, delta: Tensor) -> Tensor:
    """Rotate the hue, which determines the order of the channels; the largest and the smallest value do not change."""
    _check_channels(images)
    claim(18 * 4 * images.size)  # about 18 temporary float32 images
    turn = read_scalar(delta, "delta")
    check(math.isfinite(turn), f"delta must be finite, and is {turn}")
    x = images.astype(np.float32)
    lowest, middle, highest = np.moveaxis(np.sort(x, -1), -1, 0)
    chroma = highest - lowest
    ratio = np.where(chroma > 0, (middle - lowest) / chroma, np.float32(0))
    sixth = _find_sixth(x)
    hue = np.where(chroma > 0, sixth + np.where(sixth % 2, 1 - ratio, ratio), np.float32(0))
    hue = np.mod(hue + np.float32(turn) * np.float32(6), np.float32(6))
    sixth = np.minimum(hue.astype(np.int64), 5)
    ratio = hue - sixth.astype(np.float32)
    middle = lowest + np.where(sixth % 2, 1 - ratio, ratio) * chroma
    sorted_ = np.stack([lowest, middle, highest], -1)
    return np.take_along_axis(sorted_, _RANKS[sixth], -1).astype(images.dtype)


_RANKS = np.array([[2, 1, 0], [1, 2, 0], [0, 2, 1], [0, 1, 2], [1, 0, 2], [2, 0, 1]])
"""The ranks of red, green and blue in each sixth of the color circle; 2 is the largest."""


def _find_sixth(x: Tensor) -> Tensor:
    """Return the sixth of the color circle, 0 to 5, that contains each color."""
    r, g, b = (x[..., channel] for channel in range(3))
    with_green = np.where(b < r, 1, np.where(b > g, 3, 2))
    with_red = np.where(b < g, 0, np.where(b > r, 4, 5))
    return np.where(r < g, with_green, with_red)


@kernel("AdjustSaturation")
def adjust_saturation(images: Tensor, scale: Tensor) -> Tensor:
    hsv = rgb_to_hsv(images.astype(np.float32))
    factor = read_scalar(scale, "scale")
    hsv[..., 1] = np.clip(hsv[..., 1] * np.float32(factor), 0, 1)
    return hsv_to_rgb(hsv).astype(images.dtype)


@kernel("AdjustContrastv2")
def adjust_contrast(images: Tensor, contrast_factor: Tensor) -> Tensor:
    """Scale the distance of each pixel from the mean of its channel by a factor."""
    check(images.ndim >= 3, f"images must have 3 dimensions or more, not the shape {show(images.shape)}")
    x = images.astype(np.float32)
    mean = x.mean((-3, -2), keepdims=True, dtype=np.float64).astype(np.float32) if x.size else x
    return ((x - mean) * np.float32(read_scalar(contrast_factor, "contrast_factor")) + mean).astype(images.dtype)


def _check_channels(images: Tensor) -> None:
    check(
        images.ndim and images.shape[-1] == 3,
        f"the last dimension must be 3 channels, but the shape is {show(images.shape)}",
    )


# --- projections -----------------------------------------------------------------------------------------------------


@kernel("ImageProjectiveTransformV2", "ImageProjectiveTransformV3")
def image_projective_transform(
    images: Tensor,
    transforms: Tensor,
    output_shape: Tensor,
    fill_value: Tensor | None = None,
    *,
    interpolation: bytes,
    fill_mode: bytes = b"CONSTANT",
) -> Tensor:
    """Return images whose pixel (x, y) is that at ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k) in the input.

    k is c0 x + c1 y + 1.
    """
    check(images.ndim == 4, f"images must have 4 dimensions, not be of shape {show(images.shape)}")
    check(
        transforms.ndim == 2 and transforms.shape[1] == 8 and len(transforms) in (1, len(images)),
        f"transforms must be [1,8] or [{len(images)},8], not {show(transforms.shape)}",
    )
    height, width = read_vector(output_shape, "output_shape", 2)
    check(height > 0 and width > 0 and all(images.shape[1:3]), "images must not be empty")
    map_positions = _FILL_MODES.get(fill_mode.upper())
    check(
        map_positions is not None and interpolation.upper() in (b"NEAREST", b"BILINEAR"),
        f'unknown fill_mode "{escape(fill_mode.decode("latin-1"))}" or interpolation '
        f'"{escape(interpolation.decode("latin-1"))}"',
    )
    claim_array((len(images), height, width, images.shape[3]), np.float64)
    x, y = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
    coefficients = transforms[:, :, None, None]
    k = coefficients[:, 6] * x + coefficients[:, 7] * y + 1
    columns = (coefficients[:, 0] * x + coefficients[:, 1] * y + coefficients[:, 2]) / k
    rows = (coefficients[:, 3] * x + coefficients[:, 4] * y + coefficients[:, 5]) / k
    columns = _FILL_MODES[fill_mode.upper()](columns, images.shape[2])
    rows = _FILL_MODES[fill_mode.upper()](rows, images.shape[1])
    fill = np.float32(0) if fill_value is None else read_scalar(fill_value, "fill_value")
    fill_pixel = images.dtype.type(fill)
    nearest = interpolation.upper() == b"NEAREST"
    pixels = (
        _sample_nearest(images, rows, columns, fill_pixel)
        if nearest
        else _sample_bilinear(images, rows, columns, fill_pixel)
    )
    return np.where((k == 0)[..., None], fill_pixel, pixels).astype(images.dtype)


def _read_pixels(images: Tensor, rows: Tensor, columns: Tensor, fill: np.generic) -> Tensor:
    """Return pixels of [batch, height, width, channels] at integer positions; `fill` outside of the image."""
    inside = (rows >= 0) & (rows < images.shape[1]) & (columns >= 0) & (columns < images.shape[2])
    row, column = (np.where(inside, positions, 0).astype(np.int64) for positions in (rows, columns))
    pixels = images[np.arange(len(images))[:, None, None], row, column]
    return np.where(inside[..., None], pixels, fill)


def _sample_nearest(images: Tensor, rows: Tensor, columns: Tensor, fill: np.generic) -> Tensor:
    rows, columns = (np.copysign(np.floor(np.abs(positions) + 0.5), positions) for positions in (rows, columns))
    return _read_pixels(images, rows, columns, fill)


def _sample_bilinear(images: Tensor, rows: Tensor, columns: Tensor, fill: np.generic) -> Tensor:
    top, left = np.floor(rows), np.floor(columns)
    y_part, x_part = (rows - top)[..., None], (columns - left)[..., None]

    def line(row: Tensor) -> Tensor:
        return np.asarray(
            (1 - x_part) * _read_pixels(images, row, left, fill) + x_part * _read_pixels(images, row, left + 1, fill)
        )

    pixels = (1 - y_part) * line(top) + y_part * line(top + 1)
    return np.asarray(np.trunc(pixels) if images.dtype.kind in "iu" else pixels)


def _reflect(positions: Tensor, size: int) -> Tensor:
    """Map positions into an image that repeats, mirrored every second time."""
    if size <= 1:
        return np.zeros_like(positions)
    period = np.float32(2 * size)
    below = np.where(positions < -period, positions + period * np.trunc(-positions / period), positions)
    below = np.where(below < -size, below + period, -below - 1)
    above = positions - period * np.trunc(positions / period)
    above = np.where(above >= size, period - above - 1, above)
    return _clip(np.where(positions < 0, below, np.where(positions > size - 1, above, positions)), size)


def _wrap(positions: Tensor, size: int) -> Tensor:
    """Map positions into an image that repeats."""
    if size <= 1:
        return np.zeros_like(positions)
    below = positions + np.float32(size) * (np.trunc(-positions / np.float32(size - 1)) + 1)
    above = positions - np.float32(size) * np.trunc(positions / np.float32(size - 1))
    return _clip(np.where(positions < 0, below, np.where(positions > size - 1, above, positions)), size)


def _clip(positions: Tensor, size: int) -> Tensor:
    return np.asarray(np.clip(positions, 0, size - 1))


def _keep_position(positions: Tensor, size: int) -> Tensor:
    return positions


_FILL_MODES = {b"CONSTANT": _keep_position, b"REFLECT": _reflect, b"WRAP": _wrap, b"NEAREST": _clip}
"""Functions that map positions outside of an image into it."""


# --- drawing ---------------------------------------------------------------------------------------------------------

_BOX_COLORS = np.array(
    [
        [1, 1, 0, 1],
        [0, 0, 1, 1],
        [1, 0, 0, 1],
        [0, 1, 0, 1],
        [0.5, 0, 0.5, 1],
        [0.5, 0.5, 0, 1],
        [0.5, 0, 0, 1],
        [0, 0, 0.5, 1],
        [0, 1, 1, 1],
        [1, 0, 1, 1],
    ],
    np.float32,
)
"""The colors of boxes in turn: yellow, blue, red, lime, purple, olive, maroon, navy, aqua, fuchsia."""


@kernel("DrawBoundingBoxes", "DrawBoundingBoxesV2")
def draw_bounding_boxes(images: Tensor, boxes: Tensor, colors: Tensor | None = None) -> Tensor:
    """Draw boxes, [batch, n, 4]: y1, x1, y2, x2 as fractions of the image size."""
    channels = images.shape[-1] if images.ndim == 4 else 0
    check(channels in (1, 3, 4), f"images must be [batch,height,width,1, 3 or 4], not {show(images.shape)}")
    check(
        boxes.ndim == 3 and boxes.shape[2] == 4 and len(boxes) == len(images),
        f"boxes must be [{len(images)},n,4], not {show(boxes.shape)}",
    )
    palette = colors if colors is not None else _BOX_COLORS if channels > 1 else np.ones((1, 1), np.float32)
    if palette.ndim != 2 or palette.shape[1] < channels or not len(palette):
        raise RunError(f"colors must be [n,{channels}], not {show(palette.shape)}")
    palette = palette[:, :channels]
    result = images.copy()
    size = np.array(images.shape[1:3] * 2, np.float32) - 1
    for image, image_boxes in zip(result, boxes, strict=True):
        for number, box in enumerate(image_boxes):
            _draw_box(image, np.trunc(box * size), palette[number % len(palette)].astype(images.dtype))
    return result


def _draw_box(image: Tensor, box: Tensor, color: Tensor) -> None:
    """Draw the sides of a box that are inside of the image, one pixel wide."""
    height, width = image.shape[:2]
    if not np.isfinite(box).all():
        return
    top, left, bottom, right = (int(edge) for edge in box)
    if top > bottom or left > right or top >= height or bottom < 0 or left >= width or right < 0:
        return
    rows, columns = slice(max(top, 0), bottom + 1), slice(max(left, 0), right + 1)
    for row in (top, bottom):
        if 0 <= row < height:
            image[row, columns] = color
    for column in (left, right):
        if 0 <= column < width:
            image[rows, column] = color
