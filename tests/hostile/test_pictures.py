"""Malicious images, for graphs that decode images."""

from __future__ import annotations

import struct
import zlib
from importlib.util import find_spec

import pytest

import tfmodel
from tests.hostile.graphs import constant, graph, node
from tests.hostile.measure import assert_linear, confined, peak
from tfmodel.messages import DataType

UINT8 = DataType.DT_UINT8


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(width: int, height: int, lines: bytes, *, pieces: int = 1) -> bytes:
    """Return a grey image with its data in `pieces` chunks."""
    packed = zlib.compress(lines)
    step = max(1, -(-len(packed) // pieces))
    data = b"".join(chunk(b"IDAT", packed[at : at + step]) for at in range(0, len(packed), step))
    data += chunk(b"IDAT", b"") * (pieces - 1)
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + data + chunk(b"IEND", b"")


def decoded(data: bytes, op: str = "DecodePng"):
    nodes = [constant("x", [data], dtype=DataType.DT_STRING), node("y", op, "x", channels=0, dtype=UINT8)]
    return tfmodel.run(graph(*nodes), {}, "y")["y"]


def test_sound_picture():
    assert decoded(png(2, 1, b"\0\1\2")).tolist() == [[[1], [2]]]


@pytest.mark.parametrize("size", [(2**31 - 1, 2**31 - 1), (2**32 - 1, 1), (0, 5), (1, 2**32 - 1), (2**16, 2**15)])
def test_a_wrong_size(size):
    """Attack: an image of a few bytes whose header declares 2**62 pixels.

    Naive: allocates the pixels, or returns them black.
    Stopped by: tfmodel.kernels.image.decoding
    """

    def read() -> None:
        with pytest.raises(tfmodel.RunError, match=r"header is invalid|not a valid PNG"):
            decoded(png(*size, b"\0\1\2"))

    read()
    assert peak(read) < 1 << 20


def test_a_bomb():
    """Attack: an image of one pixel, with a gigabyte of zeros in its compressed data.

    Naive: decompresses all of it.
    Stopped by: tfmodel.kernels.image.decoding
    """
    data = png(1, 1, bytes(50 << 20))
    assert peak(lambda: decoded(data)) < 1 << 20


JPEG_OF_A_GIGAPIXEL = (
    b"\xff\xd8\xff\xc0\x00\x11\x08\x80\x00\x80\x00\x03\x01\x11\x00\x02\x11\x00\x03\x11\x00"  # 32,768 x 32,768 pixels
    b"\xff\xda\x00\x0c\x03\x01\x00\x02\x00\x03\x00\x00\x3f\x00\x00\xff\xd9"
)
GIF_OF_GIGAPIXELS = b"GIF89a\xff\xff\xff\xff\x00\x00\x00,\x00\x00\x00\x00\xff\xff\xff\xff\x00\x02\x02\x44\x01\x00;"


@pytest.mark.skipif(find_spec("PIL") is None, reason="needs Pillow")
@pytest.mark.parametrize(("op", "data"), [("DecodeJpeg", JPEG_OF_A_GIGAPIXEL), ("DecodeImage", GIF_OF_GIGAPIXELS)])
def test_a_size_that_pillow_believes(op, data):
    """Attack: a picture of a few bytes whose header declares billions of pixels.

    Naive: Pillow allocates the pixels.
    Stopped by: tfmodel.kernels.image.pillow
    """

    def read() -> None:
        with pytest.raises(tfmodel.RunError, match=r"pixels, and the limit is|exceeds limit of"):
            decoded(data, op)

    read()
    assert peak(read) < 1 << 20


def test_pieces():
    """Attack: an image in thousands of chunks of one byte or none.

    Naive: appends each chunk to a bytes object, which is copied each time.
    Stopped by: tfmodel.kernels.image.decoding
    """
    assert_linear(decoded, lambda size: png(2, 1, b"\0\1\2", pieces=size), 4_000)


_RUBBISH = """
import random, tfmodel
from tests.hostile.test_pictures import decoded

rng = random.Random(1)
STARTS = {"DecodeBmp": b"BM", "DecodeGif": b"GIF89a", "DecodeJpeg": b"\\xff\\xd8\\xff", "DecodeImage": b"GIF89a"}
STARTS["DecodePng"] = b"\\x89PNG\\r\\n\\x1a\\n"
for op, start in STARTS.items():
    for size in (0, 10, 100, 1000):
        for _ in range(5):
            try:
                decoded(start + rng.choice((rng.randbytes(size), b"\\xff" * size, b"\\x7f" * size)), op)
            except (tfmodel.RunError, tfmodel.GraphError):
                pass
print("end")
"""


def test_rubbish():
    """Attack: headers of images, followed by random bytes.

    Naive: raises IndexError or struct.error, or allocates gigabytes.
    Stopped by: tfmodel.kernels.runtime.binding.Bound
    """
    assert confined(_RUBBISH) == "end\n"
