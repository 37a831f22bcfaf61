"""Adjust images of shape [..., height, width, channels]: color spaces, hue, contrast, projections, bounding boxes.

    RGBToHSV([1, 0.5, 0.5])     [0, 0.5, 1]
    AdjustHue(images, 0.25)     each colour a quarter of the way around the circle

Colors are numbers from 0 to 1; hue goes from red at 0 over green at 1/3 and blue at 2/3 back to red at 1.
"""

from __future__ import annotations

import numpy as np

from ...errors import RunError
from ...io.terminal import printable
from ..runtime.argument_checks import check, read_scalar, read_vector, show
from ..runtime.memory_limit import claim, claim_array
from ..runtime.registry import Tensor, kernel

__all__: list[str] = []


# --- colours ---------------------------------------------------------------------------------------------------------


@kernel("RGBToHSV")
def rgb_to_hsv(images: Tensor) -> Tensor:
    _check_colours(images)
    r, g, b = (images[..., channel] for channel in range(3))
    most = images.max(-1)
    spread = most - images.min(-1)
    part = images.dtype.type(1) / (6 * spread)
    third = images.dtype.type(1 / 3)
    hue = np.where(g == most, part * (b - r) + third, part * (r - g) + 2 * third)
    hue = np.where(r == most, part * (g - b), hue)
    hue = np.where(spread > 0, hue, images.dtype.type(0))
    hue = np.where(hue < 0, hue + 1, hue)
    saturation = np.where(most > 0, spread / most, images.dtype.type(0))
    return np.stack([hue, saturation, most], -1).astype(images.dtype)


@kernel("HSVToRGB")
def hsv_to_rgb(images: Tensor) -> Tensor:
    _check_colours(images)
    hue, saturation, value = (images[..., channel : channel + 1] for channel in range(3))
    way = hue * 6
    parts = np.concatenate([np.abs(way - 3) - 1, 2 - np.abs(way - 2), 2 - np.abs(way - 4)], -1)
    return np.asarray((1 - saturation + saturation * np.clip(parts, 0, 1)) * value)


@kernel("AdjustHue")
def adjust_hue(images: Tensor, delta: Tensor) -> Tensor:
    """Rotate the hue. It sets the order of the channels by size; the largest and the smallest value are kept."""
    _check_colours(images)
    claim(18 * 4 * images.size)  # many images of float32 beside each other
    x = images.astype(np.float32)
    least, middle, most = np.moveaxis(np.sort(x, -1), -1, 0)
    spread = most - least
    ratio = np.where(spread > 0, (middle - least) / spread, np.float32(0))
    sixth = _sixth(x)
    hue = np.where(spread > 0, sixth + np.where(sixth % 2, 1 - ratio, ratio), np.float32(0))
    hue = np.mod(hue + read_scalar(delta, "delta") * np.float32(6), np.float32(6))
    sixth = np.minimum(hue.astype(np.int64), 5)
    ratio = hue - sixth.astype(np.float32)
    middle = least + np.where(sixth % 2, 1 - ratio, ratio) * spread
    sorted_ = np.stack([least, middle, most], -1)
    return np.take_along_axis(sorted_, _RANKS[sixth], -1).astype(images.dtype)


_RANKS = np.array([[2, 1, 0], [1, 2, 0], [0, 2, 1], [0, 1, 2], [1, 0, 2], [2, 0, 1]])
"""By the sixth of the circle: the ranks of red, green and blue, 2 being the largest."""


def _sixth(x: Tensor) -> Tensor:
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
    check(images.ndim >= 3, f"images must have 3 dimensions at least, not be of shape {show(images.shape)}")
    x = images.astype(np.float32)
    mean = x.mean((-3, -2), keepdims=True, dtype=np.float64).astype(np.float32) if x.size else x
    return ((x - mean) * np.float32(read_scalar(contrast_factor, "contrast_factor")) + mean).astype(images.dtype)


def _check_colours(images: Tensor) -> None:
    check(images.ndim and images.shape[-1] == 3, f"colours have 3 channels in the end, not {show(images.shape)}")


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
    """The pixel (x, y) shows ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k) with k = c0 x + c1 y + 1."""
    check(images.ndim == 4, f"images must have 4 dimensions, not be of shape {show(images.shape)}")
    check(
        transforms.ndim == 2 and transforms.shape[1] == 8 and len(transforms) in (1, len(images)),
        f"transforms must be [1,8] or [{len(images)},8], not {show(transforms.shape)}",
    )
    height, width = read_vector(output_shape, "output_shape", 2)
    check(height > 0 and width > 0 and all(images.shape[1:3]), "images must not be empty")
    place = _PLACES.get(fill_mode.upper())
    check(
        place is not None and interpolation.upper() in (b"NEAREST", b"BILINEAR"),
        f'there is no fill_mode "{printable(fill_mode.decode("latin-1"))}" with interpolation '
        f'"{printable(interpolation.decode("latin-1"))}"',
    )
    claim_array((len(images), height, width, images.shape[3]), np.float64)
    x, y = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
    a = transforms[:, :, None, None]
    k = a[:, 6] * x + a[:, 7] * y + 1
    columns = (a[:, 0] * x + a[:, 1] * y + a[:, 2]) / k
    rows = (a[:, 3] * x + a[:, 4] * y + a[:, 5]) / k
    columns = _PLACES[fill_mode.upper()](columns, images.shape[2])
    rows = _PLACES[fill_mode.upper()](rows, images.shape[1])
    fill = np.float32(0) if fill_value is None else read_scalar(fill_value, "fill_value")
    filled = images.dtype.type(fill)
    nearest = interpolation.upper() == b"NEAREST"
    found = _nearest(images, rows, columns, filled) if nearest else _bilinear(images, rows, columns, filled)
    return np.where((k == 0)[..., None], filled, found).astype(images.dtype)


def _pixels(images: Tensor, rows: Tensor, columns: Tensor, fill: np.generic) -> Tensor:
    """Return pixels of [batch, height, width, channels] at integer positions; `fill` outside of the image."""
    inside = (rows >= 0) & (rows < images.shape[1]) & (columns >= 0) & (columns < images.shape[2])
    row, column = (np.where(inside, each, 0).astype(np.int64) for each in (rows, columns))
    found = images[np.arange(len(images))[:, None, None], row, column]
    return np.where(inside[..., None], found, fill)


def _nearest(images: Tensor, rows: Tensor, columns: Tensor, fill: np.generic) -> Tensor:
    rows, columns = (np.copysign(np.floor(np.abs(each) + 0.5), each) for each in (rows, columns))
    return _pixels(images, rows, columns, fill)


def _bilinear(images: Tensor, rows: Tensor, columns: Tensor, fill: np.generic) -> Tensor:
    top, left = np.floor(rows), np.floor(columns)
    down, right = (rows - top)[..., None], (columns - left)[..., None]

    def line(row: Tensor) -> Tensor:
        return np.asarray((1 - right) * _pixels(images, row, left, fill) + right * _pixels(images, row, left + 1, fill))

    found = (1 - down) * line(top) + down * line(top + 1)
    return np.asarray(np.trunc(found) if images.dtype.kind in "iu" else found)


def _reflected(at: Tensor, size: int) -> Tensor:
    """Map positions into an image that repeats, mirrored every second time."""
    if size <= 1:
        return np.zeros_like(at)
    twice = np.float32(2 * size)
    below = np.where(at < -twice, at + twice * np.trunc(-at / twice), at)
    below = np.where(below < -size, below + twice, -below - 1)
    above = at - twice * np.trunc(at / twice)
    above = np.where(above >= size, twice - above - 1, above)
    return _within(np.where(at < 0, below, np.where(at > size - 1, above, at)), size)


def _wrapped(at: Tensor, size: int) -> Tensor:
    """Map positions into an image that repeats."""
    if size <= 1:
        return np.zeros_like(at)
    below = at + np.float32(size) * (np.trunc(-at / np.float32(size - 1)) + 1)
    above = at - np.float32(size) * np.trunc(at / np.float32(size - 1))
    return _within(np.where(at < 0, below, np.where(at > size - 1, above, at)), size)


def _within(at: Tensor, size: int) -> Tensor:
    return np.asarray(np.clip(at, 0, size - 1))


def _as_it_is(at: Tensor, size: int) -> Tensor:
    return at


_PLACES = {b"CONSTANT": _as_it_is, b"REFLECT": _reflected, b"WRAP": _wrapped, b"NEAREST": _within}
"""Where to look for what lies outside of an image."""


# --- drawing ---------------------------------------------------------------------------------------------------------

_COLOURS = np.array(
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
"""Of one box after the other: yellow, blue, red, lime, purple, olive, maroon, navy, aqua, fuchsia."""


@kernel("DrawBoundingBoxes", "DrawBoundingBoxesV2")
def draw_bounding_boxes(images: Tensor, boxes: Tensor, colors: Tensor | None = None) -> Tensor:
    """Draw boxes, [batch, n, 4]: y1, x1, y2, x2 as fractions of the image size."""
    channels = images.shape[-1] if images.ndim == 4 else 0
    check(channels in (1, 3, 4), f"images must be [batch,height,width,1, 3 or 4], not {show(images.shape)}")
    check(
        boxes.ndim == 3 and boxes.shape[2] == 4 and len(boxes) == len(images),
        f"boxes must be [{len(images)},n,4], not {show(boxes.shape)}",
    )
    palette = colors if colors is not None else _COLOURS if channels > 1 else np.ones((1, 1), np.float32)
    if palette.ndim != 2 or palette.shape[1] < channels or not len(palette):
        raise RunError(f"colors must be [n,{channels}], not {show(palette.shape)}")
    palette = palette[:, :channels]
    found = images.copy()
    size = np.array(images.shape[1:3] * 2, np.float32) - 1
    for image, of_image in zip(found, boxes, strict=True):
        for number, box in enumerate(of_image):
            _draw(image, np.trunc(box * size), palette[number % len(palette)].astype(images.dtype))
    return found


def _draw(image: Tensor, box: Tensor, colour: Tensor) -> None:
    """Draw the sides of a box that are inside of the image, one pixel wide."""
    height, width = image.shape[:2]
    if not np.isfinite(box).all():
        return
    top, left, bottom, right = (int(each) for each in box)
    if top > bottom or left > right or top >= height or bottom < 0 or left >= width or right < 0:
        return
    rows, columns = slice(max(top, 0), bottom + 1), slice(max(left, 0), right + 1)
    for row in (top, bottom):
        if 0 <= row < height:
            image[row, columns] = colour
    for column in (left, right):
        if 0 <= column < width:
            image[rows, column] = colour
