"""JSON of what field paths lead to: of one value, or of many as one object."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator
from typing import Any

from pbwire.json import dumps, to_dict
from pbwire.json.names import json_name
from pbwire.message import Message

from ..messages import TYPES
from .field_paths import FieldPathError, Selected

__all__ = ["object_lines", "value_json"]


def object_lines(selected: Iterable[Selected]) -> Iterator[str]:
    """One object: the path of each as its key. Nothing comes before the first is found."""
    before = "{"
    for found in selected:
        text = value_json(found).replace("\n", "\n  ")
        yield f"{before}\n  {json.dumps(found.path)}: {text}"
        before = ","
    yield "{}" if before == "{" else "\n}"


def value_json(found: Selected) -> str:
    """A message, a list, a map or a single value as it stands in the JSON of the whole message."""
    if isinstance(found.value, Message):
        return dumps(found.value, types=TYPES)
    return json.dumps(_document(found), indent=2)


def _document(found: Selected) -> Any:
    value, field = found.value, found.field
    assert field is not None
    if isinstance(value, (str, bool)):
        return value
    if field.kind == "bytes" and not isinstance(value, (list, dict)):
        return b64encode(value).decode()
    if isinstance(value, (list, dict)):
        return _printed(found, value) if value else value
    if field.label == "repeated":
        return _printed(found, [value])[0]
    if field.key is not None:
        return next(iter(_printed(found, {field.key.zero: value}).values()))
    return _printed(found, value)


def _printed(found: Selected, value: Any) -> Any:
    """What a message prints in that field which has nothing else."""
    assert found.field is not None
    name = found.field.name
    is_single = not isinstance(value, (list, dict))
    if found.owner.__table__.full_name.startswith("google.protobuf."):
        raise FieldPathError(f"{found.path} is in a message that has a JSON form of its own; print the whole of it")
    holder = type(found.owner)(**{name: value})
    document = to_dict(holder, always_print_fields_with_no_presence=is_single, types=TYPES)
    return document[json_name(name)]
