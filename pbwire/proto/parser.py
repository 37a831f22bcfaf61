"""From the text of a .proto file to its descriptor, without a look at other files.

https://protobuf.dev/reference/protobuf/edition-2023-spec. Types are names as they are written, and options are
uninterpreted: `linker` and `options` resolve both. Errors that one file shows by itself are found here: syntax, types
of keys, labels that the syntax forbids.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import descriptor_messages as d
from .features import is_2024_or_later
from .lexer import Lexer, Token, shown
from .option_parser import OptionParser
from .source import SourceFile
from .token_reader import MAX_NUMBER

MAX_NESTING = 32  # of messages, as in protoc
EDITIONS = {name: d.Edition[f"EDITION_{name}"] for name in ("2023", "2024", "2026")}
SCALARS = {
    name.removeprefix("TYPE_").lower(): kind
    for name, kind in d.FieldDescriptorProto.Type.__members__.items()
    if name not in ("TYPE_GROUP", "TYPE_MESSAGE", "TYPE_ENUM")
}
INTEGERS = {name for name in SCALARS if name.endswith(("32", "64"))}
VISIBILITIES = {
    name.removeprefix("VISIBILITY_").lower(): visibility
    for name, visibility in d.SymbolVisibility.__members__.items()
    if visibility
}
LABELS = {
    name.removeprefix("LABEL_").lower(): label for name, label in d.FieldDescriptorProto.Label.__members__.items()
}
OPTIONAL, REPEATED, REQUIRED = LABELS["optional"], LABELS["repeated"], LABELS["required"]


def parse(text: str, name: str) -> SourceFile:
    """Return the descriptor of a file with the positions of its declarations. Raises ProtoError."""
    return _Parser(text, name).file()


class _Parser(OptionParser):
    def __init__(self, text: str, name: str) -> None:
        lexer = Lexer(text, name)
        super().__init__(lexer, SourceFile(d.FileDescriptorProto(name=name), lexer))
        self.proto = self.source.descriptor
        self.depth = 0
        self.reserved_names: dict[int, set[str]] = {}  # by the identity of the message or the enum
        self.options_seen: dict[int, int] = {}  # by the identity of the message
        self.message_sets: set[int] = set()

    def place(self, part: Any, **places: Token) -> None:
        """Remember where a declaration is."""
        for what, token in places.items():
            self.source.places[id(part), what] = token

    def file(self) -> SourceFile:
        if self.at("syntax", "edition"):
            self.syntax_statement()
        while self.token.kind != "end":
            self.file_element()
        self.source.lexer = self.lexer
        return self.source

    def syntax_statement(self) -> None:
        keyword = self.next().text
        self.expect("=")
        token = self.token
        value = self.text("the syntax in quotes")
        if keyword == "edition":
            if value == "UNSTABLE":
                self.lexer.fail(f'edition "UNSTABLE" is for tests of protobuf; known: {", ".join(EDITIONS)}', token)
            if value not in EDITIONS:
                self.lexer.fail(f'edition "{shown(value)}" is unknown; known: {", ".join(EDITIONS)}', token)
            self.syntax, self.proto.edition, self.proto.syntax = "editions", EDITIONS[value], "editions"
        elif value in ("proto2", "proto3"):
            self.syntax = value
            self.proto.syntax = value if value == "proto3" else None
        else:
            self.lexer.fail(f'syntax "{shown(value)}" is unknown: it is "proto2" or "proto3"', token)
        self.expect_end(";")

    def visibility(self) -> Any:
        """Read the visibility of a message or an enum; None without one."""
        if not is_2024_or_later(self.proto) or not self.at(*VISIBILITIES):
            return None
        visibility = VISIBILITIES[self.next().text]
        if not self.at("message", "enum"):
            self.expected('"message" or "enum" after "export" or "local"')
        return visibility

    def file_element(self) -> None:
        visibility = self.visibility()
        token = self.token
        statements: dict[str, Callable[[], None]] = {
            "import": self.import_statement,
            "package": self.package_statement,
            "message": lambda: self.message(self.proto.message_type, visibility),
            "enum": lambda: self.enum(self.proto.enum_type, visibility),
            "service": self.service,
            "extend": lambda: self.extend(self.proto.extension, self.proto.message_type),
        }
        if self.take_end(";"):
            return
        if token.text == "option":
            if self.proto.options is None:
                self.proto.options = d.FileOptions()
            self.option_statement(self.proto.options)
        elif token.kind == "name" and token.text in statements:
            statements[token.text]()
        else:
            self.expected("a declaration, such as message, enum or import")

    def import_statement(self) -> None:
        self.next()
        proto, index, kind = self.proto, len(self.proto.dependency), self.token
        imports = proto.dependency
        if self.take("public"):
            proto.public_dependency.append(index)
        elif self.take("weak"):
            if is_2024_or_later(proto):
                self.lexer.fail("editions since 2024 have no weak imports: use import option", kind)
            proto.weak_dependency.append(index)
        elif self.take("option"):
            if not is_2024_or_later(proto):
                self.lexer.fail("imports for options need edition 2024", kind)
            imports = proto.option_dependency
        if proto.option_dependency and imports is proto.dependency:
            self.lexer.fail("imports for options follow all other imports", kind)
        token = self.token
        name = self.text("the name of a file in quotes")
        if name in self.source.imports:
            self.lexer.fail(f'"{shown(name)}" is imported twice', token)
        self.source.imports[name] = token
        imports.append(name)
        self.expect_end(";")

    def package_statement(self) -> None:
        token = self.next()
        if self.proto.package is not None:
            self.lexer.fail("a file has one package", token)
        name = self.full_name("the name of the package")
        if name.text.startswith("."):
            self.lexer.fail("the name of a package does not begin with a dot", name)
        self.proto.package = name.text
        self.source.places[id(self.proto), "package"] = name
        self.expect_end(";")

    def message(self, messages: list[Any], visibility: Any) -> None:
        self.next()
        name = self.name("the name of the message")
        message = d.DescriptorProto(name=name.text, visibility=visibility)
        messages.append(message)
        self.message_body(message, name)

    def message_body(self, message: Any, name: Token) -> None:
        if self.depth >= MAX_NESTING:
            self.lexer.fail(f"messages are nested more than {MAX_NESTING} levels deep", name)
        self.depth += 1
        self.expect_end("{", message)
        self.place(message, name=name)
        while not self.take_end("}"):
            if self.token.kind == "end":
                self.expected('"}"')
            self.message_element(message)
        self.depth -= 1
        if self.is_message_set(message):
            for one in message.extension_range:
                one.end = (1 << 31) - 1 if one.end == MAX_NUMBER + 1 else one.end
        _add_synthetic_oneofs(message)

    def message_element(self, message: Any) -> None:
        visibility = self.visibility()
        text = self.token.text if self.token.kind == "name" else ""
        if self.take_end(";"):
            return
        if text == "message":
            self.message(message.nested_type, visibility)
        elif text == "enum":
            self.enum(message.enum_type, visibility)
        elif text == "extend":
            self.extend(message.extension, message.nested_type)
        elif text == "oneof":
            self.oneof(message)
        elif text == "extensions":
            self.extensions(message)
        elif text == "reserved":
            self.reserved(message, d.DescriptorProto.ReservedRange, MAX_NUMBER, exclusive=1)
        elif text == "option":
            if message.options is None:
                message.options = d.MessageOptions()
            self.option_statement(message.options)
        else:
            self.field(message.field, message.nested_type)

    def oneof(self, message: Any) -> None:
        self.next()
        name = self.name("the name of the oneof")
        oneof = d.OneofDescriptorProto(name=name.text)
        index = len(message.oneof_decl)
        message.oneof_decl.append(oneof)
        self.expect_end("{", oneof)
        self.place(oneof, name=name)
        before = len(message.field)
        while not self.take_end("}"):
            if self.take_end(";"):
                continue
            if self.at("option"):
                if oneof.options is None:
                    oneof.options = d.OneofOptions()
                self.option_statement(oneof.options)
                continue
            if self.at(*LABELS):
                self.lexer.fail("members of a oneof have no label: they are optional")
            self.field(message.field, message.nested_type, oneof=index)
        if len(message.field) == before:
            self.lexer.fail(f"the oneof {name.text} has no members", name)

    def extend(self, fields: list[Any], groups: list[Any]) -> None:
        self.next()
        extendee = self.full_name("the name of the message to extend")
        self.expect_end("{")
        if self.at("}"):
            self.expected("an extension")
        while not self.take_end("}"):
            if not self.take_end(";"):
                field = self.field(fields, groups, extension=True)
                field.extendee = extendee.text
                self.source.places[id(field), "extendee"] = extendee

    def field(self, fields: list[Any], nested: list[Any], *, oneof: int | None = None, extension: bool = False) -> Any:
        label = self.token
        has_label = label.kind == "name" and label.text in LABELS
        field = d.FieldDescriptorProto(label=LABELS[label.text] if has_label else OPTIONAL)
        if has_label:
            self.next()
            self.check_label(field, label)
            if label.text == "optional" and self.syntax == "proto3":
                field.proto3_optional = True
        elif self.syntax == "proto2" and oneof is None and not self.at("map"):
            self.expected('"required", "optional" or "repeated"')
        if oneof is not None:
            field.oneof_index = oneof
        kind = self.full_name("a type")
        fields.append(field)
        if kind.text == "map" and self.at("<"):
            self.map_field(field, nested, kind, plain=not has_label and oneof is None and not extension)
        elif kind.text == "group" and self.syntax != "proto3":
            self.group(field, nested, kind)
        else:
            if kind.text in SCALARS:
                field.type = SCALARS[kind.text]
            else:
                field.type_name = kind.text
            name = self.field_tail(field)
            self.expect_end(";", field)
            self.place(field, name=name, type=kind)
        return field

    def check_label(self, field: Any, label: Token) -> None:
        if label.text == "required" and self.syntax == "proto3":
            self.lexer.fail("proto3 has no required fields", label)
        if self.syntax == "editions" and label.text in ("required", "optional"):
            feature = {"required": "LEGACY_REQUIRED", "optional": "EXPLICIT"}[label.text]
            hint = f"use features.field_presence = {feature}" if label.text == "required" else "fields are optional"
            self.lexer.fail(f'editions have no label "{label.text}": {hint}', label)

    def field_tail(self, field: Any) -> Token:
        """Read the name, the number and the options of a field."""
        name = self.name("the name of the field")
        field.name = name.text
        self.expect("=")
        self.source.places[id(field), "number"] = self.token
        field.number = self.integer("the number of the field", (1 << 31) - 1)
        self.field_options(field)
        return name

    def field_options(self, field: Any) -> None:
        if self.at("["):
            options = d.FieldOptions()
            self.bracket_options(options, field)
            if options.uninterpreted_option:
                field.options = options

    def group(self, field: Any, nested: list[Any], kind: Token) -> None:
        if self.syntax == "editions":
            self.lexer.fail("editions have no groups: use features.message_encoding = DELIMITED", kind)
        name = self.token
        self.field_tail(field)
        if not name.text[:1].isupper():
            self.lexer.fail("the name of a group begins with a capital letter", name)
        field.name, field.type_name = name.text.lower(), name.text
        field.type = d.FieldDescriptorProto.Type.TYPE_GROUP
        message = d.DescriptorProto(name=name.text)
        nested.append(message)
        self.place(field, name=name, type=name)
        self.message_body(message, name)

    def map_field(self, field: Any, nested: list[Any], kind: Token, *, plain: bool) -> None:
        if not plain:
            self.lexer.fail("a map has no label, and cannot be a member of a oneof or an extension", kind)
        self.expect("<")
        key = self.name("the type of the keys")
        if key.text not in INTEGERS | {"bool", "string"}:
            self.lexer.fail("keys of maps are integers, bools or strings", key)
        self.expect(",")
        value = self.full_name("the type of the values")
        self.expect(">")
        name = self.field_tail(field)
        self.expect_end(";", field)
        entry = d.DescriptorProto(name=_entry_name(name.text), options=d.MessageOptions(map_entry=True))
        for part, number, token in (("key", 1, key), ("value", 2, value)):
            row = d.FieldDescriptorProto(name=part, number=number, label=OPTIONAL)
            if token.text in SCALARS:
                row.type = SCALARS[token.text]
            else:
                row.type_name = token.text
            self.source.places[id(row), "type"] = token
            entry.field.append(row)
        nested.append(entry)
        field.label, field.type_name = REPEATED, entry.name
        self.source.places[id(entry), "name"] = name
        self.source.map_entries.add(id(entry))
        self.place(field, name=name, type=kind)

    def extensions(self, message: Any) -> None:
        self.next()
        ranges = []
        while True:
            start, end, token = self.number_range(self.maximum(message), exclusive=1)
            ranges.append(d.DescriptorProto.ExtensionRange(start=start, end=end))
            self.source.places[id(ranges[-1]), "name"] = token
            if not self.take(","):
                break
        message.extension_range += ranges
        if self.at("["):
            options = d.ExtensionRangeOptions()
            self.bracket_options(options)
            for one in ranges:
                one.options = d.ExtensionRangeOptions(uninterpreted_option=options.uninterpreted_option)
                self.source.places[id(one.options), "name"] = self.source.places[id(one), "name"]
        self.expect_end(";")

    def maximum(self, message: Any) -> int:
        """Return the largest number of an extension. That of a message set is the largest one of an int32."""
        return (1 << 31) - 2 if self.is_message_set(message) else MAX_NUMBER

    def is_message_set(self, message: Any) -> bool:
        """Return whether a message is a message set by its options so far, each of which is looked at once."""
        options = message.options.uninterpreted_option if message.options is not None else []
        for option in options[self.options_seen.get(id(message), 0) :]:
            is_flag = len(option.name) == 1 and option.name[0].name_part == "message_set_wire_format"
            if is_flag and option.identifier_value == "true":
                self.message_sets.add(id(message))
        self.options_seen[id(message)] = len(options)
        return id(message) in self.message_sets

    def number_range(self, maximum: int, *, exclusive: int, minimum: int = 0) -> tuple[int, int, Token]:
        token = self.token
        start = end = self.signed("a number or a range", minimum, maximum)
        if self.take("to"):
            end = maximum if self.take("max") else self.signed('a number or "max"', minimum, maximum)
        if end < start:
            self.lexer.fail("the range ends before it starts", token)
        return start, end + exclusive, token

    def reserved(self, scope: Any, range_class: Any, maximum: int, *, exclusive: int, minimum: int = 0) -> None:
        self.next()
        if self.token.kind == "string" or (self.token.kind == "name" and self.syntax == "editions"):
            as_names = self.token.kind == "name"
            known = self.reserved_names.setdefault(id(scope), set())
            if self.token.kind == "string" and self.syntax == "editions":
                self.lexer.fail("editions write reserved names without quotes")
            while True:
                token = self.token
                name = self.name("a name").text if as_names else self.text("a name in quotes")
                if name in known:
                    self.lexer.fail(f'"{shown(name)}" is reserved twice', token)
                known.add(name)
                scope.reserved_name.append(name)
                if not self.take(","):
                    break
        else:
            while True:
                start, end, token = self.number_range(maximum, exclusive=exclusive, minimum=minimum)
                scope.reserved_range.append(range_class(start=start, end=end))
                self.source.places[id(scope.reserved_range[-1]), "name"] = token
                if not self.take(","):
                    break
        self.expect_end(";")

    def enum(self, enums: list[Any], visibility: Any) -> None:
        self.next()
        name = self.name("the name of the enum")
        enum = d.EnumDescriptorProto(name=name.text, visibility=visibility)
        enums.append(enum)
        self.expect_end("{", enum)
        self.place(enum, name=name)
        while not self.take_end("}"):
            if self.take_end(";"):
                continue
            if self.at("option"):
                if enum.options is None:
                    enum.options = d.EnumOptions()
                self.option_statement(enum.options)
            elif self.at("reserved"):
                bounds = {"minimum": -(1 << 31), "maximum": (1 << 31) - 1}
                self.reserved(enum, d.EnumDescriptorProto.EnumReservedRange, exclusive=0, **bounds)
            else:
                self.enum_value(enum)

    def enum_value(self, enum: Any) -> None:
        name = self.name("the name of a value")
        value = d.EnumValueDescriptorProto(name=name.text)
        enum.value.append(value)
        self.expect("=")
        self.source.places[id(value), "number"] = self.token
        value.number = self.signed("the number of the value", -(1 << 31), (1 << 31) - 1)
        if self.at("["):
            value.options = d.EnumValueOptions()
            self.bracket_options(value.options)
        self.expect_end(";", value)
        self.place(value, name=name)

    def service(self) -> None:
        self.next()
        name = self.name("the name of the service")
        service = d.ServiceDescriptorProto(name=name.text)
        self.proto.service.append(service)
        self.expect_end("{", service)
        self.place(service, name=name)
        while not self.take_end("}"):
            if self.take_end(";"):
                continue
            if self.at("option"):
                if service.options is None:
                    service.options = d.ServiceOptions()
                self.option_statement(service.options)
            else:
                self.method(service)

    def method(self, service: Any) -> None:
        self.expect("rpc")
        name = self.name("the name of the method")
        method = d.MethodDescriptorProto(name=name.text)
        service.method.append(method)
        for side, keyword in (("input", ""), ("output", "returns")):
            if keyword:
                self.expect(keyword)
            self.expect("(")
            if self.take("stream"):
                setattr(method, "client_streaming" if side == "input" else "server_streaming", True)
            token = self.full_name("a message")
            setattr(method, f"{side}_type", token.text)
            self.source.places[id(method), side] = token
            self.expect(")")
        if self.at("{"):
            self.expect_end("{", method)
            method.options = d.MethodOptions()
            while not self.take_end("}"):
                if not self.take_end(";"):
                    self.option_statement(method.options, self.expect("option"))
        else:
            self.expect_end(";", method)
        self.place(method, name=name)


def _entry_name(name: str) -> str:
    """Return the name of the entries of a map field: "some_name" has "SomeNameEntry"."""
    parts: list[str] = []
    upper = True
    for character in name:
        if character == "_":
            upper = True
            continue
        parts.append(character.upper() if upper else character)
        upper = False
    return "".join(parts) + "Entry"


def _add_synthetic_oneofs(message: Any) -> None:
    """Give each `optional` field of proto3 a oneof of its own, after all others."""
    names = {field.name for field in message.field} | {oneof.name for oneof in message.oneof_decl}
    for field in message.field:
        if field.proto3_optional:
            name = field.name if field.name.startswith("_") else f"_{field.name}"
            while name in names:
                name = f"X{name}"
            names.add(name)
            field.oneof_index = len(message.oneof_decl)
            message.oneof_decl.append(d.OneofDescriptorProto(name=name))
