"""Tokens of text format (https://protobuf.dev/reference/protobuf/textformat-spec), and errors that point at a token.

Positions count characters from the start of the text. Line and column are computed when an error needs them.
"""

from __future__ import annotations

import re
from typing import NoReturn

from ..errors import TextFormatError, escape_invisible
from .large_literals import MARK, LargeLiterals
from .literals import unescape_literal
from .scalars import InvalidValue

# Parts of regular expressions that are compiled with re.ASCII. All quantifiers are possessive. So matching never
# backtracks, and parsing takes time linear in the text. Loops over groups end in an alternative that always fails,
# `|(?!)`: before Python 3.11.5 they also consumed what the last, failed turn had matched.
BLANK = r"[ \n\t\r\v\f]*+"
COMMENTED = rf"{BLANK}(?:#[^\n]*+{BLANK}|(?!))*+"
REST_OF_LINE = r"[ \t\r\v\f]*+\n?+"
NAME = r"[A-Za-z_]\w*+"
LITERAL = r""""(?:[^"\\\n]++|\\[^\n]|(?!))*+"|'(?:[^'\\\n]++|\\[^\n]|(?!))*+'"""
_UNSIGNED = r"[\w.](?:[\w.]|(?<=[eE])[+-]|(?!))*+"  # a number, or a name; inside, a sign belongs to an exponent
WORD = rf"-?+{_UNSIGNED}"

_gap = re.compile(COMMENTED, re.ASCII).match
_separator = re.compile(rf"(?:{COMMENTED}[,;]|(?!))?+{REST_OF_LINE}").match
_name = re.compile(NAME, re.ASCII).match
_number = re.compile(r"[0-9]+(?!\w)", re.ASCII).match
_word = re.compile(rf"(-?+){COMMENTED}({_UNSIGNED})", re.ASCII).match
_literal = re.compile(LITERAL).match
_token = re.compile(rf"{LITERAL}|{WORD}|\S", re.ASCII).match

QUOTES = ('"', "'", MARK)  # first characters of literals
SEPARATORS = (",", ";")
MAX_SHOWN_LENGTH = 40  # characters of a token that an error quotes


class Tokens:
    """A text that is read token by token. `large` has the literals for which the text has placeholders."""

    __slots__ = ("large", "text")

    def __init__(self, text: str, large: LargeLiterals | None = None) -> None:
        self.text = text
        self.large = large

    def at(self, pos: int) -> str:
        """Return the character at a position, or "" at the end."""
        return self.text[pos : pos + 1]

    def skip_gap(self, pos: int) -> int:
        """Return the position after white space and comments."""
        return _end(_gap(self.text, pos))

    def skip_separator(self, pos: int) -> int:
        """Return the position after the separator and the line end that follow an element; both may be missing."""
        return _end(_separator(self.text, pos))

    def separator_before(self, pos: int) -> str:
        """Return the separator before `pos` that `skip_separator` skipped; "" if it skipped none."""
        while pos and self.text[pos - 1] in " \n\t\r\v\f":
            pos -= 1
        before = self.text[pos - 1 : pos] if pos else ""
        return before if before in SEPARATORS else ""

    def read_name(self, pos: int) -> str:
        """Return the name at a position, or ""."""
        match = _name(self.text, pos)
        return match[0] if match else ""

    def read_number(self, pos: int) -> str:
        """Return the decimal number at a position, or ""."""
        match = _number(self.text, pos)
        return match[0] if match else ""

    def read_word(self, pos: int) -> tuple[str, int]:
        """Return the word at a position, or "", and the position where it ends."""
        match = _word(self.text, pos)
        return (match[1] + match[2], match.end()) if match else ("", pos)

    def read_literals(self, pos: int) -> tuple[bytes, int]:
        """Return the joined value of the adjacent string literals at `pos`, and the position at which they end."""
        pieces = []
        while True:
            try:
                piece, end = self._read_literal(pos)
            except InvalidValue as error:
                self.fail(pos + 1 + error.start, error.problem, error.width)
            pieces.append(piece)
            pos = self.skip_gap(end)
            if pos == len(self.text) or self.text[pos] not in QUOTES:
                return b"".join(pieces), end

    def _read_literal(self, pos: int) -> tuple[bytes, int]:
        if self.large is not None and self.text[pos] == MARK:
            return self.large.read(self.text, pos)
        match = _literal(self.text, pos)
        if match is None:
            self._explain_open_literal(pos)
        return unescape_literal(match[0][1:-1]), match.end()

    # --- errors --------------------------------------------------------------------------------------------------

    def fail(self, pos: int, problem: str, width: int | None = None) -> NoReturn:
        """Raise a TextFormatError that underlines the token at `pos`, or `width` characters at `pos`."""
        if width is None:
            match = _token(self.text, pos)
            width = len(match[0]) if match else 1
        start = self.text.rfind("\n", 0, pos) + 1
        end = self.text.find("\n", pos)
        source = self.text[start : len(self.text) if end < 0 else end].removesuffix("\r")
        raise TextFormatError(problem, line=self.line(pos), column=pos - start + 1, source=source, width=width)

    def line(self, pos: int) -> int:
        return self.text.count("\n", 0, pos) + 1

    def token_for_error(self, pos: int) -> str:
        """Return the token at a position for an error."""
        match = _token(self.text, pos)
        if match is None:
            return "the end of the text"
        return shorten_token(match[0])

    def _explain_open_literal(self, pos: int) -> NoReturn:
        end = self.text.find("\n", pos)
        width = (len(self.text) if end < 0 else end) - pos
        self.fail(pos, f"this string has no closing {self.text[pos]} on its line", width)


def shorten_token(token: str) -> str:
    """Return a token for an error: shortened, and without invisible characters."""
    shown = escape_invisible(token[:MAX_SHOWN_LENGTH])
    return f"{shown}..." if len(token) > MAX_SHOWN_LENGTH else shown


def _end(match: re.Match[str] | None) -> int:
    assert match is not None  # the pattern matches the empty text, too
    return match.end()
