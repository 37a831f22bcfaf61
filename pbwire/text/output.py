"""The output of generated text printers: buffered chunks of text, and the options of the call.

A chunk is normally a line with the text *in front* of it: a newline and the indentation, or one space if everything is
on one line. So its end needs no code. A long string is several chunks, and a batch of list values is one chunk. Lists
and maps write the buffer when it has more than MAX_CHUNKS chunks, and long strings write it part by part. So a large
text is not in memory as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from sys import maxsize
from typing import Any, NamedTuple, Protocol

from ..behavior import behavior
from ..errors import EncodeError
from ..varints import as_bytes
from ..wire import MAX_DEPTH
from .literals import PLAIN, escape_bytes, escape_string, escape_utf8, escape_utf8_only
from .scalars import Speller


class Style(NamedTuple):
    """Options that change the generated code of printers.

    Each style has printers of its own, called "print" or, for example, "print:pointy_colon", so that printing does not
    test these options:

    pointy    messages are in <>
    colon     a colon follows the name of a message field, as it does for scalar fields
    numbers   fields are printed by number
    declared  fields are in the order of `Table.fields`, not by number
    floats    `Output.floats` and `Output.doubles` print numbers
    debug     keys and values of maps are printed even if they are zero, groups have the name of their field, and
              control characters are always escaped
    formatted `Output.formatter` is called for each message, and may return its text
    """

    pointy: bool = False
    colon: bool = False
    numbers: bool = False
    declared: bool = False
    floats: bool = False
    debug: bool = False
    formatted: bool = False

    @classmethod
    def of_printer(cls, name: str) -> Style:
        """Return the style of the printers with that name."""
        _, _, flags = name.partition(":")
        return cls(**dict.fromkeys(flags.split("_"), True)) if flags else cls()

    @property
    def printer_name(self) -> str:
        """The name of the printers of this style: see `codegen.function`."""
        flags = "_".join(name for name, is_on in zip(self._fields, self, strict=True) if is_on)
        return f"print:{flags}" if flags else "print"

    @property
    def opening(self) -> str:
        """The text between the name of a message and its fields."""
        return f"{':' if self.colon else ''} {'<' if self.pointy else '{'}"

    @property
    def closing(self) -> str:
        return ">" if self.pointy else "}"


DEFAULT_STYLE = Style()


MAX_CHUNKS = 256  # chunks that are buffered before they are written
VALUES_PER_CHUNK = 64  # values of a list
MAX_CHUNK_LENGTH = 1 << 14  # characters or bytes of a value
MAX_REMEMBERED_KEYS = 4096  # quoted keys of maps: keys such as attribute names are few and repeat
MAX_REMEMBERED_KEY_LENGTH = 64

# Takes a message, the width of its indentation, and whether the output is on one line. Returns the text of the message,
# or None if it is to be printed as without a formatter.
Formatter = Callable[[Any, int, bool], str | None]


class Writer(Protocol):
    """The part of a file that `dump` needs."""

    def write(self, text: str, /) -> object: ...


class Output:
    """The buffered output of one printing call, and its options.

    append                adds a chunk
    chunks                the buffered chunks
    flush                 writes them
    step                  the indentation added per level; empty if the output is on one line
    batch_size            the number of values of a list in one chunk
    plain, plain_bytes    check that a string is short and needs no escapes
    keys                  quoted keys of maps that occurred before
    unknown               True if unknown fields are printed
    floats, doubles       print lists of numbers, if the style has `floats`
    whole_lists           True if an undecoded message must not be cut inside a list of scalars: see `streaming`
    longest               the number of characters or bytes of a string that are printed
    most                  the number of values of a list of scalars that are printed
    """

    __slots__ = (
        "append",
        "batch_size",
        "chunks",
        "doubles",
        "escape",
        "failure",
        "floats",
        "formatter",
        "keys",
        "longest",
        "max_depth",
        "most",
        "plain",
        "plain_bytes",
        "printer_name",
        "short_lists",
        "started",
        "step",
        "style",
        "types",
        "unknown",
        "whole_lists",
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
        style: Style = DEFAULT_STYLE,
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
        self.escape = escape_string if not as_utf8 else escape_utf8
        if as_utf8 and not (style.debug or behavior().controls):
            self.escape = escape_utf8_only
        self.unknown = print_unknown_fields
        self.short_lists = use_short_repeated_primitives
        self.types = types
        self.max_depth = max_depth
        self.longest = maxsize if longest is None else longest
        self.most = maxsize if most is None else most
        self.batch_size = min(VALUES_PER_CHUNK, self.most)
        self.whole_lists = use_short_repeated_primitives or most is not None
        self.style = style
        self.printer_name = "print" if style is DEFAULT_STYLE else style.printer_name
        self.floats = floats
        self.doubles = doubles
        self.formatter = formatter
        plain = f"{PLAIN}{{0,{min(MAX_CHUNK_LENGTH, self.longest)}}}"
        self.plain = re.compile(plain).fullmatch
        self.plain_bytes = re.compile(plain.encode()).fullmatch
        self.keys: dict[str, str] = {}

    def flush(self) -> None:
        """Write the buffered chunks."""
        text = "".join(self.chunks)
        self.chunks.clear()
        if not self.started:
            self.started = True
            text = text[1:]  # no newline or space in front of the first line
        try:
            self.write(text)
        except BaseException as error:  # remembered: it is an error of the file, not of a value
            self.failure = error
            raise

    def finish(self) -> None:
        """End the last line, if there is one, and write the buffered chunks."""
        if self.chunks or self.started:
            self.append("\n" if self.step else "")
            self.flush()


class TooDeep(EncodeError):
    """Messages are nested more deeply than the caller allows."""


def refuse_depth(out: Output) -> None:
    """Raise TooDeep if there is a `max_depth`: called for a message nested more deeply, which `loads` would refuse."""
    if out.max_depth is not None:
        raise TooDeep(
            f"messages are nested more than {out.max_depth:,} levels deep; "
            "a larger max_depth prints them, and is needed to read them too"
        )


# --- strings -----------------------------------------------------------------------------------------------------


def put_string(out: Output, head: str, value: str) -> None:
    """Append `head` and a string of any length and content."""
    _put_quoted(out, head, str.__str__(value), out.escape)


def put_bytes(out: Output, head: str, value: Any) -> None:
    """Append `head` and a value of a bytes field."""
    _put_quoted(out, head, as_bytes(value), escape_bytes)


def put_key(out: Output, head: str, key: str) -> None:
    """Append `head` and the key of a map. Short keys without escapes are remembered, up to MAX_REMEMBERED_KEYS."""
    if key.__class__ is not str or not out.plain(key):
        put_string(out, head, key)
        return
    text = f'"{key}"'
    if len(key) <= MAX_REMEMBERED_KEY_LENGTH and len(out.keys) < MAX_REMEMBERED_KEYS:
        out.keys[key] = text
    out.append(head + text)


def _put_quoted(out: Output, head: str, value: Any, escape: Callable[[Any], str]) -> None:
    size = len(value)
    if size <= MAX_CHUNK_LENGTH and size <= out.longest:
        out.append(f'{head}"{escape(value)}"')
        return
    comment = ""
    if size > out.longest:
        is_text = isinstance(value, str)
        comment = f" # {size:,} {'characters' if is_text else 'bytes'} in all"
        size = out.longest if is_text else _whole_characters(value, out.longest)
    out.append(head + '"')
    for start in range(0, size, MAX_CHUNK_LENGTH):
        out.append(escape(value[start : min(start + MAX_CHUNK_LENGTH, size)]))
        out.flush()
    out.append(f'"{comment}')


def _whole_characters(data: Any, size: int) -> int:
    """Return `size`, or up to 3 less so that the first bytes of `data` do not end inside a UTF-8 character."""
    for start in range(size, max(-1, size - 4), -1):
        if data[start] & 0xC0 != 0x80:
            return start if data[start] >= 0xC0 else size
    return size


# --- lists -------------------------------------------------------------------------------------------------------


def put_strings(out: Output, head: str, values: list[Any]) -> None:
    """Append strings, with `head` in front of each."""
    if out.plain("".join(values)):
        between = f'"{head}"'.join(values)
        out.append(f'{head}"{between}"')
    else:
        for value in values:
            put_string(out, head, value)


def put_bytes_list(out: Output, head: str, values: list[Any]) -> None:
    """Append values of a bytes field, which may be large, with `head` in front of each."""
    if sum(map(len, values)) <= MAX_CHUNK_LENGTH and out.plain_bytes(b"".join(values)):
        text = b"\n".join(values).decode().replace("\n", f'"{head}"')
        out.append(f'{head}"{text}"')
    else:
        for value in values:
            put_bytes(out, head, value)


def put_long_strings(
    out: Output, line: str, name: str, values: list[Any], put_some: Callable[[Output, str, list[Any]], None]
) -> None:
    """Append a long list of strings or bytes in parts, which `put_some` appends; at most `out.most` of them."""
    shown = min(len(values), out.most)
    for start in range(0, shown, VALUES_PER_CHUNK):
        put_some(out, f"{line}{name}: ", values[start : min(start + VALUES_PER_CHUNK, shown)])
        if len(out.chunks) > MAX_CHUNKS:
            out.flush()
    if shown < len(values):
        out.append(f"{line}# {name}: {len(values):,} in all")


def put_list(out: Output, line: str, name: str, values: list[Any], texts: Speller) -> None:
    """Append a list of numbers, bools or enums, at most `out.most`; `texts` prints some of them."""
    first = between = f"{line}{name}: "
    if out.short_lists:
        out.append(first + "[")
        first, between = "", ", "
    elif len(values) <= out.batch_size:
        out.append(first + texts(values, between))
        return
    shown = min(len(values), out.most)
    for start in range(0, shown, VALUES_PER_CHUNK):
        out.append(first + texts(values[start : min(start + VALUES_PER_CHUNK, shown)], between))
        first = between
        if len(out.chunks) > MAX_CHUNKS:
            out.flush()
    if out.short_lists:
        out.append("]")
    if shown < len(values):
        before = " " if out.short_lists else line
        out.append(f"{before}# {name}: {len(values):,} in all")
