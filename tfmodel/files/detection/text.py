"""Detect text, and the message type of text format and JSON.

The fields of each candidate class are compared with the outline of the text. An entry is explained if the class has a
field of its name at that level, and the field can have a value of that shape. Entries inside of an unknown field do not
count.

The outline of a text lists names with their level and the shape of their values:

    node { name: "x" }              (0, "node", "message"), (1, "name", "string")
    {"node": [{"name": "x"}]}       the same

Nothing is parsed, and the outline ends at the first mistake. No pattern backtracks, so time is linear.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Literal, NamedTuple, TypeAlias

from pbwire.descriptor import Field, table_of
from pbwire.errors import is_visible

from ...errors import Hint
from ..access.forms import Form
from . import onnx
from .formats import best_class

HEAD = 1 << 18  # bytes of a text that are examined
ENTRIES = 500  # entries of an outline
MESSAGE = 2  # the weight of an entry for a message
ALMOST = 1 << 12  # bytes that are examined if some bytes are not text
FEW = 3  # entries that an outline of such bytes must have
SHOWN = 40  # characters of an unknown text that are quoted

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")

_TFJS_KEYS = ("modelTopology", "weightsManifest")

# Other JSON and text formats: names on the outermost level, the kind of file, and advice to the user.
_KERAS_ADVICE = "it is read by Keras; export it as a SavedModel"
_ELSE = [
    ({"class_name", "config"}, "the architecture of a Keras model", _KERAS_ADVICE),
    ({"model_config"}, "the architecture of a Keras model", _KERAS_ADVICE),
    ({"item"}, "a label map of the Object Detection API", "it names classes; give the graph that it belongs to"),
    ({"model", "train_config"}, "a configuration of the Object Detection API", "give the graph that was made with it"),
    ({"platform", "max_batch_size"}, "a configuration of the Triton Inference Server", "give the model beside it"),
]


def text_of(head: bytes) -> str | None:
    """Return the text that a file begins with; None if the bytes are not text."""
    try:
        text = codecs.utf_8_decode(head.removeprefix(codecs.BOM_UTF8), "strict", False)[0]
    except UnicodeDecodeError:
        return None
    return None if _CONTROL.search(text) else text


def is_blank(data: bytes) -> bool:
    """Return whether the data are only white space and comments."""
    return behind_comments(data) == len(data)


def sample(data: bytes) -> str:
    """Return the beginning of a text, without leading comments, for the other functions. Invalid bytes are replaced."""
    start = behind_comments(data)
    return bytes(data[start : start + HEAD]).decode("utf-8", "replace")


def form_of(text: str) -> Form:
    """Return the likely format of a text, if it is a message."""
    return "json" if text.lstrip().startswith("{") else "text"


def detect_class(text: str, form: Form) -> Any:
    """Return the class of the message that begins with `text`; None if it is not recognised."""
    outline = _outline(text, form)
    if not outline:
        return None
    guess = onnx.guess_from_names(entry.name for entry in outline if entry.level == 0)
    return best_class(lambda cls: _explained_share(outline, cls, form), onnx=guess)


def explain_share(text: str, cls: Any, form: Form) -> float:
    """Return the share of a text's beginning that the fields of `cls` explain, from 0 to 1; 1 for an empty text."""
    return _explained_share(_outline(text, form), cls, form)


def almost(head: bytes) -> Any:
    """Return the class of the message in a text that contains invalid bytes or control characters; None if it is not
    recognised."""
    start = behind_comments(head)
    text = head[start : start + ALMOST].decode("latin-1")
    return detect_class(text, "text") if len(_outline(text, "text")) >= FEW else None


def is_tfjs(text: str, form: Form) -> bool:
    """Return whether a text that is not a message is the model.json of a TensorFlow.js model."""
    names = {entry.name for entry in _outline(text, form) if entry.level == 0}
    return form == "json" and not names.isdisjoint(_TFJS_KEYS)


def describe_text(text: str, form: Form) -> tuple[str, str | Hint]:
    """Return the description of a text that is not a message, and advice."""
    outline = _outline(text, form)
    names = list(dict.fromkeys(entry.name for entry in outline if entry.level == 0 and entry.name != WRONG))
    for known, what, advice in _ELSE:
        if known <= {*names}:
            return what, advice
    if form == "json" and not text.strip("{} \t\r\n"):
        return "an empty JSON object", Hint.NAME_TYPE
    if form == "json":
        keys = ", ".join([_visible_line(name) for name in names[:4]] + ["..."] * (len(names) > 4))
        of_keys = f" (its keys are {keys})" if names else ""
        return f"JSON of no message that is recognised{of_keys}", Hint.NAME_TYPE
    if is_blank(text.encode()):
        return f"{'comments' if text.strip() else 'white space'} and nothing else", Hint.NAME_TYPE
    first_line = text.lstrip().split("\n", 1)[0].rstrip()
    is_like_a_message = any(entry.shape == "message" for entry in outline)
    return f'a text file ("{_visible_line(first_line)}")', Hint.NAME_TYPE if is_like_a_message else ""


def _visible_line(text: str) -> str:
    line = "".join(c if is_visible(c) else " " for c in text[:SHOWN]).rstrip()
    return line + "..." * (len(text) > SHOWN)


def _outline(text: str, form: Form) -> list[Entry]:
    return list(islice(json_outline(text) if form == "json" else text_outline(text), ENTRIES))


# --- comparing fields with an outline --------------------------------------------------------------------------------

Scope: TypeAlias = Callable[[str], "Field | None"]


def _explained_share(outline: list[Entry], cls: Any, form: Form) -> float:
    inside, fits = (_inside_json, _fits_json) if form == "json" else (_inside_text, _fits_text)
    scopes: list[Scope | None] = [_fields_of(cls, form)]
    known = total = 0
    for entry in outline:
        scope = scopes[entry.level] if 0 <= entry.level < len(scopes) else None
        if scope is None:
            continue
        del scopes[entry.level + 1 :]
        field = scope(entry.name)
        weight = MESSAGE if entry.shape == "message" else 1
        total += weight
        if field is not None and fits(field, entry.shape):
            known += weight
            scopes.append(inside(field))
    return known / total if total else 1.0


def _fields_of(cls: Any, form: Form) -> Scope | None:
    """Return a function that finds a field by its name.

    Return None for the messages of google.protobuf, which have special forms.
    """
    table = table_of(cls)
    if table.full_name.startswith("google.protobuf."):
        return None
    if form == "text":
        return table.by_name.get
    return lambda name: table.by_name.get(name) or table.by_name.get(_original(name))


def _original(name: str) -> str:
    """Convert a JSON name such as `savedModelSchemaVersion` to the name in the .proto file."""
    return re.sub(r"[A-Z]", lambda letter: f"_{letter[0].lower()}", name)


def _inside_text(field: Field) -> Scope | None:
    if field.key is not None and field.value is not None:
        return {"key": field.key, "value": field.value}.get
    return _fields_of(field.type, "text") if field.kind in ("message", "group") else None


def _fits_text(field: Field, shape: str) -> bool:
    if field.label == "map" or field.kind in ("message", "group"):
        return shape in ("message", "")
    return shape in ("string" if field.kind in ("string", "bytes") else "bare", "")


def _inside_json(field: Field) -> Scope | None:
    if field.value is not None:
        return lambda name: field.value
    return _fields_of(field.type, "json") if field.kind in ("message", "group") else None


def _fits_json(field: Field, shape: str) -> bool:
    if field.label == "map":
        return shape in ("message", "")
    if field.kind in ("message", "group"):
        return shape in ("message", "") or field.type.__table__.full_name.startswith("google.protobuf.")
    if field.kind in ("string", "bytes"):
        return shape in ("string", "")
    return shape != "message" and not (field.kind == "bool" and shape == "string")


# "bare" is a number, a bool or the name of an enum's value. A list has the shape of its elements. "" stands for any.
Shape: TypeAlias = Literal["message", "string", "bare", ""]


class Entry(NamedTuple):
    level: int
    name: str
    shape: Shape


WRONG = ""  # the name of the entry for a mistake

# A string may be cut off by the end of the sample.
_STRING = r"""(?:"(?:[^"\\\n]|\\.|(?!))*+"?|'(?:[^'\\\n]|\\.|(?!))*+'?)"""
_SPACE = r"(?:\s|#[^\n]*|(?!))*+"
_NAME = rf"""(?P<name>[A-Za-z_]\w*+|\[[^\[\]{{}}"'#]*+\]){_SPACE}"""
_MESSAGE = rf"(?::{_SPACE})?(?:(?P<open>[{{<])|(?P<messages>\[){_SPACE}(?=[{{<]))"
_SCALAR = rf":{_SPACE}(?:(?P<list>\[)|(?P<string>(?:{_STRING}{_SPACE}|(?!))++)|-?{_SPACE}[\w.+-]++)"
_FIELD = re.compile(f"{_NAME}(?:{_MESSAGE}|{_SCALAR})")
_GAP = re.compile(r"(?:[\s,;]|#[^\n]*|(?!))*+")
_SCALARS = re.compile(rf"(?:[^\]\"'#]|{_STRING}|#[^\n]*|(?!))*+\]?")
_CLOSING = {"{": "}", "<": ">"}

_COMMENTS = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s|#[^\n]*|(?!))*+")

_JSON_STRING = r'"(?:[^"\\]|\\.|(?!))*+"?'
_JSON_TOKEN = re.compile(rf"(?P<name>{_JSON_STRING})(?:\s*+:\s*+(?=\[?\s*+(?P<value>.?)))?|[{{}}]", re.DOTALL)


def behind_comments(data: bytes) -> int:
    """Return the offset after a leading byte order mark, white space and comments."""
    return _COMMENTS.match(data).end()  # type: ignore[union-attr]  # it may match nothing at all, but it matches


def text_outline(text: str) -> Iterator[Entry]:
    """Yield the outline of a message in text format. It ends at the first mistake, with an entry named WRONG."""
    closing: list[str] = []  # the closing brackets of open messages and lists
    level = 0
    pos = 0
    begun = False
    while (pos := _GAP.match(text, pos).end()) < len(text):  # type: ignore[union-attr]  # the pattern matches nothing, too
        character = text[pos]
        if closing and character == closing[-1]:
            level -= closing.pop() != "]"
            pos += 1
        elif closing and closing[-1] == "]":
            if character not in _CLOSING:
                yield Entry(level, WRONG, "")
                return
            closing.append(_CLOSING[character])
            level += 1
            pos += 1
        else:
            field = _FIELD.match(text, pos)
            if field is None:
                if not begun or "\n" in text[pos:]:  # else it is the last line, which may be cut off
                    yield Entry(level, WRONG, "")
                return
            begun = True
            pos = field.end()
            if field["open"]:
                closing.append(_CLOSING[field["open"]])
                yield Entry(level, field["name"], "message")
                level += 1
            elif field["messages"]:
                closing.append("]")
                yield Entry(level, field["name"], "message")
            elif field["list"]:
                pos = _GAP.match(text, pos).end()  # type: ignore[union-attr]  # the pattern matches nothing, too
                yield Entry(level, field["name"], _shape_of_value(text[pos : pos + 1]))
                pos = _SCALARS.match(text, pos).end()  # type: ignore[union-attr]  # the pattern matches nothing, too
            else:
                has_lost_quote = level > 0 and not field["string"] and text[pos : pos + 1] in ('"', "'")
                yield Entry(level, field["name"], "string" if field["string"] or has_lost_quote else "bare")
                if has_lost_quote:  # `name: x"` inside of a message: the parser reports it better than the outline
                    return


def json_outline(text: str) -> Iterator[Entry]:
    """Yield the outline of a JSON object, with names as they are in the text."""
    level = -1
    for token in _JSON_TOKEN.finditer(text):
        if token["value"] is not None:
            yield Entry(level, token["name"][1:-1], _shape_of_value(token["value"]))
        elif not token["name"]:
            level += 1 if token[0] == "{" else -1


def _shape_of_value(start: str) -> Shape:
    """Return the shape of the value that begins with the character `start`.

    For a list, `start` is the first character of its first element, or "]" if the list is empty.
    """
    if start == "{":
        return "message"
    if start in ('"', "'"):
        return "string"
    return "" if start in ("]", "n", "") else "bare"
