"""Look up and replace entries of undecoded maps, and cut large fields out of undecoded messages, without decoding.

    wire_entry(node, "attr", "T")               # b"0\\x01": the encoded value; None without such a key
    wire_entries(node, "attr")                  # {b"T": [b"0\\x01"], ...}: all encoded values
    with_entry(node, "attr", "T", b"0\\x02")     # a copy of the node that shares everything else
    without_field(tensor, "tensor_content", 64) # the bytes of the other fields, and a view of the field

The keys of these maps are strings, and the values are messages. The results are the same as for a decoded message:
every value is returned in its deterministic encoding. A map is searched without decoding if each of its entries is a
key followed by a value, as all known writers encode it; otherwise the map is decoded.
"""

from __future__ import annotations

from itertools import islice
from typing import Any, NamedTuple, TypeAlias, TypeVar

from ..codec.buffers import MIN_BUFFER_BYTES, Buffer, encode_message
from ..codec.codegen import function
from ..codec.copy import share
from ..descriptor import Table
from ..errors import DecodeError
from ..kept import kept_up_to
from ..message import Message
from ..raw import walk
from ..states import PENDING, UNDECODED
from ..varints import write_varint
from ..wire import read_varint
from .messages import Deferred

M = TypeVar("M", bound=Message)

_MAX_SEARCHED_BYTES = 4096  # searching or copying more takes longer than decoding a map lazily
_MAX_REMEMBERED_BYTES = 256  # of a value that is remembered with its deterministic encoding
_MAX_REMEMBERED_VALUES = 4096  # most values in a graph are equal to others
_COMPARED_BYTES = 1 << 20  # at a time
_MAX_RECORDS = 16  # records of a message that are searched for a field
_KEY, _VALUE = 0x0A, 0x12  # the tags in an entry


_Place: TypeAlias = tuple[int, int, int]
"""The place of an entry in the input: the positions of its tag, of its value, and of the byte after the entry."""


class Cut(NamedTuple):
    """An undecoded message that is cut into one field and the others.

    other_fields    the encoding of the other fields
    value           the value of the field
    depth           the number of further levels of nesting that are allowed
    """

    other_fields: bytes
    value: memoryview
    depth: int


def wire_entry(message: Message, name: str, key: str) -> bytes | None:
    """Return the encoded value of a key, as `wire_entries` does; None if the map does not have it."""
    entries = _slot(message, name)
    if entries.__class__ is PENDING:
        field, data, depth, _, _, *spans = entries
        encoded_key = key.encode()
        if not _may_have_key(data, spans, encoded_key):
            return None
        places = _find_entries(data, spans, write_varint(field.tag))
        if places is not None:
            place = places.get(encoded_key)
            try:
                return None if place is None else b"".join(_encode_value(field.value.type, data, place, depth - 2))
            except DecodeError:
                pass  # raised again below, with its position in the whole input
        entries = getattr(share(message), name)
    value = entries.get(key) if entries else None
    return None if value is None else encode_message(value, True, partial=True).to_bytes()


def wire_entries(message: Message, name: str) -> dict[bytes, list[Buffer]]:
    """Return the encoded values of a map from strings to messages, by key.

    Equal values are equal bytes: the encoding is deterministic. Large values are not copied. Raises DecodeError if the
    map or one of its values is damaged.
    """
    entries = _slot(message, name)
    if entries.__class__ is PENDING:
        field, data, depth, _, _, *spans = entries
        places = _find_entries(data, spans, write_varint(field.tag))
        if places is not None:
            try:
                return {key: _encode_value(field.value.type, data, place, depth - 2) for key, place in places.items()}
            except DecodeError:
                pass  # raised again below, with its position in the whole input
        entries = getattr(share(message), name)
    return {
        key.encode(): encode_message(item, True, partial=True).to_buffers() for key, item in (entries or {}).items()
    }


def with_entry(message: M, name: str, key: str, value: bytes) -> M:
    """Return a copy of a message in which one entry of the map `name` is replaced or added.

    `value` is the encoded value. The copy shares all other content with the message. A small undecoded map that has the
    key stays undecoded. Raises DecodeError if the map is damaged.
    """
    changed = share(message)
    field = message.__table__.by_name[name]
    entries = getattr(changed, field.slot)
    if entries.__class__ is PENDING:
        _, data, depth, _, _, *spans = entries
        is_small = sum(spans[1::2]) - sum(spans[::2]) < _MAX_SEARCHED_BYTES
        place = (_find_entries(data, spans, write_varint(field.tag)) or {}).get(key.encode()) if is_small else None
        if place is not None:
            wire = _splice_entry(data, spans, place, field.tag, key.encode(), value)
            # None of these entries goes to the unknown fields, so the bytes of the whole message are not needed.
            setattr(changed, field.slot, (field, wire, depth, 0, 0, 0, len(wire)))
            return changed
    assert field.value is not None, "it is a map"
    setattr(changed, name, {**getattr(changed, name), key: field.value.type.from_bytes(value)})
    return changed


def without_field(message: Message, name: str, min_bytes: int) -> Cut | None:
    """Return an undecoded message cut into the bytes field `name` and the others; the message does not change.

    Return None if the message is decoded, smaller than `min_bytes`, or computed on demand; if the field does not occur
    exactly once; or if the message has too many records. The caller must then decode the message.
    """
    span: Any = message._unknown
    if (
        span.__class__ is not UNDECODED
        or len(span) != 4
        or span[3] - span[2] < min_bytes
        or span[0].__class__ is Deferred
    ):
        return None
    data, depth, start, end = span
    number = message.__table__.by_name[name].number
    try:
        records = list(islice(walk(data, start=start, end=end, max_depth=depth), _MAX_RECORDS + 1))
    except DecodeError:
        return None  # raised again, with the path to the field, when the message is decoded
    matching = [record for record in records if record.number == number]
    if len(records) > _MAX_RECORDS or len(matching) != 1:
        return None
    [record] = matching
    if record.depth or not isinstance(record.value, memoryview):
        return None  # inside an unknown group, or of another wire type
    return Cut(data[start : record.offset] + data[record.end : end], record.value, depth)


# --- undecoded maps --------------------------------------------------------------------------------------------------


def _slot(message: Message, name: str) -> Any:
    """Return the content of a map's slot: a dict, None, or the tuple that stands for undecoded entries."""
    return getattr(message, message.__table__.by_name[name].slot)


def _may_have_key(data: Any, spans: list[int], key: bytes) -> bool:
    """Return False if undecoded entries lack a key; True if they may include it, or are too large to search."""
    for start, end in zip(spans[::2], spans[1::2], strict=True):
        if end - start > _MAX_SEARCHED_BYTES or data.find(key, start, end) >= 0:
            return True
    return False


def _find_entries(data: Any, spans: list[int], tag: bytes) -> dict[bytes, _Place] | None:
    """Return the place of the last entry of every key; None if an entry is not in the usual form."""
    places: dict[bytes, _Place] = {}
    width = len(tag)
    for pos, end in zip(spans[::2], spans[1::2], strict=True):
        while pos < end:
            start = pos
            pos += width
            if data[start:pos] != tag:
                return None
            size = data[pos]
            pos += 1
            if size > 127:
                size, pos = read_varint(data, pos - 1, end)
            stop = pos + size
            if size < 4 or data[pos] != _KEY:
                return None
            key_end = pos + 2 + data[pos + 1]
            if data[pos + 1] > 127 or key_end + 1 >= stop or data[key_end] != _VALUE:
                return None
            size = data[key_end + 1]
            value = key_end + 2
            if size > 127:
                try:
                    size, value = read_varint(data, key_end + 1, stop)
                except DecodeError:
                    return None
            if value + size != stop:
                return None
            places[data[pos + 2 : key_end]] = start, value, stop
            pos = stop
    return places


def _splice_entry(data: Any, spans: list[int], place: _Place, tag: int, key: bytes, value: bytes) -> bytes:
    """Return the encoding of all entries, with another value in the entry at `place`."""
    head = b"\x0a%b%b\x12%b" % (write_varint(len(key)), key, write_varint(len(value)))
    entry = b"%b%b%b%b" % (write_varint(tag), write_varint(len(head) + len(value)), head, value)
    wire = b""
    entry_start, _, entry_stop = place
    for start, end in zip(spans[::2], spans[1::2], strict=True):
        inside = start <= entry_start < end
        wire += data[start:entry_start] + entry + data[entry_stop:end] if inside else data[start:end]
    return wire


def _encode_value(cls: Any, data: Any, place: _Place, depth: int) -> list[Buffer]:
    """Return the deterministic encoding of a value as buffers.

    If the value is large and has this encoding in the input, return a view of the input.
    """
    _, start, stop = place
    if stop - start <= _MAX_REMEMBERED_BYTES:
        return [_encoding(cls.__table__, data[start:stop], depth)]
    message = function(cls.__table__, "decode")(data, start, stop, depth)
    parts = encode_message(message, True, partial=True).to_buffers()
    if stop - start < MIN_BUFFER_BYTES or sum(map(len, parts)) != stop - start:
        return parts
    view, pos = memoryview(data), start
    for part in (memoryview(part) for part in parts):
        for offset in range(0, len(part), _COMPARED_BYTES):  # bytes are compared ten times as fast as views
            piece = bytes(part[offset : offset + _COMPARED_BYTES])
            if piece != bytes(view[pos : pos + len(piece)]):
                return parts
            pos += len(piece)
    return [view[start:stop]]


@kept_up_to(_MAX_REMEMBERED_VALUES)
def _encoding(table: Table, data: bytes, depth: int) -> bytes:
    return encode_message(function(table, "decode")(data, 0, len(data), depth), True, partial=True).to_bytes()
