"""Hypothesis strategies made from tables: messages, their wire bytes in unusual encodings, and mutations of bytes.

    @given(messages(GraphDef))
    def test_decoding_what_was_encoded_gives_it_back(graph): ...

    @given(wire_bytes(GraphDef))                          # legal, but in unusual encodings
    def test_we_read_what_upb_reads(data): ...

    @given(wire_bytes(GraphDef).flatmap(mutations))       # or mutations(open(path, "rb").read())
    def test_damage_raises_nothing_but_decode_error(data): ...

Everything is drawn from `pbwire.table.table_of(cls)`, so a new kind of field is covered as soon as tables have it. Of
a message's fields a few are picked each time, rarely all, so that examples stay small and shrink well.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from hypothesis import strategies as st

from pbwire.table import Field, Message, table_of
from tests.support.wire_bytes import LENGTH, START, VARINT, fixed32, fixed64, group, tag, varint

__all__ = ["messages", "mutations", "records", "wire_bytes"]

M = TypeVar("M", bound=Message)
Draw = Callable[[st.SearchStrategy[Any]], Any]

MAX_FIELDS = 8  # fields picked in the outermost message, if not all are set
MAX_BELOW = 3  # fields picked in nested messages
LAST_NUMBER = 2**29 - 1
ENTRY_NUMBERS = frozenset({1, 2})  # key and value of a map's entry

INTEGERS = {
    "int32": (32, True),
    "int64": (64, True),
    "uint32": (32, False),
    "uint64": (64, False),
    "sint32": (32, True),
    "sint64": (64, True),
    "fixed32": (32, False),
    "fixed64": (64, False),
    "sfixed32": (32, True),
    "sfixed64": (64, True),
}
FIXED = {"double": "<d", "float": "<f", "fixed32": "<I", "fixed64": "<Q", "sfixed32": "<i", "sfixed64": "<q"}
_seldom = st.integers(0, 7).map(lambda n: n == 7)

AWKWARD_STRINGS = ["", "\0", "a" * 127, "é" * 64, "\U0001f600", "\uffff", "\"'\\\n\t\x7f", "ﬀ\u202e", "a/b:0", "^c"]
AWKWARD_BYTES = [b"", b"\0", b"\xff\xfe", b"\x80" * 128, "é".encode(), b"\xc0\x80", bytes(range(256))]


# --- messages ----------------------------------------------------------------------------------------------------


def messages(cls: type[M], *, max_depth: int = 3, unknown: bool = False, nan: bool = False) -> st.SearchStrategy[M]:
    """Instances of `cls` that can be encoded, with sub-messages down to `max_depth` levels.

    Each field may be absent or present, at most one member of each oneof is set, and required fields always are. A
    float fits into four bytes, an open enum may be a number without a name. With `nan`, floats may
    be NaN: such a message does not equal itself. With `unknown`, messages at every level may hold unknown fields: legal
    wire bytes whose numbers the table does not know.
    """
    return _messages(cls, max_depth, unknown, nan, MAX_FIELDS)


@st.composite
def _messages(draw: Draw, cls: type[Any], depth: int, unknown: bool, nan: bool, most: int = MAX_BELOW) -> Any:
    table = table_of(cls)
    chosen = {field.name: field for field in table.fields if field.required}
    if depth > 0:
        chosen |= {field.name: field for field in _some_of(draw, table.fields, most)}
    one_each = {field.oneof or field.name: field for field in chosen.values()}
    values = {field.name: draw(_contents(field, depth, unknown, nan)) for field in one_each.values()}
    if unknown and draw(st.booleans()):
        values["unknown_fields"] = draw(records(cls))
    message = cls(**values)
    if depth > 0 and table.extension_fields(table):
        extensions = table.extension_set(message)
        for field in _some_of(draw, extensions.__table__.fields, most):
            setattr(extensions, field.name, draw(_contents(field, depth, unknown, nan)))
    return message


def _some_of(draw: Draw, fields: tuple[Field, ...], most: int) -> list[Field]:
    """Draw the fields to be set, in random order. Sometimes the outermost message has all of them."""
    if not fields:
        return []
    if most == MAX_FIELDS and draw(_seldom):
        return draw(st.permutations(fields))
    return draw(st.lists(st.sampled_from(fields), unique=True, max_size=most))


def _contents(field: Field, depth: int, unknown: bool, nan: bool) -> st.SearchStrategy[Any]:
    """Draw a value for the attribute of a field."""
    if field.label == "map":
        assert field.key is not None and field.value is not None
        key, value = _value(field.key, 0, False, False), _value(field.value, depth - 1, unknown, nan)
        return st.dictionaries(key, value, max_size=3)
    value = _value(field, depth - 1, unknown, nan)
    if field.label == "singular":
        return value
    if field.kind in ("message", "group"):
        return st.lists(value, max_size=3)
    many = st.builds(lambda values, times: values * times, st.lists(value, min_size=1, max_size=3), st.just(50))
    return st.lists(value, max_size=4) | many  # `many` has a length that takes two bytes


def _value(field: Field, depth: int, unknown: bool, nan: bool) -> st.SearchStrategy[Any]:
    if field.kind in ("message", "group"):
        return _messages(field.type, depth, unknown, nan)
    return _members(field.type) if field.kind == "enum" else _scalars(field.kind, nan)


@cache
def _scalars(kind: str, nan: bool) -> st.SearchStrategy[Any]:
    match kind:
        case "double" | "float":
            width = 32 if kind == "float" else 64
            telling = [0.0, -0.0, 1.0, math.inf, -math.inf] + [math.nan] * nan
            return st.floats(width=width, allow_nan=nan) | st.sampled_from(telling)
        case "bool":
            return st.booleans()
        case "string":
            return st.text(max_size=20) | st.sampled_from(AWKWARD_STRINGS)
        case "bytes":
            return st.binary(max_size=20) | st.sampled_from(AWKWARD_BYTES)
        case _:
            bits, signed = INTEGERS[kind]
            low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
            edges = {0, 1, 127, 128, 16383, 16384, 1 << bits // 2, low, low + 1, high, high - 1, max(low, -1)}
            return st.integers(low, high) | st.sampled_from(sorted(edges))


@cache
def _members(cls: Any) -> st.SearchStrategy[Any]:
    """Draw a member of an enum; for an open enum also a number without a name."""
    members = st.sampled_from(list(cls))
    if cls.__closed__:
        return members
    return members | _scalars("int32", False).map(lambda number: cls.__numbers__.get(number, number))


_harmless = st.binary(max_size=12).map(
    lambda content: bytes(byte ^ 1 if byte & 7 == START else byte for byte in content)
)
"""Contents of unknown fields without a byte that could start a group: versions of protobuf print damaged groups in
different ways. `tests/pbwire/text/test_unknown_fields.py` has them."""


@st.composite
def records(draw: Draw, cls: type[Message], *, most: int = 3) -> bytes:
    """Draw legal unknown fields of `cls`, of any wire type. Their encoding may be longer than necessary."""
    table = table_of(cls)
    known = (
        frozenset(table.by_number) | {1} | getattr(table, "extensions", {}).keys()
    )  # 1 has the items of a MessageSet
    return b"".join(draw(_stranger(known, 2)) for _ in range(draw(st.integers(1, most))))


@st.composite
def _stranger(draw: Draw, known: frozenset[int], depth: int) -> bytes:
    """Draw an unknown field."""
    numbers = st.integers(1, LAST_NUMBER) | st.integers(1, 40) | st.sampled_from([2047, 2048, LAST_NUMBER])
    number = draw(numbers)
    while number in known:  # the next unused number; the first one follows the last
        number = number % LAST_NUMBER + 1
    return _any_field(draw, number, draw(st.sampled_from("01235" if depth > 0 else "0125")), depth)


def _any_field(draw: Draw, number: int, wire_type: str, depth: int) -> bytes:
    """Draw a field of that number and wire type, with arbitrary content."""
    size = draw(_tag_sizes)
    match wire_type:
        case "0":
            return tag(number, VARINT, size=size) + draw(_varints(_scalars("uint64", False)))
        case "1":
            return fixed64(number, draw(st.binary(min_size=8, max_size=8)))
        case "2":
            return tag(number, LENGTH, size=size) + _with_length(draw, draw(_harmless))
        case "5":
            return fixed32(number, draw(st.binary(min_size=4, max_size=4)))
        case _:
            inner = [draw(_stranger(frozenset(), depth - 1)) for _ in range(draw(st.integers(0, 2)))]
            return group(number, *inner)


# --- wire bytes --------------------------------------------------------------------------------------------------


def wire_bytes(cls: type[Message], *, max_depth: int = 3, nan: bool = False) -> st.SearchStrategy[bytes]:
    """Draw legal wire bytes of a `cls`: every decoder should accept them with the same meaning.

    They are built field by field, in any order: fields are repeated, sub-messages are split, lists are packed, unpacked
    or both; tags, lengths and numbers may take more bytes than necessary or have ignored bits; negative int32s have
    five bytes or ten; map entries lack keys or values, repeat or reverse them; members of a oneof replace each other;
    unknown fields, known fields of another wire type and unknown numbers of closed enums come in between. Required
    fields may be missing.
    """
    return _wire_bytes(cls, max_depth, nan, MAX_FIELDS)


@st.composite
def _wire_bytes(draw: Draw, cls: type[Message], depth: int, nan: bool, most: int = MAX_BELOW) -> bytes:
    fields = _some_of(draw, table_of(cls).fields, most) if depth > 0 else []
    pieces = [_occurrence(draw, field, depth, nan) for field in fields for _ in range(draw(_times))]
    if draw(_seldom):
        pieces.append(draw(records(cls, most=2)))
    if fields and draw(_seldom):
        pieces.append(_of_another_type(draw, fields[0]))
    return b"".join(draw(st.permutations(pieces)))


_times = st.sampled_from([1, 1, 1, 2, 3])
_tag_sizes = st.sampled_from([0, 0, 0, 0, 2, 3, 5])


def _occurrence(draw: Draw, field: Field, depth: int, nan: bool) -> bytes:
    """Draw the wire bytes of `field`."""
    size = draw(_tag_sizes)
    if field.label == "map":
        return tag(field.number, LENGTH, size=size) + _with_length(draw, _entry(draw, field, depth - 1, nan))
    if field.kind == "message":
        return tag(field.number, LENGTH, size=size) + _with_length(draw, draw(_submessage(field, depth, nan)))
    if field.kind == "group":
        return group(field.number, draw(_submessage(field, depth, nan)))
    if field.kind in ("string", "bytes"):
        return tag(field.number, LENGTH, size=size) + _payload(draw, field, nan)
    if field.label == "repeated" and draw(st.booleans()):
        values = [_payload(draw, field, nan) for _ in range(draw(st.integers(0, 4)))]
        return tag(field.number, LENGTH, size=size) + _with_length(draw, b"".join(values))
    wire_type = {"<d": 1, "<Q": 1, "<q": 1, "<f": 5, "<I": 5, "<i": 5}.get(FIXED.get(field.kind, ""), VARINT)
    return tag(field.number, wire_type, size=size) + _payload(draw, field, nan)


def _submessage(field: Field, depth: int, nan: bool) -> st.SearchStrategy[bytes]:
    return _wire_bytes(field.type, depth - 1, nan)


def _payload(draw: Draw, field: Field, nan: bool) -> bytes:
    """Draw the payload of a scalar or an enum, as behind a tag or in a packed list."""
    kind = field.kind
    if kind in FIXED:
        return struct.pack(FIXED[kind], draw(_scalars(kind, nan)))
    if kind == "string":
        return _with_length(draw, draw(_scalars(kind, nan)).encode())
    if kind == "bytes":
        return _with_length(draw, draw(_scalars(kind, nan)))
    if kind == "enum":
        return draw(_varints(_members(field.type) | _scalars("int32", False)))
    if kind == "bool":
        return draw(_varints(st.sampled_from([0, 1, 1, 2, 2**32, 2**63])))
    return draw(_varints(_scalars("uint64" if kind[0] in "us" else "int64", False)))


@st.composite
def _varints(draw: Draw, numbers: st.SearchStrategy[int]) -> bytes:
    """Draw a varint in its shortest form, in more bytes, in five bytes if negative, or with bits above the 64th."""
    number = int(draw(numbers))
    how = draw(st.sampled_from(["short"] * 4 + ["long", "five", "wide"]))
    if how == "five" and -(1 << 31) <= number < 0:
        return varint(number & 0xFFFFFFFF)
    shortest = varint(number)
    if how == "long":
        return varint(number, size=draw(st.integers(len(shortest), 10)))
    if how == "wide":
        longest = varint(number, size=10)
        return longest[:9] + bytes([longest[9] | draw(st.integers(0, 63)) << 1])
    return shortest


def _with_length(draw: Draw, data: bytes) -> bytes:
    size = draw(st.sampled_from([0, 0, 0, 0, 0, 0, 3, 4, 5]))
    return varint(len(data), size=size) + data


def _entry(draw: Draw, field: Field, depth: int, nan: bool) -> bytes:
    """Draw a map entry: usually one key and one value, in this order."""
    key, value = field.key, field.value
    assert key is not None and value is not None
    parts: list[Field | None] = draw(
        st.just([key, value]) | st.lists(st.sampled_from([key, value, key, value, None]), max_size=4)
    )
    return b"".join(
        draw(_stranger(ENTRY_NUMBERS, 1)) if part is None else _occurrence(draw, part, depth, nan) for part in parts
    )


def _of_another_type(draw: Draw, field: Field) -> bytes:
    """Draw a known field number with an invalid wire type, which makes the field unknown."""
    taken = {"double": "1", "fixed64": "1", "sfixed64": "1", "float": "5", "fixed32": "5", "sfixed32": "5"}
    delimited = field.label == "map" or field.kind in ("string", "bytes", "message")
    own = "2" if delimited else "3" if field.kind == "group" else taken.get(field.kind, "0")
    others = [w for w in "0135" if w != own] + ["2"] * (own not in "23" and field.label == "singular")
    return _any_field(draw, field.number, draw(st.sampled_from(others)), 1)


# --- mutations ---------------------------------------------------------------------------------------------------


@st.composite
def mutations(draw: Draw, data: bytes, *, most: int = 3) -> bytes:
    """Draw `data` with one to `most` mutations: bits flipped, bytes set, inserted, removed or moved, or truncation."""
    damaged = bytearray(data)
    for _ in range(draw(st.integers(1, most))):
        at = draw(st.integers(0, len(damaged)))
        stop = min(len(damaged), at + draw(st.integers(1, 8) | st.integers(1, 64)))
        match draw(st.sampled_from(["flip", "set", "insert", "delete", "truncate", "copy", "splice"])):
            case "flip" if at < len(damaged):
                damaged[at] ^= 1 << draw(st.integers(0, 7))
            case "set" if at < len(damaged):
                damaged[at] = draw(_bytes)
            case "insert":
                damaged[at:at] = bytes(draw(st.lists(_bytes, min_size=1, max_size=10)))
            case "delete":
                del damaged[at:stop]
            case "truncate":
                del damaged[at:]
            case "copy":
                damaged[at:at] = damaged[at:stop]
            case "splice":
                position = draw(st.integers(0, len(damaged)))
                damaged[position : position + stop - at] = damaged[at:stop]
    return bytes(damaged)


_bytes = st.integers(0, 255) | st.sampled_from([0x00, 0x01, 0x02, 0x07, 0x08, 0x0B, 0x0C, 0x7F, 0x80, 0x81, 0xFE, 0xFF])
