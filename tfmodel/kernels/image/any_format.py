"""Kernels that decode what they find: DecodeImage, DecodeJpeg and DecodePng take any of PNG, JPEG and GIF.

BMP is for DecodeImage and DecodeBmp alone, and an animation of several frames for DecodeImage and DecodeGif, as in
TensorFlow. JPEG and GIF need Pillow.
"""

from __future__ import annotations

import numpy as np

from ...errors import RunError
from ...messages import DataType
from ..runtime.argument_checks import check, read_scalar
from ..runtime.memory_limit import claim_array
from ..runtime.registry import Tensor, kernel
from .decoding import PNG_START, decode_bmp, png_pixels
from .jpeg import START as JPEG_START
from .jpeg import jpeg_pixels
from .pillow import frames

_GIF_START = b"GIF8"


@kernel("DecodePng")
def decode_png(contents: Tensor, *, channels: int, dtype: DataType) -> Tensor:
    return _decoded(read_scalar(contents, "contents"), channels, dtype)


@kernel("DecodeJpeg")
def decode_jpeg(
    contents: Tensor,
    *,
    channels: int,
    ratio: int,
    fancy_upscaling: bool,
    try_recover_truncated: bool,
    acceptable_fraction: float,
    dct_method: bytes,
) -> Tensor:
    data = read_scalar(contents, "contents")
    if data[:3] == JPEG_START:
        return jpeg_pixels(data, channels, ratio)
    check(ratio == 1, f"ratio is {ratio}, which is for JPEG only")
    return _decoded(data, channels, DataType.DT_UINT8)


@kernel("DecodeGif")
def decode_gif(contents: Tensor) -> Tensor:
    """Return all frames; of a picture in another format, one."""
    data = read_scalar(contents, "contents")
    return frames(data) if data[:4] == _GIF_START else _decoded(data, 3, DataType.DT_UINT8)[np.newaxis]


@kernel("DecodeImage")
def decode_image(contents: Tensor, *, channels: int, dtype: DataType, expand_animations: bool) -> Tensor:
    """Return a picture, or the frames of a GIF: all, or the first without `expand_animations`."""
    data = read_scalar(contents, "contents")
    if data[:4] == _GIF_START:
        check(channels in (0, 3), f"channels of a GIF must be 0 or 3, and are {channels}")
        shown = _converted(frames(data), dtype)
        return shown if expand_animations else shown[0]
    if data[:2] == b"BM":
        return _converted(decode_bmp(contents, channels=channels), dtype)
    return _decoded(data, channels, dtype)


def _decoded(data: bytes, channels: int, dtype: DataType) -> Tensor:
    """Return the pixels of PNG, JPEG or a GIF with one frame."""
    if data[:8] == PNG_START:
        if dtype == DataType.DT_FLOAT:
            return _converted(png_pixels(data, channels, DataType.DT_UINT16), dtype)
        return png_pixels(data, channels, dtype)
    if data[:3] == JPEG_START:
        return _converted(jpeg_pixels(data, channels), dtype)
    if data[:4] == _GIF_START:
        shown = frames(data)
        check(len(shown) == 1, f"a GIF of {len(shown)} frames is for DecodeGif and DecodeImage")
        check(channels in (0, 3), f"channels of a GIF must be 0 or 3, and are {channels}")
        return _converted(shown[0], dtype)
    raise RunError("contents is neither PNG nor JPEG nor GIF")


def _converted(image: Tensor, dtype: DataType) -> Tensor:
    """Return pixels in another type: floats are from 0 to 1."""
    if dtype == DataType.DT_UINT8:
        return image
    if dtype == DataType.DT_UINT16:
        return image.astype(np.uint16) * np.uint16(256)
    claim_array(image.shape, np.float32)
    return image.astype(np.float32) * np.float32(1 / np.iinfo(image.dtype).max)
