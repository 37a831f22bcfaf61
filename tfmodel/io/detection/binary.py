"""Detect the message type of binary data: the type whose fields explain most of the bytes.

The fields of each candidate are compared with the first few records of the outer levels of nesting. A record is an
encoded field. It counts as explained if its field number is known, its wire type fits, and its value is plausible: text
is UTF-8 without control characters, an enum has a name, and a sub-message is explained in the same way. Wrong
candidates fail soon, because a field that is a number in one message is a string in another.

Bytes beyond the end of the examined part count neither for nor against a candidate, so a truncated file is still
recognised.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from typing import Any

from pbwire.descriptor import KINDS, Field, table_of
from pbwire.errors import DecodeError
from pbwire.wire import WireType, read_tag, read_varint, skip_field

from ..formats import best_class

__all__ = ["best", "explain_share", "first_fields"]

RECORDS = (16, 16, 8, 8, 4)  # examined records in each message, by level; deeper messages count as explained
WEIGHT = 64  # maximum weight of a value in bytes: a large tensor should not decide alone
DAMAGE = 24  # maximum weight of bytes that cannot be read
TEXT = 256  # examined bytes of a string

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def best(data: bytes) -> Any:
    """Return the most likely class of the message that begins with `data`; None if no class is likely."""
    return best_class(lambda cls: explain_share(data, cls))


def explain_share(data: bytes, cls: Any) -> float:
    """Return the share of a file's beginning that the fields of `cls` explain, from 0 to 1; 1 for an empty file."""
    known, total = _explain(memoryview(data), 0, len(data), table_of(cls).by_number, 0, True)
    return known / total if total else float(not data)


def first_fields(data: bytes, size: int) -> str:
    """Describe the first fields of wire-format data: "1: number, 4: 1,200 bytes"; empty for other data."""
    fields: list[str] = []
    pos = 0
    try:
        while pos < len(data) and len(fields) < 5:
            number, wire_type, pos = read_tag(data, pos, len(data))
            if wire_type == WireType.LENGTH:
                length, start = read_varint(data, pos, len(data))
                pos = start + length
                if pos > size:
                    return ""
                fields.append(f"{number}: {length:,} bytes")
            else:
                pos = skip_field(data, pos, len(data), number, wire_type)
                fields.append(f"{number}: {'group' if wire_type == WireType.START_GROUP else 'number'}")
    except DecodeError:
        return ""
    # Random bytes often begin like one or two records, so these alone are not enough.
    return f"fields {', '.join(fields)}{', ...' if pos < size else ''}" if pos == size or len(fields) == 5 else ""


def _explain(
    view: memoryview, pos: int, end: int, fields: Mapping[int, Field], level: int, open_ended: bool
) -> tuple[float, int]:
    """Return how many bytes of the message at `pos` are explained, and how many were examined.

    `fields` are the candidate's fields by number, and `level` is the depth of nesting. An open-ended message continues
    after `end`, where the examined part of the file ends.
    """
    known, total = 0.0, 0
    for _ in range(RECORDS[level]):
        if pos >= end:
            break
        start, field = pos, None
        try:
            number, code, pos = read_tag(view, pos, end)
            field = fields.get(number)
            value = pos
            if code == WireType.LENGTH:
                length, value = read_varint(view, pos, end)
                pos = value + length
            else:
                pos = skip_field(view, pos, end, number, code)
        except DecodeError as error:
            if not (open_ended and error.message.startswith("truncated") and (field or end - start < DAMAGE)):
                total += min(DAMAGE, end - start)
            break
        if pos > end and not open_ended:
            total += min(DAMAGE, end - start)
            break
        stop = min(pos, end)
        weight = min(WEIGHT, stop - start)
        inside = None if field is None else _fields_inside(field)
        if inside is not None and code == WireType.LENGTH and level + 1 < len(RECORDS):
            inner_known, inner_total = _explain(view, value, stop, inside, level + 1, pos > end)
            known += value - start + inner_known
            total += value - start + inner_total
        else:
            plausibility = 0.0 if field is None else _plausibility(field, code, view[value:stop], pos > end)
            if pos <= end or plausibility < 1:
                known += weight * plausibility
                total += weight
    return known, total


def _fields_inside(field: Field) -> Mapping[int, Field] | None:
    if field.key is not None and field.value is not None:
        return {1: field.key, 2: field.value}
    return table_of(field.type).by_number if field.kind == "message" else None


def _plausibility(field: Field, code: int, value: memoryview, cut: bool) -> float:
    """Return a score from 0 (the value cannot belong to the field) to 1 (the value is typical of the field).

    `code` is the wire type. `cut` is true if the end of the value is not in the examined part.
    """
    kind = KINDS[field.kind]
    if code == WireType.LENGTH and field.label == "repeated" and kind.packable:
        width = 4 if kind.wire_type == WireType.FIXED32 else 8
        is_complete = len(value) % width == 0 if kind.format else not len(value) or value[-1] < 128
        return 1 if is_complete or cut else 0
    if code != (WireType.LENGTH if field.label == "map" else kind.wire_type):
        return 0
    if field.kind == "string":
        try:
            text = codecs.utf_8_decode(value[:TEXT], "strict", len(value) <= TEXT and not cut)[0]
        except UnicodeDecodeError:
            return 0
        return 0.5 if _CONTROL.search(text) else 1
    if code == WireType.VARINT:
        number = read_varint(value, 0, len(value))[0]
        if field.kind == "enum":
            return 1 if number in field.type.__numbers__ else 0.5
        return 0.5 if field.kind == "bool" and number > 1 else 1
    return 1
