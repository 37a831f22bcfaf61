"""Unusual encodings of a message: legal bytes with the same meaning.

    respelled(message, Random(7))                     # decodes to `message`
    respelled(message, Random(7), strangers=True)     # with unknown fields too, also within entries of maps

Tags, lengths and numbers take more bytes than necessary. Fields are in any order. Scalars are preceded by values that
they replace, members of a oneof by other members, entries of a map by entries of the same key. Sub-messages are split,
lists are packed, unpacked or both. Entries have key and value swapped, repeated, or omitted if they are zero.

`forms` is a strategy for them. Tests with fixed inputs use a seeded Random.
"""

from __future__ import annotations

import struct
from random import Random
from typing import Any, TypeVar

from hypothesis import strategies as st

from pbwire.table import Field, Message, table_of
from tests.support.wire_bytes import END, FIXED32, FIXED64, LENGTH, START, VARINT, tag, varint

__all__ = ["forms", "respelled"]

M = TypeVar("M", bound=Message)

FORMATS = {"double": "<d", "float": "<f", "fixed32": "<I", "fixed64": "<Q", "sfixed32": "<i", "sfixed64": "<q"}
WIRE_TYPES = {8: FIXED64, 4: FIXED32}
STRANGER = 1001  # a field number that the tables here do not use
TAG_SIZE, LENGTH_SIZE, NUMBER_SIZE = 5, 5, 10  # maximum bytes of unknown content


def forms(messages: st.SearchStrategy[M], *, strangers: bool = False) -> st.SearchStrategy[tuple[M, bytes]]:
    """Return a strategy for messages, each with another encoding."""
    seeds = st.integers(0, 1 << 32)
    return st.builds(lambda m, seed: (m, respelled(m, Random(seed), strangers=strangers)), messages, seeds)


def respelled(message: Any, random: Random, *, strangers: bool = False) -> bytes:
    """Return another encoding of a message. With `strangers`, it has additional unknown fields."""
    return _Speller(random, strangers).message(message)


class _Speller:
    def __init__(self, random: Random, strangers: bool) -> None:
        self.random = random
        self.strangers = strangers

    def often(self) -> bool:
        return self.random.random() < 0.5

    def seldom(self) -> bool:
        return self.random.random() < 0.15

    # --- messages ------------------------------------------------------------------------------------------------

    def message(self, message: Any) -> bytes:
        return b"".join(self.pieces(message))

    def pieces(self, message: Any) -> list[bytes]:
        """Return the records of a message, which can be split between any two."""
        table = table_of(type(message))
        queues: list[list[bytes]] = []
        for field in table.fields:
            value = getattr(message, field.name)
            if field.label == "map":
                queues += self.entries(field, value)
            elif field.label == "repeated":
                queues.append(self.many(field, value))
            elif field.oneof is None and (value is not None if field.presence else value or str(value) == "-0.0"):
                queues.append(self.single(field, value))
        for oneof, members in table.oneofs.items():
            chosen = message.which_oneof(oneof)
            if chosen is not None:
                others = [member for member in members if member.name != chosen and member.kind != "group"]
                before = [self.decoy(self.random.choice(others))] if others and self.seldom() else []
                queues.append(before + self.single(table.by_name[chosen], getattr(message, chosen)))
        if message.unknown_fields:
            queues.append([message.unknown_fields])
        if self.strangers and self.seldom():
            queues.append([self.stranger(STRANGER) for _ in range(self.random.randint(1, 2))])
        return self.shuffled(queues)

    def shuffled(self, queues: list[list[bytes]]) -> list[bytes]:
        """Merge queues of records at random; each keeps its order."""
        order = [number for number, queue in enumerate(queues) for _ in queue]
        if self.often():
            self.random.shuffle(order)
        waiting = [iter(queue) for queue in queues]
        return [next(waiting[number]) for number in order]

    # --- fields --------------------------------------------------------------------------------------------------

    def single(self, field: Field, value: Any) -> list[bytes]:
        """Return one or more records that together encode one value."""
        if field.kind in ("message", "group"):
            pieces = self.pieces(value)
            cut = self.random.randint(0, len(pieces)) if self.seldom() else 0
            parts = [pieces[:cut], pieces[cut:]] if cut else [pieces]
            return [self.delimited(field, b"".join(part)) for part in parts]
        before = [self.decoy(field)] if self.seldom() and not self.is_closed(field) else []
        return [*before, self.record(field, value)]

    def decoy(self, field: Field) -> bytes:
        """Return a record of a field with a value that a later record replaces."""
        if field.kind in ("message", "group"):
            return self.delimited(field, b"")
        values = {"string": "decoy", "bytes": b"decoy", "double": 0.5, "float": 0.5}
        return self.record(field, values.get(field.kind, 1))

    def is_closed(self, field: Field) -> bool:
        return field.kind == "enum" and field.type.__closed__

    def many(self, field: Field, values: list[Any]) -> list[bytes]:
        if field.kind in ("message", "group"):
            return [self.delimited(field, self.message(value)) for value in values]
        if field.kind in ("string", "bytes"):
            return [self.record(field, value) for value in values]
        records, at = [], 0
        while at < len(values):
            size = self.random.randint(1, len(values)) if self.often() else 0
            if size:
                run = b"".join(self.payload(field, value) for value in values[at : at + size])
                records.append(self.tag(field.number, LENGTH) + self.sized(run))
            else:
                records.append(self.record(field, values[at]))
            at += size or 1
        return records + [self.tag(field.number, LENGTH) + self.sized(b"")] * self.seldom()

    def entries(self, field: Field, values: dict[Any, Any]) -> list[list[bytes]]:
        """Return the records of every entry. A repeated entry replaces the previous one."""
        assert field.value is not None
        queues = []
        for key, value in values.items():
            other = field.value.type() if field.value.kind == "message" else value
            before = [self.entry(field, key, other)] if self.seldom() else []
            queues.append([*before, self.entry(field, key, value)])
            if self.strangers and self.seldom():
                queues.append([self.entry(field, key, value, self.stranger(STRANGER))])
        return queues

    def entry(self, field: Field, key: Any, value: Any, stranger: bytes = b"") -> bytes:
        assert field.key is not None and field.value is not None
        keys = [] if not key and self.often() else [self.record(field.key, key)]
        if keys and self.seldom():
            keys.insert(0, self.decoy(field.key))
        if field.value.kind == "message":
            parts = self.single(field.value, value)
        else:
            decoys = [self.decoy(field.value)] if self.seldom() and not self.is_closed(field.value) else []
            parts = [*decoys, self.record(field.value, value)]
        if (value == field.value.type() if field.value.kind == "message" else not value) and self.often():
            parts = [] if str(value) != "-0.0" and not self.is_closed(field.value) else parts
        records = self.shuffled([keys, parts]) if self.seldom() else [*keys, *parts]
        if stranger:
            records.insert(self.random.randint(0, len(records)), stranger)
        return self.tag(field.number, LENGTH) + self.sized(b"".join(records))

    def stranger(self, number: int) -> bytes:
        kind = self.random.randint(0, 3)
        if kind == 0:
            return self.tag(number, VARINT) + self.number(self.random.getrandbits(40))
        if kind == 1:
            return self.tag(number, LENGTH) + self.sized(b"\x22\x03abc")
        if kind == 2:  # a group in which records have the numbers of known fields
            inside = b"\x0a\x01T\x12\x02\x18\x01\x22\x04" + b"\x07" * 4
            return self.tag(number, START) + inside + self.tag(number, END)
        return self.tag(number, FIXED32) + b"\x0a\x01T\x12"

    # --- values --------------------------------------------------------------------------------------------------

    def delimited(self, field: Field, content: bytes) -> bytes:
        if field.kind == "group":
            return self.tag(field.number, START) + content + self.tag(field.number, END)
        return self.tag(field.number, LENGTH) + self.sized(content)

    def record(self, field: Field, value: Any) -> bytes:
        wire_type = LENGTH if field.kind in ("string", "bytes") else VARINT
        if field.kind in FORMATS:
            wire_type = WIRE_TYPES[struct.calcsize(FORMATS[field.kind])]
        return self.tag(field.number, wire_type) + self.payload(field, value)

    def payload(self, field: Field, value: Any) -> bytes:
        """Return the payload of a scalar, as behind a tag or in a packed list."""
        kind = field.kind
        if kind in FORMATS:
            return struct.pack(FORMATS[kind], value)
        if kind in ("string", "bytes"):
            return self.sized(value.encode() if kind == "string" else bytes(value))
        number = int(value)
        if kind == "bool" and value and self.seldom():
            number = self.random.choice([2, 128, 1 << 40])
        elif kind in ("sint32", "sint64"):
            number = number * 2 if number >= 0 else -number * 2 - 1
        elif kind in ("int32", "uint32") and self.seldom():
            number = number & 0xFFFFFFFF | self.random.getrandbits(31) << 32  # readers drop the upper half
        return self.number(number)

    def sized(self, content: bytes) -> bytes:
        return varint(len(content), size=self.random.randint(2, LENGTH_SIZE) if self.seldom() else 0) + content

    def number(self, number: int) -> bytes:
        return varint(number, size=self.random.randint(2, NUMBER_SIZE) if self.seldom() else 0)

    def tag(self, number: int, wire_type: int) -> bytes:
        return tag(number, wire_type, size=self.random.randint(2, TAG_SIZE) if self.seldom() else 0)
