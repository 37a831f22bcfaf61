"""Record what TensorFlow decodes of JPEG, GIF and PNG files: photos.jsonl.xz.

    python -m tests.golden.kernels.photos            # with a Python that has TensorFlow 2.12

The JPEG files are TensorFlow's own. A line is a picture, or a call of an op with one and its result. `recorded()` reads
the file without TensorFlow.
"""

from __future__ import annotations

import base64
import json
import lzma
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests.golden.arrays import read_array, written_array

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

__all__ = ["FILE", "Recorded", "photo", "recorded"]

FILE = Path(__file__).with_name("photos.jsonl.xz")


@dataclass(frozen=True)
class Recorded:
    """A call of an op on a file. `output` is None if TensorFlow refuses."""

    op: str
    name: str
    data: bytes
    options: dict[str, Any]
    output: Any


def recorded() -> list[Recorded]:
    """Return the content of the file."""
    rows = [json.loads(line) for line in lzma.decompress(FILE.read_bytes()).splitlines()]
    files = {row["name"]: base64.b64decode(row["data"]) for row in rows if "data" in row}
    return [
        Recorded(
            row["op"], row["file"], files[row["file"]], row["options"], row["output"] and read_array(row["output"])
        )
        for row in rows
        if "op" in row
    ]


def _output(row: dict[str, Any]) -> Any:
    return None if row["output"] is None else read_array(row["output"])


def photo(height: int, width: int, channels: int) -> Any:
    """A smooth picture with some edges, uint8 [height, width, channels]."""
    y, x, c = np.mgrid[:height, :width, :channels]
    waves = 127 + 80 * np.sin((x + 2 * c) / 5) * np.cos(y / (4 + c)) + 40 * ((x // 6 + y // 5) % 2)
    return np.clip(waves, 0, 255).astype(np.uint8)


def gif(width: int, height: int, frames: list[tuple[int, int, Any, int | None]]) -> bytes:
    """A GIF of frames: left, top, indices into a palette of 4 colors, and the index that is transparent."""
    palette = bytes([0, 0, 0, 255, 0, 0, 0, 200, 100, 250, 250, 240])
    data = b"GIF89a" + width.to_bytes(2, "little") + height.to_bytes(2, "little") + b"\x91\0\0" + palette
    for left, top, indices, transparent in frames:
        flags = 4 | (transparent is not None)
        data += b"!\xf9\x04" + bytes([flags, 1, 0, transparent or 0, 0])
        sizes = b"".join(number.to_bytes(2, "little") for number in (left, top, indices.shape[1], indices.shape[0]))
        data += b"," + sizes + b"\0\x02" + _uncompressed(indices.reshape(-1).tolist()) + b"\0"
    return data + b";"


def _uncompressed(indices: list[int]) -> bytes:
    """Codes of three bits, with a code that empties the table before each pair."""
    codes = [code for start in range(0, len(indices), 2) for code in (4, *indices[start : start + 2])] + [5]
    bits = sum(code << 3 * number for number, code in enumerate(codes))
    content = bits.to_bytes((3 * len(codes) + 7) // 8, "little")
    blocks = [content[start : start + 255] for start in range(0, len(content), 255)]
    return b"".join(bytes([len(block)]) + block for block in blocks)


def files(tf: Any) -> dict[str, bytes]:
    """The files by name."""
    checks = np.indices((6, 9)).sum(0) % 4
    part = np.full((3, 4), 2)
    encoded = {
        "rgb": tf.io.encode_jpeg(photo(21, 34, 3)),
        "rgb, not halved": tf.io.encode_jpeg(photo(21, 34, 3), quality=80, chroma_downsampling=False),
        "rgb, progressive": tf.io.encode_jpeg(photo(16, 33, 3), quality=60, progressive=True),
        "gray": tf.io.encode_jpeg(photo(19, 8, 1)),
        "png": tf.io.encode_png(photo(5, 7, 4)),
        "png of 16 bits": tf.io.encode_png(photo(5, 7, 3).astype(np.uint16) * 250),
        "bmp": tf.constant(b"BM" + bytes(16)),
    }
    data = {name: tensor.numpy() for name, tensor in encoded.items()}
    return data | {
        "gif": gif(9, 6, [(0, 0, checks, None)]),
        "animation": gif(9, 6, [(0, 0, checks, None), (2, 1, part, None), (1, 2, checks[:3, :4], 3)]),
        "cut off": data["rgb"][:400],
        "header only": data["rgb"][:100],
        "text": b"not a picture",
        "empty": b"",
    }


def calls(names: list[str]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The calls: op, file and options."""
    for name in names:
        for channels in (0, 1, 3, 4):
            yield "DecodeJpeg", name, {"channels": channels}
            yield "DecodePng", name, {"channels": channels}
            yield "DecodeImage", name, {"channels": channels, "expand_animations": channels == 0}
        for dtype in ("uint16", "float32"):
            yield "DecodeImage", name, {"dtype": dtype}
        yield "DecodePng", name, {"dtype": "uint16"}
        yield "DecodeGif", name, {}
        yield "ExtractJpegShape", name, {}
        if name.startswith(("rgb", "gray")):
            exact = {"dct_method": "INTEGER_ACCURATE"}
            for channels in (0, 1, 3):
                yield "DecodeJpeg", name, {"channels": channels, **exact}
            for ratio in (2, 4, 8, 3):
                yield "DecodeJpeg", name, {"ratio": ratio, **exact}
            for window in ([0, 0, 5, 6], [3, 2, 8, 5], [0, 0, 99, 5], [1, 1, 0, 2]):
                yield "DecodeAndCropJpeg", name, {"crop_window": window, "channels": 3, **exact}


def ask(tf: Any, op: str, data: bytes, options: dict[str, Any]) -> Any:
    options = {name: getattr(tf, value) if name == "dtype" else value for name, value in options.items()}
    try:
        return getattr(tf.raw_ops, op)(contents=tf.constant(data), **options).numpy()
    except (tf.errors.OpError, ValueError):
        return None


def main() -> int:
    import tensorflow as tf

    data = files(tf)
    rows: list[dict[str, Any]] = [
        {"name": name, "data": base64.b64encode(content).decode()} for name, content in data.items()
    ]
    for op, file, options in calls([*data]):
        output = ask(tf, op, data[file], options)
        words = " ".join(f"{key}={value}" for key, value in options.items())
        row = {"name": f"{op} {file} {words}".rstrip(), "op": op, "file": file, "options": options}
        rows.append({**row, "output": None if output is None else written_array(output)})
    FILE.write_bytes(lzma.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))
    print(f"{len(rows) - len(data)} calls, {FILE.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
