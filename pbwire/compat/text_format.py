"""The functions of `google.protobuf.text_format` for protobuf-style messages.

An Any is printed and parsed with the class of its content if the pool has it: that of `descriptor_pool`, or the default
pool.
"""

from __future__ import annotations

import io
from array import array
from math import copysign, isnan
from typing import Any

from ..errors import TextFormatError
from ..plain import plain
from ..text import aliases
from ..text.any import print_message
from ..text.output import Output, Style
from .pool_types import named_options, types_of

__all__ = [
    "Error",
    "Merge",
    "MergeLines",
    "MessageToBytes",
    "MessageToString",
    "Parse",
    "ParseError",
    "ParseLines",
    "PrintMessage",
    "debug_string",
]

Error = ParseError = TextFormatError


def MessageToString(message: Any, as_utf8: bool = True, *arguments: Any, **options: Any) -> str:
    """Return the message as text. Options are those of `pbwire.text.aliases.MessageToString`."""
    given = _printing(aliases.MessageToString, message, (as_utf8, *arguments), options)
    return aliases.MessageToString(message, **given)


def MessageToBytes(message: Any, **options: Any) -> bytes:
    """Return the text of `MessageToString` in UTF-8."""
    return MessageToString(message, **options).encode()


def PrintMessage(message: Any, out: Any, *arguments: Any, **options: Any) -> None:
    """Print the message to a file. Options are those of `pbwire.text.aliases.PrintMessage`."""
    given = _printing(aliases.PrintMessage, message, (out, *arguments), options)
    aliases.PrintMessage(message, **given)


def _printing(alias: Any, message: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> dict[str, Any]:
    """Return options for a function of `aliases`: types for the pool, and a formatter that gets messages as ours."""
    given = named_options(alias, arguments, options)
    given["descriptor_pool"] = types_of(given.get("descriptor_pool"))
    formatter = given.get("message_formatter")
    if formatter is not None:
        package = message.__table__.package

        def format_wrapped(plain: Any, indent: int, as_one_line: bool) -> Any:
            from . import wrap

            return formatter(wrap(plain, package), indent, as_one_line)

        given["message_formatter"] = format_wrapped
    return given


# --- str() -----------------------------------------------------------------------------------------------------------

_CONTROLS = {code: f"\\{code:03o}" for code in (*range(10), *range(11, 32), 127)}


def debug_string(message: Any) -> str:
    """Return what `str()` gives for a message: in protobuf, the text of its C implementation.

    It differs from `MessageToString` in the order of fields, which is that of the .proto file, in the digits of numbers
    (1 instead of 1.0, and 6 or 9 digits for a float), in keys and values of maps that are zero, which are printed, and
    in control characters of strings, which are octal escapes. An Any stays packed.
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
        style=Style(declared=True, floats=True, zeros=True),
        floats=lambda values: [_c_number(value, 6, 9, "f") for value in array("f", values)],
        doubles=lambda values: [_c_number(value, 15, 17, "d") for value in array("d", values)],
    )
    print_message(output, "\n", plain(message))
    return text.getvalue().translate(_CONTROLS)


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
    given = named_options(parse, arguments, options)
    given["descriptor_pool"] = types_of(given.get("descriptor_pool"))
    return parse(text, message, **given)
