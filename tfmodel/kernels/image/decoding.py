"""PNG and BMP files as pixels, and the kernel DecodeBmp.

    png_pixels(data, 3, DataType.DT_UINT8)      [height, width, 3], as uint8 or uint16

PNG follows the W3C's specification: all color types and bit depths, interlaced or not. Colors are returned as stored,
without correction; `channels=0` keeps the channels of the file.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

import numpy as np

from ...errors import RunError
from ...messages import DataType
from ..runtime.argument_checks import check, read_scalar
from ..runtime.memory_limit import claim
from ..runtime.registry import Tensor, kernel
from .pillow import MAX_PIXELS

# --- PNG -------------------------------------------------------------------------------------------------------------

PNG_START = b"\x89PNG\r\n\x1a\n"
_SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""The samples of a pixel by color type: gray, RGB, an index into the palette, gray and alpha, RGBA."""

_PALETTE = 3
_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
_PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
"""The passes of an interlaced image: the first column and row, and the steps between columns and rows."""


def png_pixels(data: bytes, channels: int, dtype: DataType) -> Tensor:
    """Return the pixels as uint8 or uint16. Raises RunError for a damaged file and for what PNG does not allow."""
    check(data[:8] == PNG_START, "contents is not a PNG file")
    check(channels in (0, 1, 3, 4), f"channels must be 0, 1, 3 or 4, and is {channels}")
    try:
        image, depth = _decode_pixels(data)
    except (struct.error, zlib.error, KeyError, IndexError, ValueError) as error:
        raise RunError(f"contents is not a valid PNG file: {error}") from error
    color_type = data[25]
    image = convert_channels(
        image, channels or (_SAMPLES[color_type] if color_type != _PALETTE else 0), (1 << depth) - 1
    )
    if dtype == DataType.DT_UINT16 and depth < 16:
        return image.astype(np.uint16) * np.uint16(257)
    return (image >> 8).astype(np.uint8) if dtype != DataType.DT_UINT16 and depth == 16 else image


def _decode_pixels(data: bytes) -> tuple[Tensor, int]:
    """Return the pixels, of 8 or 16 bits, [height, width, samples], and their bit depth in the file."""
    chunks = list(_read_chunks(data))
    check(chunks and chunks[0][0] == b"IHDR", "contents is a PNG file without IHDR")
    width, height, depth, color_type, _, _, is_interlaced = struct.unpack(">IIBBBBB", chunks[0][1][:13])
    check(
        0 < width * height <= MAX_PIXELS and depth in _DEPTHS[color_type] and is_interlaced < 2,
        "its PNG header is invalid",
    )
    claim(width * height * _SAMPLES[color_type] * max(depth // 8, 1))
    pieces: dict[bytes, list[bytes]] = {}
    for name, content in chunks:
        pieces.setdefault(name, []).append(content)
    chunk_contents = {name: b"".join(contents) for name, contents in pieces.items()}
    pixels = np.frombuffer(_decompress(chunk_contents[b"IDAT"], width, height, depth * _SAMPLES[color_type]), np.uint8)
    samples = (
        _read_passes(pixels, width, height, depth, color_type)
        if is_interlaced
        else _read_image(pixels, width, height, depth, color_type)[0]
    )
    if color_type == _PALETTE:
        return _look_up_colors(samples[..., 0], chunk_contents), depth
    if b"tRNS" in chunk_contents and color_type in (0, 2):
        transparent = np.frombuffer(chunk_contents[b"tRNS"][: 2 * _SAMPLES[color_type]], ">u2")
        opaque = np.uint16((1 << max(depth, 8)) - 1)
        alpha = np.where((samples == transparent).all(-1, keepdims=True), np.uint16(0), opaque)
        samples = np.concatenate([samples, alpha.astype(samples.dtype)], -1)
    if depth < 8:
        samples[..., 0] *= np.uint8(255 // ((1 << depth) - 1))
    return samples, depth


def _read_chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    offset = 8
    while offset + 8 <= len(data):
        size, name = struct.unpack_from(">I4s", data, offset)
        content = data[offset + 8 : offset + 8 + size]
        check(len(content) == size, "contents is a truncated PNG file")
        yield name, content
        if name == b"IEND":
            return
        offset += 12 + size


def _decompress(data: bytes, width: int, height: int, bits: int) -> bytes:
    """Decompress the lines, each after its filter byte; data beyond the size in the header is not decompressed."""
    max_size = height * ((width * bits + 7) // 8 + 1) + 8 * (height + width) * ((bits + 7) // 8) + 64
    return zlib.decompressobj().decompress(data, max_size)


def _read_image(pixels: Tensor, width: int, height: int, depth: int, color_type: int) -> tuple[Tensor, int]:
    """Return the image at the beginning of the data, and its size in bytes there."""
    count = _SAMPLES[color_type]
    step = max(depth * count // 8, 1)
    size = (width * depth * count + 7) // 8
    byte_count = height * (size + 1)
    lines = pixels[:byte_count].reshape(height, size + 1)
    unfiltered = _undo_filters(lines, step)
    if depth == 16:
        return unfiltered.view(">u2").astype(np.uint16).reshape(height, width, count), byte_count
    if depth == 8:
        return unfiltered.reshape(height, width, count), byte_count
    bits = np.unpackbits(unfiltered, axis=1).reshape(height, -1, depth)[:, :width]
    return (bits << np.arange(depth - 1, -1, -1, dtype=np.uint8)).sum(-1, dtype=np.uint8)[..., None], byte_count


def _undo_filters(lines: Tensor, step: int) -> Tensor:
    """Undo the filters: add to each byte its prediction from the bytes to the left and above."""
    height, size = lines.shape[0], lines.shape[1] - 1
    result = np.zeros((height, size), np.uint8)
    above = np.zeros(size, np.uint8)
    for number, line in enumerate(lines):
        kind, line = int(line[0]), line[1:]
        check(kind < 5, f"contents is a PNG file with the unknown filter {kind}")
        if kind == 1:
            columns = np.zeros((-(-size // step), step), np.uint8)
            columns.reshape(-1)[:size] = line
            line = np.cumsum(columns, 0, dtype=np.uint8).reshape(-1)[:size]
        elif kind == 2:
            line = line + above
        elif kind > 2:
            line = np.array(_add_predictions(line.tolist(), above.tolist(), step, kind == 4), np.uint8)
        result[number] = above = line
    return result


def _add_predictions(line: list[int], above: list[int], step: int, paeth: bool) -> list[int]:
    """Undo the filter Average, or Paeth, whose prediction is the neighbor closest to left + above - corner."""
    out = [0] * step + line
    above = [0] * step + above
    for index in range(step, len(out)):
        left, up, corner = out[index - step], above[index], above[index - step]
        if not paeth:
            prediction = (left + up) // 2
        else:
            by_left, by_up, by_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
            prediction = left if by_left <= by_up and by_left <= by_corner else up if by_up <= by_corner else corner
        out[index] = (out[index] + prediction) & 255
    return out[step:]


def _read_passes(pixels: Tensor, width: int, height: int, depth: int, color_type: int) -> Tensor:
    image = np.zeros((height, width, _SAMPLES[color_type]), np.uint16 if depth == 16 else np.uint8)
    for left, top, column_step, row_step in _PASSES:
        target = image[top::row_step, left::column_step]
        if target.size:
            target[:], byte_count = _read_image(pixels, target.shape[1], target.shape[0], depth, color_type)
            pixels = pixels[byte_count:]
    return image


def _look_up_colors(indices: Tensor, chunk_contents: dict[bytes, bytes]) -> Tensor:
    palette = np.frombuffer(chunk_contents[b"PLTE"], np.uint8).reshape(-1, 3)
    check(int(indices.max()) < len(palette), "contents is a PNG file with colors that are not in its palette")
    if b"tRNS" in chunk_contents:
        alpha = np.full((len(palette), 1), 255, np.uint8)
        entries = np.frombuffer(chunk_contents[b"tRNS"], np.uint8)[: len(palette)]
        alpha[: len(entries), 0] = entries
        palette = np.concatenate([palette, alpha], 1)
    return np.asarray(palette[indices])


def convert_channels(image: Tensor, channels: int, opaque: int) -> Tensor:
    """Convert gray to color or color to gray, and add or remove alpha.

    A new alpha channel is `opaque`: as in the C++ kernel, the largest number of the bit depth of the file, which may be
    less than that of the image.
    """
    file_channels = image.shape[2]
    if channels in (0, file_channels):
        return image
    color = image[..., :1] if file_channels < 3 else image[..., :3]
    if channels == 1:
        return _to_gray(color) if file_channels > 2 else color
    if file_channels < 3:
        color = np.repeat(color, 3, 2)
    if channels == 3:
        return color
    alpha = image[..., -1:] if file_channels in (2, 4) else np.full((*image.shape[:2], 1), opaque, image.dtype)
    return np.concatenate([color, alpha], 2)


def _to_gray(color: Tensor) -> Tensor:
    """Return the brightness of colors by weights in units of 2**-15; truncated, or rounded for 16 bits."""
    weights = np.array([9797, 19234, 3737], np.int64)
    brightness = (color.astype(np.int64) @ weights + (1 << 14 if color.dtype == np.uint16 else 0)) >> 15
    is_gray = (color == color[..., :1]).all(-1)
    return np.asarray(np.where(is_gray, color[..., 0], brightness).astype(color.dtype)[..., None])


# --- BMP -------------------------------------------------------------------------------------------------------------


@kernel("DecodeBmp")
def decode_bmp(contents: Tensor, *, channels: int) -> Tensor:
    """Decode uncompressed bitmaps of 8, 24 or 32 bits per pixel; a palette is assumed to be gray."""
    data = read_scalar(contents, "contents")
    check(data[:2] == b"BM" and len(data) >= 32, "contents is not a BMP file")
    (offset,) = struct.unpack_from("<i", data, 10)
    width, height = struct.unpack_from("<ii", data, 18)
    (bits,) = struct.unpack_from("<H", data, 28)
    file_channels, rows = bits // 8, abs(height)
    fits = file_channels in (1, 3, 4) and channels in (0, 3, 4) and channels in (0, file_channels)
    check(fits, f"contents is a BMP file of {bits} bits per pixel, which cannot have {channels} channels")
    check(width > 0 and rows > 0 and offset >= 0, "contents is a BMP file with an empty image")
    size = (file_channels * width + 3) // 4 * 4
    check(len(data) >= offset + rows * size - (size - file_channels * width), "contents is a truncated BMP file")
    pixels = np.frombuffer(data[offset : offset + rows * size].ljust(rows * size, b"\0"), np.uint8).reshape(rows, size)
    image = pixels[:, : file_channels * width].reshape(rows, width, file_channels)
    image = image[::-1] if height > 0 else image
    return image if file_channels == 1 else np.asarray(image[..., [2, 1, 0, 3][:file_channels]])
