"""Interpret options: from names and values as they are written to the fields of `FieldOptions` and others.

An option becomes a record of the wire format, which is decoded into the options message. Custom options, which are
extensions, stay records: they are `unknown_fields`, encoded as protoc encodes them.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, NoReturn

from ..descriptor import KINDS, LENGTH_DELIMITED, START_GROUP
from ..errors import DecodeError
from ..varints import write_varint
from . import descriptor_messages as d
from .features import Features
from .lexer import Lexer, shown, unquote
from .pool import LinkedFile, Pool, Symbol, is_message_set

TYPES = d.FieldDescriptorProto.Type
REPEATED = d.FieldDescriptorProto.Label.LABEL_REPEATED
MAX_NESTING = 32  # of values in braces
ZIGZAG = (TYPES.TYPE_SINT32, TYPES.TYPE_SINT64)
FLOATS = (TYPES.TYPE_FLOAT, TYPES.TYPE_DOUBLE)
Fail = Callable[[str], NoReturn]
Content = dict[int, Any]  # the numbers of the fields that options set, with the content of messages
FLOAT_WORDS = ("inf", "infinity", "nan")


EARLY = ("features", "map_entry", "message_set_wire_format", "packed")


def is_early(option: Any) -> bool:
    """Return whether the encoding of other options may depend on this one."""
    return bool(option.name) and option.name[0].name_part in EARLY and not option.name[0].is_extension


def interpret(
    options: Any, scope: str, class_name: str, file: LinkedFile, pool: Pool, *, only_early: bool = False
) -> None:
    """Replace the uninterpreted options of an options message by fields, or only those that others depend on.

    Raises ProtoError.
    """
    chosen = [option for option in options.uninterpreted_option if not only_early or is_early(option)]
    if not chosen:
        return
    symbol = pool.symbols.get(class_name)
    if symbol is None:
        file.source.fail(f'"{class_name}" is not defined: descriptor.proto is another file than Google\'s')
    interpreter = _Interpreter(scope, file, pool)
    declared: list[bytes] = []
    custom: list[bytes] = []
    seen: Content = {}
    for option in chosen:
        (custom if option.name[0].is_extension else declared).append(interpreter.record(option, symbol, seen))
    options.uninterpreted_option = [
        option for option in options.uninterpreted_option if only_early and not is_early(option)
    ]
    try:
        options.merge_from_bytes(b"".join(declared))
    except DecodeError as error:
        file.source.fail(f"the options are not valid: {error}")
    if custom:  # not decoded: a module of other files may have an option of the same number and another type
        options.unknown_fields += b"".join(custom)


class _Interpreter:
    def __init__(self, scope: str, file: LinkedFile, pool: Pool) -> None:
        self.scope = scope
        self.file = file
        self.pool = pool

    def record(self, option: Any, symbol: Symbol, seen: Content) -> bytes:
        """Return the encoding of an option in a message of type `symbol`, and add its fields to `seen`."""

        def fail(problem: str, what: str = "name") -> NoReturn:
            self.file.source.fail(problem, option, what)

        path: list[Any] = []
        name = ""
        for part in option.name:
            if path:
                if path[-1].type not in (TYPES.TYPE_MESSAGE, TYPES.TYPE_GROUP):
                    fail(f'the option "{shown(name)}" is not a message: it has no field "{shown(part.name_part)}"')
                if path[-1].label == REPEATED:
                    fail(f'the option "{shown(name)}" is repeated: set a whole message, in braces')
                symbol = self.pool.symbols[path[-1].type_name[1:]]
            written = f"({part.name_part})" if part.is_extension else part.name_part
            name = f"{name}.{written}" if name else written
            field = self.field(part.name_part, part.is_extension, symbol)
            if field is None or (not path and field.name == "uninterpreted_option"):
                fail(f'the option "{shown(name)}" is unknown')
            path.append(field)
        for field in path[:-1]:
            seen = seen.setdefault(field.number, {})
        if path[-1].number in seen and path[-1].label != REPEATED:
            fail(f'the option "{shown(name)}" is set twice')
        record, seen[path[-1].number] = self.value(path[-1], option, fail)
        for field in reversed(path[:-1]):
            record = self.wrap(field, record)
        return record

    def wrap(self, field: Any, body: bytes) -> bytes:
        """Return the record of a message. Extensions of a message set are groups with a number and a message."""
        extended = self.pool.symbols.get((field.extendee or "")[1:])
        if extended is not None and is_message_set(extended.proto):
            return b"\x0b\x10" + write_varint(field.number) + b"\x1a" + write_varint(len(body)) + body + b"\x0c"
        return _wrap(field, body, delimited=self.is_group(field))

    def field(self, name: str, is_extension: bool, symbol: Symbol) -> Any:
        """Return the field or the extension with this name in a message."""
        if not is_extension:
            return self.pool.fields_of(symbol).get(name)
        found = self.find_extension(name)
        if not isinstance(found, Symbol) or found.kind != "extension":
            return None
        return found.proto if found.proto.extendee == f".{symbol.full_name}" else None

    def find_extension(self, name: str) -> Symbol | str | None:
        return self.pool.look_up(name, self.scope, self.file.visible_to_options, ("extension",))

    def is_group(self, field: Any) -> bool:
        if field.type == TYPES.TYPE_GROUP:
            return True
        features = field.options.features if field.options is not None else None
        return features is not None and features.message_encoding == d.FeatureSet.MessageEncoding.DELIMITED

    # --- values --------------------------------------------------------------------------------------------------

    def value(self, field: Any, option: Any, fail: Callable[[str, str], NoReturn]) -> tuple[bytes, Content]:
        """Return the record of an option with its value, and the fields that the value sets."""

        def fail_at_value(problem: str) -> NoReturn:
            fail(problem, "value")

        if field.type in (TYPES.TYPE_MESSAGE, TYPES.TYPE_GROUP):
            if option.aggregate_value is None:
                fail_at_value(f'"{field.name}" is a message: write its fields in braces')
            body, content = _Aggregate(option.aggregate_value, self, fail_at_value).whole(field.type_name[1:])
            return self.wrap(field, body), content
        if option.aggregate_value is not None:
            fail_at_value(f'"{field.name}" is not a message')
        word = option.identifier_value
        if option.string_value is not None:
            value: Any = option.string_value
        elif word is not None:
            value = word
        else:
            numbers = (option.positive_int_value, option.negative_int_value, option.double_value)
            value = next(number for number in numbers if number is not None)
            value = abs(value) if value != value else value  # protoc writes no sign of nan here
        return _tagged(field, self.scalar(field, value, fail_at_value)), {}

    def scalar(self, field: Any, value: Any, fail: Fail) -> bytes:
        """Return the encoding of a scalar: bytes for a string, a str for a word, or a number."""
        kind = field.type
        name = TYPES(kind).name.removeprefix("TYPE_").lower()
        wanted = KINDS[name]
        if kind in (TYPES.TYPE_STRING, TYPES.TYPE_BYTES):
            if not isinstance(value, bytes):
                fail(f'"{field.name}" is a {name}: write it in quotes')
            if kind == TYPES.TYPE_STRING:
                _check_utf8(value, fail)
            return write_varint(len(value)) + bytes(value)
        if isinstance(value, bytes):
            fail(f'"{field.name}" is a {name}, not a string')
        if kind == TYPES.TYPE_ENUM:
            return write_varint(self.enum_number(field, value, fail) & ((1 << 64) - 1))
        if kind == TYPES.TYPE_BOOL:
            if value not in ("true", "false"):
                fail(f'"{field.name}" is true or false')
            return b"\x01" if value == "true" else b"\x00"
        if kind in FLOATS:
            if isinstance(value, str) and value.lower() not in FLOAT_WORDS:
                fail(f'"{field.name}" is a number')
            return _float(float(value), single=kind == TYPES.TYPE_FLOAT)
        if not isinstance(value, int) or isinstance(value, bool):
            fail(f'"{field.name}" is an integer')
        low, high = wanted.bounds or (0, 0)
        if not low <= value <= high:
            fail(f"{value} does not fit: {name} is {low:,} to {high:,}")
        if kind in ZIGZAG:
            return write_varint(value << 1 if value >= 0 else (-value << 1) - 1)
        return struct.pack("<" + wanted.format, value) if wanted.format else write_varint(value & ((1 << 64) - 1))

    def enum_number(self, field: Any, value: Any, fail: Fail) -> int:
        enum = self.pool.symbols[field.type_name[1:]]
        if isinstance(value, str) and value in self.pool.numbers_of(enum):
            return self.pool.numbers_of(enum)[value]
        if not isinstance(value, str):
            fail(f'"{field.name}" is a name of "{enum.full_name}", not a number')
        fail(f'the enum "{enum.full_name}" has no value "{shown(value)}"')


def is_packed(field: Any, features: Features) -> bool:
    """Return whether a repeated field or extension with these features is packed."""
    if not KINDS[TYPES(field.type).name.removeprefix("TYPE_").lower()].packable:
        return False
    if field.options is not None and field.options.packed is not None:
        return bool(field.options.packed)
    return features.repeated_field_encoding == d.FeatureSet.RepeatedFieldEncoding.PACKED


def has_presence(field: Symbol) -> bool:
    """Return whether a field or extension that is not repeated is written even if it is zero or empty."""
    proto, message = field.proto, field.parent
    return (
        field.kind == "extension"
        or field.features.field_presence != d.FeatureSet.FieldPresence.IMPLICIT
        or proto.oneof_index is not None
        or proto.type in (TYPES.TYPE_MESSAGE, TYPES.TYPE_GROUP)
        or (message is not None and message.proto.options is not None and bool(message.proto.options.map_entry))
    )


def _float(value: float, *, single: bool) -> bytes:
    if not single:
        return struct.pack("<d", value)
    try:
        return struct.pack("<f", value)
    except OverflowError:
        return struct.pack("<f", float("inf") if value > 0 else float("-inf"))


def _check_utf8(value: bytes, fail: Fail) -> None:
    try:
        value.decode()
    except UnicodeDecodeError:
        fail("the string is not valid UTF-8")


def _tagged(field: Any, payload: bytes) -> bytes:
    wire_type = KINDS[TYPES(field.type).name.removeprefix("TYPE_").lower()].wire_type
    return write_varint(field.number << 3 | wire_type) + payload


def _wrap(field: Any, body: bytes, *, delimited: bool) -> bytes:
    """Return the record of a message."""
    if delimited:
        start = field.number << 3 | START_GROUP
        return write_varint(start) + body + write_varint(start + 1)
    return write_varint(field.number << 3 | LENGTH_DELIMITED) + write_varint(len(body)) + body


class _Aggregate:
    """Encodes a message in text format: the value of an option in braces."""

    def __init__(self, text: str, interpreter: _Interpreter, fail: Callable[[str], NoReturn]) -> None:
        self.lexer = Lexer(text, "")
        self.interpreter = interpreter
        self.pool = interpreter.pool
        self.fail = fail
        self.depth = 0

    def take(self, *texts: str) -> bool:
        token = self.lexer.token
        if token.kind == "symbol" and token.text in texts:
            self.lexer.next()
            return True
        return False

    def expect(self, text: str) -> None:
        if not self.take(text):
            self.fail(f'the value needs a "{text}" before "{shown(self.lexer.token.text)}"')

    def whole(self, full_name: str) -> tuple[bytes, Content]:
        body = self.body(full_name, "")
        if self.lexer.token.kind != "end":
            self.fail(f'"{shown(self.lexer.token.text)}" is not expected in the value')
        return body

    def body(self, full_name: str, end: str) -> tuple[bytes, Content]:
        """Read fields up to `end`, and return them encoded in the order of their numbers, and which they are."""
        self.depth += 1
        if self.depth > MAX_NESTING:
            self.fail(f"the value is nested more than {MAX_NESTING} levels deep")
        symbol = self.pool.symbols[full_name]
        records: dict[int, list[bytes]] = {}
        contents: Content = {}
        oneofs: dict[int, str] = {}
        while not (self.take(end) if end else self.lexer.token.kind == "end"):
            if self.lexer.token.kind == "end":
                self.fail(f'the value needs a "{end}" at its end')
            if self.any_value(full_name, records):
                contents |= {number: {} for number in records}
                continue
            field = self.field(symbol)
            if field.oneof_index is not None and oneofs.setdefault(field.oneof_index, field.name) != field.name:
                self.fail(f'"{field.name}" and "{oneofs[field.oneof_index]}" are members of one oneof')
            values = self.values(field)
            if field.label != REPEATED and field.number in records:
                self.fail(f'"{field.name}" is set twice')
            for record, content in values:
                if not self.is_absent(symbol, field, record):
                    records.setdefault(field.number, []).append(record)
                    contents[field.number] = content
            self.take(",", ";")
        self.depth -= 1
        return b"".join(self.joined(symbol, number, records[number]) for number in sorted(records)), contents

    def is_absent(self, symbol: Symbol, field: Any, record: bytes) -> bool:
        """Return whether a record is not written: its value is zero or empty, and the field has no presence."""
        declared = self.pool.symbols.get(f"{symbol.full_name}.{field.name}")
        if field.label == REPEATED or declared is None or declared.proto is not field or has_presence(declared):
            return False
        return not any(record[len(_tagged(field, b"")) :])  # the length of a string too is zero

    def joined(self, symbol: Symbol, number: int, records: list[bytes]) -> bytes:
        """Return all records of a field: one payload if the field is packed."""
        field = self.pool.parts_by_number(symbol).get(number)
        if (
            field is None
            or field.label != REPEATED
            or not is_packed(field, self.pool.symbols[f"{symbol.full_name}.{field.name}"].features)
        ):
            return b"".join(records)
        skip = len(_tagged(field, b""))
        payload = b"".join(record[skip:] for record in records)
        return write_varint(number << 3 | LENGTH_DELIMITED) + write_varint(len(payload)) + payload

    def path(self, end: str) -> str:
        parts = []
        while self.lexer.token.kind in ("name", "integer", "symbol") and self.lexer.token.text != end:
            parts.append(self.lexer.token.text)
            self.lexer.next()
        self.expect(end)
        return "".join(parts)

    def any_value(self, full_name: str, records: dict[int, list[bytes]]) -> bool:
        """Read an expanded Any, `[type.googleapis.com/pkg.Type] { ... }`, if one is here."""
        if full_name != "google.protobuf.Any" or not self.take("["):
            return False
        url = self.path("]")
        name = url.rpartition("/")[2]
        symbol = self.pool.symbols.get(name)
        if symbol is None or symbol.kind != "message":
            self.fail(f'the message "{shown(name)}" is not defined')
        self.take(":")
        body, _ = self.message(name)
        for number, value in ((1, url.encode()), *([(2, body)] if body else [])):
            records[number] = [write_varint(number << 3 | LENGTH_DELIMITED) + write_varint(len(value)) + value]
        self.take(",", ";")
        return True

    def field(self, symbol: Symbol) -> Any:
        if self.take("["):
            name = self.path("]")
            found = self.interpreter.find_extension(name)
            known = self.pool.symbols.get(name) if not isinstance(found, Symbol) else found
            if known is None or known.kind != "extension" or known.proto.extendee != f".{symbol.full_name}":
                self.fail(f'"{symbol.full_name}" has no extension "{shown(name)}"')
            return known.proto
        name = self.lexer.token.text
        if self.lexer.token.kind != "name":
            self.fail(f'"{shown(name)}" is not the name of a field')
        self.lexer.next()
        field = self.pool.fields_of(symbol).get(name)
        if field is None or (field.type == TYPES.TYPE_GROUP and field.name == name):
            group = self.pool.fields_of(symbol).get(name.lower())
            is_group = group is not None and group.type == TYPES.TYPE_GROUP
            if field is None and group is not None and is_group and group.type_name.rpartition(".")[2] == name:
                return group
            if field is None:
                self.fail(f'"{symbol.full_name}" has no field "{shown(name)}"')
        return field

    def values(self, field: Any) -> list[tuple[bytes, Content]]:
        """Read the value of a field, or a list of values, and return their records with the fields that they set."""
        is_message = field.type in (TYPES.TYPE_MESSAGE, TYPES.TYPE_GROUP)
        if not self.take(":") and not is_message:
            self.fail(f'the value needs a ":" after "{field.name}"')
        if not self.take("["):
            return [self.one(field)]
        if field.label != REPEATED:
            self.fail(f'"{field.name}" is not repeated')
        values: list[tuple[bytes, Content]] = []
        while not self.take("]"):
            if values:
                self.expect(",")
            values.append(self.one(field))
        return values

    def one(self, field: Any) -> tuple[bytes, Content]:
        if field.type in (TYPES.TYPE_MESSAGE, TYPES.TYPE_GROUP):
            body, content = self.message(field.type_name[1:])
            return self.interpreter.wrap(field, body), content
        return _tagged(field, self.interpreter.scalar(field, self.scalar(field), self.fail)), {}

    def message(self, full_name: str) -> tuple[bytes, Content]:
        if self.take("<"):
            return self.body(full_name, ">")
        self.expect("{")
        return self.body(full_name, "}")

    def scalar(self, field: Any) -> Any:
        """Read a scalar: bytes for a string, a str for a word, or a number."""
        negative = self.take("-")
        token = self.lexer.token
        if token.kind == "string" and not negative:
            parts = []
            while self.lexer.token.kind == "string":
                value = unquote(self.lexer.token.text)
                if isinstance(value, str):
                    self.fail(value)
                parts.append(value)
                self.lexer.next()
            return b"".join(parts)
        self.lexer.next()
        if token.kind == "name":
            if negative:
                if token.text.lower() not in FLOAT_WORDS:
                    self.fail("only a number can follow a minus sign")
                return -float(token.text)
            if field.type == TYPES.TYPE_BOOL:
                return {"True": "true", "t": "true", "False": "false", "f": "false"}.get(token.text, token.text)
            return token.text
        if token.kind not in ("integer", "float"):
            self.fail(f'"{shown(token.text)}" is not a value')
        if token.kind == "float":
            number: Any = float(token.text)
        else:
            number = _integer(token.text, self.fail)
            if negative and field.type in FLOATS:
                return -float(number)  # of 0 too
            if field.type == TYPES.TYPE_BOOL and number in (0, 1):
                return "true" if number else "false"
            if field.type == TYPES.TYPE_ENUM:
                named = self.pool.parts_by_number(self.pool.symbols[field.type_name[1:]]).get(number)
                return named.name if named is not None and not negative else -number if negative else number
        return -number if negative else number


def _integer(text: str, fail: Fail) -> int:
    if len(text) > 30:
        fail(f"{shown(text)} is too large")
    if text[:2] in ("0x", "0X"):
        return int(text, 16)
    return int(text, 8 if text.startswith("0") else 10)
