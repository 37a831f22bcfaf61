"""EncodePng: images as PNG files, losslessly. The bytes are not those of TensorFlow, whose filters differ."""

from __future__ import annotations

import struct
import zlib

import numpy as np

from ..runtime.argument_checks import check, show
from ..runtime.memory_limit import claim
from ..runtime.registry import Tensor, kernel
from .decoding import PNG_START

_COLOR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}
"""The color type by the number of channels: gray, gray and alpha, RGB, RGBA."""


@kernel("EncodePng")
def encode_png(image: Tensor, *, compression: int) -> Tensor:
    """Return a file, or for a batch of images a file of each. `compression` is from 0 to 9; -1 is zlib's choice."""
    check(-1 <= compression <= 9, f"compression must be from -1 to 9, and is {compression}")
    check(
        image.ndim >= 3 and image.shape[-1] in _COLOR_TYPES and image[..., :1, :1, :].size > 0,
        f"an image of shape {show(image.shape)} cannot be encoded as PNG: it needs 1 to 4 channels, and pixels",
    )
    claim(2 * image.nbytes)
    images = image.reshape(-1, *image.shape[-3:])
    files = np.empty(len(images), object)
    files[:] = [_png(one, compression) for one in images]
    return files.reshape(image.shape[:-3])


def _png(image: Tensor, compression: int) -> bytes:
    height, width, channels = image.shape
    depth = 8 * image.dtype.itemsize
    rows = image.astype(image.dtype.newbyteorder(">")).reshape(height, -1).view(np.uint8)
    lines = np.concatenate([np.zeros((height, 1), np.uint8), rows], 1)  # filter 0, no prediction, before each
    header = struct.pack(">IIBBBBB", width, height, depth, _COLOR_TYPES[channels], 0, 0, 0)
    data = zlib.compress(lines.tobytes(), compression)
    return PNG_START + b"".join(_chunk(*one) for one in ((b"IHDR", header), (b"IDAT", data), (b"IEND", b"")))


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
