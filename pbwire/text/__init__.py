"""Text format (https://protobuf.dev/reference/protobuf/textformat-spec), to the byte as protobuf's Python prints it.

    print(text.dumps(graph))
    text.dump(graph, sys.stdout, longest=100, most=10)      # shortened, and as quick to begin as to read

`dumps` gives what `google.protobuf.text_format.MessageToString` of protobuf 4.25 gives with the same options. Where its
two backends differ, which is in -0.0, ours is that of the one in C. Where it fails, ours does better: an Any that holds
nonsense is printed as it is, and of unknown fields what is nested too deeply is not taken for messages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from ..errors import DecodeError, EncodeError
from ..fields import table_of
from ..message import Message
from .output import Output, put_message

__all__ = ["dump", "dumps"]


class Writer(Protocol):
    """What `dump` needs of a file."""

    def write(self, text: str, /) -> object: ...


def dumps(
    message: Message,
    *,
    as_utf8: bool = False,
    as_one_line: bool = False,
    print_unknown_fields: bool = False,
    use_short_repeated_primitives: bool = False,
    types: Mapping[str, type[Message]] | None = None,
) -> str:
    """The message as text.

    as_utf8                        strings keep characters that are not ASCII
    as_one_line                    everything on one line
    print_unknown_fields           fields that the table does not know are printed too, by number
    use_short_repeated_primitives  numbers, bools and enums of a list stand in brackets
    types                          from full names to classes: an Any of one of these is printed as what it holds

    Raises EncodeError, as `to_bytes` does, for a value that its field cannot hold.
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
    longest: int | None = None,
    most: int | None = None,
) -> None:
    """Print the message to a file, or give the text piece by piece to a function.

    Options are those of `dumps`. The text is never in memory as a whole, and what a lazy message has not decoded is
    decoded a part at a time and not kept.

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
        longest=longest,
        most=most,
    )
    try:
        put_message(out, " " if as_one_line else "\n", message)
        out.finish()
    except DecodeError:
        raise
    except Exception as error:  # whatever a wrong value makes of Python's own operations
        if error is out.failure:
            raise
        from ..checking import check  # not needed while all is well

        check(message)
        raise EncodeError(f"cannot be printed ({type(error).__name__}: {error})") from error
