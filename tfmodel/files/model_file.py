"""Read a model file into memory, unpack it, and detect its format.

Opening a large file lazily takes hardly longer than reading the file into memory. So `read_whole` makes reading fast by
using huge pages of memory: for 100 MB, the kernel spends more time on providing 25,000 small pages than on copying the
bytes, and huge pages halve this. The memory is anonymous. A mapping of the file itself would kill the process if the
file were truncated.
"""

from __future__ import annotations

import io
import os
import stat
import sys
import zlib
from collections.abc import Collection
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias, cast

from pbwire.errors import compose

from ..errors import FileFormatError, Hint, with_name
from ..values.terminal import escape
from .access import gzip
from .access.forms import Form
from .access.gzip import DENSE, DENSE_RATIO, UNPACKED, UNPACKED_RATIO
from .access.open_files import OpenFile
from .access.special_files import open_user_file
from .detection import HEAD, SURE, TAIL, Detection, Kind, class_in_words, detect, explain_share, is_onnx, taken_for
from .locate import locate
from .tfrecords.sources import unpack_head

Source: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview"


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A file in memory: its name for errors, its bytes (decompressed), and the detected format.

    `path` is empty for bytes and standard input. `opened` is the file, without data, for a reader that takes it.
    """

    name: str
    data: bytes
    detection: Detection
    path: str = ""
    opened: OpenFile | None = None


class _Request(NamedTuple):
    """The arguments of `open_file` about the content of the file."""

    cls: Any
    form: Form | None
    forced: bool
    max_unpacked: int | None = None


def open_file(
    source: Source,
    cls: Any = None,
    *,
    lazy: bool = False,
    form: Form | None = None,
    forced: bool = False,
    max_unpacked: int | None = None,
    accept: Collection[Kind] = (),
) -> ModelFile:
    """Open a file once, detect its format, and read it.

    source          as for `load`
    cls             the expected message class. It may make content acceptable that is otherwise not a model
    lazy            `ModelFile.data` may be a memory map that supports only slices, which lazy decoding allows
    form            the format, which is then not detected
    forced          accept any text as a message of class `cls`
    max_unpacked    as for `load`
    accept          kinds of files of which the caller reads parts: "table", "keras", "records". Such a file is
                    returned open, without its data, and not refused, unless it is a pipe or standard input. Bytes that
                    are a Keras file are returned too

    Raises FileFormatError for content that is certainly not a model, without reading it to its end. Raises OSError.
    """
    request = _Request(cls, form, forced, max_unpacked)
    if isinstance(source, (bytes, bytearray, memoryview)):
        data = bytes(source)
        detection = detect(data)
        if detection.kind == "keras" and "keras" in accept:
            return ModelFile("<bytes>", data, detection)
        return _identify("<bytes>", data, request, detection=detection)
    path = os.fspath(source)
    if path == "-":
        if sys.stdin is None:
            raise FileFormatError("<stdin>: standard input is closed")
        return _identify("<stdin>", sys.stdin.buffer.read(), request)
    path = locate(path)
    name = escape(path)
    with ExitStack() as closing:
        opened = closing.enter_context(open_user_file(path))
        file = cast("io.RawIOBase", opened.raw)
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            return _identify(name, file.readall(), request, path)
        head = file.read(HEAD)
        file.seek(max(0, status.st_size - TAIL))
        detection = detect(head, tail=file.read(TAIL), size=status.st_size, name=os.path.basename(path))
        if "records" in accept and (unpacked := unpack_head(head)) is not head:  # compressed records, or another file
            packed = detect(unpacked, tail=b"", size=status.st_size)
            detection = packed if packed.kind == "records" else detection
        if detection.kind in accept:
            closing.pop_all()
            return ModelFile(name, b"", detection, path, OpenFile(path, opened))
        _refuse(name, detection, head, request)
        file.seek(0)
        in_place = lazy and detection.kind == "binary" and form in (None, "binary")
        data = read_whole(file, status.st_size) if in_place else file.readall()
    return _identify_whole(ModelFile(name, data, detection, path), request)


def _identify(
    name: str, data: bytes, request: _Request, path: str = "", detection: Detection | None = None
) -> ModelFile:
    """Return the file with these bytes and its detected format. Raises FileFormatError as `open_file` does."""
    detection = detection or detect(data, name=os.path.basename(path))
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
        raise FileFormatError(with_name(name, compose(f"{problem}, or ", Hint.MORE_UNPACKED))) from None
    except EOFError:
        raise FileFormatError(
            with_name(name, f"truncated: the gzip data go on behind its {len(packed):,} bytes")
        ) from None
    except zlib.error as error:
        raise FileFormatError(with_name(name, f"damaged gzip data ({error})")) from error
    detection = detect(data, name=unpacked_name)
    if detection.kind == "gzip":
        raise FileFormatError(with_name(name, "this is gzip-compressed data twice over; unpack it once"))
    _refuse(f"{name} (unpacked)", detection, data, request)
    return replace(file, data=data, detection=detection)


def _graph_of_events(file: ModelFile) -> ModelFile:
    """Return the graph in an event file as a file of its own."""
    from .tfrecords.event_graphs import find_graph  # only such files need it

    graph = find_graph(file.data, file.name)
    if graph is None:
        problem = compose("this event file has no graph: ", Hint.LISTS_EVENTS)
        raise FileFormatError(with_name(file.name, problem))
    cls = type(graph)
    return replace(file, data=graph.to_bytes(), detection=Detection("binary", class_in_words(cls), cls))


def _refuse(name: str, detection: Detection, head: bytes, request: _Request) -> None:
    """Raise FileFormatError for content that is not a model, unless it may be of the expected class.

    Text that only slightly resembles the class is accepted, because the parser's error has a line and column and helps
    more than "not a model".
    """
    if detection.kind == "records" and request.form is None and full_name(detection.cls) != _EVENT:
        problem = compose(describe_detection(detection), ", not a TensorFlow model: ", Hint.LISTS_RECORDS)
        raise FileFormatError(with_name(name, problem))
    if detection.kind not in ("other", "keras") or request.form is not None:
        return
    if request.cls is not None:
        if detection.form != "binary" and request.forced:
            return
        score = explain_share(head, request.cls, detection.form)
        if score >= SURE if detection.form == "binary" else score > 0:
            return
    raise FileFormatError(with_name(name, describe_detection(detection)))


_EVENT = "tensorflow.Event"


def full_name(cls: Any) -> str:
    return "" if cls is None else str(cls.__table__.full_name)


def describe_detection(detection: Detection) -> str:
    is_foreign = detection.kind in ("other", "keras") or is_onnx(detection.cls)
    words = f"this is {detection.what}" + (", not a TensorFlow model" if is_foreign else "")
    return compose(f"{words}: ", detection.advice) if detection.advice else words


MIN_MAPPED_SIZE = 32 << 20


def read_whole(file: io.RawIOBase, size: int) -> Any:
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
        from mmap import MADV_HUGEPAGE, MAP_ANONYMOUS, MAP_PRIVATE, mmap  # Linux has them

        memory = mmap(-1, size, flags=MAP_PRIVATE | MAP_ANONYMOUS)
        memory.madvise(MADV_HUGEPAGE)
    except (ImportError, OSError, ValueError):
        return None
    return memory
