"""Image files. What lines of a PNG say is arbitrary: with any filters, they are some image."""

from __future__ import annotations

import struct
import zlib

from tests.kernel_cases import Case, strings, u8
from tfmodel.messages import DataType

__all__ = ["CASES"]

_SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_KINDS = [
    (0, 1),
    (0, 2),
    (0, 4),
    (0, 8),
    (0, 16),
    (2, 8),
    (2, 16),
    (3, 1),
    (3, 2),
    (3, 4),
    (3, 8),
    (4, 8),
    (4, 16),
    (6, 8),
    (6, 16),
]
_PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
_NOISE = u8(100_000).tobytes()


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def _png(
    colours: int,
    depth: int,
    width: int = 11,
    height: int = 9,
    *,
    interlaced: bool = False,
    clear: bytes = b"",
    filters: str = "01234",
) -> bytes:
    bits = depth * _SAMPLES[colours]
    sizes = [(width, height)]
    if interlaced:
        sizes = [
            (len(range(left, width, across)), len(range(top, height, down))) for left, top, across, down in _PASSES
        ]
    lines, at = b"", 0
    for columns, rows in sizes:
        for row in range(rows if columns else 0):
            size = (columns * bits + 7) // 8
            lines += bytes([int(filters[row % len(filters)])]) + _NOISE[at : at + size]
            at += size
    header = struct.pack(">IIBBBBB", width, height, depth, colours, 0, 0, interlaced)
    chunks = [_chunk(b"IHDR", header)]
    if colours == 3:
        chunks.append(_chunk(b"PLTE", _NOISE[-3 * 2**depth :]))
    if clear:
        chunks.append(_chunk(b"tRNS", clear))
    packed = zlib.compress(lines)
    chunks += [_chunk(b"IDAT", packed[:20]), _chunk(b"IDAT", packed[20:]), _chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def _bmp(bits: int, width: int, height: int, extra: int = 0) -> bytes:
    size = (bits // 8 * width + 3) // 4 * 4 * abs(height)
    begin = 54 + extra
    sizes = begin, 40, width, height, 1, bits, 0, size, 0, 0, 0, 0
    header = struct.pack("<2sIHHIIiiHHIIiiII", b"BM", begin + size, 0, 0, *sizes)
    return header + bytes(extra) + _NOISE[:size]


_WHOLE = _png(2, 8)
_FILES = {
    f"{colours} {depth} {interlaced}": _png(colours, depth, interlaced=interlaced)
    for colours, depth in _KINDS
    for interlaced in (False, True)
}
_FILES |= {
    "clear gray": _png(0, 8, clear=b"\0" + _NOISE[:1]),
    "clear gray 4": _png(0, 4, clear=b"\0\3"),
    "clear colour": _png(2, 8, clear=b"\0\1\0\2\0\3"),
    "clear palette": _png(3, 4, clear=_NOISE[:7]),
    "one pixel": _png(6, 8, 1, 1),
    "one pixel interlaced": _png(6, 8, 1, 1, interlaced=True),
    "no PNG": b"no PNG at all",
    "nothing": b"",
    "cut off": _WHOLE[:150],
    "header only": _WHOLE[:33],
    **{f"filter {number}": _png(2, 8, filters=str(number)) for number in range(5)},
}

CASES = [
    *(
        Case("DecodePng", [strings(data)], channels=channels, note=note)
        for note, data in _FILES.items()
        for channels in (0, 1, 3, 4)
    ),
    *(
        Case("DecodePng", [strings(_png(*kind))], dtype=DataType.DT_UINT16, channels=channels, note=str(kind))
        for kind in _KINDS
        for channels in (0, 3, 4)
    ),
    Case("DecodePng", [strings([_WHOLE])]),
    *(
        Case("DecodeBmp", [strings(_bmp(bits, *size))], channels=channels, note=f"{bits} {size}")
        for bits in (8, 24, 32)
        for size in ((5, 4), (4, -3), (7, 2, 12))
        for channels in (0, bits // 8, 2)
    ),
    Case("DecodeBmp", [strings(_bmp(24, 5, 4)[:-10])], note="cut off"),
    Case("DecodeBmp", [strings(_bmp(24, 5, 4)[:20])], note="header cut off"),
    *(Case("DecodeBmp", [strings(data)], note=str(data)) for data in (b"", b"BM", b"PNG")),
]
