"""Protobuf's spelling of text format, for dataclasses: functions named and called like those of its `text_format`.

    text = MessageToString(graph, as_one_line=True, float_format=".6g", descriptor_pool=messages.TYPES)
    graph = Parse(text, GraphDef(), descriptor_pool=messages.TYPES)

They print and parse messages of this package, with all options of protobuf; `dumps` and `loads` have the usual ones.
The texts are those of protobuf. `pbwire.compat.text_format` calls these functions for protobuf-style messages.

`descriptor_pool` is a mapping from full names to classes, like `types` of other functions. Without it, an Any stays
packed. Message formatters are called with messages of this package; for the entry of a map, with a message that has the
fields `key` and `value`. Errors are EncodeError and TextFormatError.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from ..descriptor import table_of
from ..message import MAX_DEPTH, Message
from ..plain import plain
from .any import print_message
from .output import Formatter, Output, Style, Writer
from .scalars import double_speller, float_speller

M = TypeVar("M", bound=Message)

# With `as_one_line`, indentation is printed before fields but not before closing brackets. It is first printed with
# this mark before it, so that `write` can find the indentation before a bracket and remove it. The mark is a lone
# surrogate, which valid text cannot contain.
MARK = "\ud800"


def MessageToString(
    message: Message,
    as_utf8: bool = False,
    as_one_line: bool = False,
    use_short_repeated_primitives: bool = False,
    pointy_brackets: bool = False,
    use_index_order: bool = False,
    float_format: str | None = None,
    double_format: str | None = None,
    use_field_number: bool = False,
    descriptor_pool: Mapping[str, type[Message]] | None = None,
    indent: int = 0,
    message_formatter: Formatter | None = None,
    print_unknown_fields: bool = False,
    force_colon: bool = False,
) -> str:
    """Return the message as text; see `PrintMessage`."""
    out = io.StringIO()
    PrintMessage(
        message,
        out,
        indent=indent,
        as_utf8=as_utf8,
        as_one_line=as_one_line,
        use_short_repeated_primitives=use_short_repeated_primitives,
        pointy_brackets=pointy_brackets,
        use_index_order=use_index_order,
        float_format=float_format,
        double_format=double_format,
        use_field_number=use_field_number,
        descriptor_pool=descriptor_pool,
        message_formatter=message_formatter,
        print_unknown_fields=print_unknown_fields,
        force_colon=force_colon,
    )
    return out.getvalue().rstrip() if as_one_line else out.getvalue()


def MessageToBytes(message: Message, **options: Any) -> bytes:
    """Return the text of `MessageToString` in UTF-8."""
    return MessageToString(message, **options).encode()


def PrintMessage(
    message: Message,
    out: Writer,
    indent: int = 0,
    as_utf8: bool = False,
    as_one_line: bool = False,
    use_short_repeated_primitives: bool = False,
    pointy_brackets: bool = False,
    use_index_order: bool = False,
    float_format: str | None = None,
    double_format: str | None = None,
    use_field_number: bool = False,
    descriptor_pool: Mapping[str, type[Message]] | None = None,
    message_formatter: Formatter | None = None,
    print_unknown_fields: bool = False,
    force_colon: bool = False,
) -> None:
    """Print the message to a file. Options beyond those of `pbwire.text.dumps`:

    indent            number of blanks in front of each field
    pointy_brackets   messages are in <>
    use_index_order   fields are in the order of their declaration
    float_format      format specification for floats, and for doubles unless there is a `double_format`
    use_field_number  fields are printed by number
    message_formatter function that is called for each message, with the message, the width of its indentation and
                      `as_one_line`; it returns the text of the message, or None for the usual text
    force_colon       a colon follows the name of a message

    Raises EncodeError, as `to_bytes` does, for a value that its field cannot hold, and ValueError for a negative indent
    or an invalid format.
    """
    message = plain(message)
    if indent < 0:
        raise ValueError(f"indent must be >= 0, got {indent}")
    for specification in (float_format, double_format):
        format(0.0, specification or "")  # raises ValueError for an invalid one
    line = ("\n" if not as_one_line else MARK if indent else " ") + " " * indent

    def write(text: str) -> object:
        return out.write(text.replace(f"{line}}}", " }").replace(f"{line}>", " >").replace(MARK, " "))

    output = Output(
        write if line[0] == MARK else out.write,
        as_utf8=as_utf8,
        as_one_line=as_one_line,
        print_unknown_fields=print_unknown_fields,
        use_short_repeated_primitives=use_short_repeated_primitives,
        types=descriptor_pool,
        max_depth=None,
        style=Style(
            pointy=pointy_brackets,
            colon=force_colon,
            numbers=use_field_number,
            declared=use_index_order,
            floats=float_format is not None or double_format is not None,
            formatted=message_formatter is not None,
        ),
        floats=float_speller(float_format),
        doubles=double_speller(float_format if double_format is None else double_format),
        formatter=message_formatter,
    )
    print_message(output, line, message)
    if as_one_line and output.started:
        out.write(" ")


def Parse(
    text: str | bytes,
    message: M,
    allow_unknown_extension: bool = False,
    allow_field_number: bool = False,
    descriptor_pool: Mapping[str, type[Message]] | None = None,
    allow_unknown_field: bool = False,
) -> M:
    """Parse a text into `message`, and return it. A singular field that is present already is an error.

    Options are those of `pbwire.text.loads`; `allow_unknown_extension` skips unknown extensions of messages that can be
    extended. Raises TextFormatError; the message may then have the fields before the error.
    """
    unknown = allow_unknown_field, allow_unknown_extension
    return _read(text, message, False, allow_field_number, descriptor_pool, unknown)


def Merge(
    text: str | bytes,
    message: M,
    allow_unknown_extension: bool = False,
    allow_field_number: bool = False,
    descriptor_pool: Mapping[str, type[Message]] | None = None,
    allow_unknown_field: bool = False,
) -> M:
    """Parse a text as `Parse` does, but replace scalars that are already present, and merge messages."""
    unknown = allow_unknown_field, allow_unknown_extension
    return _read(text, message, True, allow_field_number, descriptor_pool, unknown)


def ParseLines(
    lines: Iterable[str | bytes],
    message: M,
    allow_unknown_extension: bool = False,
    allow_field_number: bool = False,
    descriptor_pool: Mapping[str, type[Message]] | None = None,
    allow_unknown_field: bool = False,
) -> M:
    """Parse the lines of a text, with or without newlines at their ends, as `Parse` does."""
    unknown = allow_unknown_field, allow_unknown_extension
    return _read(_join_lines(lines), message, False, allow_field_number, descriptor_pool, unknown)


def MergeLines(
    lines: Iterable[str | bytes],
    message: M,
    allow_unknown_extension: bool = False,
    allow_field_number: bool = False,
    descriptor_pool: Mapping[str, type[Message]] | None = None,
    allow_unknown_field: bool = False,
) -> M:
    """Parse the lines of a text, with or without newlines at their ends, as `Merge` does."""
    unknown = allow_unknown_field, allow_unknown_extension
    return _read(_join_lines(lines), message, True, allow_field_number, descriptor_pool, unknown)


def _join_lines(lines: Iterable[str | bytes]) -> bytes:
    """Join lines with one newline between them."""
    encoded = (line.encode(errors="surrogatepass") if isinstance(line, str) else line for line in lines)
    return b"\n".join(line.removesuffix(b"\n") for line in encoded)


def _read(
    text: str | bytes,
    message: M,
    merge: bool,
    allow_field_number: bool,
    types: Mapping[str, type[Message]] | None,
    unknown: tuple[bool, bool],
) -> M:
    """Parse a text. `unknown` says whether unknown fields and unknown extensions are skipped."""
    from . import fast_parser  # not needed for printing

    table_of(type(message))  # raises TypeError for other objects
    fast_parser.merge(
        text,
        message,
        merge=merge,
        allow_unknown_field=unknown[0],
        allow_field_number=allow_field_number,
        allow_unknown_extension=unknown[1],
        types=types,
        max_depth=MAX_DEPTH,
    )
    return message
