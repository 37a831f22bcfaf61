"""A gallery of pages, and pictures of them for the READMEs.

`python -m tests.data.pages` writes the pages again, and takes the pictures again where Chromium is installed. Pictures
are named in `pictures.json` with a digest of the page that they show, so that a test finds outdated ones.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import re
import struct
import zlib
from pathlib import Path
from typing import Any

from tfmodel import Model
from tfmodel.drawing.page import page

FOLDER = Path(__file__).parent
DATA = FOLDER.parent
PICTURES = {
    "graph.png": ("convnet.html", False),
    "weights.png": ("convnet.html", True),
    "difference.png": ("difference.html", False),
}
"""The pictures, with the page that each shows, and whether it is dark."""

_DATA = re.compile(rb'(id="data">)([^<]*)(<)')


def pages() -> dict[str, bytes]:
    """Return the pages of the gallery by file name."""
    with contextlib.chdir(DATA):  # pages name files by the paths that they were opened by
        return _pages()


def _pages() -> dict[str, bytes]:
    convnet = Model("convnet.pb")
    changed = convnet.transform("rename_op(old_op_name=Relu6, new_op_name=Relu) remove_nodes(op=BiasAdd)")
    return {
        "convnet.html": convnet.draw(values="all"),
        "trained.html": page("trained/model.meta", tab="weights"),
        "difference.html": convnet.draw(changed, tab="difference"),
    }


def parts(content: bytes) -> tuple[bytes, Any, bytes]:
    """Return a page without its data, and the header and the columns of the data: compressors differ."""
    match = _DATA.search(content)
    if match is None:
        return content, None, b""
    data = zlib.decompress(base64.b64decode(match[2]), -15)
    (length,) = struct.unpack_from("<I", data)
    return _DATA.sub(rb"\1\3", content), json.loads(data[4 : 4 + length]), data[4 + length :]


def digest(content: bytes) -> str:
    """Return a digest of a page, as it was written: the pictures are those of this file."""
    return hashlib.sha256(content).hexdigest()[:16]
