"""`google.protobuf.text_format` as its users know it: the same functions, arguments in the same order, the same text.

    text = MessageToString(graph, as_one_line=True, float_format=".6g", descriptor_pool=messages.TYPES)
    graph = Parse(text, GraphDef(), descriptor_pool=messages.TYPES)

`descriptor_pool` is what `types` is elsewhere, a mapping from full names to classes. There is no pool that all share,
so without it an Any stays packed. A message formatter gets our messages, and of a map's entries a message that has the
fields `key` and `value`. Errors are ours: EncodeError, TextFormatError.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from ..descriptor import table_of
from ..message import MAX_DEPTH, Message
from .any import print_message
from .output import Formatter, Output, Style, Writer
from .scalars import doubles_as, floats_as

__all__ = [
    "Merge",
    "MergeLines",
    "MessageToBytes",
    "MessageToString",
    "Parse",
    "ParseLines",
    "PrintMessage",
]

M = TypeVar("M", bound=Message)

# On one line, blanks of an indentation stand before fields but not before brackets. What is to become either begins
# with this until it is written; no text that has a UTF-8 form holds it.
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
    """The message as text; see `PrintMessage`."""
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
    """The text that MessageToString gives, in UTF-8."""
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
    """Print the message to a file. Beside what `pbwire.text.dumps` can do:

    indent            so many blanks stand before each field
    pointy_brackets   messages stand in <>
    use_index_order   fields stand in the order in which they are declared
    float_format      how to spell floats, a format specification; doubles too, unless there is a `double_format`
    use_field_number  fields are called by their numbers
    message_formatter a function that is asked first what to print for a message, given that, the width of its
                      indentation and `as_one_line`; None for what is usual
    force_colon       the name of a message has a colon behind it

    Raises EncodeError, as `to_bytes` does, for a value that its field cannot hold.
    """
    table_of(type(message))  # raises TypeError if it is no message
    if indent < 0:
        raise ValueError(f"{indent} is no indentation")
    for specification in (float_format, double_format):
        format(0.0, specification or "")  # raises ValueError if it is none
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
        floats=floats_as(float_format),
        doubles=doubles_as(float_format if double_format is None else double_format),
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
    """Read a text on top of what is in `message`, and return that. A singular field that is there already is an error.

    Options are those of `pbwire.text.loads`; `allow_unknown_extension` changes nothing, since no message here can be
    extended. Raises TextFormatError, and part of the text may have been read.
    """
    return _read(text, message, False, allow_field_number, descriptor_pool, allow_unknown_field)


def Merge(
    text: str | bytes,
    message: M,
    allow_unknown_extension: bool = False,
    allow_field_number: bool = False,
    descriptor_pool: Mapping[str, type[Message]] | None = None,
    allow_unknown_field: bool = False,
) -> M:
    """As `Parse`, but what is there already is replaced if it is a single value, and merged if it is a message."""
    return _read(text, message, True, allow_field_number, descriptor_pool, allow_unknown_field)


def ParseLines(
    lines: Iterable[str | bytes],
    message: M,
    allow_unknown_extension: bool = False,
    allow_field_number: bool = False,
    descriptor_pool: Mapping[str, type[Message]] | None = None,
    allow_unknown_field: bool = False,
) -> M:
    """`Parse` for the lines of a text, whether with their ends or without."""
    return _read(_joined(lines), message, False, allow_field_number, descriptor_pool, allow_unknown_field)


def MergeLines(
    lines: Iterable[str | bytes],
    message: M,
    allow_unknown_extension: bool = False,
    allow_field_number: bool = False,
    descriptor_pool: Mapping[str, type[Message]] | None = None,
    allow_unknown_field: bool = False,
) -> M:
    """`Merge` for the lines of a text, whether with their ends or without."""
    return _read(_joined(lines), message, True, allow_field_number, descriptor_pool, allow_unknown_field)


def _joined(lines: Iterable[str | bytes]) -> bytes:
    """One text, in which every line has one end."""
    encoded = (line.encode(errors="surrogatepass") if isinstance(line, str) else line for line in lines)
    return b"\n".join(line.removesuffix(b"\n") for line in encoded)


def _read(
    text: str | bytes,
    message: M,
    merge: bool,
    allow_field_number: bool,
    types: Mapping[str, type[Message]] | None,
    allow_unknown_field: bool,
) -> M:
    from . import fast_parser  # not needed for printing

    table_of(type(message))  # raises TypeError if it is no message
    fast_parser.merge(
        text,
        message,
        merge=merge,
        allow_unknown_field=allow_unknown_field,
        allow_field_number=allow_field_number,
        types=types,
        max_depth=MAX_DEPTH,
    )
    return message
