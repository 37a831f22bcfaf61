"""Merge descriptors of the tables with those of newer .proto files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from pbwire import proto
from pbwire.compat.descriptors.file_protos import file_name
from pbwire.errors import ProtoError
from pbwire.proto import descriptor_messages as d
from pbwire.proto.pool import Pool, Symbol

__all__ = ["Merger"]


class Merger:
    """The merged descriptors of the modules.

    origins    the names of the .proto files by module
    names      the full names of all messages and enums, also nested ones
    """

    def __init__(self, old: dict[str, Any], new: Pool, added: list[str], package: str = "tfmodel._schema") -> None:
        self.new = new
        self.origins: dict[str, str] = {}
        self.names: set[str] = set()
        self._added: list[str] = []
        self._kept: list[str] = []
        self._files: dict[str, Any] = {}
        self._owners: dict[str, str] = {}  # modules by the full names of their top-level types
        for module, file in old.items():
            self.origins[module] = self._origin(file, f"{package}.{module}")
            self._files[module] = self._merged_file(file, self.origins[module])
        for name in added:
            self._add(name)
        self._add_references()
        for file in self._files.values():
            file.dependency = sorted(self._imports(file))

    def report(self) -> list[str]:
        """Return lines about what was added, what the .proto files do not have, and what has no table."""
        files = {self.new.symbols[name].file for name in self._owners if name in self.new.symbols}
        missing = sorted(
            symbol.full_name
            for symbol in self.new.symbols.values()
            if symbol.kind in ("message", "enum")
            and symbol.parent is None
            and symbol.file in files
            and symbol.full_name not in self._owners
        )
        lines = [f"added: {name}" for name in self._added]
        if self.new.files:
            lines += [f"kept, though the .proto files do not have it: {name}" for name in self._kept]
        return lines + [f"without a table: {name}" for name in missing]

    def descriptor_set(self) -> Any:
        """Return the files, imports first, with Google's files that they need."""
        ordered: dict[str, Any] = {}

        def put(name: str) -> None:
            module = name.removesuffix(".proto")
            if name in ordered:
                return
            if module not in self._files:
                ordered.update({file.name: file for file in proto.descriptors(name).file})
                return
            for needed in self._files[module].dependency:
                put(needed)
            ordered[name] = self._files[module]

        for module in self._files:
            put(f"{module}.proto")
        return d.FileDescriptorSet(file=list(ordered.values()))

    # --- files ---------------------------------------------------------------------------------------------------

    def _origin(self, file: Any, module: str) -> str:
        """Return the .proto file of a module: where the newer files have its first type, else as the table says."""
        for name in _top_level_names(file):
            if name in self.new.symbols:
                return self._file_of(name).source.name
        return file_name(module)

    def _file_of(self, name: str) -> Any:
        return self.new.symbols[name].file

    def _merged_file(self, old: Any, origin: str) -> Any:
        merged = d.FileDescriptorProto(name=old.name, package=old.package, syntax=old.syntax, edition=old.edition)
        if origin in self.new.files:
            newer = self.new.files[origin].proto
            merged.syntax, merged.edition = newer.syntax, newer.edition
        module = old.name.removesuffix(".proto")
        prefix = f"{old.package}." if old.package else ""
        for enum in old.enum_type:
            merged.enum_type.append(self._enum(enum, prefix))
            self._owners[prefix + enum.name] = module
        for message in old.message_type:
            merged.message_type.append(self._message(message, prefix))
            self._owners[prefix + message.name] = module
        return merged

    def _add(self, name: str) -> None:
        """Make a table of a top-level type of the newer files, in the module of its .proto file."""
        symbol = self.new.symbols.get(name)
        if symbol is None or symbol.kind not in ("message", "enum") or symbol.parent is not None:
            raise ProtoError(f"--add {name}: the .proto files have no message or enum of this name outside of messages")
        if name in self._owners:
            return
        file = self._file_of(name)
        module = next((one for one, origin in self.origins.items() if origin == file.source.name), None)
        if module is None:
            module = PurePosixPath(file.source.name).stem
            newer = file.proto
            self.origins[module] = file.source.name
            self._files[module] = d.FileDescriptorProto(
                name=f"{module}.proto", package=newer.package, syntax=newer.syntax, edition=newer.edition
            )
        self._owners[name] = module
        prefix = name.removesuffix(symbol.proto.name)
        self._added.append(name)
        if symbol.kind == "enum":
            self._files[module].enum_type.append(self._enum(_plain_enum(symbol.proto), prefix))
        else:
            self._files[module].message_type.append(self._message(_plain_message(symbol.proto), prefix))

    # --- messages and enums --------------------------------------------------------------------------------------

    def _symbol(self, full_name: str) -> Symbol | None:
        self.names.add(full_name)
        return self.new.symbols.get(full_name)

    def _message(self, old: Any, prefix: str) -> Any:
        full_name = prefix + old.name
        symbol = self._symbol(full_name)
        is_entry = old.options is not None and old.options.map_entry
        if symbol is None and not is_entry:
            self._kept.append(full_name)
        new = old if symbol is None else _plain_message(symbol.proto)
        merged = d.DescriptorProto(name=old.name, options=new.options, reserved_name=[*old.reserved_name])
        merged.field = self._merged(old.field, new.field, full_name, "number")
        merged.oneof_decl = [*new.oneof_decl]
        known = [oneof.name for oneof in new.oneof_decl]
        for field in merged.field:
            if field.oneof_index is not None and not any(field is one for one in new.field):
                name = old.oneof_decl[field.oneof_index].name
                if name not in known:
                    known.append(name)
                    merged.oneof_decl.append(d.OneofDescriptorProto(name=name))
                field.oneof_index = known.index(name)
        prefix = f"{full_name}."
        merged.nested_type = [self._message(one, prefix) for one in _united(old.nested_type, new.nested_type)]
        merged.enum_type = [self._enum(one, prefix) for one in _united(old.enum_type, new.enum_type)]
        return merged

    def _enum(self, old: Any, prefix: str) -> Any:
        full_name = prefix + old.name
        symbol = self._symbol(full_name)
        if symbol is None:
            self._kept.append(full_name)
        new = old if symbol is None else _plain_enum(symbol.proto)
        merged = d.EnumDescriptorProto(name=old.name, options=new.options)
        merged.value = self._merged(old.value, new.value, full_name, "name")
        return merged

    def _merged(self, old: list[Any], new: list[Any], full_name: str, key: str) -> list[Any]:
        """Return the fields or values of a type: the new ones in their order, each old one after its predecessor."""
        merged = list(new)
        before = {getattr(part, key) for part in old}
        self._added += [f"{full_name}.{part.name}" for part in new if getattr(part, key) not in before]
        present = {getattr(part, key) for part in new}
        previous: Any = None
        for part in old:
            if getattr(part, key) not in present:
                self._kept.append(f"{full_name}.{part.name}")
                position = next((i + 1 for i, one in enumerate(merged) if getattr(one, key) == previous), 0)
                merged.insert(position, part)
            previous = getattr(part, key)
        return merged

    # --- references ----------------------------------------------------------------------------------------------

    def _add_references(self) -> None:
        """Add tables of the types to which new fields refer, and of those to which these refer."""
        waiting = list(self._files)
        while waiting:
            for name in _references(self._files[waiting.pop()]):
                outermost = self._outermost(name)
                if not outermost.startswith("google.protobuf.") and outermost not in self._owners:
                    self._add(outermost)
                    waiting.append(self._owners[outermost])

    def _outermost(self, name: str) -> str:
        """Return the name of the top-level type around a type."""
        while name not in self._owners and (symbol := self.new.symbols.get(name)) and symbol.parent is not None:
            name = symbol.parent.full_name
        if name in self._owners or name in self.new.symbols or name.startswith("google.protobuf."):
            return name
        return next((owner for owner in self._owners if name.startswith(f"{owner}.")), name)

    def _imports(self, file: Any) -> Iterator[str]:
        found = {self._outermost(name) for name in _references(file)}
        for name in found:
            owner = self._owners.get(name)
            needed = f"{owner}.proto" if owner is not None else _GOOGLE[name]
            if needed != file.name:
                yield needed


def _google_files() -> dict[str, str]:
    from pbwire import wellknown

    return {
        f"google.protobuf.{name}": f"google/protobuf/{file}.proto"
        for file, names in wellknown.FILES.items()
        for name in names
    }


_GOOGLE = _google_files()


def _top_level_names(file: Any) -> list[str]:
    prefix = f"{file.package}." if file.package else ""
    return [prefix + one.name for one in (*file.message_type, *file.enum_type)]


def _united(old: list[Any], new: list[Any]) -> list[Any]:
    names = {one.name for one in old}
    return [*old, *(one for one in new if one.name not in names)]


def _references(scope: Any) -> Iterator[str]:
    """Yield the full names of the types of all fields in a file or message."""
    for message in scope.message_type if isinstance(scope, d.FileDescriptorProto) else scope.nested_type:
        yield from _references(message)
    if isinstance(scope, d.DescriptorProto):
        yield from (field.type_name[1:] for field in scope.field if field.type_name is not None)


# --- descriptors without what tables lack: reserved numbers, most options, extensions --------------------------------


def _plain_message(new: Any) -> Any:
    options = d.MessageOptions(map_entry=True) if new.options is not None and new.options.map_entry else None
    return d.DescriptorProto(
        name=new.name,
        field=[_plain_field(field) for field in new.field],
        oneof_decl=[d.OneofDescriptorProto(name=oneof.name) for oneof in new.oneof_decl],
        nested_type=[_plain_message(nested) for nested in new.nested_type],
        enum_type=[_plain_enum(enum) for enum in new.enum_type],
        options=options,
    )


def _plain_field(new: Any) -> Any:
    field = d.FieldDescriptorProto.from_bytes(new.to_bytes())
    field.options = None
    if new.options is not None and (new.options.packed is not None or new.options.features is not None):
        field.options = d.FieldOptions(packed=new.options.packed, features=new.options.features)
    return field


def _plain_enum(new: Any) -> Any:
    options = None
    if new.options is not None and (new.options.allow_alias is not None or new.options.features is not None):
        options = d.EnumOptions(allow_alias=new.options.allow_alias, features=new.options.features)
    values = [d.EnumValueDescriptorProto(name=value.name, number=value.number) for value in new.value]
    return d.EnumDescriptorProto(name=new.name, value=values, options=options)
