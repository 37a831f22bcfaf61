"""Check linked declarations as protoc does: numbers, names, ranges, and what each syntax forbids."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from ..descriptor import KINDS, Kind
from . import descriptor_messages as d
from .defaults import default_value
from .features import Features
from .lexer import shown
from .pool import LinkedFile, Pool, Symbol, is_message_set

TYPES = d.FieldDescriptorProto.Type
LABELS = d.FieldDescriptorProto.Label
MAX_NUMBER = (1 << 29) - 1
FIRST_RESERVED, LAST_RESERVED = 19000, 19999


class _Ranges:
    """Ranges that do not overlap, with a fast test whether they have a number."""

    def __init__(self) -> None:
        self.ranges: list[tuple[int, int]] = []

    def add(self, ranges: list[tuple[int, int]]) -> tuple[int, int] | None:
        """Add ranges from start to end, without the end. Return one that overlaps another."""
        self.ranges = sorted([*self.ranges, *ranges])
        pairs = zip(self.ranges, self.ranges[1:], strict=False)
        return next((after for before, after in pairs if after[0] < before[1]), None)

    def __contains__(self, number: int) -> bool:
        index = bisect_right(self.ranges, (number, MAX_NUMBER + 2)) - 1
        return index >= 0 and number < self.ranges[index][1]


def check_names(symbol: Symbol, file: LinkedFile) -> None:
    """Check what concerns a field by itself."""
    if symbol.kind not in ("field", "extension"):
        return
    field, fail = symbol.proto, file.source.fail
    number = field.number or 0
    if not 0 < number <= MAX_NUMBER and not _in_message_set(symbol):
        fail(f"{number} is not a field number: 1 to {MAX_NUMBER:,}", field, "number")
    if FIRST_RESERVED <= number <= LAST_RESERVED:
        fail(f"{FIRST_RESERVED:,} to {LAST_RESERVED:,} are reserved for implementations of protobuf", field, "number")
    if field.label is None or field.type is None:
        fail("the field has no label or no type", field)
    repeated = field.label == LABELS.LABEL_REPEATED
    if field.options is not None and field.options.packed and not (repeated and _kind(field).packable):
        fail("only lists of numbers, bools and enums can be packed", field)
    if field.options is not None and field.options.packed is not None and file.syntax == "editions":
        fail("editions have no option packed: use features.repeated_field_encoding", field)
    if field.default_value is not None and repeated:
        fail("a repeated field has no default", field, "default")
    _check_default(field, file)
    if file.syntax == "proto3":
        _check_proto3(symbol, file)
    if field.default_value is not None and _is_implicit(symbol.features) and file.syntax == "editions":
        fail("a field without presence has no default", field, "default")


def _check_default(field: Any, file: LinkedFile) -> None:
    """Check the text of a scalar's default, which a parser has checked, but not in a descriptor."""
    if field.default_value is None or field.type == TYPES.TYPE_ENUM:
        return
    try:
        default_value(field)
    except ValueError:
        problem = f'"{shown(field.default_value)}" is not a default for the field "{field.name}"'
        file.source.fail(problem, field, "default")


def _in_message_set(symbol: Symbol) -> bool:
    return symbol.kind == "extension" and 0 < (symbol.proto.number or 0) < (1 << 31) - 1


def _is_implicit(features: Features) -> bool:
    return features.field_presence == d.FeatureSet.FieldPresence.IMPLICIT


def _kind(field: Any) -> Kind:
    return KINDS[TYPES(field.type).name.removeprefix("TYPE_").lower()]


def _check_proto3(symbol: Symbol, file: LinkedFile) -> None:
    field, fail = symbol.proto, file.source.fail
    if field.label == LABELS.LABEL_REQUIRED:
        fail("proto3 has no required fields", field)
    if field.type == TYPES.TYPE_GROUP:
        fail("proto3 has no groups", field)
    if field.default_value is not None:
        fail("proto3 has no defaults", field, "default")
    if symbol.kind == "extension" and not _extends_options(field):
        fail("proto3 has no extensions, except of options", field)


def _extends_options(field: Any) -> bool:
    extendee = field.extendee or ""
    return extendee.startswith(".google.protobuf.") and extendee.endswith("Options")


def check_message(symbol: Symbol, file: LinkedFile, pool: Pool) -> None:
    """Check what concerns the fields of a message together."""
    message, fail = symbol.proto, file.source.fail
    reserved, extensions = _Ranges(), _Ranges()
    for ranges, all_of in ((reserved, message.reserved_range), (extensions, message.extension_range)):
        for one in all_of:
            if not 0 < (one.start or 0) < (one.end or 0):
                fail("a range begins at 1 or more, and ends after its begin", one)
            highest = (1 << 31) - 2 if is_message_set(message) else MAX_NUMBER
            if (one.end or 0) > highest + 1:
                fail(f"a range ends at {highest:,} or before", one)
        if (overlap := ranges.add([(one.start, one.end) for one in all_of])) is not None:
            fail(f"ranges overlap at {overlap[0]:,}", message)
    if _Ranges().add(reserved.ranges + extensions.ranges) is not None:
        fail("a range of extensions overlaps a reserved range", message)
    if file.syntax == "proto3" and message.extension_range:
        fail("proto3 has no ranges of extensions", message.extension_range[0])
    names = set(message.reserved_name)
    numbers: dict[int, str] = {}
    for field in message.field:
        if field.number in numbers:
            problem = f'{field.number} is already the number of "{numbers[field.number]}" in "{symbol.full_name}"'
            fail(problem, field, "number")
        numbers[field.number] = field.name
        if field.number in reserved:
            fail(f"{field.number} is reserved", field, "number")
        if field.number in extensions:
            fail(f"{field.number} is in a range of extensions", field, "number")
        if field.name in names:
            fail(f'"{field.name}" is a reserved name', field)
        if field.extendee is not None:
            fail("only an extension has an extendee", field)
        _check_enum_of_field(field, symbol, file, pool)
    _check_oneofs(symbol, file)
    _check_entries(symbol, file, pool)
    _check_json_names(symbol, file)


def _check_enum_of_field(field: Any, symbol: Symbol, file: LinkedFile, pool: Pool) -> None:
    if field.type != TYPES.TYPE_ENUM:
        return
    enum = pool.symbols[field.type_name[1:]]
    closed = enum.features.enum_type == d.FeatureSet.EnumType.CLOSED
    features = pool.symbols[f"{symbol.full_name}.{field.name}"].features
    if closed and field.label != LABELS.LABEL_REPEATED and _is_implicit(features) and field.oneof_index is None:
        file.source.fail(
            f'"{enum.full_name}" is a closed enum, which a field without presence cannot have', field, "type"
        )


def _check_oneofs(symbol: Symbol, file: LinkedFile) -> None:
    message = symbol.proto
    members = {field.oneof_index for field in message.field if field.oneof_index is not None}
    for index, oneof in enumerate(message.oneof_decl):
        if index not in members:
            file.source.fail(f'the oneof "{oneof.name}" has no members', oneof)
    for field in message.field:
        if field.oneof_index is not None and field.label != LABELS.LABEL_OPTIONAL:
            file.source.fail("members of a oneof are optional", field)


def _check_entries(symbol: Symbol, file: LinkedFile, pool: Pool) -> None:
    """Check that messages with the option map_entry have the form of entries."""
    message = symbol.proto
    for nested in message.nested_type:
        if nested.options is None or not nested.options.map_entry:
            continue
        rows = [(row.name, row.number, row.label) for row in nested.field]
        optional = LABELS.LABEL_OPTIONAL
        if rows != [("key", 1, optional), ("value", 2, optional)]:
            file.source.fail(f'"{nested.name}" has the option map_entry, but not the form of an entry', nested)
        key, value = nested.field
        if key.type in (TYPES.TYPE_DOUBLE, TYPES.TYPE_FLOAT, TYPES.TYPE_BYTES) or key.type_name is not None:
            file.source.fail("keys of maps are integers, bools or strings", nested)
        if value.type == TYPES.TYPE_GROUP:
            file.source.fail("a group cannot be the value of a map", nested)
        if value.type == TYPES.TYPE_ENUM:
            enum = pool.symbols[value.type_name[1:]]
            if enum.proto.value and enum.proto.value[0].number != 0:
                file.source.fail(f'the first value of "{enum.full_name}" must be 0 in a map', nested)


def _check_json_names(symbol: Symbol, file: LinkedFile) -> None:
    """Two fields must not have one name in JSON, except in proto2, where protoc only warns."""
    options = symbol.proto.options
    if options is not None and options.deprecated_legacy_json_field_conflicts:
        return
    legacy = symbol.features.json_format == d.FeatureSet.JsonFormat.LEGACY_BEST_EFFORT
    names: dict[str, str] = {}
    for field in symbol.proto.field:
        if (other := names.setdefault(field.json_name, field.name)) != field.name and not legacy:
            file.source.fail(f'"{field.name}" and "{other}" have the same name in JSON: "{field.json_name}"', field)


def check_enum(symbol: Symbol, file: LinkedFile) -> None:
    """Check the numbers and names of an enum."""
    enum, fail = symbol.proto, file.source.fail
    if not enum.value:
        fail(f'the enum "{symbol.full_name}" has no values', enum)
    if symbol.features.enum_type == d.FeatureSet.EnumType.OPEN and (enum.value[0].number or 0) != 0:
        fail(f'the first value of "{symbol.full_name}" must be 0: the enum is open', enum.value[0], "number")
    reserved = _Ranges()
    if (overlap := reserved.add([(one.start or 0, (one.end or 0) + 1) for one in enum.reserved_range])) is not None:
        fail(f"ranges overlap at {overlap[0]:,}", enum)
    aliases = enum.options is not None and enum.options.allow_alias
    names = set(enum.reserved_name)
    numbers: dict[int, str] = {}
    for value in enum.value:
        number = value.number or 0
        if number in numbers and not aliases:
            problem = f'{number} is already the number of "{numbers[number]}"'
            fail(f"{problem}; for two names of one number, set option allow_alias = true", value, "number")
        numbers.setdefault(number, value.name)
        if number in reserved:
            fail(f"{number} is reserved", value, "number")
        if value.name in names:
            fail(f'"{value.name}" is a reserved name', value)


def check_extension(symbol: Symbol, file: LinkedFile, pool: Pool) -> None:
    """Check that the extended message allows the number."""
    field = symbol.proto
    if not pool.allows_extension(field.extendee[1:], field.number):
        problem = f'"{field.extendee[1:]}" does not declare {field.number} as a number of extensions'
        file.source.fail(problem, field, "number")
    if field.label == LABELS.LABEL_REQUIRED:
        file.source.fail("an extension cannot be required", field)
