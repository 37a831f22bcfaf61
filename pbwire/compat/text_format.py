"""The module `text_format` of protobuf, for protobuf-style messages.

Printing and parsing of messages is that of `pbwire.text.aliases`, which works on dataclasses. This module adds what
such messages need: a pool as `descriptor_pool`, the default pool if it is not given, so that an Any is printed
and parsed with the class of its content; formatters that get protobuf-style messages; the defaults of the version of
protobuf that is followed. `PrintField`, the parsers of words and `debug_string`, the text of `str()`, are only here.
"""

from __future__ import annotations

import io
from array import array
from math import copysign, isnan
from typing import Any

from ..behavior import behavior
from ..errors import TextFormatError
from ..plain import plain
from ..text import aliases
from ..text.any import print_message
from ..text.output import Output, Style
from ..text.scalars import double_speller, float_speller
from .classes import wrap
from .pool_types import named_options
from .text_tokens import CEscape, ParseBool, ParseEnum, ParseFloat, ParseInteger, TextWriter, Tokenizer

__all__ = [
    "Error",
    "Merge",
    "MergeLines",
    "MessageToBytes",
    "MessageToString",
    "Parse",
    "ParseBool",
    "ParseEnum",
    "ParseError",
    "ParseFloat",
    "ParseInteger",
    "ParseLines",
    "PrintField",
    "PrintFieldValue",
    "PrintMessage",
    "TextWriter",
    "Tokenizer",
    "debug_string",
]

Error = ParseError = TextFormatError


def MessageToString(message: Any, *arguments: Any, **options: Any) -> str:
    """Return the message as text. Options are those of `pbwire.text.aliases.MessageToString`.

    The default of `as_utf8` is that of the version of protobuf that is followed, as in all functions here.
    """
    return aliases.MessageToString(message, **_printing(aliases.MessageToString, message, arguments, options))


def MessageToBytes(message: Any, **options: Any) -> bytes:
    """Return the text of `MessageToString` in UTF-8."""
    return MessageToString(message, **options).encode()


def PrintMessage(message: Any, out: Any, *arguments: Any, **options: Any) -> None:
    """Print the message to a file. Options are those of `pbwire.text.aliases.PrintMessage`."""
    aliases.PrintMessage(message, **_printing(aliases.PrintMessage, message, (out, *arguments), options))


def PrintField(field: Any, value: Any, out: Any, indent: int = 0, as_utf8: bool | None = None, **options: Any) -> None:
    """Print the name and one value of a field, given by its descriptor. Options are those of `PrintMessage`."""
    end = " " if options.get("as_one_line") else "\n"
    colon = ":" if field.message_type is None or options.get("force_colon") else ""
    name = field.number if options.get("use_field_number") else _printed_name(field)
    out.write(f"{' ' * indent}{name}{colon} ")
    PrintFieldValue(field, value, out, indent, as_utf8, **options)
    out.write(end)


def PrintFieldValue(
    field: Any, value: Any, out: Any, indent: int = 0, as_utf8: bool | None = None, **options: Any
) -> None:
    """Print one value of a field, given by its descriptor. Options are those of `PrintMessage`."""
    as_utf8 = behavior().as_utf8 if as_utf8 is None else as_utf8
    if field.message_type is None:
        out.write(_printed_scalar(field, value, as_utf8, options.get("float_format"), options.get("double_format")))
        return
    opening, closing = "<>" if options.get("pointy_brackets") else "{}"
    if options.get("as_one_line"):
        content = MessageToString(value, as_utf8, **options)
        out.write(f"{opening} {content} {closing}" if content else f"{opening} {closing}")
        return
    out.write(f"{opening}\n")
    PrintMessage(value, out, indent + 2, as_utf8, **options)
    out.write(f"{' ' * indent}{closing}")


class Printer:
    """`PrintMessage`, `PrintField` and `PrintFieldValue` with one file and the same options. protobuf's is private."""

    def __init__(self, out: Any, indent: int = 0, as_utf8: bool | None = None, **options: Any) -> None:
        self._out = out
        self._options = {"indent": indent, "as_utf8": behavior().as_utf8 if as_utf8 is None else as_utf8, **options}

    def PrintMessage(self, message: Any) -> None:
        """Print a message."""
        PrintMessage(message, self._out, **self._options)

    def PrintField(self, field: Any, value: Any) -> None:
        """Print the name and one value of a field."""
        PrintField(field, value, self._out, **self._options)

    def PrintFieldValue(self, field: Any, value: Any) -> None:
        """Print one value of a field."""
        PrintFieldValue(field, value, self._out, **self._options)


_Printer = Printer


def _printed_name(field: Any) -> str:
    if field.is_extension:
        return f"[{_extension_name(field)}]"
    return str(field._field.group_name or field.name)


def _extension_name(field: Any) -> str:
    """Return the full name of an extension, or of its type if this is how a MessageSet names it."""
    is_item = field.containing_type.GetOptions().message_set_wire_format
    return str(
        field.message_type.full_name if is_item and field.extension_scope is field.message_type else field.full_name
    )


def _printed_scalar(field: Any, value: Any, as_utf8: bool, float_format: Any, double_format: Any) -> str:
    if field.cpp_type == field.CPPTYPE_STRING:
        return f'"{CEscape(value, as_utf8 and field.type == field.TYPE_STRING)}"'
    if field.cpp_type == field.CPPTYPE_ENUM:
        named = field.enum_type.values_by_number.get(value)
        return str(value if named is None else named.name)
    if field.cpp_type == field.CPPTYPE_BOOL:
        return "true" if value else "false"
    if field.cpp_type == field.CPPTYPE_FLOAT:
        return float_speller(float_format)([value], "")
    if field.cpp_type == field.CPPTYPE_DOUBLE:
        specification = float_format if double_format is None else double_format
        return double_speller(specification)([value], "")
    return str(value)


def _printing(alias: Any, message: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> dict[str, Any]:
    """Return options for a function of `aliases`: types for the pool, and a formatter that gets messages as ours."""
    given = named_options(alias, arguments, options)
    given.setdefault("as_utf8", behavior().as_utf8)
    formatter = given.get("message_formatter")
    if formatter is not None:
        package = message.__table__.package

        def format_wrapped(plain: Any, indent: int, as_one_line: bool) -> Any:
            return formatter(wrap(plain, package), indent, as_one_line)

        given["message_formatter"] = format_wrapped
    return given


# --- str() -----------------------------------------------------------------------------------------------------------


def debug_string(message: Any) -> str:
    """Return what `str()` gives for a message: in protobuf, the text of its C implementation.

    It differs from `MessageToString` in the digits of numbers (1 instead of 1.0, and 6 or 9 digits for a float), in
    keys and values of maps that are zero, which are printed, and in groups, which have the name of their field. An Any
    stays packed.
    """
    text = io.StringIO()
    output = Output(
        text.write,
        as_utf8=True,
        as_one_line=False,
        print_unknown_fields=False,
        use_short_repeated_primitives=False,
        types=None,
        max_depth=None,
        style=Style(floats=True, debug=True, declared=not behavior().by_number),
        floats=lambda values, between: between.join([_c_number(value, 6, 9, "f") for value in array("f", values)]),
        doubles=lambda values, between: between.join([_c_number(value, 15, 17, "d") for value in array("d", values)]),
    )
    print_message(output, "\n", plain(message))
    return text.getvalue()


def _c_number(value: float, digits: int, all_digits: int, kind: str) -> str:
    """Return a number with `digits` digits if they are enough to read it again, else with `all_digits`."""
    if isnan(value):
        return "-nan" if copysign(1, value) < 0 else "nan"
    text = f"{value:.{digits}g}"
    return text if array(kind, (float(text),))[0] == value else f"{value:.{all_digits}g}"


# --- parsing ---------------------------------------------------------------------------------------------------------


def Parse(text: str | bytes, message: Any, *arguments: Any, **options: Any) -> Any:
    """Parse a text into `message`, and return it. Raises ParseError."""
    return _read(aliases.Parse, text, message, *arguments, **options)


def Merge(text: str | bytes, message: Any, *arguments: Any, **options: Any) -> Any:
    """Parse a text into `message`, replace scalars that are present, and return `message`. Raises ParseError."""
    return _read(aliases.Merge, text, message, *arguments, **options)


def ParseLines(lines: Any, message: Any, *arguments: Any, **options: Any) -> Any:
    """Parse lines as `Parse` does."""
    return _read(aliases.ParseLines, lines, message, *arguments, **options)


def MergeLines(lines: Any, message: Any, *arguments: Any, **options: Any) -> Any:
    """Parse lines as `Merge` does."""
    return _read(aliases.MergeLines, lines, message, *arguments, **options)


def _read(parse: Any, text: Any, message: Any, *arguments: Any, **options: Any) -> Any:
    return parse(text, message, **named_options(parse, arguments, options))
