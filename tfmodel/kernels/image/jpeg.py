"""Kernels of JPEG: ExtractJpegShape, and with Pillow DecodeJpeg, DecodeAndCropJpeg, EncodeJpeg.

TensorFlow and Pillow use the same library. With `dct_method` INTEGER_ACCURATE, pixels are equal. The default of
TensorFlow is a faster transform, which is less exact: pixels differ by one or two on average, and by up to ten at sharp
edges; so do those at the edges of a crop. A picture that is cut off is refused, with `try_recover_truncated` too.
"""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from ...errors import RunError
from ...messages import DataType
from ...values.dtypes import dtype_of
from ..runtime.argument_checks import check, read_scalar, read_vector, show
from ..runtime.registry import Tensor, kernel
from .pillow import MODES, opened, pillow, pixels

START = b"\xff\xd8\xff"
_FRAMES = {0xC0, 0xC1, 0xC2, 0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF}
"""The markers of segments with the size of the picture."""
_SCAN = 0xDA
"""The marker of the picture itself."""
_ALONE = {0x01, *range(0xD0, 0xD9)}
"""The markers without a segment."""


def jpeg_shape(data: bytes) -> tuple[int, int, int]:
    """Return height, width and channels, as the header of the frame says. Raises RunError without whole headers."""
    check(data[:3] == START, "contents is not a JPEG file")
    position, shape = 2, None
    while position + 4 <= len(data):
        check(data[position] == 0xFF, f"the JPEG file has no marker at byte {position:,}")
        marker = data[position + 1]
        if marker == 0xFF:  # padding
            position += 1
        elif marker in _ALONE:
            position += 2
        elif marker in _FRAMES and position + 10 <= len(data):
            height, width = (int.from_bytes(data[start : start + 2], "big") for start in (position + 5, position + 7))
            check(height > 0 and width > 0, "the JPEG file has an empty picture")
            shape = height, width, data[position + 9]
            position += 2 + int.from_bytes(data[position + 2 : position + 4], "big")
        elif marker == _SCAN and shape is not None:
            return shape
        else:
            position += 2 + max(int.from_bytes(data[position + 2 : position + 4], "big"), 2)
    raise RunError("the JPEG file ends before its picture")


@kernel("ExtractJpegShape")
def extract_jpeg_shape(contents: Tensor, *, output_type: DataType) -> Tensor:
    return np.array(jpeg_shape(read_scalar(contents, "contents")), dtype_of(output_type).numpy)


def jpeg_pixels(data: bytes, channels: int, ratio: int = 1) -> Tensor:
    """Return the pixels, smaller by `ratio`; `channels=0` keeps the channels of the file."""
    height, width, stored = jpeg_shape(data)
    wanted = channels or (1 if stored == 1 else 3)
    check(wanted in (1, 3), f"channels of a JPEG file must be 0, 1 or 3, and are {channels}")
    check(ratio in (1, 2, 4, 8), f"ratio must be 1, 2, 4 or 8, and is {ratio}")
    check(min(height, width) >= ratio, f"a picture of {width} x {height} pixels cannot be smaller by {ratio}")
    with opened(data) as image:
        if ratio > 1 or (wanted == 1 and stored == 3):  # the brightness as it is stored
            image.draft("L" if wanted == 1 else None, (width // ratio, height // ratio))
        return pixels(image, wanted)


@kernel("DecodeAndCropJpeg")
def decode_and_crop_jpeg(
    contents: Tensor,
    crop_window: Tensor,
    *,
    channels: int,
    ratio: int,
    fancy_upscaling: bool,
    try_recover_truncated: bool,
    acceptable_fraction: float,
    dct_method: bytes,
) -> Tensor:
    window = read_vector(crop_window, "crop_window")
    check(len(window) == 4, f"crop_window must be four numbers, not of shape {show(crop_window.shape)}")
    top, left, rows, columns = map(int, window)
    image = jpeg_pixels(read_scalar(contents, "contents"), channels, ratio)
    height, width = image.shape[:2]
    fits = min(top, left) >= 0 and min(rows, columns) > 0 and top + rows <= height and left + columns <= width
    check(fits, f"crop_window {show(window)} is not inside of a picture of {width} x {height} pixels")
    return np.ascontiguousarray(image[top : top + rows, left : left + columns])


@kernel("EncodeJpeg")
def encode_jpeg(
    image: Tensor,
    *,
    format: bytes,
    quality: int,
    progressive: bool,
    optimize_size: bool,
    chroma_downsampling: bool,
    density_unit: bytes,
    x_density: int,
    y_density: int,
    xmp_metadata: bytes,
) -> Tensor:
    """Return a JPEG file, whose bytes are not those of TensorFlow. Densities and metadata are not written."""
    channels = {b"": image.shape[-1] if image.ndim == 3 else 0, b"grayscale": 1, b"rgb": 3}.get(format, 0)
    check(
        image.ndim == 3 and image.shape[-1] == channels and channels in (1, 3),
        f"an image of shape {show(image.shape)} cannot be encoded as JPEG: it needs 1 or 3 channels",
    )
    return _encoded(image, quality, progressive=progressive, optimize=optimize_size, is_halved=chroma_downsampling)


@kernel("EncodeJpegVariableQuality")
def encode_jpeg_variable_quality(images: Tensor, quality: Tensor) -> Tensor:
    check(
        images.ndim == 3 and images.shape[-1] in (1, 3),
        f"an image of shape {show(images.shape)} cannot be encoded as JPEG: it needs 1 or 3 channels",
    )
    return _encoded(images, int(read_scalar(quality, "quality")))


def _encoded(
    image: Tensor, quality: int, *, progressive: bool = False, optimize: bool = False, is_halved: bool = True
) -> Tensor:
    check(0 <= quality <= 100, f"quality must be from 0 to 100, and is {quality}")
    check(image.size > 0 and max(image.shape) <= 65_535, f"a JPEG file cannot have the shape {show(image.shape)}")
    module: Any = pillow()
    file = io.BytesIO()
    picture = module.fromarray(image[..., 0] if image.shape[-1] == 1 else image, MODES[image.shape[-1]])
    options = {"quality": quality, "progressive": progressive, "optimize": optimize}
    picture.save(file, "JPEG", subsampling=2 if is_halved else 0, **options)
    return np.array(file.getvalue(), object)
