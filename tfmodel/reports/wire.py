"""The raw records of a file, its unknown fields, and the index of a checkpoint.

`wire_lines` lists the records of a file with their offsets, and the names of the fields that a table declares:

    offset  field              wire type  length  value
         0  1 node             LENGTH         36  NodeDef
         2    1 name           LENGTH          5  "Const"

`count_unknown_fields` counts the fields that no table declares, such as those of later .proto files. Messages keep
them, but text and JSON cannot express them.

`index_lines` lists the tensors in the index of a checkpoint, with their offsets in the data files.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from pbwire import raw
from pbwire.descriptor import KINDS, Field, Table
from pbwire.errors import DecodeError
from pbwire.message import Message
from pbwire.raw import Record, walk
from pbwire.text.literals import escape_bytes
from pbwire.text.scalars import double_text, float_text
from pbwire.wire import WireType, read_varint

from ..files.checkpoints.index import BundleIndex, Index
from ..values.dtypes import dtype_name
from ..values.formatting import shape_text
from ..values.terminal import align_columns, escape

FIELD_WIDTH = 34
MAX_BYTES = 60  # of a payload
MAX_VALUES = 8  # of a packed list

_LAYOUTS = {"double": "d", "float": "f", "fixed32": "I", "fixed64": "Q", "sfixed32": "i", "sfixed64": "q"}


def wire_lines(data: bytes, cls: Any = None, *, full: bool = False) -> Iterator[str]:
    """Yield a line for every record of `data` and of the messages in it. With `full`, values are not cut.

    Raises DecodeError at damaged data, after the lines for everything before it.
    """
    width = max(6, len(str(len(data))))
    yield f"{'offset':>{width}}  {'field':{FIELD_WIDTH}}  {'wire type':11}  {'length':>{width}}  value"
    for record in walk(data, cls=cls, guess=True):
        name = record.field.name if record.field else ""
        title = escape(f"{'  ' * record.depth}{record.number} {name}".rstrip())
        length = "" if record.value is None else str(record.length)
        yield (
            f"{record.offset:{width}}  {title:{FIELD_WIDTH}}  {record.wire_type.name:11}  {length:>{width}}  "
            f"{_value(record, full)}"
        ).rstrip()


def _value(record: Record, full: bool) -> str:
    field, value = record.field, record.value
    if value is None:
        return ""
    if isinstance(value, memoryview):
        cut = f"  ({len(value):,} bytes present)" if record.cut else ""
        return _payload(record, value, full) + cut
    if record.wire_type is WireType.VARINT:
        return _number(value, field)
    return _format_fixed(value, record.wire_type, field)


def _number(value: int, field: Field | None) -> str:
    kind = field.kind if field else ""
    if kind in ("sint32", "sint64"):
        return str((value >> 1) ^ -(value & 1))
    if kind == "bool":
        return "true" if value else "false"
    if kind == "enum" and field is not None:
        signed = _to_signed(value, 32)
        member = field.type.__numbers__.get(signed)
        return f"{signed} {member.name}" if member is not None else str(signed)
    if kind in ("int32", "int64"):
        return str(_to_signed(value, int(kind[3:])))
    if kind == "uint32":
        return str(value & 0xFFFFFFFF)
    return f"{value} ({value - 2**64})" if not kind and value >> 63 else str(value)


def _to_signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def _format_fixed(value: int, wire_type: WireType, field: Field | None) -> str:
    width = 4 if wire_type is WireType.FIXED32 else 8
    data = value.to_bytes(width, "little")
    if field is None:
        number = struct.unpack("<f" if width == 4 else "<d", data)[0]
        return f"0x{value:0{2 * width}x} ({float_text(number) if width == 4 else double_text(number)})"
    return _fixed_text(field.kind, struct.unpack(f"<{_LAYOUTS[field.kind]}", data)[0])


def _fixed_text(kind: str, value: Any) -> str:
    return float_text(value) if kind == "float" else str(value)


def _payload(record: Record, value: memoryview, full: bool) -> str:
    field = record.field
    if record.nested:
        if field is None:
            return "(looks like a message)"
        return "(map entry)" if field.label == "map" else str(field.type.__table__.full_name.rpartition(".")[2])
    if field is not None and field.label == "repeated" and KINDS[field.kind].packable:
        return _packed(field, value, full)
    shown = bytes(value if full else value[:MAX_BYTES])
    return f'"{escape_bytes(shown)}"{"..." if len(shown) < len(value) else ""}'


def _packed(field: Field, value: memoryview, full: bool) -> str:
    texts: list[str] = []
    pos = 0
    while pos < len(value) and (full or len(texts) <= MAX_VALUES):
        if field.kind in _LAYOUTS:
            layout = struct.Struct(f"<{_LAYOUTS[field.kind]}")
            if layout.size > len(value) - pos:
                break
            texts.append(_fixed_text(field.kind, layout.unpack_from(value, pos)[0]))
            pos += layout.size
        else:
            try:
                number, pos = read_varint(value, pos, len(value))
            except DecodeError:
                break
            texts.append(_number(number, field))
    return f"packed: {', '.join(texts[: None if full else MAX_VALUES])}{', ...' if pos < len(value) else ''}"


def count_unknown_fields(message: Message) -> Counter[tuple[str, int]]:
    """Return the numbers of unknown fields at any depth, by full name of the message and field number."""
    count: Counter[tuple[str, int]] = Counter()
    fields_by_class: dict[type, _MessageFields] = {}
    stack: list[Any] = [message]
    while stack:
        message = stack.pop()
        if message.unknown_fields:
            count.update(_numbers(message))
        cls = type(message)
        if cls not in fields_by_class:
            fields_by_class[cls] = _message_fields(cls.__table__)
        fields, oneofs = fields_by_class[cls]
        for name, is_map in fields:
            if value := getattr(message, name):
                if value.__class__ is list:
                    stack += value
                elif is_map:
                    stack += value.values()
                else:
                    stack.append(value)
        for case, slot, numbers in oneofs:
            if getattr(message, case) in numbers:
                stack.append(getattr(message, slot))
    return count


def _numbers(message: Message) -> list[tuple[str, int]]:
    name = message.__table__.full_name
    records = (record for record in raw.walk(message.unknown_fields) if record.wire_type is not WireType.END_GROUP)
    return [(name, record.number) for record in records if not record.depth]


class _MessageFields(NamedTuple):
    """The fields of a class that hold messages.

    fields    the names of fields outside of oneofs, each with whether it is a map
    oneofs    for each oneof, the names of its two slots (case and value), and the numbers of members with messages
    """

    fields: list[tuple[str, bool]]
    oneofs: list[tuple[str, str, set[int]]]


def _message_fields(table: Table) -> _MessageFields:
    def holds_messages(field: Field) -> bool:
        return (field.value or field).kind in ("message", "group")

    fields = [(field.name, field.label == "map") for field in table.fields if holds_messages(field) and not field.oneof]
    oneofs = [
        (members[0].case_slot, members[0].slot, {field.number for field in members if holds_messages(field)})
        for members in table.oneofs.values()
    ]
    return _MessageFields(fields, oneofs)


def index_lines(index: Index, *, full: bool = False) -> Iterator[str]:
    """Yield a header and a line for every tensor, safe to show on a terminal. With `full`, show checksums too."""
    return _bundle(index, full) if isinstance(index, BundleIndex) else _slices(index, full)


def _bundle(index: BundleIndex, full: bool) -> Iterator[str]:
    header = index.header
    shards = f"{header.num_shards:,} data file{'' if header.num_shards == 1 else 's'}"
    order = "big-endian" if header.endianness else "little-endian"
    version = f", version {header.version.producer}" if header.version else ""
    yield f"checkpoint index (V2): {_count(len(index.entries))} in {shards}, {order}{version}"
    yield ""

    parts: dict[str, list[tuple[str, Any]]] = {}
    for key, part in index.slices.items():
        parts.setdefault(key.name, []).append((f"  {key}", part))

    def rows() -> Iterator[tuple[str, ...]]:
        yield "name", "type", "shard", "offset", "size", *(["crc32c (masked)"] if full else []), ""
        for name, entry in index.entries.items():
            yield _row(name, entry, f"in {len(entry.slices):,} slices" if entry.slices else "")
            yield from (_row(key, part, "") for key, part in parts.get(name, ()))

    def _row(name: str, entry: Any, note: str) -> tuple[str, ...]:
        kind = f"{dtype_name(entry.dtype)}{shape_text(entry.shape)}"
        place = ["", "", ""] if entry.slices else [str(entry.shard_id), str(entry.offset), str(entry.size)]
        crc = [] if not full else [""] if entry.slices else [f"{entry.crc32c:08x}"]
        return escape(name), kind, *place, *crc, note

    yield from align_columns(rows(), right=(2, 3, 4), names=(0,), whole_names=full)


def _slices(index: Any, full: bool) -> Iterator[str]:
    version = f", version {index.meta.versions.producer}" if index.meta.versions else ""
    yield f"checkpoint (V1): {_count(len(index.meta.tensor))}{version}"
    yield ""

    def rows() -> Iterator[tuple[str, ...]]:
        yield "name", "type", "slices"
        for tensor in index.meta.tensor:
            kind = f"{dtype_name(tensor.type)}{shape_text(tensor.shape)}"
            yield escape(tensor.name), kind, " ".join(map(_slice_text, tensor.slice))

    yield from align_columns(rows(), names=(0,), whole_names=full)


def _slice_text(part: Any) -> str:
    """Return a slice as in graphs: `0,5:-` is five rows of all columns; `all` is the whole tensor."""
    extents = ["-" if (e.length is None or e.length < 0) else f"{e.start},{e.length}" for e in part.extent]
    return "all" if set(extents) <= {"-"} else ":".join(extents)


def _count(number: int) -> str:
    return f"{number:,} tensor{'' if number == 1 else 's'}"
