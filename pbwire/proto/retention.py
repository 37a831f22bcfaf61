"""Write options as protoc does, which decodes and encodes them again.

Options that are only for the source (`retention = RETENTION_SOURCE`) and zeros of fields without presence are left out,
and entries of maps have a key and a value.
"""

from __future__ import annotations

import struct
from typing import Any

from ..descriptor import END_GROUP, KINDS, LENGTH_DELIMITED, START_GROUP
from ..varints import write_varint
from ..wire import read_tag, read_varint, skip_field
from . import descriptor_messages as d
from .options import has_presence, is_packed
from .pool import Pool, Symbol

SOURCE = d.FieldOptions.OptionRetention.RETENTION_SOURCE
REPEATED = d.FieldDescriptorProto.Label.LABEL_REPEATED
TYPES = d.FieldDescriptorProto.Type


def descriptor_set(pool: Pool, names: list[str]) -> Any:
    """Return copies of files as protoc writes them. `names` are in the order of the result."""
    stripper = _Stripper(pool)
    result = d.FileDescriptorSet()
    for name in names:
        file = d.FileDescriptorProto.from_bytes(pool.files[name].proto.to_bytes())
        for part in _with_options(file):
            symbol = pool.symbols.get(part.options.__table__.full_name)
            if symbol is not None:
                encoded = part.options.to_bytes()
                stripped = stripper.strip(encoded, symbol)
                if stripped != encoded:
                    part.options = type(part.options).from_bytes(stripped) if stripped else None
        result.file.append(file)
    return result


def _with_options(part: Any) -> list[Any]:
    """Return all parts of a descriptor that have options."""
    found, waiting = [], [part]
    while waiting:
        part = waiting.pop()
        if getattr(part, "options", None) is not None:
            found.append(part)
        for field in part.__table__.fields:
            if field.is_message and field.label == "repeated":
                waiting += getattr(part, field.name)
    return found


class _Stripper:
    """Writes options in the order of their numbers, with parts of one message joined."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.numbers: dict[str, dict[int, tuple[Any, bool, bool]]] = {}

    def fields(self, symbol: Symbol) -> dict[int, tuple[Any, bool, bool]]:
        """Return the fields and extensions of a message by number, whether each is packed, and has presence."""
        if symbol.full_name not in self.numbers:
            own = (self.pool.symbols[f"{symbol.full_name}.{field.name}"] for field in symbol.proto.field)
            members = [*own, *self.pool.extensions.get(symbol.full_name, {}).values()]
            self.numbers[symbol.full_name] = {
                one.proto.number: (one.proto, is_repeated and is_packed(one.proto, one.features), has_presence(one))
                for one in members
                for is_repeated in (one.proto.label == REPEATED,)
            }
        return self.numbers[symbol.full_name]

    def strip(self, data: bytes, symbol: Symbol) -> bytes:
        fields = self.fields(symbol)
        records: dict[int, list[tuple[int, bytes]]] = {}  # wire types and payloads by number
        pos = 0
        while pos < len(data):
            number, wire_type, pos = read_tag(data, pos, len(data))
            body = pos
            pos = skip_field(data, pos, len(data), number, wire_type)
            if wire_type == LENGTH_DELIMITED:
                _, body = read_varint(data, body, pos)
            end = pos - len(write_varint(number << 3 | END_GROUP)) if wire_type == START_GROUP else pos
            records.setdefault(number, []).append((wire_type, data[body:end]))
        if symbol.proto.options is not None and symbol.proto.options.map_entry:
            for field in symbol.proto.field:
                records.setdefault(field.number, [_zero(field)])
        return b"".join(self.records(fields.get(number), number, records[number]) for number in sorted(records))

    def records(self, known: tuple[Any, bool, bool] | None, number: int, records: list[tuple[int, bytes]]) -> bytes:
        """Return the records of one field."""
        if known is None:
            return b"".join(_record(number, wire_type, payload) for wire_type, payload in records)
        field, packed, presence = known
        if field.options is not None and field.options.retention == SOURCE:
            return b""
        if packed:
            return _record(number, LENGTH_DELIMITED, b"".join(payload for _, payload in records))
        if field.label != REPEATED:
            is_message = field.type in (TYPES.TYPE_MESSAGE, TYPES.TYPE_GROUP)
            joined = b"".join(payload for _, payload in records) if is_message else records[-1][1]
            records = [(records[-1][0], joined)]
            is_zero = not joined if records[0][0] == LENGTH_DELIMITED else not any(joined)
            if is_zero and not presence:
                return b""
        if field.type in (TYPES.TYPE_MESSAGE, TYPES.TYPE_GROUP):
            symbol = self.pool.symbols[field.type_name[1:]]
            records = [(wire_type, self.strip(payload, symbol)) for wire_type, payload in records]
        return b"".join(_record(number, wire_type, payload) for wire_type, payload in records)


def _zero(field: Any) -> tuple[int, bytes]:
    """Return the wire type and the payload of a key or value of a map that is not given. An enum in a map has a 0."""
    kind = KINDS[TYPES(field.type).name.removeprefix("TYPE_").lower()]
    if kind.wire_type == LENGTH_DELIMITED:
        return LENGTH_DELIMITED, b""
    return kind.wire_type, bytes(struct.calcsize(f"<{kind.format}")) if kind.format else b"\0"


def _record(number: int, wire_type: int, payload: bytes) -> bytes:
    head = write_varint(number << 3 | wire_type)
    if wire_type == LENGTH_DELIMITED:
        return head + write_varint(len(payload)) + payload
    return head + payload + (write_varint(number << 3 | END_GROUP) if wire_type == START_GROUP else b"")
