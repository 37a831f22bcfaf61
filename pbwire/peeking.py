"""Looking into maps that were not decoded yet, and changing them, without decoding them.

    wire_entry(node, "attr", "T")               # b"0\\x01": a value as it is on the wire; None if there is none
    wire_entries(node, "attr")                  # {b"T": [b"0\\x01"], ...}: all of them
    with_entry(node, "attr", "T", b"0\\x02")     # another node, which shares all else

The maps are those from strings to messages. Entries that are not a key and a value, in this order, as everybody writes
them, are decoded after all.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

from .buffers import LARGE, Buffer, encoded
from .copying import share
from .errors import DecodeError
from .message import Message
from .numbers import write_varint
from .wire import read_varint

__all__ = ["wire_entries", "wire_entry", "with_entry"]

M = TypeVar("M", bound=Message)

_SMALL = 4096  # bytes: to decode a map lazily takes as long as to search or copy so many
_KEY, _VALUE = 0x0A, 0x12  # the tags in an entry


class _Place(NamedTuple):
    """Where an entry of a map is in the input: with its tag, its value, and what is behind it."""

    start: int
    value: int
    stop: int


def wire_entry(message: Message, name: str, key: str) -> bytes | None:
    """What the value of a key is on the wire, as for `wire_entries`; None if there is none."""
    entries = _slot(message, name)
    if entries.__class__ is tuple:
        _, data, _, *spans = entries
        wanted = key.encode()
        if not _may_have(data, spans, wanted):
            return None
        place = _find(data, spans, wanted)
        if place is not None:
            return data[place.value : place.stop]  # type: ignore[no-any-return]  # bytes, or a mmap, which gives them
        entries = getattr(share(message), name)
    value = entries.get(key) if entries else None
    return None if value is None else encoded(value, False).whole()


def wire_entries(message: Message, name: str) -> dict[bytes, list[Buffer]]:
    """A map from strings to messages: keys, and of each value the bytes that it is on the wire.

    What was not decoded is what whoever wrote it made of it. Values that are equal may differ where writers are free to
    choose, as in the order of maps within them. What is large is not copied. Raises DecodeError if the map is damaged.
    """
    entries = _slot(message, name)
    if entries.__class__ is tuple:
        found = _undecoded(*entries)
        if found is not None:
            return found
        entries = getattr(share(message), name)
    return {key.encode(): encoded(item, False).joined() for key, item in (entries or {}).items()}


def with_entry(message: M, name: str, key: str, value: bytes) -> M:
    """A message that shares with another what it holds, but for one entry of a map from strings to messages.

    `value` is what that is on the wire. A small map that was not decoded, and has the key, stays so. Raises DecodeError
    if it is damaged.
    """
    changed = share(message)
    field = message.__table__.by_name[name]
    entries = getattr(changed, field.slot)
    if entries.__class__ is tuple:
        _, data, depth, *spans = entries
        place = _find(data, spans, key.encode()) if sum(spans[1::2]) - sum(spans[::2]) < _SMALL else None
        if place is not None:
            wire = _spliced(data, spans, place, field.tag, key.encode(), value)
            setattr(changed, field.slot, (field, wire, depth, 0, len(wire)))
            return changed
    assert field.value is not None, "it is a map"
    setattr(changed, name, {**getattr(changed, name), key: field.value.type.from_bytes(value)})
    return changed


# --- maps that were not decoded --------------------------------------------------------------------------------------


def _slot(message: Message, name: str) -> Any:
    """What is behind the property of a map: a dict, None, or what stands for entries that were not decoded."""
    return getattr(message, message.__table__.by_name[name].slot)


def _may_have(data: Any, spans: list[int], key: bytes) -> bool:
    """Whether entries may have a key among them. It is not looked for in large ones."""
    for start, end in zip(spans[::2], spans[1::2], strict=True):
        if end - start > _SMALL or data.find(key, start, end) >= 0:
            return True
    return False


def _find(data: Any, spans: list[int], key: bytes) -> _Place | None:
    """The only entry of a key; None if there is none, or not in the usual form, or if there is another one."""
    head = b"\x0a%b%b\x12" % (write_varint(len(key)), key)
    found = None
    for pos, end in zip(spans[::2], spans[1::2], strict=True):
        while pos < end:
            start = pos
            size = data[pos + 1]
            pos += 2
            if size > 127:
                size, pos = read_varint(data, pos - 1, end)
            stop = pos + size
            value = pos + len(head)
            if value < stop and data[pos:value] == head:
                size, value = read_varint(data, value, stop)
                if value + size != stop or found is not None:
                    return None
                found = _Place(start, value, stop)
            elif not size or data[pos] != _KEY:
                return None
            pos = stop
    return found


def _spliced(data: Any, spans: list[int], place: _Place, tag: int, key: bytes, value: bytes) -> bytes:
    """Entries with another value in that place."""
    head = b"\x0a%b%b\x12%b" % (write_varint(len(key)), key, write_varint(len(value)))
    entry = b"%b%b%b%b" % (write_varint(tag), write_varint(len(head) + len(value)), head, value)
    wire = b""
    for start, end in zip(spans[::2], spans[1::2], strict=True):
        inside = start <= place.start < end
        wire += data[start : place.start] + entry + data[place.stop : end] if inside else data[start:end]
    return wire


def _undecoded(field: Any, data: Any, depth: int, *spans: int) -> dict[bytes, list[Buffer]] | None:
    """The entries of a map if all of them are in the usual form."""
    found: dict[bytes, list[Buffer]] = {}
    for pos, end in zip(spans[::2], spans[1::2], strict=True):
        while pos < end:
            size = data[pos + 1]
            pos += 2
            if size > 127:
                size, pos = read_varint(data, pos - 1, end)
            stop = pos + size
            if size < 4 or data[pos] != _KEY:
                return None
            key_end = pos + 2 + data[pos + 1]
            if data[pos + 1] > 127 or key_end + 1 >= stop or data[key_end] != _VALUE:
                return None
            size = data[key_end + 1]
            start = key_end + 2
            if size > 127:
                try:
                    size, start = read_varint(data, key_end + 1, stop)
                except DecodeError:
                    return None
            if start + size != stop:
                return None
            found[data[pos + 2 : key_end]] = [data[start:stop] if size < LARGE else memoryview(data)[start:stop]]
            pos = stop
    return found
