"""How text may look other than `dumps` makes it: what protobuf's printer can be asked for beside.

A style is settled when a printer is written, so that none of this is asked while printing: the printers of each style
are functions of their own, called "print" or, say, "print:pointy_colon".

What generated printers print to: pieces of text on their way out, and the options that were asked for.

A piece is a line with what comes *before* it: a newline and the indentation, or one space if everything goes on one
line. So a line is one string whatever the layout is, and its end needs no thought. Pieces are joined and handed on
whenever many have gathered, which may be between any two lines: the text is never in memory as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from sys import maxsize
from typing import Any, NamedTuple, Protocol

from ..errors import EncodeError
from ..varints import as_bytes
from ..wire import MAX_DEPTH
from .scalars import PLAIN, Speller, escaped, escaped_bytes, escaped_utf8

__all__ = [
    "FULL",
    "USUAL",
    "Formatter",
    "Output",
    "Style",
    "TooDeep",
    "Writer",
    "put_bytes",
    "put_bytes_list",
    "put_key",
    "put_list",
    "put_many",
    "put_string",
    "put_strings",
    "too_deep",
]


class Style(NamedTuple):
    """What is unusual.

    pointy    messages stand in <>
    colon     the name of a message has a colon behind it, as that of a number has
    numbers   fields are called by their numbers
    declared  fields stand in the order of the rows of the table
    floats    `Output.floats` and `Output.doubles` spell numbers
    formatted `Output.formatter` is asked first whether it formats a message
    """

    pointy: bool = False
    colon: bool = False
    numbers: bool = False
    declared: bool = False
    floats: bool = False
    formatted: bool = False

    @classmethod
    def of(cls, what: str) -> Style:
        """The style of the printers that are called `what`."""
        _, _, flags = what.partition(":")
        return cls(**dict.fromkeys(flags.split("_"), True)) if flags else cls()

    @property
    def printer(self) -> str:
        """What its printers are called: see `compiling.function`."""
        flags = "_".join(name for name, on in zip(self._fields, self, strict=True) if on)
        return f"print:{flags}" if flags else "print"

    @property
    def opening(self) -> str:
        """What stands between the name of a message and its fields."""
        return f"{':' if self.colon else ''} {'<' if self.pointy else '{'}"

    @property
    def closing(self) -> str:
        return ">" if self.pointy else "}"


USUAL = Style()


FULL = 256  # so many pieces are handed on
TOGETHER = 64  # so many values of a list make one piece
LONG = 1 << 13  # so many characters or bytes of a value do
REMEMBERED_KEYS = 4096  # of maps, in quotes; they are few and come again and again
REMEMBERED_KEY_SIZE = 64

# What is called with a message, the width of its indentation and whether all goes on one line.
Formatter = Callable[[Any, int, bool], str | None]


class Writer(Protocol):
    """What is needed of a file."""

    def write(self, text: str, /) -> object: ...


class Output:
    """The text of one call, and how it should look.

    Of what generated code uses, `append` adds a piece and `chunks` are those that have gathered, `step` is how far a
    message is indented, `plain` and `plain_bytes` tell whether a string is neither long nor has anything to escape,
    and `keys` has the keys that were met before in quotes. `floats` and `doubles` spell a list of numbers where the
    style asks for that. `lists_in_one` says that a list, if not of messages, cannot be printed part by part.
    """

    __slots__ = (
        "append",
        "chunks",
        "doubles",
        "escape",
        "failure",
        "few",
        "floats",
        "formatter",
        "keys",
        "lists_in_one",
        "longest",
        "max_depth",
        "most",
        "plain",
        "plain_bytes",
        "printer",
        "short_lists",
        "started",
        "step",
        "style",
        "types",
        "unknown",
        "write",
    )

    def __init__(
        self,
        write: Callable[[str], object],
        *,
        as_utf8: bool,
        as_one_line: bool,
        print_unknown_fields: bool,
        use_short_repeated_primitives: bool,
        types: Mapping[str, type] | None,
        max_depth: int | None = MAX_DEPTH,
        longest: int | None = None,
        most: int | None = None,
        style: Style = USUAL,
        floats: Speller | None = None,
        doubles: Speller | None = None,
        formatter: Formatter | None = None,
    ) -> None:
        self.write = write
        self.started = False
        self.failure: BaseException | None = None
        self.chunks: list[str] = []
        self.append = self.chunks.append
        self.step = "" if as_one_line else "  "
        self.escape = escaped_utf8 if as_utf8 else escaped
        self.unknown = print_unknown_fields
        self.short_lists = use_short_repeated_primitives
        self.types = types
        self.max_depth = max_depth
        self.longest = maxsize if longest is None else longest
        self.most = maxsize if most is None else most
        self.few = min(TOGETHER, self.most)
        self.lists_in_one = use_short_repeated_primitives or most is not None
        self.style = style
        self.printer = "print" if style is USUAL else style.printer
        self.floats = floats
        self.doubles = doubles
        self.formatter = formatter
        plain = f"{PLAIN}{{0,{min(LONG, self.longest)}}}"
        self.plain = re.compile(plain).fullmatch
        self.plain_bytes = re.compile(plain.encode()).fullmatch
        self.keys: dict[str, str] = {}

    def flush(self) -> None:
        """Hand on what has gathered."""
        text = "".join(self.chunks)
        self.chunks.clear()
        if not self.started:
            self.started = True
            text = text[1:]  # nothing stands before the first line
        try:
            self.write(text)
        except BaseException as error:  # whatever a file raises is the caller's
            self.failure = error
            raise

    def finish(self) -> None:
        """End the last line, if there is one."""
        if self.chunks or self.started:
            self.append("\n" if self.step else "")
            self.flush()


class TooDeep(EncodeError):
    """More levels of messages than the caller allows."""


def too_deep(out: Output) -> None:
    """Refuse to print what `loads` would refuse to read, if there is a limit."""
    if out.max_depth is not None:
        raise TooDeep(
            f"messages are nested more than {out.max_depth:,} levels deep; "
            "a larger max_depth prints them, and is needed to read them too"
        )


# --- strings -----------------------------------------------------------------------------------------------------


def put_string(out: Output, head: str, value: str) -> None:
    """Append `head` and a string, however long and whatever is in it."""
    _put_quoted(out, head, str.__str__(value), out.escape)


def put_bytes(out: Output, head: str, value: Any) -> None:
    """The same for a value of a bytes field."""
    _put_quoted(out, head, as_bytes(value), escaped_bytes)


def put_key(out: Output, head: str, key: str) -> None:
    """The same for the key of a map, which may be remembered."""
    if key.__class__ is not str or not out.plain(key):
        put_string(out, head, key)
        return
    text = f'"{key}"'
    if len(key) <= REMEMBERED_KEY_SIZE and len(out.keys) < REMEMBERED_KEYS:
        out.keys[key] = text
    out.append(head + text)


def _put_quoted(out: Output, head: str, value: Any, escape: Callable[[Any], str]) -> None:
    size = len(value)
    if size <= LONG and size <= out.longest:
        out.append(f'{head}"{escape(value)}"')
        return
    comment = ""
    if size > out.longest:
        is_text = isinstance(value, str)
        comment = f" # {size:,} {'characters' if is_text else 'bytes'} in all"
        size = out.longest if is_text else _whole_characters(value, out.longest)
    out.append(head + '"')
    for start in range(0, size, LONG):
        out.append(escape(value[start : min(start + LONG, size)]))
        out.flush()
    out.append(f'"{comment}')


def _whole_characters(data: Any, size: int) -> int:
    """`size`, or a little less if that would be inside of what looks like a character in UTF-8."""
    for start in range(size, max(-1, size - 4), -1):
        if data[start] & 0xC0 != 0x80:
            return start if data[start] >= 0xC0 else size
    return size


# --- lists -------------------------------------------------------------------------------------------------------


def put_strings(out: Output, head: str, values: list[Any]) -> None:
    """Append some strings, `head` before each."""
    if out.plain("".join(values)):
        between = f'"{head}"'.join(values)
        out.append(f'{head}"{between}"')
    else:
        for value in values:
            put_string(out, head, value)


def put_bytes_list(out: Output, head: str, values: list[Any]) -> None:
    """The same for values of a bytes field, which may be large."""
    if sum(map(len, values)) <= LONG and out.plain_bytes(b"".join(values)):
        text = b"\n".join(values).decode().replace("\n", f'"{head}"')
        out.append(f'{head}"{text}"')
    else:
        for value in values:
            put_bytes(out, head, value)


def put_many(
    out: Output, line: str, name: str, values: list[Any], put_some: Callable[[Output, str, list[Any]], None]
) -> None:
    """Append more strings, or more bytes, than should be handled or shown at once."""
    shown = min(len(values), out.most)
    for start in range(0, shown, TOGETHER):
        put_some(out, f"{line}{name}: ", values[start : min(start + TOGETHER, shown)])
        if len(out.chunks) > FULL:
            out.flush()
    if shown < len(values):
        out.append(f"{line}# {name}: {len(values):,} in all")


def put_list(out: Output, line: str, name: str, values: list[Any], texts: Callable[[list[Any]], list[str]]) -> None:
    """Append a list of numbers, bools or enums; `texts` is what spells them."""
    first = between = f"{line}{name}: "
    if out.short_lists:
        out.append(first + "[")
        first, between = "", ", "
    shown = min(len(values), out.most)
    for start in range(0, shown, TOGETHER):
        out.append(first + between.join(texts(values[start : min(start + TOGETHER, shown)])))
        first = between
        if len(out.chunks) > FULL:
            out.flush()
    if out.short_lists:
        out.append("]")
    if shown < len(values):
        before = " " if out.short_lists else line
        out.append(f"{before}# {name}: {len(values):,} in all")
