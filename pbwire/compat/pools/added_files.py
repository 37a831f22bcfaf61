"""The FileDescriptorProtos that programs add to a pool: what they may leave out, and how two of them differ."""

from __future__ import annotations

from typing import Any

from ...proto.descriptor_messages import FieldDescriptorProto


def complete_fields(scope: Any) -> None:
    """Set the labels and types that fields of a file or a message lack: protobuf reads their defaults there.

    A field without a label is optional; one with neither a type nor the name of a type is a double. protoc always
    writes both.
    """
    for field in [*getattr(scope, "field", ()), *scope.extension]:
        if field.label is None:
            field.label = FieldDescriptorProto.Label.LABEL_OPTIONAL
        if field.type is None and field.type_name is None:
            field.type = FieldDescriptorProto.Type.TYPE_DOUBLE
    for message in getattr(scope, "message_type", ()) or getattr(scope, "nested_type", ()):
        complete_fields(message)


def first_lacking(proto: Any, other: Any) -> str:
    """Return the first message, enum, field or value of a declaration that another one lacks; empty if none."""
    for kind in ("message_type", "nested_type", "enum_type", "field", "value"):
        known = {part.name: part for part in getattr(other, kind, ())}
        for part in getattr(proto, kind, ()):
            lacking = first_lacking(part, known[part.name]) if part.name in known else part.name
            if lacking:
                return lacking if lacking == part.name else f"{part.name}.{lacking}"
    return ""
