"""From table modules to the descriptors of their .proto files: what protoc would have made of them.

`file_proto(module)` is the FileDescriptorProto of one module. Comments and most options are not in tables.
"""

from __future__ import annotations

import enum
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from ... import wellknown
from ...descriptor import Field
from ...extensions import Extension
from ...proto import descriptor_messages as d
from ...table import entry_name
from ...text.literals import escape_bytes

_TYPES = d.FieldDescriptorProto.Type
_LABELS = d.FieldDescriptorProto.Label
_FEATURES = d.FeatureSet


def file_name(module: str) -> str:
    """Return the name of the .proto file of a table module: its docstring begins with it, if it has one."""
    document = (getattr(sys.modules.get(module), "__doc__", None) or "").partition(":")[0]
    return document if document.endswith(".proto") else f"{module.replace('.', '/')}.proto"


def public_classes(scope: Any, module: str) -> Iterator[tuple[str, Any]]:
    """Yield the full names and classes of the messages and enums that a module or a message declares."""
    for value in vars(scope).values():
        if isinstance(value, type) and value.__module__ == module:
            name = full_name(value)
            if name:
                yield name, value


def module_extensions(scope: Any) -> list[Extension[Any]]:
    """Return the extensions that a module declares, outside of messages, or that a message declares."""
    own = scope if isinstance(scope, type) else None
    return [one for one in vars(scope).values() if isinstance(one, Extension) and one.scope is own]


def full_name(cls: Any) -> str:
    """Return the full name of a message or an enum; empty for other classes."""
    if isinstance(cls, enum.EnumType):
        return str(getattr(cls, "__full_name__", ""))
    return str(cls.__table__.full_name) if "__table__" in vars(cls) else ""


def google_file(cls: Any) -> str:
    """Return the name of the .proto file of a well-known message or enum."""
    return f"google/protobuf/{next(file for file, names in wellknown.FILES.items() if cls.__name__ in names)}.proto"


def file_proto(module: ModuleType, package: str = "", name: str = "", names: Any = file_name) -> Any:
    """Return the FileDescriptorProto of a table module.

    With `package`, all messages are of this package, as in `compat_class`, and the file is `name`. `names` gives the
    name of the file of another table module.
    """
    return _Writer(module, package, name or file_name(module.__name__), names).file()


class _Writer:
    def __init__(self, module: ModuleType, package: str, name: str, names: Any) -> None:
        self.module = module.__name__
        self.classes = [cls for _, cls in public_classes(module, self.module)]
        self.extensions = module_extensions(module)
        self.package = package
        self.names = names
        self.imports: dict[str, None] = {}
        self.proto = d.FileDescriptorProto(name=name)

    def file(self) -> Any:
        proto = self.proto
        syntaxes = [cls.__table__.syntax for cls in self.classes if "__table__" in vars(cls)]
        closed = any(isinstance(cls, enum.EnumType) and cls.__closed__ for cls in self.classes)  # type: ignore[attr-defined]  # set by pb.enum
        self.syntax = syntaxes[0] if syntaxes else "proto2" if closed else "proto3"
        if self.syntax != "proto2":
            proto.syntax = self.syntax
        if self.syntax == "editions":
            proto.edition = d.Edition.EDITION_2023
        if self.classes:
            proto.package = self.renamed(full_name(self.classes[0])).rpartition(".")[0] or None
        for cls in self.classes:
            if isinstance(cls, enum.EnumType):
                proto.enum_type.append(self.enum(cls))
            else:
                proto.message_type.append(self.message(cls))
        proto.extension = [self.extension(one) for one in self.extensions]
        proto.dependency = sorted(self.imports)
        return proto

    def renamed(self, name: str) -> str:
        if not self.package or name.startswith("google.protobuf."):
            return name
        return self.package + name[name.index(".") :]

    def message(self, cls: Any) -> Any:
        table = cls.__table__
        proto = d.DescriptorProto(name=table.full_name.rpartition(".")[2])
        oneofs = list(table.oneofs)
        optional = [row for row in table.fields if row.optional and self.syntax == "proto3"]
        declared = [*oneofs, *(f"_{row.text_name}" for row in optional)]
        proto.oneof_decl = [d.OneofDescriptorProto(name=name) for name in declared]
        proto.reserved_name = sorted(table.reserved_names)
        for row in table.fields:
            field = self.field(row)
            if row.oneof:
                field.oneof_index = oneofs.index(row.oneof)
            elif row in optional:
                field.oneof_index, field.proto3_optional = len(oneofs) + optional.index(row), True
            proto.field.append(field)
            if row.label == "map":
                proto.nested_type.append(self.entry(row))
        if table.is_extendable:
            ranges = [d.DescriptorProto.ExtensionRange(one.start, one.stop) for one in table.extension_ranges]
            proto.extension_range = ranges
            if table.message_set:
                proto.options = d.MessageOptions(message_set_wire_format=True)
        proto.extension = [self.extension(one) for one in module_extensions(cls)]
        for _, inner in public_classes(cls, self.module):
            if isinstance(inner, enum.EnumType):
                proto.enum_type.append(self.enum(inner))
            else:
                proto.nested_type.append(self.message(inner))
        return proto

    def extension(self, extension: Extension[Any]) -> Any:
        table = extension.extendee.__table__
        field = self.field(table.names[extension.full_name])
        field.name, field.number, field.json_name = extension.name, extension.number, None
        field.extendee = self.reference(extension.extendee)
        return field

    def field(self, row: Field) -> Any:
        owner: Any = row.owner
        field = d.FieldDescriptorProto(name=row.text_name, number=row.number, json_name=row.json_name or None)
        field.label = _LABELS.LABEL_OPTIONAL if row.label == "singular" else _LABELS.LABEL_REPEATED
        if row.label == "map":
            field.type = _TYPES.TYPE_MESSAGE
            field.type_name = f".{self.renamed(owner.__table__.full_name)}.{entry_name(row)}"
            return field
        field.type = _type_of(row)
        if row.type is not None:
            field.type_name = self.reference(row.type)
        if row.default is not None:
            field.default_value = _default_text(row)
        if self.syntax == "editions":
            self.add_features(field, row)
        else:
            if row.required:
                field.label = _LABELS.LABEL_REQUIRED
            if row.label == "repeated" and bool(row.packed) != (self.syntax == "proto3") and _is_packable(row):
                field.options = d.FieldOptions(packed=bool(row.packed))
        return field

    def add_features(self, field: Any, row: Field) -> None:
        features = _FEATURES()
        if row.required:
            features.field_presence = _FEATURES.FieldPresence.LEGACY_REQUIRED
        if row.implicit:
            features.field_presence = _FEATURES.FieldPresence.IMPLICIT
        if row.label == "repeated" and _is_packable(row) and not row.packed:
            features.repeated_field_encoding = _FEATURES.RepeatedFieldEncoding.EXPANDED
        if row.kind == "group":
            field.type = _TYPES.TYPE_MESSAGE
            features.message_encoding = _FEATURES.MessageEncoding.DELIMITED
        if features != _FEATURES():
            field.options = d.FieldOptions(features=features)

    def entry(self, row: Field) -> Any:
        assert row.key is not None and row.value is not None
        proto = d.DescriptorProto(name=entry_name(row), options=d.MessageOptions(map_entry=True))
        for name, part in (("key", row.key), ("value", row.value)):
            type_name = self.reference(part.type) if part.type is not None else None
            kind = _type_of(part)
            number = 1 if name == "key" else 2
            proto.field.append(
                d.FieldDescriptorProto(
                    name=name, number=number, label=_LABELS.LABEL_OPTIONAL, type=kind, type_name=type_name
                )
            )
        return proto

    def enum(self, cls: Any) -> Any:
        proto = d.EnumDescriptorProto(name=cls.__full_name__.rpartition(".")[2])
        for name, member in cls.__members__.items():
            proto.value.append(d.EnumValueDescriptorProto(name=name, number=int(member)))
        options = d.EnumOptions()
        if len({value.number for value in proto.value}) < len(proto.value):
            options.allow_alias = True
        if self.syntax == "editions" and cls.__closed__:
            options.features = _FEATURES(enum_type=_FEATURES.EnumType.CLOSED)
        if options != d.EnumOptions():
            proto.options = options
        return proto

    def reference(self, cls: Any) -> str:
        if cls.__module__ == wellknown.__name__:
            self.imports[google_file(cls)] = None
        elif cls.__module__ != self.module:
            self.imports[self.names(cls.__module__)] = None
        return f".{self.renamed(full_name(cls))}"


def _type_of(row: Field) -> Any:
    return getattr(_TYPES, f"TYPE_{row.kind.upper()}")


def _is_packable(row: Field) -> bool:
    return row.kind not in ("string", "bytes", "message", "group")


def _default_text(row: Field) -> str:
    if row.kind == "enum":
        return str(row.type.__numbers__[row.default].name)
    if row.kind == "bool":
        return "true" if row.default else "false"
    return escape_bytes(row.default) if row.kind == "bytes" else str(row.default)
