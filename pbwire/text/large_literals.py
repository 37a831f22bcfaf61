"""Literals of more than MIN_LENGTH characters are extracted from a text before it is parsed, and unescaped in chunks.

Weights are literals of up to hundreds of megabytes. As a part of the text, such a literal would be decoded to str,
copied when its end is found, encoded, and unescaped: each step needs as much memory as the text itself. So a
placeholder stands for the literal in the text that is parsed, and the value is read directly from the source.

A placeholder is a number between two lone surrogates, which no valid text contains. Each placeholder is different, so
lines and blocks with placeholders are not taken for one another.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, TypeAlias

from .literals import is_usual, unescape_literal

Source: TypeAlias = Any  # str or bytes; the functions here return parts of it, of the same type

MIN_LENGTH = 1 << 16  # characters or bytes of a literal that is extracted
CHUNK_LENGTH = 1 << 16
MAX_USUAL_ESCAPE = 4  # characters of an escape such as \377 that `codecs.escape_decode` decodes

MARK = "\udc00"
_placeholder = re.compile(f"{MARK}([0-9]+){MARK}").match


class LargeLiterals:
    """The literals that were extracted from a source, as pairs of positions without the quotes."""

    __slots__ = ("_places", "_source")

    def __init__(self, source: Source, places: list[tuple[int, int]]) -> None:
        self._source = source
        self._places = places

    def read(self, text: str, pos: int) -> tuple[bytes, int]:
        """Return the value of the literal whose placeholder is at `pos`, and the position after the placeholder.

        Raises InvalidValue.
        """
        match = _placeholder(text, pos)
        assert match is not None  # `text` is the one that `extract_literals` returned
        start, end = self._places[int(match[1])]
        return _unescape(self._source, start, end), match.end()


def extract_literals(source: Source) -> tuple[str, LargeLiterals] | None:
    """Return the text of a source with placeholders, and its large literals; None if it has no large literals.

    Also None if bytes are not UTF-8.
    """
    places = [place for start, end in _long_lines(source) for place in _literals(source, start, end)]
    if not places:
        return None
    parts, pos = [], 0
    try:
        for number, (start, end) in enumerate(places):
            _check_utf8(source, start, end)
            parts += [_decode(source[pos : start - 1]), f"{MARK}{number}{MARK}"]
            pos = end + 1
        parts.append(_decode(source[pos:]))
    except UnicodeDecodeError:
        return None
    return "".join(parts), LargeLiterals(source, places)


# --- finding literals --------------------------------------------------------------------------------------------


def _long_lines(source: Source) -> Iterator[tuple[int, int]]:
    """Yield the positions of lines that may have a large literal. Literals and comments end with their line."""
    newline = _as_type(source, "\n")
    start = 0
    while len(source) - start > MIN_LENGTH:
        last = source.rfind(newline, start, start + MIN_LENGTH)
        if last < 0:
            end = source.find(newline, start + MIN_LENGTH)
            last = len(source) if end < 0 else end
            yield start, last
        start = last + 1


def _literals(source: Source, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the positions of the large literals of a line."""
    skip, pos = _skip_small(isinstance(source, bytes), MIN_LENGTH), start
    while True:
        small = skip(source, pos, end)
        assert small is not None  # the pattern matches the empty text, too
        pos = small.end()
        if pos == end or source[pos : pos + 1] == _as_type(source, "#"):
            return
        close = _closing_quote(source, pos, end)
        if close < 0:
            return
        if close - pos - 1 > MIN_LENGTH:
            yield pos + 1, close
        pos = close + 1


@cache
def _skip_small(is_bytes: bool, length: int) -> Callable[..., re.Match[Any] | None]:
    """Return the matcher of the tokens on a line before a comment, or before a literal that may be large."""
    plain = max(1, min(64, length))
    literals = [rf"{quote}(?:[^{quote}\\]{{1,{plain}}}+|\\.|(?!)){{0,{length // 64}}}+{quote}" for quote in "\"'"]
    pattern = rf"(?:[^\"'#]++|{'|'.join(literals)}|(?!))*+"
    compiled: re.Pattern[Any] = re.compile(pattern.encode() if is_bytes else pattern, re.DOTALL)
    return compiled.match


def _closing_quote(source: Source, start: int, end: int) -> int:
    """Return the position of the quote that closes the literal at `start`; -1 if there is none before `end`."""
    quote, backslash = source[start : start + 1], _as_type(source, "\\")[0]
    close = start
    while (close := source.find(quote, close + 1, end)) >= 0:
        if source[close - 1] != backslash or not _backslashes(source, close) % 2:
            break
    return close


def _backslashes(source: Source, end: int) -> int:
    """Return the number of consecutive backslashes in front of a position."""
    backslash, start = _as_type(source, "\\")[0], end
    while start and source[start - 1] == backslash:
        start -= 1
    return end - start


# --- reading literals --------------------------------------------------------------------------------------------


def _unescape(source: Source, start: int, end: int) -> bytes:
    """Return the value of the literal between two positions. Raises InvalidValue."""
    value, pos = io.BytesIO(), start
    while pos < end:
        stop = _end_of_chunk(source, pos, end)
        chunk = _encode(source[pos:stop])
        if not is_usual(chunk):
            return unescape_literal(_decode(source[start:end]))
        value.write(codecs.escape_decode(chunk)[0])
        pos = stop
    return value.getvalue()  # without a copy


def _end_of_chunk(source: Source, start: int, end: int) -> int:
    """Return a position in a literal, after `start`, that is not inside a usual escape."""
    stop = start + CHUNK_LENGTH
    if stop >= end:
        return end
    last = source.rfind(_as_type(source, "\\"), stop - MAX_USUAL_ESCAPE + 1, stop)
    return last if last >= 0 and _backslashes(source, last) % 2 == 0 else stop


def _check_utf8(source: Source, start: int, end: int) -> None:
    """Raise UnicodeDecodeError if a part of a source is not UTF-8."""
    if isinstance(source, bytes):
        decoder = codecs.getincrementaldecoder("utf-8")()
        for pos in range(start, end, CHUNK_LENGTH):
            decoder.decode(source[pos : min(pos + CHUNK_LENGTH, end)])
        decoder.decode(b"", final=True)


def _decode(part: str | bytes) -> str:
    return part.decode() if isinstance(part, bytes) else part


def _encode(part: str | bytes) -> bytes:
    return part.encode() if isinstance(part, str) else part


def _as_type(source: Source, characters: str) -> Source:
    """Return ASCII characters as the type of the source."""
    return characters.encode() if isinstance(source, bytes) else characters
