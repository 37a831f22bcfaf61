"""Load messages from model files, folders and bytes, and save them.

    graph = load("frozen.pb", GraphDef)              # or .pbtxt, or JSON
    graph = load("saved_model/", GraphDef)           # the graph inside
    save(graph, "smaller.pb")                        # or "smaller.pbtxt", "smaller.json"

`load` has two steps: `open_model` reads a file and identifies its format and message type, and `decode_file` decodes
the message.

Opening a large file lazily takes hardly longer than reading the file into memory. So `read_whole` makes reading fast by
using huge pages of memory: for 100 MB, the kernel spends more time on providing 25,000 small pages than on copying the
bytes, and huge pages halve this. The memory is anonymous. A mapping of the file itself would kill the process if the
file were truncated.
"""

from __future__ import annotations

import contextlib
import io
import os
import stat
import sys
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, NamedTuple, TypeAlias, TypeVar, overload

from pbwire.errors import DecodeError, JsonError, TextFormatError, class_name
from pbwire.message import Message

from ..errors import FileFormatError
from .detection import HEAD, SURE, TAIL, Detection, class_in_words, detect, explain_share, taken_for
from .formats import FORMS, Form, Types, form_of, read, write
from .locate import locate
from .terminal import escape

__all__ = [
    "LISTS_EVENTS",
    "LISTS_RECORDS",
    "READS_TENSORS",
    "TAGS_CHOOSE",
    "ModelFile",
    "Source",
    "choose_meta_graph",
    "decode_file",
    "load",
    "may_hold",
    "naming",
    "naming_damage",
    "no_choice",
    "open_model",
    "read_whole",
    "save",
    "writable",
]


Source: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview"
Tags: TypeAlias = "str | Iterable[str] | None"
M = TypeVar("M", bound=Message)

# A gzip file may decompress to UNPACKED bytes or to UNPACKED_RATIO times its size, whichever is larger. Weights
# compress little, and a small file that grows a hundredfold is an attack or a mistake. DENSE and DENSE_RATIO limit data
# other than zeros (see `gzip`). They are lower, since decoding takes up to sixty bytes of memory for each byte. The
# largest ratio of known graphs is 21.
UNPACKED = 64 << 20
UNPACKED_RATIO = 100
DENSE = 2 << 20
DENSE_RATIO = 50

_MAX_LISTED, _MAX_TAG_LENGTH = 8, 100  # MetaGraphs that an error names, and characters of the tags of each


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A file in memory: its name for errors, its bytes (decompressed), and the detected format.

    `path` is empty for bytes and standard input.
    """

    name: str
    data: bytes
    detection: Detection
    path: str = ""


@overload
def load(
    source: Source,
    cls: type[M],
    *,
    lazy: bool = False,
    tags: Tags = None,
    allow_unknown_field: bool = False,
    max_unpacked: int | None = None,
) -> M: ...


@overload
def load(
    source: Source,
    cls: None = None,
    *,
    lazy: bool = False,
    tags: None = None,
    allow_unknown_field: bool = False,
    max_unpacked: int | None = None,
) -> Message: ...


def load(
    source: Source,
    cls: Any = None,
    *,
    lazy: bool = False,
    tags: Tags = None,
    allow_unknown_field: bool = False,
    max_unpacked: int | None = None,
) -> Any:
    """Return the message in a file. Its class is detected by content: GraphDef, MetaGraphDef, SavedModel, OpList, ...

    source                 a path, the folder of a SavedModel, the prefix of a checkpoint (its .meta is read), bytes, or
                           "-" for standard input. The format is detected by content too: binary, text format or JSON.
                           Gzip is decompressed. A named pipe is read to its end; devices are refused, since they may be
                           endless
    cls                    the class of the message to return. GraphDef also takes the graph out of a MetaGraphDef or
                           SavedModel, and MetaGraphDef takes a MetaGraphDef out of a SavedModel. An empty file is an
                           empty message of this class; without `cls` it is an error
    lazy                   decode sub-messages of a binary file, and raise errors in them, on first access
    tags                   choose one of several MetaGraphs of a SavedModel: "serve", or several tags with commas. An
                           error for other files
    allow_unknown_field    leave out fields of text and JSON that the message class does not have, instead of refusing
                           them
    max_unpacked           the maximum size of decompressed data. By default there are two limits, each the larger of
                           two numbers: 64 MB or a hundred times the file's size for all bytes, and 2 MB or fifty times
                           the file's size for bytes outside of long runs of zeros

    Raises FileFormatError if the file is something else or damaged, and OSError.
    """
    if hasattr(getattr(cls, "__table__", None), "dataclass"):  # protobuf-style
        from pbwire.compat import wrap

        options: Any = {"allow_unknown_field": allow_unknown_field, "max_unpacked": max_unpacked}
        return wrap(load(source, cls.__table__.dataclass, tags=tags, **options), cls.__table__.package)
    if cls is not None and not (isinstance(cls, type) and issubclass(cls, Message)):
        raise TypeError(f"cls is a message class such as GraphDef, not {cls!r}")
    if tags is not None and (cls is None or _full_name(cls) not in _INSIDE[_SAVED_MODEL]):
        raise ValueError(f"{TAGS_CHOOSE}: they need cls=MetaGraphDef or cls=GraphDef")
    file = open_model(source, cls, lazy=lazy, max_unpacked=max_unpacked)
    return decode_file(file, cls, lazy=lazy, tags=tags, allow_unknown_field=allow_unknown_field)


def save(
    message: Message, path: str | os.PathLike[str], *, format: Form | None = None, deterministic: bool = False
) -> None:
    """Write a message to a file.

    path             the file; "-" is standard output. The file is replaced as a whole: after any error, it still has
                     its previous content
    format           "binary", "text" or "json". By default the file name decides: text for .pbtxt, .textproto and
                     .txtpb, JSON for .json, else binary
    deterministic    write equal bytes for equal messages

    Raises EncodeError for a message that cannot be encoded, TypeError and ValueError for wrong arguments, and OSError.
    """
    if not isinstance(message, Message):
        from ..messages import as_dataclass

        message = as_dataclass(message)
    if not isinstance(message, Message):
        from ..messages import TYPES  # a message of a vendored copy has the full name of one of these

        table = getattr(message, "__table__", None)
        same = TYPES.get(getattr(table, "full_name", ""), Message)
        raise TypeError(f"save takes a message, not {class_name(message, same)}")
    if format is not None and format not in FORMS:
        raise ValueError(f"format is {', '.join(map(repr, FORMS))} or None, not {format!r}")
    target = os.fspath(path)
    with writable(target) as file:
        write(message, file, format or form_of(target) or "binary", deterministic=deterministic)


@contextlib.contextmanager
def writable(path: str) -> Iterator[BinaryIO]:
    """Open a file that replaces `path` when the block ends without an error. "-" is standard output."""
    if path == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    from .atomic import replacing

    with replacing(path) as file:
        yield file


# --- reading ---------------------------------------------------------------------------------------------------------


class _Request(NamedTuple):
    """The arguments of `open_model` about the content of the file."""

    cls: Any
    form: Form | None
    forced: bool
    max_unpacked: int | None = None


def open_model(
    source: Source,
    cls: Any = None,
    *,
    lazy: bool = False,
    form: Form | None = None,
    forced: bool = False,
    max_unpacked: int | None = None,
) -> ModelFile:
    """Read a file and detect its format.

    source          as for `load`
    cls             the expected message class. It may make content acceptable that is otherwise not a model
    lazy            `ModelFile.data` may be a memory map that supports only slices, which lazy decoding allows
    form            the format, which is then not detected
    forced          accept any text as a message of class `cls`
    max_unpacked    as for `load`

    Raises FileFormatError for content that is certainly not a model, without reading it to its end. Raises OSError.
    """
    request = _Request(cls, form, forced, max_unpacked)
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _identify("<bytes>", bytes(source), request)
    path = os.fspath(source)
    if path == "-":
        if sys.stdin is None:
            raise FileFormatError("<stdin>: standard input is closed")
        return _identify("<stdin>", sys.stdin.buffer.read(), request)
    path = locate(path)
    name = escape(path)
    with open(path, "rb", buffering=0) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            return _identify(name, file.readall(), request, path)
        head = file.read(HEAD)
        file.seek(max(0, status.st_size - TAIL))
        detection = detect(head, tail=file.read(TAIL), size=status.st_size, name=os.path.basename(path))
        _refuse(name, detection, head, request)
        file.seek(0)
        in_place = lazy and detection.kind == "binary" and form in (None, "binary")
        data = read_whole(file, status.st_size) if in_place else file.readall()
    return _identify_whole(ModelFile(name, data, detection, path), request)


def _identify(name: str, data: bytes, request: _Request, path: str = "") -> ModelFile:
    """Return the file with these bytes and its detected format. Raises FileFormatError as `open_model` does."""
    detection = detect(data, name=os.path.basename(path))
    _refuse(name, detection, data, request)
    return _identify_whole(ModelFile(name, data, detection, path), request)


def _identify_whole(file: ModelFile, request: _Request) -> ModelFile:
    """Return the file, decompressed if it is gzip, with the format that is detected from its whole content."""
    if file.detection.kind == "gzip":
        file = _decompress(file, request)
    if request.form is not None:
        return replace(file, detection=taken_for(request.form, file.data))
    if file.detection.kind == "records":
        return _graph_of_events(file)
    if file.detection.kind == "text" and file.detection.cls is None:
        detection = detect(file.data, name=os.path.basename(file.path))
        _refuse(file.name, detection, file.data, request)
        return replace(file, detection=detection)
    return file


def _decompress(file: ModelFile, request: _Request) -> ModelFile:
    from . import gzip

    name, packed = file.name, file.data
    limit, dense = request.max_unpacked, None
    if limit is None:
        limit = max(UNPACKED, UNPACKED_RATIO * len(packed))
        dense = max(DENSE, DENSE_RATIO * len(packed))
    unpacked_name = os.path.basename(file.path).removesuffix(".gz")
    try:
        head = gzip.first_bytes(packed, HEAD)
        if len(head) == HEAD:  # refuse a large file of another kind before unpacking it
            _refuse(f"{name} (unpacked)", detect(head, tail=b"", size=sys.maxsize, name=unpacked_name), head, request)
        data = gzip.unpack(packed, limit, dense)
    except gzip.TooLarge as error:
        allowed = f"{dense:,} apart from zeros" if error.dense else f"{limit:,}"
        problem = f"its {len(packed):,} bytes of gzip hold more than {allowed}; unpack it yourself if that is right"
        problem += f", or {MORE_UNPACKED}"
        raise FileFormatError(f"{name}: {problem}") from None
    except EOFError:
        raise FileFormatError(f"{name}: truncated: the gzip data go on behind its {len(packed):,} bytes") from None
    except zlib.error as error:
        raise FileFormatError(f"{name}: damaged gzip data ({error})") from error
    detection = detect(data, name=unpacked_name)
    if detection.kind == "gzip":
        raise FileFormatError(f"{name}: this is gzip-compressed data twice over; unpack it once")
    _refuse(f"{name} (unpacked)", detection, data, request)
    return replace(file, data=data, detection=detection)


def _graph_of_events(file: ModelFile) -> ModelFile:
    """Return the graph in an event file as a file of its own."""
    from .event_graphs import find_graph

    graph = find_graph(file.data, file.name)
    if graph is None:
        raise FileFormatError(f"{file.name}: this event file has no graph: {LISTS_EVENTS}")
    cls = type(graph)
    return replace(file, data=graph.to_bytes(), detection=Detection("binary", class_in_words(cls), cls))


def _refuse(name: str, detection: Detection, head: bytes, request: _Request) -> None:
    """Raise FileFormatError for content that is not a model, unless it may be of the expected class.

    Text that only slightly resembles the class is accepted, because the parser's error has a line and column and helps
    more than "not a model".
    """
    if detection.kind == "records" and request.form is None and _full_name(detection.cls) != _EVENT:
        raise FileFormatError(f"{name}: {_describe(detection)}, not a TensorFlow model: {LISTS_RECORDS}")
    if detection.kind != "other" or request.form is not None:
        return
    if request.cls is not None:
        if detection.form != "binary" and request.forced:
            return
        score = explain_share(head, request.cls, detection.form)
        if score >= SURE if detection.form == "binary" else score > 0:
            return
    raise FileFormatError(f"{name}: {_describe(detection)}")


# --- from a file to its message --------------------------------------------------------------------------------------

MORE_UNPACKED = "allow more (max_unpacked=)"  # commands name the option
LISTS_EVENTS = "tfmodel.summarize_events lists what it has"  # commands name a command instead
LISTS_RECORDS = "tfmodel.summarize_records describes it"  # the same
READS_TENSORS = "tfmodel.Checkpoint reads its tensors"  # commands name a command instead
TAGS_CHOOSE = "tags choose a MetaGraph of a SavedModel"  # commands say "--tags choose ..." instead

_SAVED_MODEL = "tensorflow.SavedModel"
_EVENT = "tensorflow.Event"

# Maps a message type to the types that `load` can take out of it.
_INSIDE = {
    _SAVED_MODEL: ("tensorflow.MetaGraphDef", "tensorflow.GraphDef"),
    "tensorflow.MetaGraphDef": ("tensorflow.GraphDef",),
}


def decode_file(
    file: ModelFile,
    cls: Any = None,
    *,
    lazy: bool = False,
    tags: Tags = None,
    forced: bool = False,
    allow_unknown_field: bool = False,
    types: Types | None = None,
) -> Any:
    """Return the message in a file, as `load` does. Raises FileFormatError.

    With `forced`, the file is decoded as `cls` even if its content looks like another message. `types` has the messages
    that an Any may hold, by full name; without it, these are `tfmodel.messages.TYPES`.
    """
    detection, form = file.detection, file.detection.form

    def message(cls: Any) -> Any:
        return read(file.data, cls, form, lazy=lazy, allow_unknown_field=allow_unknown_field, types=types)

    if detection.kind == "table":
        raise FileFormatError(f"{file.name}: {_about_table(file)}")
    with naming(file.name, file.data):
        if detection.kind == "tfjs":
            return _from_tfjs(file, cls, tags, allow_unknown_field)
        taken_as = detection.cls or cls
        if tags is not None and taken_as is not None and _full_name(taken_as) != _SAVED_MODEL:
            raise FileFormatError(f"{file.name}: {no_choice(taken_as)}")
        if cls is None:
            if detection.cls is None:
                raise FileFormatError(f"{file.name}: {_describe(detection)}")
            return message(detection.cls)
        if detection.cls is not None and detection.cls is not cls:
            score, best = (explain_share(file.data, candidate, form) for candidate in (cls, detection.cls))
            if may_hold(detection.cls, cls) and score < best:
                return _extract(message(detection.cls), cls, tags, file.name)
            if score < SURE * best and not forced:
                raise FileFormatError(f"{file.name}: this is {detection.what}, not {class_in_words(cls)}")
        return message(cls)


def _from_tfjs(file: ModelFile, cls: Any, tags: Tags, allow_unknown_field: bool) -> Any:
    """Return the MetaGraphDef of a TensorFlow.js model, or the GraphDef in it. Raises FileFormatError and JsonError."""
    from .tfjs_reader import parse_model, read_graph_model

    taken_as = file.detection.cls
    if tags is not None:
        raise FileFormatError(f"{file.name}: {no_choice(taken_as)}")
    if cls is not None and cls is not taken_as and not may_hold(taken_as, cls):
        raise FileFormatError(f"{file.name}: this is {file.detection.what}, not {class_in_words(cls)}")
    try:
        meta = read_graph_model(parse_model(file.data), file.path, allow_unknown_field=allow_unknown_field)
    except FileFormatError as error:
        raise FileFormatError(f"{file.name}: {error}") from error
    return meta if cls is None or cls is taken_as else _extract(meta, cls, None, file.name)


def no_choice(cls: Any = None) -> str:
    """Return the text of the error for tags that cannot be used.

    `cls` is the class of the model, which is not a SavedModel; None for two models, neither of which is a SavedModel.
    """
    what = f"this is {class_in_words(cls)}" if cls is not None else "neither of these is one"
    return f"{TAGS_CHOOSE}, and {what}: leave the tags out"


def may_hold(outer: Any, cls: Any) -> bool:
    """Return whether a message of class `outer` can contain one of class `cls`."""
    return _full_name(cls) in _INSIDE.get(_full_name(outer), ())


@contextlib.contextmanager
def naming(name: str, data: bytes = b"") -> Iterator[None]:
    """Turn decoding errors in the block into a FileFormatError with the name of the file.

    Lazy messages raise decoding errors when they are used. `data` is the content of the file; with it, errors in JSON
    show the source line.
    """
    try:
        yield
    except (TextFormatError, JsonError) as error:
        if error.line is None:
            raise FileFormatError(f"{name}: {error}") from error
        raise FileFormatError(f"{name}:{_with_source(error, data)}") from error
    except DecodeError as error:
        raise FileFormatError(f"{name}: {error}") from error


@contextlib.contextmanager
def naming_damage(*files: ModelFile | None) -> Iterator[None]:
    """Turn decoding errors in the block into a FileFormatError with the file name and the full path of the field.

    Lazy messages know only the end of that path, so binary files are decoded again as a whole. None stands for a model
    that was not read from a file.
    """
    try:
        yield
    except DecodeError as error:
        paths = [file for file in files if file is not None]
        for file in paths:
            if file.detection.cls is not None and file.detection.form == "binary":
                with naming(file.name):
                    file.detection.cls.from_bytes(file.data)
        raise FileFormatError(f"{paths[0].name}: {error}" if len(paths) == 1 else str(error)) from error


def _with_source(error: TextFormatError | JsonError, data: bytes) -> Exception:
    """Return an error of JSON that has a line number with the text of that line; return other errors unchanged."""
    if isinstance(error, TextFormatError) or error.line is None:
        return error
    source = data.split(b"\n", error.line)[error.line - 1].decode("utf-8-sig", "replace").rstrip("\r")
    return TextFormatError(error.message, line=error.line, column=error.column, source=source)


def _full_name(cls: Any) -> str:
    return "" if cls is None else str(cls.__table__.full_name)


def _describe(detection: Detection) -> str:
    words = f"this is {detection.what}" + (", not a TensorFlow model" if detection.kind == "other" else "")
    return f"{words}: {detection.advice}" if detection.advice else words


def _about_table(file: ModelFile) -> str:
    prefix = file.path.removesuffix(".index")
    what = "a checkpoint index" if prefix != file.path else "a checkpoint"
    graph = f"its graph is in {escape(prefix)}.meta; " if prefix and os.path.isfile(prefix + ".meta") else ""
    return f"this is {what}, which holds no graph: {graph}{READS_TENSORS}"


def _extract(message: Any, cls: Any, tags: Tags, name: str) -> Any:
    """Return the message of class `cls` in another: the MetaGraphDef in a SavedModel, or the GraphDef in either."""
    if _full_name(type(message)) == _SAVED_MODEL:
        message = choose_meta_graph(message.meta_graphs, tags, name)
    if _full_name(cls) == "tensorflow.MetaGraphDef":
        return message
    if message.graph_def is None:
        raise FileFormatError(f"{name}: its MetaGraphDef has no graph")
    return message.graph_def


def choose_meta_graph(meta_graphs: list[Any], tags: Tags, name: str) -> Any:
    """Return the MetaGraph with exactly these tags; without tags, the only one. Raises FileFormatError."""
    tag_sets = [sorted(meta.meta_info_def.tags) if meta.meta_info_def else [] for meta in meta_graphs]
    texts = [escape(",".join(tag_set)[:_MAX_TAG_LENGTH]) or "(none)" for tag_set in tag_sets[:_MAX_LISTED]]
    listed = "; ".join(texts + ["..."] * (len(tag_sets) > _MAX_LISTED))
    if tags is None:
        if len(meta_graphs) != 1:
            problem = f"has {len(meta_graphs)} MetaGraphs; choose one by its tags: {listed}"
            raise FileFormatError(f"{name}: {problem if meta_graphs else 'has no MetaGraph'}")
        return meta_graphs[0]
    requested = sorted({*(tags.split(",") if isinstance(tags, str) else tags)} - {""})
    fitting = [meta for meta, tag_set in zip(meta_graphs, tag_sets, strict=True) if sorted({*tag_set}) == requested]
    if not fitting:
        problem = f"no MetaGraph has the tags {escape(','.join(requested))!r}; there are: {listed}"
        raise FileFormatError(f"{name}: {problem}")
    return fitting[0]


MIN_MAPPED_SIZE = 32 << 20


def read_whole(file: io.FileIO, size: int) -> Any:
    """Return the rest of `file`, about `size` bytes. The result is bytes or, for a large file, a memory map."""
    start = file.tell()
    memory = _large_pages(size) if size >= MIN_MAPPED_SIZE else None
    if memory is None:
        return file.readall()
    with memoryview(memory) as view:
        filled = 0
        while filled < size and (count := file.readinto(view[filled:])):
            filled += count
    if filled == size and not file.read(1):
        return memory
    file.seek(start)  # the size of the file has changed meanwhile
    return file.readall()


def _large_pages(size: int) -> Any:
    """Return a memory map of `size` bytes with huge pages; None where the system does not support them."""
    try:
        from mmap import MADV_HUGEPAGE, MAP_ANONYMOUS, MAP_PRIVATE, mmap

        memory = mmap(-1, size, flags=MAP_PRIVATE | MAP_ANONYMOUS)
        memory.madvise(MADV_HUGEPAGE)
    except (ImportError, OSError, ValueError):
        return None
    return memory
