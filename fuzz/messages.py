"""Inputs of one message. The file name gives its class and format: `tensorflow.GraphDef.pb`.

    cls, data, form = open_message(files)          # GraphDef, b"...", "pb"

The classes are those of TensorFlow, Google's own, and the samples of the tests, which use every feature of tables.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from pbwire import proto
from pbwire.extensions import ExtendableMessage
from pbwire.table import Field, Message, table_of
from tests.data.make import files as data_files
from tests.pbwire.json.generated import TYPES as GENERATED_TYPES
from tests.support.corpus import corpus_files
from tests.support.strategies import messages, wire_bytes
from tfmodel import messages as schema

from .target import Files

__all__ = [
    "CLASSES",
    "EXTENDED_NAMES",
    "TYPES",
    "as_files",
    "classes",
    "odd_bytes",
    "of_messages",
    "open_message",
    "pieces",
    "reachable",
    "without_unknown",
]

GARAGE = Path(__file__).parents[1] / "tests" / "data" / "proto"
EXTENDED = proto.load(*(GARAGE / f"garage/{name}.proto" for name in ("car", "delimited")), include=[GARAGE]).messages
EXTENDED_NAMES = sorted(name for name in EXTENDED if name.startswith("garage."))
"""Messages with extensions, and messages for them."""
TYPES: Mapping[str, type[Message]] = ChainMap({name: EXTENDED[name] for name in EXTENDED_NAMES}, GENERATED_TYPES)  # type: ignore[arg-type]  # only read
CORE = ["GraphDef", "NodeDef", "AttrValue", "TensorProto", "MetaGraphDef", "SavedModel", "OpList", "FunctionDef"]
CORE += ["SavedObjectGraph", "BundleEntryProto", "ConfigProto", "RunMetadata", "Event", "TensorShapeProto"]
CORE_NAMES = [name for name in (f"tensorflow.{short}" for short in CORE) if name in TYPES]
SAMPLE_NAMES = sorted(name for name in TYPES if name.startswith("sample."))
CLASSES = [*sorted(GENERATED_TYPES), *CORE_NAMES * 10, *SAMPLE_NAMES * 8]
"""Names of classes; important ones are repeated."""

MAX_PIECE_BYTES = 16_000  # maximum bytes of real files, which can be read hundreds of times a second


def open_message(files: Files) -> tuple[type[Message], bytes, str]:
    """Return the class, the content and the format of an input."""
    ((name, content),) = files.items()
    full_name, _, form = name.rpartition(".")
    return TYPES[full_name], content, form


def reachable(cls: type[Message]) -> Iterator[Field]:
    """Return all fields that may occur in a message at any depth."""
    seen, waiting = {table_of(cls).full_name}, [cls]
    while waiting:
        table = table_of(waiting.pop())
        for field in [*table.fields, *table.extension_fields(table)]:
            yield field
            inner = field.value or field
            if inner.kind in ("message", "group") and table_of(inner.type).full_name not in seen:
                seen.add(table_of(inner.type).full_name)
                waiting.append(inner.type)


def as_files(cls: type[Message], content: bytes, form: str = "pb") -> Files:
    """Return the input that `open_message` reads back."""
    return {f"{table_of(cls).full_name}.{form}": content}


def classes(names: list[str] | None = None) -> st.SearchStrategy[type[Message]]:
    """Draw one of the named classes, or of `CLASSES`."""
    return st.sampled_from(names or CLASSES).map(TYPES.__getitem__)


def odd_bytes(names: list[str] | None = None) -> st.SearchStrategy[Files]:
    """Return a strategy for legal wire bytes in unusual encodings."""
    return classes(names).flatmap(lambda cls: wire_bytes(cls, nan=True).map(lambda data: as_files(cls, data)))


def of_messages(names: list[str] | None = None) -> st.SearchStrategy[Files]:
    """Return a strategy for messages in their usual encoding."""
    return classes(names).flatmap(lambda cls: messages(cls).map(lambda message: as_files(cls, message.to_bytes())))


def pieces() -> Iterator[tuple[type[Message], bytes]]:
    """Return real messages that can be read many times a second: small files and parts of large ones."""
    yield from list(_pieces())


@cache
def _pieces() -> tuple[tuple[type[Message], bytes], ...]:
    names = [name for name in sorted(data_files()) if name.endswith((".pb", ".meta"))]
    ours = [(_class_of(Path(name)), data_files()[name]) for name in names]
    real = [(_class_of(path), path.read_bytes()) for path in corpus_files(".meta", "saved_model.pb", "frozen.pb")]
    return tuple(piece for cls, data in [*ours, *real] for piece in _parts(cls, data))


def _class_of(path: Path) -> type[Message]:
    by_name = {"saved_model.pb": schema.SavedModel}
    return schema.MetaGraphDef if path.suffix == ".meta" else by_name.get(path.name, schema.GraphDef)


def _parts(cls: type[Message], data: bytes) -> Iterator[tuple[type[Message], bytes]]:
    if len(data) <= MAX_PIECE_BYTES:
        yield cls, data
        return
    graph = cls.from_bytes(data)
    if isinstance(graph, schema.SavedModel):
        graph = graph.meta_graphs[0]
    if isinstance(graph, schema.MetaGraphDef):
        graph = graph.graph_def or schema.GraphDef()
    assert isinstance(graph, schema.GraphDef)
    step = max(1, len(graph.node) // 12)
    for start in islice(range(0, len(graph.node), step), 12):
        part = schema.GraphDef(node=graph.node[start : start + 12]).to_bytes()
        if len(part) <= MAX_PIECE_BYTES:
            yield schema.GraphDef, part


def without_unknown(message: Any) -> Any:
    """Return a copy of a message without unknown fields at any depth."""
    copied = type(message)()
    for field, value in message.ListFields():
        if not field.is_extension:
            setattr(copied, field.name, _without_unknown(field, value))
    if isinstance(message, ExtendableMessage):
        for extension in message.extensions:
            copied.extensions[extension] = _without_unknown(extension.row, message.extensions[extension])
    return copied


def _without_unknown(field: Field, value: Any) -> Any:
    if not (field.value or field).is_message:
        return value
    if field.label == "map":
        return {key: without_unknown(part) for key, part in value.items()}
    if field.label == "repeated":
        return [without_unknown(part) for part in value]
    return without_unknown(value)
