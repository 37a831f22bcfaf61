"""Files that hold no model, or a broken one. Every command is run on all of them.

    @pytest.mark.parametrize("name", BAD_FILES)
    def test_bad_input(name, tmp_path):
        path = write_bad_file(name, tmp_path)

A command ends with status 1 and one line on stderr, which begins with the path and has the words that `BAD_FILES`
gives. For those of `WITH_SOURCE` the line at fault follows, and a caret under it.
"""

from __future__ import annotations

import gzip
import random
import zlib
from pathlib import Path

from tests.support.wire_bytes import varint

from ..models import graph

__all__ = ["BAD_FILES", "WITH_SOURCE", "write_bad_file"]

# what it is: what the error says
BAD_FILES = {
    "missing.pb": "no such file",
    "folder": "not a SavedModel",
    "empty.pb": "empty file",
    "image.pb": "PNG image",
    "page.pb": 'HTML page "Not the model"',
    "pointer.pb": "Git LFS pointer, which stands for the file (sha256:4d7a2146, 12,345,678 bytes)",
    "truncated.pb": "truncated at byte",
    "noise.pb": "neither protobuf data, nor a checkpoint, nor text",
    "notes.txt": 'text file ("Dear diary,")',
    "bomb.pb.gz": "hold more than",
    "cut.pb.gz": "truncated",
    "graph.pbtxt": '4:3: tensorflow.NodeDef has no field "opp"; did you mean "op"?',
    "cut.pbtxt": "cut.pbtxt:4:",
    "graph.json": 'node[1].attr["T"].type: ',
    "cut.json": "cut.json:1:",
    "wide.pbtxt": "text in UTF-16",
    "model.data-00000-of-00001": "data file of a checkpoint",
    "damaged.pb": "not UTF-8 at byte 12: node[0].op",
    "chunked.cpb": "chunked model",
}

WITH_SOURCE = {"graph.pbtxt", "cut.pbtxt", "cut.json"}


def write_bad_file(name: str, folder: Path) -> Path:
    """Make that file in `folder`, and return its path."""
    path = folder / name
    good = graph().to_bytes()
    contents = {
        "empty.pb": b"",
        "image.pb": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(100),
        "page.pb": b"\n<!DOCTYPE html>\n<html><head><title>Not the\n model</title></head></html>\n",
        "pointer.pb": (b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345678\n"),
        "truncated.pb": good[: len(good) * 2 // 3],
        "noise.pb": random.Random(3).randbytes(4000),
        "notes.txt": b"Dear diary,\ntoday I trained a model.\n",
        "cut.pb.gz": gzip.compress(good)[:-20],
        "graph.pbtxt": b'# a graph\nnode {\n  name: "x"\n  opp: "Placeholder"\n}\n',
        "cut.pbtxt": b'# a graph\nnode {\n  name: "x"\n  op: "Place',
        "graph.json": b'{"node": [{"name": "x"}, {"name": "y", "attr": {"T": {"type": "DT_FLOTE"}}}]}',
        "cut.json": b'{"node": [{"name": "x", "op": "Placeholder"}, {"name": "y", "op',
        "wide.pbtxt": 'node {\r\n  name: "x"\r\n}\r\n'.encode("utf-16"),
        "model.data-00000-of-00001": bytes(64),
        "damaged.pb": good.replace(b"Placeholder", b"Place\xff\xfflder", 1),
        "chunked.cpb": bytes.fromhex("83af70d10d884a3f000000000000000040"),
    }
    if name == "folder":
        path.mkdir()
        (path / "README").write_text("nothing to see")
    elif name == "bomb.pb.gz":
        _write_bomb(path, good)
    elif name != "missing.pb":
        path.write_bytes(contents[name])
    return path


def _write_bomb(path: Path, start: bytes) -> None:
    """A file of half a megabyte that begins as a graph does and goes on with half a gigabyte of zeros."""
    megabytes = 512
    packer = zlib.compressobj(9, wbits=31)
    debug_info = b"\x2a" + varint(megabytes << 20)
    first = packer.compress(start + debug_info) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)  # which resets the compressor
    path.write_bytes(first + again * megabytes + packer.flush())
