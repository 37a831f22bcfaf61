"""The collections of a model, decoded, as text, as tables and as JSON.

    for line in collection_lines(load("model.meta")):
        print(line)

    # losses: 1 name
    loss:0

    # variables: 2 VariableDefs
    VariableDef {
      variable_name: "w:0"
      ...

`collection_lines` shows messages in text format, `collection_tables` as tables; both show other values as plain text. A
value that does not decode is shown as it is stored, or in a table by its size. Lines are safe to show on a terminal.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any, NamedTuple

from pbwire import wellknown
from pbwire.errors import Error
from pbwire.json import to_dict
from pbwire.message import Message
from pbwire.text import dump

from ..messages import TYPES, CollectionDef
from ..source.collections import COLLECTIONS, Types, elements
from ..values.formatting import scalar_text
from ..values.terminal import align_columns, escape

MAX_WIDTH = 60  # characters of a cell of a table, unless `full`
MAX_ELEMENTS = 8  # of a list in a cell, and lines of names or numbers


class _Style(NamedTuple):
    """How values are shown.

    longest    characters of a string or cell; None for all
    limit      elements of a list; None for all
    types      the messages inside Any, by full name
    """

    longest: int | None
    limit: int | None
    types: Types


class _Part(NamedTuple):
    """A MetaGraph with the heading of its collections."""

    title: str
    meta: Any


def _parts(message: Message) -> list[_Part] | None:
    """Return the MetaGraphs of a model; None for other messages."""
    match message.__table__.full_name:
        case "tensorflow.MetaGraphDef":
            return [_Part("", message)]
        case "tensorflow.SavedModel":
            metas: list[Any] = message.meta_graphs  # type: ignore[attr-defined]  # as its full name says
            return [_Part(f"# MetaGraph {index}, {_tags_text(meta)}", meta) for index, meta in enumerate(metas)]
    return None


def _tags(meta: Any) -> list[str]:
    return list(meta.meta_info_def.tags) if meta.meta_info_def else []


def _tags_text(meta: Any) -> str:
    tags = _tags(meta)
    return f"tags: {escape(', '.join(tags))}" if tags else "without tags"


# --- lines -----------------------------------------------------------------------------------------------------------


def collection_lines(
    message: Message, *, longest: int | None = None, limit: int | None = None, types: Types = TYPES
) -> Iterator[str] | None:
    """Return the collections with their elements as text; None for a message other than a MetaGraphDef or SavedModel.

    `longest` and `limit` shorten strings and lists, as `longest` and `most` of `pbwire.text.dump` do; all messages of a
    collection are shown. `types` has the messages that an Any may hold, by full name.
    """
    parts = _parts(message)
    return None if parts is None else _section_lines(parts, _as_text, _Style(longest, limit, types))


def collection_tables(message: Message, *, full: bool = False, types: Types = TYPES) -> Iterator[str] | None:
    """Return the collections with messages as tables: a line for each message, a column for each field in use.

    Long values are cut unless `full` is true. Return None as `collection_lines` does.
    """
    parts = _parts(message)
    style = _Style(None, None, types) if full else _Style(MAX_WIDTH, MAX_ELEMENTS, types)
    return None if parts is None else _section_lines(parts, _as_table, style)


_View = Callable[[str, CollectionDef, _Style], Iterator[str]]


def _section_lines(parts: list[_Part], view: _View, style: _Style) -> Iterator[str]:
    headings = 0
    for title, meta in parts:
        sections: list[tuple[str, Iterator[str]]] = [
            (f"# {escape(name)}: {_count(name, collection)}", view(name, collection, style))
            for name, collection in sorted(meta.collection_def.items())
        ]
        if not sections:
            title = f"{title}: no collections" if title else "# no collections"
        for heading, lines in [(title, iter(()))] * bool(title) + sections:
            yield from [""] * (headings > 0) + [heading]
            yield from lines
            headings += 1


_NOUNS = {"any_list": "message", "bytes_list": "string", "node_list": "name"}


def _count(name: str, collection: CollectionDef) -> str:
    kind = collection.which_oneof("kind")
    number = len(getattr(collection, kind).value) if kind else 0
    if not number:
        return "empty"
    registered = COLLECTIONS.get(name) if kind == "bytes_list" else None
    noun = registered.__name__ if registered else _NOUNS.get(kind or "", "number")
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _as_text(name: str, collection: CollectionDef, style: _Style) -> Iterator[str]:
    if not _has_messages(name, collection):
        yield from _plain_lines(collection, style)
        return
    for value, problem in elements(name, collection, types=style.types):
        if problem:
            yield f"# {escape(problem)}"
        if isinstance(value, Message):
            yield f"{type(value).__name__} {{"
            yield from (f"  {line}" for line in _text_lines(value, style))
            yield "}"
        else:
            yield _plain_text(value, collection, style.longest)


def _has_messages(name: str, collection: CollectionDef) -> bool:
    """Return whether the elements are or should be messages."""
    kind = collection.which_oneof("kind")
    return kind == "any_list" or (kind == "bytes_list" and name in COLLECTIONS)


def _text_lines(message: Message, style: _Style) -> list[str]:
    pieces: list[str] = []
    dump(message, pieces.append, types=style.types, longest=style.longest, most=style.limit)
    return "".join(pieces).splitlines()


def _plain_lines(collection: CollectionDef, style: _Style) -> Iterator[str]:
    """Yield the first `style.limit` names, numbers or strings of a collection."""
    kind = collection.which_oneof("kind")
    values = getattr(collection, kind).value if kind else []
    for value in values[: style.limit]:
        yield _plain_text(value, collection, style.longest)
    if style.limit is not None and len(values) > style.limit:
        yield f"# {len(values):,} in all"


def _plain_text(value: Any, collection: CollectionDef, longest: int | None) -> str:
    field = getattr(collection, collection.which_oneof("kind") or "").__table__.by_name["value"]
    text = scalar_text(value, field, bare=True, longest=longest)
    if longest is None or field.kind not in ("string", "bytes") or len(value) <= longest:
        return text
    return f"{text} # {len(value):,} {'bytes' if field.kind == 'bytes' else 'characters'} in all"


# --- tables ----------------------------------------------------------------------------------------------------------


def _as_table(name: str, collection: CollectionDef, style: _Style) -> Iterator[str]:
    """Yield a table for each run of messages of one class, and a line for each other value."""
    if not _has_messages(name, collection):
        yield from (f"  {line}" for line in _plain_lines(collection, style))
        return
    for (cls, problem), run in groupby(
        elements(name, collection, types=style.types), key=lambda element: (type(element.value), element.problem)
    ):
        values = [value for value, _ in run]
        if issubclass(cls, Message) and not problem:
            if collection.any_list is not None:
                yield f"  {cls.__name__}"
            yield from _table(values, style, indent=2 if collection.any_list is None else 4)
            continue
        for value in values:
            is_any = isinstance(value, wellknown.Any)
            text = f"Any of {len(value.value):,} bytes" if is_any else _plain_text(value, collection, style.longest)
            yield f"  {text}  # {escape(problem)}"


def _table(messages: list[Message], style: _Style, *, indent: int) -> Iterator[str]:
    """Return a table with a column for each field that is set in a message, in declaration order."""
    rows = [
        {field.name: _cell(field, value, message, style) for field, value in message.ListFields()}
        for message in messages
    ]
    used = {name for row in rows for name in row}
    fields = [field for field in messages[0].__table__.fields if field.name in used]
    columns = [field.name for field in fields]
    if not columns:
        return iter([f"{' ' * indent}(empty)" for _ in messages])
    names = [column for column, field in enumerate(fields) if field.kind == "string"]
    table = [columns, *([row.get(name, "") for name in columns] for row in rows)]
    return align_columns(table, names=names, whole_names=style.longest is None, indent=indent)


def _cell(field: Any, value: Any, owner: Message, style: _Style) -> str:
    longest, limit, _ = style
    if isinstance(value, dict) or field.kind in ("message", "group"):
        if isinstance(value, list):
            value = value[:limit]
        lines = _text_lines(type(owner)(**{field.name: value}), style)
        text = " ".join(line.strip() for line in lines)
        return text if longest is None or len(text) <= longest else f"{text[:longest]}..."
    values = value if isinstance(value, list) else [value]
    shown = [scalar_text(element, field, bare=True, longest=longest) for element in values[:limit]]
    return ", ".join(shown + [f"... {len(values):,} in all"] * (len(shown) < len(values)))


# --- JSON ------------------------------------------------------------------------------------------------------------


def collections_json(message: Message, *, types: Types = TYPES) -> Iterator[str] | None:
    """Return one JSON document with the elements of each collection, or None as `collection_lines` does.

    For a MetaGraphDef it is `{"tags": [...], "collections": {...}}`, for a SavedModel `{"metaGraphs": [...]}`, a list
    of such objects. A value that cannot be decoded is base64, as bytes are, or an Any with base64 as its `value`.
    """
    parts = _parts(message)
    if parts is None:
        return None
    documents = [
        {
            "tags": _tags(meta),
            "collections": {name: _values(name, values, types) for name, values in sorted(meta.collection_def.items())},
        }
        for _, meta in parts
    ]
    is_one = message.__table__.full_name == "tensorflow.MetaGraphDef"
    return iter([json.dumps(documents[0] if is_one else {"metaGraphs": documents}, indent=2)])


def _values(name: str, collection: CollectionDef, types: Types) -> list[Any]:
    if collection.any_list is not None:
        return [_any_document(packed, types) for packed in collection.any_list.value]
    if collection.bytes_list is not None and name in COLLECTIONS:
        return [
            b64encode(value).decode() if problem else to_dict(value, types=types)
            for value, problem in elements(name, collection, types=types)
        ]
    listed: dict[str, Any] = next(iter(to_dict(collection).values()), {})
    return list(listed.get("value", ()))


def _any_document(packed: wellknown.Any, types: Types) -> Any:
    try:
        return to_dict(packed, types=types)
    except Error:  # of an unknown class, or damaged
        return {"@type": packed.type_url, "value": b64encode(packed.value).decode()}
