"""Files of unknown format: `load` detects it from the content, which may be compressed, text, JSON, ..."""

from __future__ import annotations

import gzip
import io
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from hypothesis import strategies as st

from fuzz.golden_models import graph_files
from fuzz.target import Case, Files, Target
from pbwire import Error
from pbwire.message import Message
from tests.support.strategies import messages
from tests.tfmodel.files.bad_files import BAD_FILES, write_bad_file
from tests.tfmodel.models import graph, meta_graph, op_list, saved_model
from tfmodel import load
from tfmodel.files.access.forms import FORMS, Form
from tfmodel.files.detection import detect
from tfmodel.files.detection.formats import write
from tfmodel.messages import GraphDef, MetaGraphDef, OpList, SavedModel, TensorProto

CLASSES = (None, GraphDef, MetaGraphDef, SavedModel)
MAX_UNPACKED = 1 << 22
_HEADER_PROBLEMS = ("unknown header flags set", "header crc mismatch")
"""Reasons to refuse gzip data (RFC 1952, 2.3.1.2), which Python's own module does not check."""
_BOMBS = ("bomb.pb.gz",)  # refusing it takes seconds; tests cover it


def seeds() -> Iterator[Files]:
    for message in (graph(), meta_graph(), saved_model(), op_list()):
        for form in FORMS:
            content = _written(message, form)
            yield {"model": content}
            yield {"model": gzip.compress(content, mtime=0)}
            half = len(content) // 2
            yield {"model": b"".join(gzip.compress(part, mtime=0) for part in (content[:half], content[half:]))}
    with tempfile.TemporaryDirectory() as folder:
        for name in BAD_FILES:
            if name not in _BOMBS:
                path = write_bad_file(name, Path(folder))
                if path.is_file():
                    yield {name: path.read_bytes()}
    for data in graph_files():
        if len(data) < 3000:
            yield {"model": data}


def _written(message: Message, form: Form) -> bytes:
    file = io.BytesIO()
    write(message, file, form)
    return file.getvalue()


@st.composite
def files(draw: st.DrawFn) -> Files:
    """Messages of the classes that `load` detects, in every format, compressed or not."""
    message = draw(st.sampled_from([GraphDef, MetaGraphDef, SavedModel, OpList, TensorProto]).flatmap(messages))
    try:
        content = _written(message, draw(st.sampled_from(FORMS)))
    except Error:  # JSON cannot represent some messages
        content = message.to_bytes()
    return {"model": gzip.compress(content, mtime=0) if draw(st.booleans()) else content}


def check(files: Files, case: Case) -> object:
    """Assert that bytes and a file of these bytes give the same message, eagerly and lazily."""
    (data,) = files.values()
    detect(data)
    plain = _unpacked(data)
    path = next(path for path in case.write({"model": data}).iterdir())
    accepted, refused = 0, None
    for cls in CLASSES:
        try:
            message = load(data, cls)
        except Error as error:
            refused = error
            assert _is_refused(path, cls), f"the bytes are refused ({error}), the file is not"
            if plain is not None and not any(problem in str(error) for problem in _HEADER_PROBLEMS):
                assert _is_refused(plain, cls), f"it is refused ({error}), what is packed is not"
            continue
        accepted += 1
        assert load(path, cls).to_bytes() == message.to_bytes()
        assert plain is None or load(plain, cls).to_bytes() == message.to_bytes(), "it is not what is packed"
        assert type(message).from_bytes(message.to_bytes()).to_bytes() == message.to_bytes()
    if refused is not None and not accepted:
        raise refused
    return accepted


def _unpacked(data: bytes) -> bytes | None:
    """Return what Python's own module decompresses; None if the data is not compressed, or too large."""
    try:
        with gzip.open(io.BytesIO(data)) as file:
            plain = file.read(MAX_UNPACKED)
    except (OSError, EOFError, zlib.error):
        return None
    return plain if len(plain) < MAX_UNPACKED and not plain.startswith(data[:2]) else None


def _is_refused(source: Path | bytes, cls: object) -> bool:
    try:
        load(source, cls)  # type: ignore[call-overload]  # no overload takes `type | None`
    except Error:
        return True
    return False


TARGETS = (
    # Each input is read nine times: once to detect its format, and as bytes and as a file for each class.
    Target("files", "files of any content", seeds, files, check, seconds=1.0, seconds_per_byte=200e-6, memory=600),
)
