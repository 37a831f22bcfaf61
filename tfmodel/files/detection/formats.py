"""The formats of messages in files (binary, protobuf's text format, JSON), and the message types that occur as files.

All differences between the formats are here: file suffixes, reading and writing. Text and JSON are always read as a
whole, even with `lazy`. Their Any messages may hold the message types of `tfmodel.messages.TYPES`.
"""

from __future__ import annotations

import codecs
import copy
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Protocol, TypeAlias, TypeVar

import pbwire
from pbwire.codec.buffers import encode_message
from pbwire.errors import JsonError, TextFormatError, compose
from pbwire.message import Message

from ... import messages, onnx_messages
from ...errors import Hint
from ..access.forms import Form
from .onnx import Guess

Types: TypeAlias = Mapping[str, type[Message]]
M = TypeVar("M", bound=Message)


class Sink(Protocol):
    """The methods that `write` needs of a binary file."""

    def write(self, data: bytes, /) -> object: ...

    def writelines(self, parts: Iterable[Any], /) -> object: ...


def read(
    data: Any,
    cls: type[M],
    form: Form,
    *,
    lazy: bool = False,
    allow_unknown_field: bool = False,
    types: Types | None = None,
) -> M:
    """Return the message of class `cls` that `data` holds in a format. Raises DecodeError, TextFormatError, JsonError.

    With `allow_unknown_field`, fields of text and JSON that the class does not have are left out; in binary, they are
    always kept. Without it they are errors. If the data have no other errors, the message of the error says so.
    `types` has the messages that an Any may hold, by full name; without it, these are `tfmodel.messages.TYPES`.
    """
    if form == "binary":
        return cls.from_bytes(data, lazy=lazy)
    try:
        return _parse(data, cls, form, allow_unknown_field, types)
    except (TextFormatError, JsonError) as error:
        if not allow_unknown_field and _is_read_without(data, cls, form, types):
            raise _with_hint(error) from None
        raise


def _parse(data: bytes, cls: type[M], form: Form, allow_unknown_field: bool, types: Types | None) -> M:
    types = types if types is not None else messages.TYPES
    if form == "text":
        return pbwire.text.loads(
            data.removeprefix(codecs.BOM_UTF8), cls, types=types, allow_unknown_field=allow_unknown_field
        )
    return pbwire.json.loads(data, cls, types=types, ignore_unknown_fields=allow_unknown_field)


def _is_read_without(data: bytes, cls: type[M], form: Form, types: Types | None) -> bool:
    """Return whether the data can be read if unknown fields are left out."""
    try:
        return bool(_parse(data, cls, form, True, types).ListFields())
    except (TextFormatError, JsonError):
        return False


def _with_hint(error: TextFormatError | JsonError) -> TextFormatError | JsonError:
    hinting = copy.copy(error)
    hinting.message = compose(error.message, " (", Hint.LEAVE_OUT, ")")
    return hinting


def write(
    message: Message,
    file: Sink,
    form: Form,
    *,
    deterministic: bool = False,
    preserving_proto_field_name: bool = False,
    types: Types | None = None,
) -> None:
    """Write a message to a file. Raises EncodeError for a message that cannot be encoded.

    With `deterministic`, equal messages give equal bytes: maps in binary are sorted, as they always are in text and
    JSON. JSON has field names in lowerCamelCase; with `preserving_proto_field_name`, the names in .proto files.
    `types` has the messages that an Any may hold, as for `read`.
    """
    if form == "binary":
        file.writelines(encode_message(message, deterministic).pieces())
        return
    types = types if types is not None else messages.TYPES

    def put(characters: str) -> None:
        file.write(characters.encode())

    if form == "text":
        pbwire.text.dump(message, put, types=types)
        return
    pbwire.json.dump(message, put, types=types, preserving_proto_field_name=preserving_proto_field_name)
    put("\n")


# The order matters: of two classes that explain a file equally well, the first one is chosen. A class is imported only
# when it is compared, so recognising a GraphDef does not import the classes of a SavedModel.
FIRST = ("GraphDef", "MetaGraphDef", "OpList", "TensorProto", "SavedModel")

# These are compared only if none of the classes above fits.
OTHERS = (
    "FingerprintDef",
    "GraphDebugInfo",
    "RunMetadata",
    "CheckpointState",
    "NodeDef",
    "FunctionDef",
    "FunctionDefLibrary",
    "OpDef",
    "SavedObjectGraph",
    "TrackableObjectGraph",
    "ConfigProto",
    "StepStats",
    "KernelList",
)

SURE = 0.9
LIKELY = 0.6  # a sufficient score for the classes in FIRST, since most files hold one of these


IN_RECORDS = ("Example", "SequenceExample", "Event")
"""The messages that records of a TFRecord file are."""


def classes(names: tuple[str, ...]) -> Iterator[Any]:
    """Yield the classes of messages, but not those whose tables a copy with some parts of tfmodel lacks."""
    for name in names:
        with suppress(ModuleNotFoundError):
            yield getattr(messages, name)


def best_class(score_class: Callable[[Any], float], *, onnx: Guess = "no") -> Any:
    """Return the most likely class; None if no class is likely. `score_class` returns the score of a class, 0 to 1.

    `onnx` is the guess whether it is the ModelProto of ONNX: see `onnx.py`.
    """
    score_of_onnx = score_class(onnx_messages.ModelProto) if onnx != "no" else 0.0
    if score_of_onnx >= (LIKELY if onnx == "yes" else 1):
        return onnx_messages.ModelProto
    score, cls = _best_of(FIRST, score_class)
    if score >= SURE:
        return cls
    other_score, other = _best_of(OTHERS, score_class)
    if other_score >= SURE:
        return other
    return cls if score >= LIKELY else None


def _best_of(names: tuple[str, ...], score_class: Callable[[Any], float]) -> tuple[float, Any]:
    best: tuple[float, Any] = (0.0, None)
    for cls in classes(names):
        score = score_class(cls)
        if score > best[0]:
            best = (score, cls)
        if score == 1:
            break
    return best
