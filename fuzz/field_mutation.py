"""Mutations of single fields of wire format that correct the lengths of all enclosing fields.

    swapped = replaced(data, records(data), 7, b"")        # without its eighth field, at any depth

No tables are used: bytes that look like a message are treated as one (`pbwire.raw`).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import lru_cache

from pbwire import DecodeError
from pbwire.raw import walk
from pbwire.varints import write_varint
from pbwire.wire import WireType

from .byte_mutation import BYTES, EXTREMES, extreme_varint

__all__ = ["WAYS", "Place", "places", "replaced", "without"]

MAX_FIELDS = 2_000  # maximum of mutated fields of a file


class Place:
    """The position of a field: from its tag to its end, its value, and the `depth` enclosing places."""

    __slots__ = ("around", "depth", "end", "number", "offset", "start", "wire_type")

    def __init__(self, offset: int, start: int, end: int, number: int, wire_type: int, around: Place | None) -> None:
        self.offset, self.start, self.end = offset, start, end
        self.number, self.wire_type, self.around = number, wire_type, around
        self.depth: int = around.depth + 1 if around is not None else 0


@lru_cache(maxsize=256)  # the same seeds are mutated many times
def places(data: bytes, most: int = MAX_FIELDS) -> tuple[Place, ...]:
    """Return the fields of `data`, up to the first damage, in order: the content of groups, but not the groups."""
    fields: list[Place] = []
    around: list[Place] = []
    try:
        for record in walk(data, guess=True):
            del around[record.depth :]
            if record.cut or len(fields) >= most:
                break
            if record.wire_type == WireType.END_GROUP:
                continue
            outer = around[-1] if around else None
            place = Place(record.offset, record.start, record.end, record.number, record.wire_type, outer)
            if record.wire_type != WireType.START_GROUP:  # the end is not known yet
                fields.append(place)
            if record.nested:
                around.append(place)
    except DecodeError:
        pass
    return tuple(fields)


def replaced(data: bytes, place: Place, new: bytes) -> bytes:
    """Return `data` with other bytes in place of a field, and corrected lengths of all enclosing fields."""
    return _edited(data, {place: new})


def without(data: bytes, *gone: Place) -> bytes:
    """Return `data` without some fields, which are not nested in each other."""
    return _edited(data, dict.fromkeys(gone, b""))


def _edited(data: bytes, edits: dict[Place, bytes]) -> bytes:
    """Return `data` with new bytes in several places, applied in one pass from the last to the first."""
    touched = set(edits)
    for place in edits:
        outer = place.around
        while outer is not None and outer not in touched:
            touched.add(outer)
            outer = outer.around
    parts, end = [], len(data)
    grown = dict.fromkeys(touched, 0)  # by how many bytes the content of a place grows
    for place in sorted(touched, key=lambda place: place.offset, reverse=True):  # nested fields come first
        if place in edits:
            new, stop = edits[place], place.end
        elif place.wire_type == WireType.LENGTH:
            size = max(0, place.end - place.start + grown[place])
            new, stop = _head(place.number, WireType.LENGTH) + write_varint(size), place.start
        else:
            new, stop = data[place.offset : place.start], place.start  # a group has no length
        parts += [data[stop:end], new]
        end = place.offset
        if place.around is not None:
            grown[place.around] += grown[place] + len(new) - (stop - place.offset)
    return b"".join(reversed([*parts, data[:end]]))


def _head(number: int, wire_type: int) -> bytes:
    return write_varint(number << 3 | wire_type)


# --- mutations of fields -----------------------------------------------------------------------------------------


def _way(change: Callable[[bytes, Place, bytes, random.Random], bytes]) -> Callable[..., bytes]:
    """Return a mutation of files: `change` makes new bytes for one field."""

    def way(data: bytes, other: bytes, chance: random.Random) -> bytes:
        candidates = places(data)
        if not candidates:
            return data
        place = chance.choice(candidates)
        return replaced(data, place, change(data, place, other, chance))

    return way


def _delete(data: bytes, place: Place, other: bytes, chance: random.Random) -> bytes:
    return b""


def _repeat(data: bytes, place: Place, other: bytes, chance: random.Random) -> bytes:
    field = data[place.offset : place.end]
    return field * min(chance.choice((2, 2, 2, 3, 10, 100, 10_000)), max(2, 100_000 // max(1, len(field))))


def _extreme(data: bytes, place: Place, other: bytes, chance: random.Random) -> bytes:
    """Return an extreme number; for other fields, truncate or extend the payload."""
    head, value = _head(place.number, place.wire_type), data[place.start : place.end]
    if place.wire_type == WireType.VARINT:
        return head + extreme_varint(value[0] if value else 0, len(data), chance)
    if place.wire_type == WireType.LENGTH:
        value = chance.choice((b"", value[: len(value) // 2], value * 2, value + b"\0", bytes(len(value))))
        return head + write_varint(len(value)) + value
    size = 4 if place.wire_type == WireType.FIXED32 else 8
    return head + (chance.choice(EXTREMES) % (1 << 8 * size)).to_bytes(size, "little")


def _renumber(data: bytes, place: Place, other: bytes, chance: random.Random) -> bytes:
    """Put a value under another field number or wire type."""
    body = data[place.offset : place.end]
    near = (place.number + 1, max(1, place.number - 1))
    number = chance.choice((1, 2, 3, 4, 5, *near, chance.randrange(1, 40), 2**29 - 1))
    length = body[len(_head(place.number, place.wire_type)) :]
    return _head(number, chance.choice((place.wire_type,) * 6 + (0, 2, 5))) + length


def _exchange(data: bytes, place: Place, other: bytes, chance: random.Random) -> bytes:
    """Return another field, of this file or of another, under its own number or under this one."""
    source = chance.choice((data, other))
    candidates = places(source)
    if not candidates:
        return b""
    taken = chance.choice(candidates)
    body = source[taken.offset : taken.end]
    if chance.random() < 0.5 and taken.wire_type == place.wire_type:
        return _head(place.number, taken.wire_type) + body[len(_head(taken.number, taken.wire_type)) :]
    return body


def _nest(data: bytes, place: Place, other: bytes, chance: random.Random) -> bytes:
    """Nest the field in itself many times."""
    body = data[place.offset : place.end]
    for _ in range(chance.choice((1, 3, 50, 98, 99, 100, 101, 150))):
        body = _head(place.number, WireType.LENGTH) + write_varint(len(body)) + body
    return body


def _inside(data: bytes, place: Place, other: bytes, chance: random.Random) -> bytes:
    """Mutate the payload like other bytes."""
    value = chance.choice(BYTES)(data[place.start : place.end], other, chance)[:65536]
    if place.wire_type == WireType.LENGTH:
        return _head(place.number, WireType.LENGTH) + write_varint(len(value)) + value
    return _head(place.number, place.wire_type) + value


WAYS = tuple(map(_way, (_delete, _repeat, _extreme, _extreme, _renumber, _exchange, _nest, _inside)))
