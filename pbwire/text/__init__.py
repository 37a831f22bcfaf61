"""Text format (https://protobuf.dev/reference/protobuf/textformat-spec), to the byte as protobuf's Python prints it.

    print(text.dumps(graph))
    text.dump(graph, sys.stdout, longest=100, most=10)      # shortened, and as quick to begin as to read

`dumps` gives what `google.protobuf.text_format.MessageToString` of protobuf 4.25 gives with the same options. Where its
two backends differ, which is in -0.0, ours is that of the one in C. Where it fails, ours does better: an Any that holds
nonsense is printed as it is, one whose content would be nested too deeply to be read stays packed, and of unknown
fields what is nested too deeply is not taken for messages.

The functions of `text_format` are here under their own names too, with all their options: see `aliases`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from ..descriptor import table_of
from ..message import MAX_DEPTH, Message
from .aliases import Merge, MergeLines, MessageToBytes, MessageToString, Parse, ParseLines, PrintMessage
from .any import print_message
from .output import Output, Writer

__all__ = [
    "Merge",
    "MergeLines",
    "MessageToBytes",
    "MessageToString",
    "Parse",
    "ParseLines",
    "PrintMessage",
    "dump",
    "dumps",
    "loads",
]

M = TypeVar("M", bound=Message)


def dumps(
    message: Message,
    *,
    as_utf8: bool = False,
    as_one_line: bool = False,
    print_unknown_fields: bool = False,
    use_short_repeated_primitives: bool = False,
    types: Mapping[str, type[Message]] | None = None,
    max_depth: int = MAX_DEPTH,
) -> str:
    """The message as text.

    as_utf8                        strings keep characters that are not ASCII
    as_one_line                    everything on one line
    print_unknown_fields           fields that the table does not know are printed too, by number
    use_short_repeated_primitives  numbers, bools and enums of a list stand in brackets
    types                          from full names to classes: an Any of one of these is printed as what it holds
    max_depth                      how many levels of messages may be nested; the default is what `loads` reads

    An Any whose content would be nested more deeply stays packed, so that what is printed can be read. Raises
    EncodeError for other messages that are, and, as `to_bytes` does, for a value that its field cannot hold.
    """
    parts: list[str] = []
    dump(
        message,
        parts.append,
        as_utf8=as_utf8,
        as_one_line=as_one_line,
        print_unknown_fields=print_unknown_fields,
        use_short_repeated_primitives=use_short_repeated_primitives,
        types=types,
        max_depth=max_depth,
    )
    return "".join(parts)


def dump(
    message: Message,
    file: Writer | Callable[[str], object],
    *,
    as_utf8: bool = False,
    as_one_line: bool = False,
    print_unknown_fields: bool = False,
    use_short_repeated_primitives: bool = False,
    types: Mapping[str, type[Message]] | None = None,
    max_depth: int = MAX_DEPTH,
    longest: int | None = None,
    most: int | None = None,
) -> None:
    """Print the message to a file, or give the text piece by piece to a function.

    Options are those of `dumps`. The text is never in memory as a whole, and what a lazy message has not decoded is
    decoded a part at a time and not kept. So the memory that this takes does not grow with the message, but for what
    has to be seen together: the keys of a map, which are sorted; all of a map that a lazy message has not read; of a
    message that was not decoded, a string or a list that `most` cuts or that stands in brackets; an Any that is
    expanded.

    `longest` and `most` shorten the text, which stays text format that can be read: a string of more characters, or
    more bytes, than `longest` is cut, and of a repeated field only `most` values are shown, messages excepted. A
    comment says how much there is in all, so everything cannot go on one line.
    """
    if as_one_line and (longest is not None or most is not None):
        raise ValueError("a comment ends with its line: as_one_line excludes longest and most")
    for limit in (longest, most):
        if limit is not None and limit < 0:
            raise ValueError(f"{limit} is no limit")
    table_of(type(message))  # raises TypeError if it is no message
    out = Output(
        file if callable(file) else file.write,
        as_utf8=as_utf8,
        as_one_line=as_one_line,
        print_unknown_fields=print_unknown_fields,
        use_short_repeated_primitives=use_short_repeated_primitives,
        types=types,
        max_depth=max_depth,
        longest=longest,
        most=most,
    )
    print_message(out, " " if as_one_line else "\n", message)


def loads(
    text: str | bytes,
    cls: type[M],
    *,
    merge: bool = False,
    allow_unknown_field: bool = False,
    allow_field_number: bool = False,
    types: Mapping[str, type[Message]] | None = None,
    max_depth: int = MAX_DEPTH,
) -> M:
    """The message of class `cls` that a text, as str or in UTF-8, spells out.

    merge                a field that is not repeated may come more than once: values replace, messages merge
    allow_unknown_field  what the table does not know is passed over, and lost
    allow_field_number   a field may be called by its number
    types                from full names to classes, for Any that are spelled out: `[type.googleapis.com/name] { ... }`
    max_depth            how many levels of messages may be nested

    What protobuf's Python parser takes and the specification does not is refused (`+1`, `1_000`, unknown escapes,
    floats with leading zeros); what it should take and does not is read (`- 1`, `1.5F`, `\\u20ac`, enums in octal, and
    a surrogate pair such as `\\ud83d\\ude00`, which is one character, as in C++; half of a pair is refused).
    Raises TextFormatError, which tells line and column and shows the line.
    """
    from . import fast_parser  # not needed for printing

    table_of(cls)  # raises TypeError if it is no message class
    message = cls()
    fast_parser.merge(
        text,
        message,
        merge=merge,
        allow_unknown_field=allow_unknown_field,
        allow_field_number=allow_field_number,
        types=types,
        max_depth=max_depth,
    )
    return message
