"""Detect the format of a file by its content alone; names only help with the wording of errors.

    detection = detect(data)
    detection.kind, detection.what, detection.cls          # "binary", "a GraphDef", <class GraphDef>

    formats.py  the formats (binary, text, JSON) with their file names, and the message types of files
    onnx.py     whether a file may be an ONNX model, before its tables are imported
    binary.py   other file formats, by their first and last bytes; the message type of wire bytes
    text.py     the message type of text format and JSON, by an outline

`detect` examines only a bounded part of the file. So it can refuse a hundred gigabytes of other data without reading
them, and damage in a later part does not prevent detection: the decoder reports such damage.

The package imports messages, also ONNX's, `files.access` and `files.tfrecords`; `files` calls it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from ... import messages
from ...errors import Hint
from ..access.forms import Form, form_of
from ..access.stand_ins import EMPTY
from . import binary
from . import text as textual
from .formats import SURE

__all__ = [
    "HEAD",
    "SURE",
    "TAIL",
    "Detection",
    "Kind",
    "class_in_words",
    "detect",
    "explain_share",
    "is_onnx",
    "suffix_problem",
    "taken_for",
]


HEAD = 1 << 18  # bytes at the beginning of a file that are examined
TAIL = 48  # bytes at the end of a file, where table files have a magic number

Kind: TypeAlias = Literal[
    "binary", "text", "json", "table", "records", "tfjs", "keras", "gzip", "wire", "unknown", "empty", "other"
]

_SHARD = re.compile(r"(.*)\.data-\d{5}-of-\d{5}")


@dataclass(frozen=True, slots=True)
class Detection:
    """The detected format of a file.

    kind     "binary", "text" or "json": a message in that form; `cls` is its class
             "table": a checkpoint, or its index
             "records": a TFRecord file; `cls` is the class of its records, Event for an event file
             "tfjs": the model.json of a TensorFlow.js model; `cls` is MetaGraphDef, as which it is read
             "keras": a model file of Keras, .h5 or .keras
             "gzip": gzip-compressed data, which must be decompressed and detected again
             "wire": protobuf data of a message that is not recognised
             "unknown": data that are not recognised
             "empty": an empty file
             "other": a known format that is not a model, or text that is not recognised
    what     a description that can follow "this is"
    cls      the class of the message, which may be the ModelProto of ONNX; None if it is not recognised. None with
             "text" if the file begins with a comment that is longer than the examined part: detection then needs the
             whole file
    advice   advice to the user; may be empty
    form     the format of the message. Set even if the class is not recognised, for callers that know the class
    """

    kind: Kind
    what: str
    cls: Any = None
    advice: str | Hint = ""
    form: Form = "binary"


def detect(head: bytes, *, tail: bytes | None = None, size: int | None = None, name: str = "") -> Detection:
    """Detect the format of a file.

    head    the first bytes of the file; without `tail` and `size`, the whole file
    tail    the last `TAIL` bytes of the file, or fewer if it is smaller
    size    the size of the file
    name    the name of the file, for the wording of errors
    """
    size = len(head) if size is None else size
    tail = head[-TAIL:] if tail is None else tail
    if size == 0:
        return Detection("empty", EMPTY.what, advice=EMPTY.advice)
    if binary.is_table(tail):
        return Detection("table", "a table file that holds a checkpoint or its index")
    if binary.is_gzip(head):
        return Detection("gzip", "gzip-compressed data")
    if records := binary.records(head[:HEAD], size):
        return Detection("records", *records)
    if foreign := binary.foreign(head[:HEAD], size):
        return Detection("keras" if binary.is_keras(head) else "other", *foreign)
    kind = _message(head, size)
    if kind.kind == "other" and not kind.advice and form_of(name) == "text":
        return replace(kind, advice=Hint.NAME_TYPE)
    if kind.kind in ("wire", "unknown", "other") and (shard := _SHARD.fullmatch(name)):
        advice = f"the names of its tensors are in {shard[1]}.index; give that"
        return Detection("other", "a data file of a checkpoint", advice=advice)
    return kind


def taken_for(form: Form, data: bytes) -> Detection:
    """Return the detection result for the content `data` of a file whose format the caller specifies."""
    if form == "binary":
        cls = binary.best(data[:HEAD])
    else:
        cls = textual.detect_class(textual.sample(data), form)
    if cls is None:
        what = "JSON" if form == "json" else form
        return Detection("unknown", f"taken for {what}, but no message is recognised in it", None, Hint.NAME_TYPE, form)
    return _of(cls, form)


def explain_share(data: bytes, cls: Any, form: Form) -> float:
    """Return the share of the beginning of a message that the fields of `cls` explain, from 0 to 1."""
    if form == "binary":
        return binary.explain_share(data[:HEAD], cls)
    return textual.explain_share(textual.sample(data), cls, form)


def class_in_words(cls: Any) -> str:
    """Return a message class in words: "a GraphDef", "an OpList", "an ONNX model"."""
    name = cls.__table__.full_name.removeprefix("tensorflow.")
    name = "ONNX model" if is_onnx(cls) else name
    return f"{'an' if name[0] in 'AEIOo' else 'a'} {name}"


def is_onnx(cls: Any) -> bool:
    """Return whether a message class is that of ONNX models. Nothing of ONNX is imported for the answer."""
    return cls is not None and cls.__table__.full_name == "onnx.ModelProto"


def suffix_problem(path: str, cls: Any) -> str:
    """Return why a message of class `cls` is not written to a file of this name; "" if it is."""
    if path.lower().endswith(".onnx") and not is_onnx(cls):
        return f"an .onnx is a model of ONNX, and this would be {class_in_words(cls)}: call it .pb"
    if path.lower().endswith(".meta") and is_onnx(cls):
        return f"a .meta is a MetaGraph, and this would be {class_in_words(cls)}: call it .onnx"
    return ""


def _message(data: bytes, size: int) -> Detection:
    head = data[:HEAD]
    if (text := textual.text_of(head)) is not None:
        return _text(text, data, size)
    if (cls := textual.almost(head)) is not None:
        return _of(cls, "text")
    if (cls := binary.best(head)) is not None:
        return _of(cls, "binary")
    if fields := binary.first_fields(head, size):
        return Detection("wire", f"protobuf data of no message that is recognised ({fields})", advice=Hint.NAME_TYPE)
    return Detection("unknown", "neither protobuf data, nor a checkpoint, nor text")


def _text(text: str, data: bytes, size: int) -> Detection:
    """Detect the format of a text file that begins with `text`."""
    if textual.is_blank(data[:HEAD]):
        if size > len(data):
            return Detection("text", "a text that begins with a long comment", form="text")
        text = textual.sample(data) or text
    form = textual.form_of(text)
    if (cls := textual.detect_class(text, form)) is not None:
        return _of(cls, form)
    if textual.is_tfjs(text, form):
        return Detection("tfjs", "a TensorFlow.js model", messages.MetaGraphDef, form="json")
    what, advice = textual.describe_text(text, form)
    return Detection("other", what, None, advice, form)


def _of(cls: Any, form: Form) -> Detection:
    advice = Hint.READS_ONNX if is_onnx(cls) else ""
    return Detection(form, _called_in(form, class_in_words(cls)), cls, advice, form)


def _called_in(form: Form, what: str) -> str:
    return what if form == "binary" else f"{what} in {'JSON' if form == 'json' else form} form"
