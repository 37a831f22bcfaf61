"""Checks of editions since 2024: names, the visibility of messages and enums, sizes of types, and removed options.

https://protobuf.dev/editions/features. Names of messages, enums, services and methods are in TitleCase, those of
packages, fields and oneofs in lower_snake_case, those of values in UPPER_SNAKE_CASE; a letter follows each underscore.
`features.enforce_naming_style = STYLE_LEGACY` allows other names. STYLE2026, the default of edition 2026, also refuses
names of fields and oneofs that could collide in generated code: "descriptor", and "has_x" or "x_value" beside "x".

`features.enforce_proto_limits = PROTO_LIMITS2026`, the default of edition 2026, limits the sizes of messages, oneofs
and enums: see `_MAX_PARTS`.

A message or enum that is local can be used in its own file only. By default, nested ones are local.

These features are in .proto files only: protoc leaves them out of descriptors, so files of a descriptor set are not
checked.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from . import descriptor_messages as d
from .features import INTRODUCED, Features, ProtoLimits, Visibility, is_2024_or_later
from .pool import LinkedFile, Pool, Symbol

_TITLE = re.compile(r"[A-Z][A-Za-z0-9]*"), "TitleCase"
_LOWER = re.compile(r"[a-z](?:[a-z0-9]|_[a-z])*"), "lower_snake_case"
_UPPER = re.compile(r"[A-Z](?:[A-Z0-9]|_[A-Z])*"), "UPPER_SNAKE_CASE"
_PACKAGE = re.compile(r"[a-z](?:[a-z0-9.]|_[a-z])*"), "lower_snake_case"
_STYLES = {
    **dict.fromkeys(("message", "enum", "service", "method"), _TITLE),
    **dict.fromkeys(("field", "extension", "oneof"), _LOWER),
    "value": _UPPER,
}
_ACCESSORS = ("has_", "get_", "set_", "clear_")
_VALUE = "_value"
_MAX_PARTS = {
    ("message", "fields"): 1_500,
    ("message", "oneofs"): 1_000,
    ("oneof", "fields"): 1_200,
    ("enum", "values"): 1_700,
}
_LIMITED = {"message", "enum", "field", "extension", "oneof"}
MAX_NUMBER = (1 << 29) - 1
LOCAL, EXPORT = d.SymbolVisibility.VISIBILITY_LOCAL, d.SymbolVisibility.VISIBILITY_EXPORT


def check_edition(file: LinkedFile, pool: Pool) -> None:
    """Check the features of all declarations, and the rules of editions since 2024. Raises ProtoError."""
    _check_own_features(file.proto, None, file)
    for symbol in file.symbols:
        _check_own_features(symbol.proto, symbol, file)
    if not is_2024_or_later(file.proto):
        return
    if file.proto.options is not None and file.proto.options.java_multiple_files is not None:
        place = _option_place(file.proto, file, "java_multiple_files")
        file.source.fail("editions since 2024 have no option java_multiple_files: it is the default", place)
    for symbol in file.symbols:
        options = symbol.proto.options
        if symbol.kind in ("field", "extension") and options is not None and options.ctype is not None:
            place = _option_place(symbol.proto, file, "ctype")
            file.source.fail("editions since 2024 have no option ctype: use features.(pb.cpp).string_type", place)
    if file.source.lexer is None:
        return
    if file.proto.package and _enforces_style(file.features):
        _check_style(file.proto, "package", file.proto.package, _PACKAGE, file)
    for symbol in file.symbols:
        if _enforces_style(symbol.features):
            _check_style(symbol.proto, symbol.kind, symbol.proto.name, _STYLES[symbol.kind], file)
        if symbol.features.enforce_naming_style == d.FeatureSet.EnforceNamingStyle.STYLE2026:
            _check_collisions(symbol, file, pool)
        _check_limits(symbol, file, pool)
        _check_visibility(symbol, file)


def _check_own_features(proto: Any, symbol: Symbol | None, file: LinkedFile) -> None:
    own = proto.options.features if proto.options is not None else None
    if own is None:
        return
    for name in Features.__dataclass_fields__:
        value = getattr(own, name)
        if value is not None and not value:
            place = _option_place(proto, file, f"features.{name}", "features")
            file.source.fail(f"features.{name} has a value that means unknown", place)
        needed = INTRODUCED.get(name)
        if value is not None and needed is not None and (file.proto.edition or 0) < d.Edition[f"EDITION_{needed}"]:
            place = _option_place(proto, file, f"features.{name}", "features")
            file.source.fail(f"features.{name} needs edition {needed}", place)
    if symbol is not None and own.default_symbol_visibility is not None:
        place = _option_place(proto, file, "features.default_symbol_visibility", "features")
        file.source.fail("features.default_symbol_visibility is an option of files", place)
    if own.enforce_proto_limits is not None and (symbol is None or symbol.kind not in _LIMITED):
        place = _option_place(proto, file, "features.enforce_proto_limits", "features")
        file.source.fail("features.enforce_proto_limits is an option of messages, enums, fields and oneofs", place)


def _option_place(proto: Any, file: LinkedFile, *names: str) -> Any:
    """Return the token of an option, by one of its names, or the declaration itself if it has no text."""
    places = (file.source.places.get((id(proto.options), name)) for name in names)
    return next((token for token in places if token is not None), proto)


# --- names -----------------------------------------------------------------------------------------------------------


def _enforces_style(features: Features) -> bool:
    return features.enforce_naming_style != d.FeatureSet.EnforceNamingStyle.STYLE_LEGACY


def _check_style(proto: Any, kind: str, name: str, style: tuple[re.Pattern[str], str], file: LinkedFile) -> None:
    pattern, style_name = style
    if not pattern.fullmatch(name):
        problem = f'the {kind} "{name}" is not in {style_name}, with a letter after each underscore'
        hint = "features.enforce_naming_style = STYLE_LEGACY allows it"
        file.source.fail(f"{problem}; {hint}", proto, "package" if kind == "package" else "name")


def _check_collisions(symbol: Symbol, file: LinkedFile, pool: Pool) -> None:
    """Check that the accessors of a field or oneof cannot have the names of others. Fields of extensions count too."""
    if symbol.kind not in ("field", "extension", "oneof"):
        return
    name = symbol.proto.name
    problem = "it is the name of a method of generated classes" if name == "descriptor" else ""
    message = pool.symbols[symbol.proto.extendee[1:]] if symbol.kind == "extension" else symbol.parent
    assert message is not None
    bases = [name.removeprefix(prefix) for prefix in _ACCESSORS if name.startswith(prefix)]
    bases += [name.removesuffix(_VALUE)] if name.endswith(_VALUE) else []
    for base in bases:
        other = pool.symbols.get(f"{message.full_name}.{base}")
        if other is not None and other.kind in ("field", "oneof"):
            problem = f'it can collide with accessors of the {other.kind} "{base}" in generated code'
    if problem:
        hint = "features.enforce_naming_style = STYLE2024 allows it"
        file.source.fail(f'the {symbol.kind} "{name}" is not allowed, since {problem}; {hint}', symbol.proto, "name")


# --- sizes -----------------------------------------------------------------------------------------------------------


def _check_limits(symbol: Symbol, file: LinkedFile, pool: Pool) -> None:
    if symbol.kind == "enum":
        _check_limit(symbol, "values", len(symbol.proto.value), file)
    elif symbol.kind == "message":
        _check_limit(symbol, "fields", len(symbol.proto.field), file)
        _check_limit(symbol, "oneofs", len(symbol.proto.oneof_decl), file)
        members = Counter(field.oneof_index for field in symbol.proto.field)
        for index, oneof in enumerate(symbol.proto.oneof_decl):
            _check_limit(pool.symbols[f"{symbol.full_name}.{oneof.name}"], "fields", members[index], file)


def _check_limit(symbol: Symbol, parts: str, count: int, file: LinkedFile) -> None:
    most = _MAX_PARTS[symbol.kind, parts]
    if count > most and symbol.features.enforce_proto_limits != ProtoLimits.LEGACY_NO_EXPLICIT_LIMITS:
        problem = f'the {symbol.kind} "{symbol.proto.name}" has {count:,} {parts}, but edition 2026 allows {most:,}'
        hint = "features.enforce_proto_limits = LEGACY_NO_EXPLICIT_LIMITS allows more"
        file.source.fail(f"{problem}; {hint}", symbol.proto, "name")


# --- visibility ------------------------------------------------------------------------------------------------------


def hidden_from(symbol: Symbol, file: LinkedFile) -> str:
    """Return why a message or an enum cannot be used in a file: it is "local to a.proto, ..."; "" if it can."""
    if symbol.file is None or symbol.file is file or not _is_local(symbol):
        return ""
    if file.source.lexer is None or symbol.file.source.lexer is None:
        return ""
    how = "as it is declared"
    if symbol.proto.visibility != LOCAL:
        how = f"since features.default_symbol_visibility is {symbol.features.default_symbol_visibility.name}"
    return f"local to {symbol.file.source.name}, {how}"


def _is_local(symbol: Symbol) -> bool:
    if symbol.proto.visibility:
        return bool(symbol.proto.visibility == LOCAL)
    default = symbol.features.default_symbol_visibility
    return default in (Visibility.LOCAL_ALL, Visibility.STRICT) or (
        default == Visibility.EXPORT_TOP_LEVEL and symbol.parent is not None
    )


def _check_visibility(symbol: Symbol, file: LinkedFile) -> None:
    """Check that nothing nested is exported if the file's visibility is STRICT."""
    is_nested = symbol.kind in ("message", "enum") and symbol.parent is not None
    if not is_nested or symbol.proto.visibility != EXPORT or _is_in_namespace(symbol):
        return
    if symbol.features.default_symbol_visibility == Visibility.STRICT:
        problem = f'the nested {symbol.kind} "{symbol.full_name}" cannot be exported'
        file.source.fail(f"{problem} with features.default_symbol_visibility = STRICT", symbol.proto)


def _is_in_namespace(symbol: Symbol) -> bool:
    """Return whether an enum is in a local message that has no fields, `local message M { ... reserved 1 to max; }`."""
    outer = symbol.parent
    if symbol.kind != "enum" or outer is None or outer.parent is not None or not _is_local(outer):
        return False
    ranges = outer.proto.reserved_range
    return len(ranges) == 1 and (ranges[0].start == 1 or ranges[0].end == MAX_NUMBER + 1)
