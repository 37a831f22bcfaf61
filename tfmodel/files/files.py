"""Load messages from model files, folders and bytes, and save them.

    graph = load("frozen.pb", GraphDef)              # or .pbtxt, or JSON
    graph = load("saved_model/", GraphDef)           # the graph inside
    save(graph, "smaller.pb")                        # or "smaller.pbtxt", "smaller.json"

`load` has two steps: `open_file` of `model_file.py` reads a file and detects its format and message type, and
`decode_file` of `decoding.py` decodes the message.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeVar, overload

from pbwire.errors import class_name
from pbwire.message import Message

from ..errors import Hint
from ..messages import TYPES, as_dataclass
from .access.forms import FORMS, Form, form_of
from .decoding import Tags, decode_file, takes_tags
from .detection import suffix_problem
from .detection.formats import write
from .model_file import Source, open_file

if TYPE_CHECKING:
    from ..messages import ProtobufMessage

M = TypeVar("M", bound="Message | ProtobufMessage")


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
        from pbwire.compat import wrap  # slow to import

        options: Any = {"allow_unknown_field": allow_unknown_field, "max_unpacked": max_unpacked}
        return wrap(load(source, cls.__table__.dataclass, tags=tags, **options), cls.__table__.package)
    if cls is not None and not (isinstance(cls, type) and issubclass(cls, Message)):
        raise TypeError(f"cls is a message class such as GraphDef, not {cls!r}")
    if tags is not None and not takes_tags(cls):
        raise ValueError(f"{Hint.TAGS_CHOOSE}: they need cls=MetaGraphDef or cls=GraphDef")
    file = open_file(source, cls, lazy=lazy, max_unpacked=max_unpacked)
    return decode_file(file, cls, lazy=lazy, tags=tags, allow_unknown_field=allow_unknown_field)


def save(
    message: Message | ProtobufMessage,
    path: str | os.PathLike[str],
    *,
    format: Form | None = None,
    deterministic: bool = False,
) -> None:
    """Write a message to a file.

    path             the file; "-" is standard output. The file is replaced as a whole: after any error, it still has
                     its previous content
    format           "binary", "text" or "json". By default the file name decides: text for .pbtxt, .textproto and
                     .txtpb, JSON for .json, else binary; .onnx is for ONNX models only
    deterministic    write equal bytes for equal messages

    Raises EncodeError for a message that cannot be encoded, TypeError and ValueError for wrong arguments, and OSError.
    """
    if not isinstance(message, Message):
        message = as_dataclass(message)
    if not isinstance(message, Message):
        table = getattr(message, "__table__", None)
        same = TYPES.get(getattr(table, "full_name", ""), Message)  # a message of a vendored copy has such a name
        raise TypeError(f"save takes a message, not {class_name(message, same)}")
    if format is not None and format not in FORMS:
        raise ValueError(f"format is {', '.join(map(repr, FORMS))} or None, not {format!r}")
    target = os.fspath(path)
    if format is None and (problem := suffix_problem(target, type(message))):
        raise ValueError(f"{target}: {problem}")
    from pbwire.atomic import writable  # reading does not need it

    with writable(target) as file:
        write(message, file, format or form_of(target) or "binary", deterministic=deterministic)
