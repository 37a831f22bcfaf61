"""Arrays for --feed, in .npy and .npz files."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np
from hypothesis import strategies as st

from fuzz.target import Case, Files, Target
from tfmodel.cli.input_options import parse_feeds
from tfmodel.cli.messages import RequestError

HEADERS = (
    "{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776,)}",
    "{'descr': '|O', 'fortran_order': False, 'shape': ()}",
    "{'descr': [('a', '<i4', (2,)), ('b', '|S3')], 'fortran_order': True, 'shape': (1, 2)}",
    "{'descr': '<U9', 'fortran_order': False, 'shape': (-1,)}",
    "[" * 100,
)


def seeds() -> Iterator[Files]:
    for array in (np.arange(6, dtype=np.float32).reshape(2, 3), np.array(True), np.array(["a", "bc"])):
        file = io.BytesIO()
        np.save(file, array)
        yield {"x.npy": file.getvalue()}
        for save in (np.savez, np.savez_compressed):
            file = io.BytesIO()
            save(file, x=array)
            yield {"x.npz": file.getvalue()}
    for header in HEADERS:
        yield {"x.npy": _npy(header, bytes(8))}


def _npy(header: str, content: bytes) -> bytes:
    text = header.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + content


def strategy() -> st.SearchStrategy[Files]:
    spelled = st.sampled_from(HEADERS) | st.text("{}()[]',:0123456789<fi4 descrshapfot_nTFalue", max_size=60)
    return st.builds(_npy, spelled, st.binary(max_size=20)).map(lambda content: {"x.npy": content})


def check(files: Files, case: Case) -> object:
    """Assert that the arrays equal NumPy's."""
    folder = case.write(files)
    feeds = parse_feeds([f"x={folder / name}" for name in list(files)[:1]], seed=None)
    for name in list(files)[:1]:
        expected = _expected(files[name])
        array = feeds["x"]
        assert (array.dtype, array.shape, array.tobytes()) == (expected.dtype, expected.shape, expected.tobytes())
    return feeds


def _expected(content: bytes) -> Any:
    """Return the array that NumPy reads; an archive may stand behind other bytes, which `np.load` does not expect."""
    file = io.BytesIO(content)
    if not zipfile.is_zipfile(file):
        return np.load(io.BytesIO(content), allow_pickle=False)
    with np.lib.npyio.NpzFile(file) as archive:
        (member,) = archive.files
        return archive[member]


TARGETS = (Target("feeds", "arrays in .npy and .npz files", seeds, strategy, check, refusals=(RequestError,)),)
