"""Link files: collect symbols, resolve the names of types, interpret options, and check what protoc checks."""

from __future__ import annotations

import re
from typing import Any

from ..descriptor import json_name
from ..errors import ProtoError
from . import descriptor_messages as d
from .checks import check_enum, check_extension, check_message, check_names
from .editions import check_edition, hidden_from
from .features import default_features, inherit
from .lexer import shown
from .options import interpret
from .pool import LinkedFile, Pool, Symbol
from .source import SourceFile

TYPES = d.FieldDescriptorProto.Type
_is_name = re.compile(r"[A-Za-z_][A-Za-z0-9_]*").fullmatch
MAX_NESTING = 32
MAX_PACKAGE_DEPTH, MAX_PACKAGE_LENGTH = 101, 511  # as in protoc
MAX_NAME_LENGTH = 65_535  # of a full name, as in protoc
MAX_NAMES_LENGTH = 1 << 26  # of all full names of a file: a name of a message is part of those of its fields


def link(source: SourceFile, pool: Pool) -> LinkedFile:
    """Add a file to a pool that has its imports. Raises ProtoError, and then leaves nothing of it in the pool."""
    linker = _Linker(source, pool)
    try:
        return linker.run()
    except ProtoError:
        pool.forget(linker.file)
        raise


class _Linker:
    def __init__(self, source: SourceFile, pool: Pool) -> None:
        self.source = source
        self.pool = pool
        self.proto = source.descriptor
        proto = self.proto
        self.file = LinkedFile(
            source, self.visible(proto.dependency), self.visible([*proto.dependency, *proto.option_dependency])
        )
        self.options: list[tuple[Any, str, str]] = []  # options, their scope, and the name of their class
        self.names_length = 0

    def visible(self, imports: list[str]) -> set[str]:
        """Return the names of the files that are visible by these imports, which may import others publicly."""
        visible = {self.source.name}
        waiting = list(imports)
        while waiting:
            name = waiting.pop()
            if name not in visible and name in self.pool.files:
                visible.add(name)
                imported = self.pool.files[name].proto
                waiting += [imported.dependency[index] for index in imported.public_dependency]
        return visible

    def run(self) -> LinkedFile:
        proto = self.proto
        package = proto.package or ""
        self.package(package)
        self.has_options(proto, package, "FileOptions")
        for message in proto.message_type:
            self.message(message, package, None, 1)
        for enum in proto.enum_type:
            self.enum(enum, package, None)
        for extension in proto.extension:
            self.field(extension, package, None, "extension")
        for service in proto.service:
            self.service(service, package)
        self.resolve()
        for options, scope, name in self.options:
            interpret(options, scope, f"google.protobuf.{name}", self.file, self.pool, only_early=True)
        self.resolve_features()
        for options, scope, name in self.options:
            interpret(options, scope, f"google.protobuf.{name}", self.file, self.pool)
        check_edition(self.file, self.pool)
        for symbol in self.file.symbols:
            check_names(symbol, self.file)
        for symbol in self.file.symbols:
            if symbol.kind == "message":
                check_message(symbol, self.file, self.pool)
            elif symbol.kind == "enum":
                check_enum(symbol, self.file)
            elif symbol.kind == "extension":
                check_extension(symbol, self.file, self.pool)
        self.pool.files[self.source.name] = self.file
        return self.file

    # --- symbols -------------------------------------------------------------------------------------------------

    def package(self, package: str) -> None:
        name = ""
        if len(package) > MAX_PACKAGE_LENGTH or package.count(".") >= MAX_PACKAGE_DEPTH:
            limits = f"{MAX_PACKAGE_LENGTH} characters and {MAX_PACKAGE_DEPTH} parts"
            self.source.fail(f"the name of the package is too long: at most {limits}", self.proto, "package")
        for part in package.split(".") if package else ():
            if not _is_name(part):
                self.source.fail(f'"{shown(part)}" is not a name', self.proto, "package")
            name = f"{name}.{part}" if name else part
            symbol = self.pool.symbols.setdefault(name, Symbol("package", name, None, None))
            if symbol.kind != "package":
                self.source.fail(
                    f'the package "{name}" is {article(symbol.kind)} in another file', self.proto, "package"
                )
            self.pool.packages.setdefault(name, set()).add(self.source.name)

    def add(self, kind: str, proto: Any, scope: str, parent: Symbol | None) -> Symbol:
        name = proto.name or ""
        if not _is_name(name):
            self.source.fail(f'"{shown(name)}" is not a name', proto)
        full_name = f"{scope}.{name}" if scope else name
        self.names_length += len(full_name)
        if len(full_name) > MAX_NAME_LENGTH:
            self.source.fail(f"the full name has more than {MAX_NAME_LENGTH:,} characters", proto)
        if self.names_length > MAX_NAMES_LENGTH:
            self.source.fail(f"the full names of this file have more than {MAX_NAMES_LENGTH:,} characters", proto)
        known = self.pool.symbols.get(full_name)
        if known is not None:
            where = f" in {known.file.source.name}" if known.file and known.file is not self.file else ""
            self.source.fail(f'"{shown(full_name)}" is already defined{where}, as {article(known.kind)}', proto)
        symbol = Symbol(kind, full_name, proto, self.file, parent, default_features(self.proto))
        self.pool.symbols[full_name] = symbol
        self.file.symbols.append(symbol)
        return symbol

    def has_options(self, proto: Any, scope: str, name: str) -> None:
        if proto.options is not None:
            self.options.append((proto.options, scope, name))

    def message(self, proto: Any, scope: str, parent: Symbol | None, depth: int) -> None:
        if depth > MAX_NESTING:
            self.source.fail(f"messages are nested more than {MAX_NESTING} levels deep", proto)
        symbol = self.add("message", proto, scope, parent)
        name = symbol.full_name
        self.has_options(proto, name, "MessageOptions")
        for oneof in proto.oneof_decl:
            self.add("oneof", oneof, name, symbol)
            self.has_options(oneof, name, "OneofOptions")
        for field in proto.field:
            self.field(field, name, symbol, "field")
        for nested in proto.nested_type:
            self.message(nested, name, symbol, depth + 1)
        for enum in proto.enum_type:
            self.enum(enum, name, symbol)
        for extension in proto.extension:
            self.field(extension, name, symbol, "extension")
        for one in proto.extension_range:
            self.has_options(one, name, "ExtensionRangeOptions")

    def field(self, proto: Any, scope: str, parent: Symbol | None, kind: str) -> None:
        self.add(kind, proto, scope, parent)
        if proto.json_name is None:
            proto.json_name = json_name(proto.name)
            self.source.json_names.add(id(proto))
        self.has_options(proto, scope, "FieldOptions")

    def enum(self, proto: Any, scope: str, parent: Symbol | None) -> None:
        symbol = self.add("enum", proto, scope, parent)
        self.has_options(proto, symbol.full_name, "EnumOptions")
        for value in proto.value:  # values are siblings of their enum
            self.add("value", value, scope, symbol)
            self.has_options(value, symbol.full_name, "EnumValueOptions")

    def service(self, proto: Any, scope: str) -> None:
        symbol = self.add("service", proto, scope, None)
        self.has_options(proto, symbol.full_name, "ServiceOptions")
        for method in proto.method:
            self.add("method", method, symbol.full_name, symbol)
            self.has_options(method, symbol.full_name, "MethodOptions")

    # --- names ---------------------------------------------------------------------------------------------------

    def resolve(self) -> None:
        for symbol in self.file.symbols:
            scope = symbol.full_name.rpartition(".")[0]
            if symbol.kind in ("field", "extension"):
                self.resolve_field(symbol.proto, scope)
            if symbol.kind == "extension":
                self.resolve_extendee(symbol, scope)
            if symbol.kind == "method":
                for side in ("input", "output"):
                    found = self.type(symbol.proto, f"{side}_type", side, scope, ("message",))
                    if _is_entry(found):
                        problem = f'"{found.full_name}" is the type of the entries of a map'
                        self.source.fail(problem, symbol.proto, side)
                    setattr(symbol.proto, f"{side}_type", f".{found.full_name}")

    def type(self, proto: Any, attribute: str, what: str, scope: str, kinds: tuple[str, ...]) -> Symbol:
        name = getattr(proto, attribute) or ""
        found = self.pool.look_up(name, scope, self.file.visible, ("message", "enum"))
        if isinstance(found, str):
            problem = f'"{shown(name)}" is looked up as "{shown(found)}", which is not defined; write ".{shown(name)}"'
            self.source.fail(f"{problem} for the outermost scope", proto, what)
        if found is None:
            known = self.pool.symbols.get(name.lstrip("."))
            hint = f", but {known.file.source.name} defines it: import that file" if known and known.file else ""
            self.source.fail(f'"{shown(name)}" is not defined{hint}', proto, what)
        if found.kind not in kinds:
            self.source.fail(
                f'"{shown(name)}" is {article(found.kind)}, not {" or ".join(article(kind) for kind in kinds)}',
                proto,
                what,
            )
        if reason := hidden_from(found, self.file):
            self.source.fail(f'"{found.full_name}" is {reason}', proto, what)
        return found

    def resolve_field(self, proto: Any, scope: str) -> None:
        if proto.type_name is None:
            if proto.type is None or proto.type in (TYPES.TYPE_MESSAGE, TYPES.TYPE_GROUP, TYPES.TYPE_ENUM):
                self.source.fail("the field has no type", proto)
            return
        kinds = {None: ("message", "enum"), TYPES.TYPE_ENUM: ("enum",)}.get(proto.type, ("message",))
        if proto.type not in (None, TYPES.TYPE_ENUM, TYPES.TYPE_MESSAGE, TYPES.TYPE_GROUP):
            self.source.fail("a scalar has no type name", proto)
        symbol = self.type(proto, "type_name", "type", scope, kinds)
        if symbol.kind == "message" and _is_entry(symbol) and not self.is_own_entry(symbol, scope):
            self.source.fail(f'"{symbol.full_name}" is the type of the entries of a map', proto, "type")
        proto.type_name = f".{symbol.full_name}"
        if proto.type is None:
            proto.type = TYPES.TYPE_ENUM if symbol.kind == "enum" else TYPES.TYPE_MESSAGE
        if proto.default_value is not None:
            if symbol.kind != "enum":
                self.source.fail("a message has no default", proto, "default")
            if proto.default_value not in self.pool.numbers_of(symbol):
                problem = f'the enum "{symbol.full_name}" has no value "{shown(proto.default_value)}"'
                self.source.fail(problem, proto, "default")

    def is_own_entry(self, symbol: Symbol, scope: str) -> bool:
        return symbol.full_name.rpartition(".")[0] == scope and symbol.file is self.file

    def resolve_extendee(self, symbol: Symbol, scope: str) -> None:
        proto = symbol.proto
        extended = self.type(proto, "extendee", "extendee", scope, ("message",))
        proto.extendee = f".{extended.full_name}"
        numbers = self.pool.extensions.setdefault(extended.full_name, {})
        if (known := numbers.get(proto.number or 0)) is not None:
            problem = f'{proto.number} is already the number of the extension "{known.full_name}"'
            self.source.fail(f'{problem} of "{extended.full_name}"', proto, "number")
        numbers[proto.number or 0] = symbol

    # --- features ------------------------------------------------------------------------------------------------

    def resolve_features(self) -> None:
        self.file.features = inherit(default_features(self.proto), self.proto.options)
        for symbol in self.file.symbols:
            outer = symbol.parent.features if symbol.parent is not None else self.file.features
            if symbol.kind == "field" and symbol.proto.oneof_index is not None and symbol.parent is not None:
                oneofs = symbol.parent.proto.oneof_decl
                if not 0 <= symbol.proto.oneof_index < len(oneofs):
                    self.source.fail(f"there is no oneof {symbol.proto.oneof_index}", symbol.proto)
                outer = inherit(outer, oneofs[symbol.proto.oneof_index].options)
            symbol.features = inherit(outer, symbol.proto.options)


def _is_entry(symbol: Symbol) -> bool:
    return symbol.proto.options is not None and bool(symbol.proto.options.map_entry)


def article(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"
