"""Decode image files: DecodePng, DecodeBmp. JPEG is not supported, since it would need a library.

    DecodePng(contents, channels=3)     [height, width, 3], as uint8 or uint16

PNG by the W3C's specification: all colour types and depths, interlaced or not. Colors are returned as stored,
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

__all__: list[str] = []

_MOST = 1 << 29
"""Pixels: more than that, TensorFlow refuses as well."""

# --- PNG -------------------------------------------------------------------------------------------------------------

_SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""Of a pixel, by colour type: gray, RGB, an index into the palette, gray and alpha, RGBA."""

_PALETTE = 3
_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
_PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
"""Of an interlaced image: the first column and row of each, and the steps between them."""


@kernel("DecodePng")
def decode_png(contents: Tensor, *, channels: int, dtype: DataType) -> Tensor:
    data = read_scalar(contents, "contents")
    check(data[:8] == b"\x89PNG\r\n\x1a\n", "contents is no PNG file")
    check(channels in (0, 1, 3, 4), f"channels must be 0, 1, 3 or 4, and is {channels}")
    try:
        image, depth = _png(data)
    except (struct.error, zlib.error, KeyError, IndexError, ValueError) as error:
        raise RunError(f"contents is no valid PNG file: {error}") from error
    colours = data[25]
    image = _with_channels(image, channels or (_SAMPLES[colours] if colours != _PALETTE else 0), (1 << depth) - 1)
    if dtype == DataType.DT_UINT16 and depth < 16:
        return image.astype(np.uint16) * np.uint16(257)
    return (image >> 8).astype(np.uint8) if dtype != DataType.DT_UINT16 and depth == 16 else image


def _png(data: bytes) -> tuple[Tensor, int]:
    """Return the pixels, of 8 or 16 bits, [height, width, samples], and their bit depth in the file."""
    chunks = list(_chunks(data))
    check(chunks and chunks[0][0] == b"IHDR", "contents is a PNG file without a header")
    width, height, depth, colours, _, _, interlaced = struct.unpack(">IIBBBBB", chunks[0][1][:13])
    check(0 < width * height <= _MOST and depth in _DEPTHS[colours] and interlaced < 2, "its PNG header makes no sense")
    claim(width * height * _SAMPLES[colours] * max(depth // 8, 1))
    pieces: dict[bytes, list[bytes]] = {}
    for name, content in chunks:
        pieces.setdefault(name, []).append(content)
    found = {name: b"".join(contents) for name, contents in pieces.items()}
    pixels = np.frombuffer(_unpacked(found[b"IDAT"], width, height, depth * _SAMPLES[colours]), np.uint8)
    samples = (
        _interlaced(pixels, width, height, depth, colours)
        if interlaced
        else _part(pixels, width, height, depth, colours)[0]
    )
    if colours == _PALETTE:
        return _of_palette(samples[..., 0], found), depth
    if b"tRNS" in found and colours in (0, 2):
        clear = np.frombuffer(found[b"tRNS"][: 2 * _SAMPLES[colours]], ">u2")
        most = np.uint16((1 << max(depth, 8)) - 1)
        alpha = np.where((samples == clear).all(-1, keepdims=True), np.uint16(0), most)
        samples = np.concatenate([samples, alpha.astype(samples.dtype)], -1)
    if depth < 8:
        samples[..., 0] *= np.uint8(255 // ((1 << depth) - 1))
    return samples, depth


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 8
    while at + 8 <= len(data):
        size, name = struct.unpack_from(">I4s", data, at)
        content = data[at + 8 : at + 8 + size]
        check(len(content) == size, "contents is a PNG file that is cut off")
        yield name, content
        if name == b"IEND":
            return
        at += 12 + size


def _unpacked(data: bytes, width: int, height: int, bits: int) -> bytes:
    """Decompress the lines, each after its filter byte; data beyond the size in the header is not decompressed."""
    most = height * ((width * bits + 7) // 8 + 1) + 8 * (height + width) * ((bits + 7) // 8) + 64
    return zlib.decompressobj().decompress(data, most)


def _part(pixels: Tensor, width: int, height: int, depth: int, colours: int) -> tuple[Tensor, int]:
    """Return an image from the beginning of the lines, and its size in bytes."""
    count = _SAMPLES[colours]
    step = max(depth * count // 8, 1)
    size = (width * depth * count + 7) // 8
    taken = height * (size + 1)
    lines = pixels[:taken].reshape(height, size + 1)
    plain = _unfiltered(lines, step)
    if depth == 16:
        return plain.view(">u2").astype(np.uint16).reshape(height, width, count), taken
    if depth == 8:
        return plain.reshape(height, width, count), taken
    bits = np.unpackbits(plain, axis=1).reshape(height, -1, depth)[:, :width]
    return (bits << np.arange(depth - 1, -1, -1, dtype=np.uint8)).sum(-1, dtype=np.uint8)[..., None], taken


def _unfiltered(lines: Tensor, step: int) -> Tensor:
    """Undo the filters: add to each byte those to the left, above, or both, from which it was subtracted."""
    height, size = lines.shape[0], lines.shape[1] - 1
    plain = np.zeros((height, size), np.uint8)
    above = np.zeros(size, np.uint8)
    for place, line in enumerate(lines):
        kind, line = int(line[0]), line[1:]
        check(kind < 5, f"contents is a PNG file with a filter {kind}")
        if kind == 1:
            columns = np.zeros((-(-size // step), step), np.uint8)
            columns.reshape(-1)[:size] = line
            line = np.cumsum(columns, 0, dtype=np.uint8).reshape(-1)[:size]
        elif kind == 2:
            line = line + above
        elif kind > 2:
            line = np.array(_predicted(line.tolist(), above.tolist(), step, kind == 4), np.uint8)
        plain[place] = above = line
    return plain


def _predicted(line: list[int], above: list[int], step: int, paeth: bool) -> list[int]:
    """From the mean of left and above, or from that of left, above and both which is nearest to left + above - both."""
    out = [0] * step + line
    above = [0] * step + above
    for at in range(step, len(out)):
        left, up, corner = out[at - step], above[at], above[at - step]
        if not paeth:
            guess = (left + up) // 2
        else:
            by_left, by_up, by_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
            guess = left if by_left <= by_up and by_left <= by_corner else up if by_up <= by_corner else corner
        out[at] = (out[at] + guess) & 255
    return out[step:]


def _interlaced(pixels: Tensor, width: int, height: int, depth: int, colours: int) -> Tensor:
    image = np.zeros((height, width, _SAMPLES[colours]), np.uint16 if depth == 16 else np.uint8)
    for left, top, across, down in _PASSES:
        target = image[top::down, left::across]
        if target.size:
            target[:], taken = _part(pixels, target.shape[1], target.shape[0], depth, colours)
            pixels = pixels[taken:]
    return image


def _of_palette(indices: Tensor, found: dict[bytes, bytes]) -> Tensor:
    colours = np.frombuffer(found[b"PLTE"], np.uint8).reshape(-1, 3)
    check(int(indices.max()) < len(colours), "contents is a PNG file with colours that its palette does not have")
    if b"tRNS" in found:
        alpha = np.full((len(colours), 1), 255, np.uint8)
        given = np.frombuffer(found[b"tRNS"], np.uint8)[: len(colours)]
        alpha[: len(given), 0] = given
        colours = np.concatenate([colours, alpha], 1)
    return np.asarray(colours[indices])


def _with_channels(image: Tensor, channels: int, opaque: int) -> Tensor:
    """Gray becomes colours and colours gray, alpha comes or goes. It comes as `opaque`, which the C++ kernel makes the
    largest number of as many bits as the file has for a sample, even if there are more in the image."""
    own = image.shape[2]
    if channels in (0, own):
        return image
    colours = image[..., :1] if own < 3 else image[..., :3]
    if channels == 1:
        return _gray(colours) if own > 2 else colours
    if own < 3:
        colours = np.repeat(colours, 3, 2)
    if channels == 3:
        return colours
    alpha = image[..., -1:] if own in (2, 4) else np.full((*image.shape[:2], 1), opaque, image.dtype)
    return np.concatenate([colours, alpha], 2)


def _gray(colours: Tensor) -> Tensor:
    """Return the brightness of colors by weights in units of 2**-15; truncated, or rounded for 16 bits."""
    weights = np.array([9797, 19234, 3737], np.int64)
    found = (colours.astype(np.int64) @ weights + (1 << 14 if colours.dtype == np.uint16 else 0)) >> 15
    same = (colours == colours[..., :1]).all(-1)
    return np.asarray(np.where(same, colours[..., 0], found).astype(colours.dtype)[..., None])


# --- BMP -------------------------------------------------------------------------------------------------------------


@kernel("DecodeBmp")
def decode_bmp(contents: Tensor, *, channels: int) -> Tensor:
    """Decode uncompressed bitmaps of 8, 24 or 32 bits per pixel; a palette is assumed to be gray."""
    data = read_scalar(contents, "contents")
    check(data[:2] == b"BM" and len(data) >= 32, "contents is no BMP file")
    (begin,) = struct.unpack_from("<i", data, 10)
    width, height = struct.unpack_from("<ii", data, 18)
    (bits,) = struct.unpack_from("<H", data, 28)
    own, rows = bits // 8, abs(height)
    fits = own in (1, 3, 4) and channels in (0, 3, 4) and channels in (0, own)
    check(fits, f"contents is a BMP file of {bits} bits, and {channels} channels are wanted")
    check(width > 0 and rows > 0 and begin >= 0, "contents is a BMP file of no size")
    size = (own * width + 3) // 4 * 4
    check(len(data) >= begin + rows * size - (size - own * width), "contents is a BMP file that is cut off")
    pixels = np.frombuffer(data[begin : begin + rows * size].ljust(rows * size, b"\0"), np.uint8).reshape(rows, size)
    image = pixels[:, : own * width].reshape(rows, width, own)
    image = image[::-1] if height > 0 else image
    return image if own == 1 else np.asarray(image[..., [2, 1, 0, 3][:own]])
