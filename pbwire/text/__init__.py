"""Text format (https://protobuf.dev/reference/protobuf/textformat-spec): printing and parsing.

    print(text.dumps(graph))
    text.dump(graph, sys.stdout, longest=100, most=10)      # shortened, and printed while it is read

`dumps` prints byte for byte what `google.protobuf.text_format.MessageToString` of protobuf 6 and 7 prints with the same
options; `pbwire.behavior.follow("4.25")` asks for the text of 4.25. The two backends of protobuf differ in -0.0: this
package follows the backend in C. It also prints some messages that protobuf refuses: an Any is printed unexpanded if
its content is invalid, or would be nested too deeply to be parsed; and unknown fields that are nested too deeply are
printed as bytes.

A field that is not repeated is set once. A field without presence that has its default so far may be set again. As in
protobuf 6, -0.0 is not the default 0.0: "x: -0 x: 1" is an error, where 4.25 gives 1.

    printer.py           the generated printer
    output.py            the lines of a text while it is printed
    streaming.py         parts of undecoded messages, to print a large one without decoding it as a whole
    any.py               expanded Any messages, and unknown fields
    lexer.py             tokens
    large_literals.py    literals of megabytes, which are extracted before a text is parsed
    parser.py            the parser of the whole grammar
    fast_parser.py       a much faster parser of the text that printers write; it leaves all other text to `parser`
    free_form_parser.py  a faster parser of text that does not repeat itself; it leaves rare elements to `parser`
    field_readers.py     how to parse and store the values of a field
    scalars.py           scalars in both directions
    literals.py          the escapes of strings and bytes in both directions
    aliases.py           the functions of `google.protobuf.text_format`, with all options

The package imports `codec`, `lazy`, descriptors and messages, not `json`. Users of pbwire and `tfmodel.files` call it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from ..descriptor import table_of
from ..message import MAX_DEPTH, Message
from ..plain import plain
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
    """Return the message as text.

    as_utf8                        strings keep characters that are not ASCII
    as_one_line                    everything on one line
    print_unknown_fields           unknown fields are printed, by number
    use_short_repeated_primitives  lists of numbers, bools and enums are printed in brackets
    types                          mapping from full names to classes: an Any of such a type is printed expanded
    max_depth                      maximum nesting of messages; the default is the maximum that `loads` accepts

    An Any whose content would exceed `max_depth` stays packed, so that the text can be parsed. Raises EncodeError for
    other messages that exceed `max_depth`, and for a value that its field cannot hold, as `to_bytes` does.
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
    """Print the message to a file, or pass the text piece by piece to a function.

    Options are those of `dumps`. The text is never in memory as a whole, and undecoded parts of a lazy message are
    decoded one at a time and not kept. So memory does not grow with the message, except for parts that have to be
    complete: the sorted keys of a map; an undecoded map; an expanded Any; and, in an undecoded message, a string, and a
    list that is shortened by `most` or printed in brackets.

    longest    maximum number of characters, or bytes, of a string; longer strings are truncated
    most       maximum number of values that are printed of a list, unless its values are messages

    The shortened text is still valid text format. A comment shows the full size, so these options cannot be combined
    with `as_one_line`. Raises ValueError for that combination and for negative limits.
    """
    if as_one_line and (longest is not None or most is not None):
        raise ValueError("a comment ends with its line: as_one_line excludes longest and most")
    for name, limit in (("longest", longest), ("most", most)):
        if limit is not None and limit < 0:
            raise ValueError(f"{name} must be >= 0, got {limit}")
    message = plain(message)
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
    r"""Parse a text, str or UTF-8, and return the message of class `cls`.

    merge                a singular field may occur more than once: later values replace earlier ones, messages are
                         merged
    allow_unknown_field  unknown fields are skipped
    allow_field_number   a field may be given by its number
    types                mapping from full names to classes, for expanded Any: `[type.googleapis.com/name] { ... }`
    max_depth            maximum nesting of messages

    The parser follows the specification where protobuf's Python parser does not. It refuses `+1`, `1_000`, unknown
    escapes, escapes of surrogates, even in pairs, and floats with leading zeros. It accepts `- 1`, `1.5F`, `\u20ac`,
    `\U0001f600`, enums in octal, and white space and comments anywhere in brackets. Fields whose names a message
    reserves are skipped.

    Raises TextFormatError with line and column.
    """
    from . import fast_parser  # not needed for printing

    table_of(cls)  # raises TypeError for other classes
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
