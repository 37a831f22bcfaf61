"""Google's well-known messages among loaded files: their classes are those of `pbwire.wellknown`.

So values of Python and messages of `pbwire.wellknown` can be assigned to their fields. A file of the same name that
declares other fields keeps classes of its own.
"""

from __future__ import annotations

from enum import EnumType
from typing import Any

from .. import wellknown
from ..descriptor import Field
from .descriptor_messages import FieldDescriptorProto
from .pool import Pool

FILES = {f"google/protobuf/{name}.proto": names for name, names in wellknown.FILES.items()}
"""The names of the messages and enums of Google's well-known files."""


def shared_classes(pool: Pool, files: set[str]) -> dict[str, Any]:
    """Return the classes of `pbwire.wellknown` for the messages and enums of these files of a pool, by full name.

    Files that are not Google's well-known ones have none, and those that declare anything else than they do.
    """
    shared: dict[str, Any] = {}
    for name in FILES.keys() & files:
        classes = {f"google.protobuf.{name}": getattr(wellknown, name) for name in FILES[name]}
        file = pool.files[name]
        protos = {symbol.full_name: symbol.proto for symbol in file.symbols}
        if file.syntax == "proto3" and all(
            full_name in protos and _declares(protos[full_name], cls) for full_name, cls in classes.items()
        ):
            shared |= classes
    return shared


def kind_name(field: Any) -> str:
    """Return the kind of a field in tables, such as "int32"."""
    return FieldDescriptorProto.Type(field.type).name.removeprefix("TYPE_").lower()


def _declares(proto: Any, cls: Any) -> bool:
    """Return whether a descriptor is that of a class, as far as values and encodings go."""
    if isinstance(cls, EnumType):
        return {value.name: value.number or 0 for value in proto.value} == dict(cls.__members__)
    oneofs = [oneof.name for oneof in proto.oneof_decl]
    entries = {f".google.protobuf.{cls.__name__}.{entry.name}": entry.field for entry in proto.nested_type}
    declared = {_declared_field(field, oneofs, entries) for field in proto.field}
    return declared == {_row_field(row) for row in cls.__table__.fields}


def _declared_field(field: Any, oneofs: list[str], entries: dict[str, Any]) -> tuple[object, ...]:
    parts = entries.get(field.type_name, [field])
    repeated = field.label == FieldDescriptorProto.Label.LABEL_REPEATED
    oneof = oneofs[field.oneof_index] if field.oneof_index is not None else None
    types = tuple((kind_name(part), part.type_name) for part in parts)
    return field.name, field.number, repeated, oneof, types


def _row_field(row: Field) -> tuple[object, ...]:
    parts = [part for part in (row.key, row.value) if part is not None] or [row]
    types = tuple((part.kind, part.type and f".google.protobuf.{part.type.__name__}") for part in parts)
    return row.text_name, row.number, row.label != "singular", row.oneof, types
