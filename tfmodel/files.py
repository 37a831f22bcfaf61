"""Model files: from a path, a folder or bytes to the message, and back.

    graph = load("frozen.pb", GraphDef)
    graph = load("saved_model/", GraphDef)           # the graph inside
    save(graph, "smaller.pb")

`load` has two halves, for those who want to look in between: `open_model` reads a file and tells what it is, and
`message_of` takes the message out.
"""

from __future__ import annotations

import contextlib
import io
import os
import stat
import sys
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, TypeAlias, TypeVar, overload

from pbwire.errors import DecodeError
from pbwire.message import Message

from .detection import HEAD, SURE, TAIL, Found, called, detect, explained
from .errors import FileFormatError
from .paths import locate
from .printable import printable
from .reading import read_whole

__all__ = ["ModelFile", "Source", "load", "may_hold", "message_of", "naming", "open_model", "save"]

Source: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview"
M = TypeVar("M", bound=Message)

TEXT_SUFFIXES = (".pbtxt", ".textproto", ".txtpb")

# What a gzip file may unpack to: the larger of the two. Weights shrink little, and a small file that grows a
# hundredfold is an attack or a mistake.
UNPACKED = 256 << 20
UNPACKED_RATIO = 100


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A file that has been read: what errors call it, its bytes (unpacked), and what they are.

    `path` is where they were read from; empty if that was no file.
    """

    name: str
    data: bytes
    found: Found
    path: str = ""


@overload
def load(source: Source, cls: type[M], *, lazy: bool = False, tags: str | Iterable[str] | None = None) -> M: ...


@overload
def load(source: Source, cls: None = None, *, lazy: bool = False, tags: None = None) -> Message: ...


def load(
    source: Source, cls: Any = None, *, lazy: bool = False, tags: str | Iterable[str] | None = None
) -> Any:
    """The message that a file holds, found by content: GraphDef, MetaGraphDef, SavedModel, OpList, TensorProto, ...

    `source` is a path, the folder of a SavedModel, the prefix of a checkpoint (its .meta is read), bytes, or "-" for
    standard input. What is compressed with gzip is unpacked. With `cls` the message is of that class: GraphDef takes
    the graph out of a MetaGraphDef or SavedModel, MetaGraphDef one out of a SavedModel; `tags` ("serve", or several
    with commas) choose where there is more than one. Without `cls` an empty file is an error; with it, an empty
    message. With `lazy`, sub-messages are decoded, and errors in them raised, when they are touched.

    Raises FileFormatError, which says what the file is instead or where it is damaged, and OSError.
    """
    if cls is not None and not (isinstance(cls, type) and issubclass(cls, Message)):
        raise TypeError(f"cls is a message class such as GraphDef, not {cls!r}")
    if tags is not None and cls is None:
        raise ValueError("tags choose a MetaGraph of a SavedModel: they need cls=MetaGraphDef or cls=GraphDef")
    return message_of(open_model(source, cls, lazy=lazy), cls, lazy=lazy, tags=tags)


def save(message: Message, path: str | os.PathLike[str]) -> None:
    """Write a message: as text if the name ends with .pbtxt (or .textproto, .txtpb), else in binary. "-" is stdout.

    The file is there whole or not at all: whatever goes wrong, what `path` held before is untouched. Raises EncodeError
    for a message that has no encoding, and OSError.
    """
    if not isinstance(message, Message):
        raise TypeError(f"save takes a message, not {type(message).__name__}")
    target = os.fspath(path)
    suffix = os.path.splitext(target)[1].lower()
    if suffix == ".json":
        raise FileFormatError(f"{printable(target)}: JSON cannot be written yet; .pbtxt gives text, .pb binary")
    buffers = None if suffix in TEXT_SUFFIXES else message.to_buffers()  # an error here comes before any file
    if target == "-":
        _write(message, buffers, sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    from .atomic import replacing

    with replacing(target) as file:
        _write(message, buffers, file)


def _write(message: Message, buffers: Any, file: BinaryIO) -> None:
    if buffers is not None:
        file.writelines(buffers)
        return
    from pbwire.text import dump

    from .messages import TYPES

    text = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
    dump(message, text, types=TYPES)
    text.flush()
    text.detach()


# --- reading ---------------------------------------------------------------------------------------------------------


def open_model(source: Source, cls: Any = None, *, lazy: bool = False) -> ModelFile:
    """Read a file, or what `source` stands for, and tell what it is.

    With `lazy`, `data` may be memory that only slices like bytes: good enough for messages that are read lazily. What
    surely is no model raises FileFormatError without being read to its end; unless it could be a `cls` too.
    """
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _known("<bytes>", bytes(source), cls)
    path = os.fspath(source)
    if path == "-":
        if sys.stdin is None:
            raise FileFormatError("<stdin>: standard input is closed")
        return _known("<stdin>", sys.stdin.buffer.read(), cls)
    path = locate(path)
    name = printable(path)
    with open(path, "rb", buffering=0) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            return _known(name, file.readall(), cls, path)
        head = file.read(HEAD)
        file.seek(max(0, status.st_size - TAIL))
        found = detect(head, tail=file.read(TAIL), size=status.st_size, name=os.path.basename(path))
        _refuse(name, found, head, cls)
        file.seek(0)
        data = read_whole(file, status.st_size) if lazy and found.form == "binary" else file.readall()
    return _unpacked(name, data, cls, path) if found.form == "gzip" else ModelFile(name, data, found, path)


def _known(name: str, data: bytes, cls: Any, path: str = "") -> ModelFile:
    """The file whose bytes these are."""
    found = detect(data[:HEAD], tail=data[-TAIL:], size=len(data), name=os.path.basename(path))
    _refuse(name, found, data, cls)
    return _unpacked(name, data, cls, path) if found.form == "gzip" else ModelFile(name, data, found, path)


def _unpacked(name: str, packed: bytes, cls: Any, path: str) -> ModelFile:
    from . import unpacking

    limit = max(UNPACKED, UNPACKED_RATIO * len(packed))
    unpacked_name = os.path.basename(path).removesuffix(".gz")
    try:
        head = unpacking.first_bytes(packed, HEAD)
        if len(head) == HEAD:  # there is more: is it worth unpacking?
            _refuse(f"{name} (unpacked)", detect(head, tail=b"", size=sys.maxsize, name=unpacked_name), head, cls)
        data = unpacking.unpack(packed, limit)
    except unpacking.TooLarge:
        problem = f"its {len(packed):,} bytes of gzip hold more than {limit:,}; unpack it yourself if that is right"
        raise FileFormatError(f"{name}: {problem}") from None
    except EOFError:
        raise FileFormatError(f"{name}: truncated: the gzip data go on behind its {len(packed):,} bytes") from None
    except zlib.error as error:
        raise FileFormatError(f"{name}: damaged gzip data ({error})") from error
    found = detect(data[:HEAD], tail=data[-TAIL:], size=len(data), name=unpacked_name)
    if found.form == "gzip":
        raise FileFormatError(f"{name}: this is gzip-compressed data twice over; unpack it once")
    _refuse(f"{name} (unpacked)", found, data, cls)
    return ModelFile(name, data, found, path)


def _refuse(name: str, found: Found, head: bytes, cls: Any) -> None:
    if found.form == "other" and (cls is None or explained(head[:HEAD], cls) < SURE):
        raise FileFormatError(f"{name}: {_words(found)}")


# --- from a file to its message --------------------------------------------------------------------------------------

# What is reached through what, by full name.
_INSIDE = {
    "tensorflow.SavedModel": ("tensorflow.MetaGraphDef", "tensorflow.GraphDef"),
    "tensorflow.MetaGraphDef": ("tensorflow.GraphDef",),
}


def message_of(
    file: ModelFile,
    cls: Any = None,
    *,
    lazy: bool = False,
    tags: str | Iterable[str] | None = None,
    forced: bool = False,
) -> Any:
    """The message in a file, as `load` gives it. With `forced`, what it holds is taken for a `cls` in any case."""
    found = file.found
    if found.form == "text" or found.form == "json":
        raise FileFormatError(f"{file.name}: this is {found.what}, which cannot be read yet; give the binary form")
    if found.form == "table":
        raise FileFormatError(f"{file.name}: {_about_table(file)}")
    with naming(file.name):
        if cls is None:
            if found.form != "binary":
                raise FileFormatError(f"{file.name}: {_words(found)}")
            return found.cls.from_bytes(file.data, lazy=lazy)
        if found.form == "binary" and found.cls is not cls:
            head = file.data[:HEAD]
            score, best = explained(head, cls), explained(head, found.cls)
            if may_hold(found.cls, cls) and score < best:
                return _inside(found.cls.from_bytes(file.data, lazy=lazy), cls, tags, file.name)
            if score < SURE * best and not forced:
                raise FileFormatError(f"{file.name}: this is {found.what}, not {called(cls)}")
        return cls.from_bytes(file.data, lazy=lazy)


def may_hold(outer: Any, cls: Any) -> bool:
    """Is a message of class `cls` reached through one of class `outer`?"""
    return _full_name(cls) in _INSIDE.get(_full_name(outer), ())


@contextlib.contextmanager
def naming(name: str) -> Iterator[None]:
    """Let errors in data, which appear late in a message that is read lazily, say which file they are about."""
    try:
        yield
    except DecodeError as error:
        raise FileFormatError(f"{name}: {error}") from error


def _full_name(cls: Any) -> str:
    return str(cls.__table__.full_name)


def _words(found: Found) -> str:
    words = f"this is {found.what}" + (", not a model" if found.form == "other" else "")
    return f"{words}: {found.advice}" if found.advice else words


def _about_table(file: ModelFile) -> str:
    prefix = file.path.removesuffix(".index")
    what = "a checkpoint index" if prefix != file.path else "a checkpoint"
    graph = f"its graph is in {printable(prefix)}.meta; " if prefix and os.path.isfile(prefix + ".meta") else ""
    return f"this is {what}, which holds no graph: {graph}tfmodel.Checkpoint reads its tensors"


def _inside(message: Any, cls: Any, tags: str | Iterable[str] | None, name: str) -> Any:
    """The MetaGraphDef of a SavedModel, or the GraphDef of either."""
    if _full_name(type(message)) == "tensorflow.SavedModel":
        message = _choose(message.meta_graphs, tags, name)
    if _full_name(cls) == "tensorflow.MetaGraphDef":
        return message
    if message.graph_def is None:
        raise FileFormatError(f"{name}: its MetaGraphDef has no graph")
    return message.graph_def


def _choose(meta_graphs: list[Any], tags: str | Iterable[str] | None, name: str) -> Any:
    """The MetaGraph that has exactly these tags; without tags, the only one."""
    there = [sorted(meta.meta_info_def.tags) if meta.meta_info_def else [] for meta in meta_graphs]
    listed = "; ".join(printable(",".join(each)) or "(none)" for each in there)
    if tags is None:
        if len(meta_graphs) != 1:
            problem = f"has {len(meta_graphs)} MetaGraphs; choose one by its tags: {listed}"
            raise FileFormatError(f"{name}: {problem if meta_graphs else 'has no MetaGraph'}")
        return meta_graphs[0]
    wanted = sorted({*(tags.split(",") if isinstance(tags, str) else tags)} - {""})
    fitting = [meta for meta, each in zip(meta_graphs, there, strict=True) if sorted({*each}) == wanted]
    if not fitting:
        problem = f"no MetaGraph has the tags {printable(','.join(wanted))!r}; there are: {listed}"
        raise FileFormatError(f"{name}: {problem}")
    return fitting[0]
