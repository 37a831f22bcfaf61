"""The tokens of a .proto file, one at a time, so that memory does not grow with their number.

https://protobuf.dev/reference/protobuf/proto2-spec#lexical_elements. A comment belongs to the declaration before it if
it begins on the same line, or on the next line with an empty line after it; to the declaration after it if no empty
line is between them; otherwise to none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from ..errors import ProtoError, escape_invisible

__all__ = ["Lexer", "Token", "shown", "unquote"]

_SPACE = re.compile(r"[ \t\r\n\f\v]+")
_COMMENT = re.compile(r"//([^\n]*)(?:\n|\Z)|/\*(.*?)\*/", re.DOTALL)
_TOKEN = re.compile(
    r"""
    (?P<name>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<float>(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+)
  | (?P<integer>0[xX][0-9a-fA-F]+|[0-9]+)
  | (?P<string>"(?:[^"\\\n]|\\[^\n])*"|'(?:[^'\\\n]|\\[^\n])*')
  | (?P<symbol>[!#-&(-/:-@\[-`{-~])
    """,
    re.VERBOSE,
)
_ESCAPE = re.compile(
    r"\\(?:([0-7]{1,3})|[xX]([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([abfnrtv\\?'\"])|(.?))", re.DOTALL
)
_SIMPLE_ESCAPES = dict(zip("abfnrtv\\?'\"", b"\a\b\f\n\r\t\v\\?'\"", strict=True))
_MAX_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Token:
    """A token. `kind` is "name", "float", "integer", "string", "symbol" or "end"; `position` is its index."""

    kind: str
    text: str
    position: int


class Lexer:
    """Reads the tokens of `text`. `token` is the current one; `next` moves on."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self.position = 0
        self.leading = ""
        """The comment before the current token that belongs to its declaration."""
        self.trailing = ""
        """The comment after the token before the current one that belongs to its declaration."""
        self.token = Token("symbol", "", 0)
        self.next()

    def next(self) -> Token:
        """Move to the next token, and return it."""
        self._skip()
        position = self.position
        if position == len(self.text):
            self.token = Token("end", "", position)
            return self.token
        match = _TOKEN.match(self.text, position)
        if match is None:
            self._fail_at(position)
        kind = match.lastgroup or ""
        self.position = match.end()
        after = self.text[self.position : self.position + 1]
        if kind in ("integer", "float"):
            if after.isalnum() or after == "_":
                self.fail("there is no space between this number and what follows", Token(kind, after, self.position))
            if kind == "integer" and re.fullmatch("0[0-9]*[89][0-9]*", match[0]):
                self.fail(
                    "a number that begins with 0 is octal: it has digits from 0 to 7", Token(kind, match[0], position)
                )
        self.token = Token(kind, match[0], position)
        if self.text.startswith(("}", "]", ")"), position) and self.leading:
            # at the end of a scope, a comment cannot be about what follows
            self.trailing = self.trailing or self.leading
            self.leading = ""
        return self.token

    def _fail_at(self, position: int) -> NoReturn:
        character = self.text[position]
        if character in "\"'":
            end = self.text.find("\n", position)
            text = self.text[position : end if end >= 0 else len(self.text)]
            self.fail("the string is not closed on this line", Token("string", text, position))
        self.fail(f'"{shown(character)}" is not allowed here', Token("symbol", character, position))

    def _skip(self) -> None:
        """Move over spaces and comments, and find the comments that belong to declarations."""
        self.leading = self.trailing = ""
        text = self.text
        before = self.position
        block: list[str] = []
        block_end = -1  # the position after the block of comments
        first = True
        while True:
            if space := _SPACE.match(text, self.position):
                self.position = space.end()
            if not text.startswith(("//", "/*"), self.position):
                break
            start = self.position
            comment = _COMMENT.match(text, start)
            if comment is None:
                self.fail("the comment is not closed", Token("symbol", "/*", start))
            gap = text.count("\n", block_end, start) if block else 0
            is_line = comment[1] is not None
            if block and (gap > 0 or not is_line or text[block_end - 1 : block_end] != "\n"):
                self._end_block(
                    block, before, block_end, first, empty_line=gap > (0 if text[block_end - 1] == "\n" else 1)
                )
                block, first = [], False
            if not block:
                block_start = start
            block.append(comment[1] + "\n" if is_line else _without_stars(comment[2]))
            self.position = block_end = comment.end()
            if first and len(block) == 1 and "\n" not in text[before:block_start] and before:
                self.trailing, block, first = "".join(block), [], False
        if block:
            end_of_line = text[block_end - 1 : block_end] == "\n"
            empty_line = text.count("\n", block_end, self.position) > (0 if end_of_line else 1)
            if not empty_line and self.position < len(text):
                self.leading = "".join(block)
            else:
                self._end_block(block, before, block_end, first, empty_line=True)

    def _end_block(self, block: list[str], before: int, end: int, first: bool, *, empty_line: bool) -> None:
        """Give a block of comments that is not followed by a declaration to the declaration before it."""
        start = _first_comment(self.text, before)
        if first and before and empty_line and not self.trailing and self.text.count("\n", before, start) == 1:
            self.trailing = "".join(block)

    def fail(self, problem: str, token: Token | None = None) -> NoReturn:
        """Raise an error at a token: the current one by default."""
        raise self.error(problem, token or self.token)

    def error(self, problem: str, token: Token) -> ProtoError:
        position = token.position
        start = self.text.rfind("\n", 0, position) + 1
        end = self.text.find("\n", position)
        source = self.text[start : end if end >= 0 else len(self.text)].rstrip("\r")
        return ProtoError(
            problem,
            file=self.file,
            line=self.text.count("\n", 0, position) + 1,
            column=position - start + 1,
            source=source,
            width=max(1, len(token.text)),
        )


def _first_comment(text: str, position: int) -> int:
    space = _SPACE.match(text, position)
    return space.end() if space else position


def _without_stars(comment: str) -> str:
    """Return the text of a block comment without the star at the beginning of each line after the first."""
    first, *rest = comment.split("\n")
    return "\n".join([first, *(re.sub(r"^[ \t\r\f\v]*\*?", "", line) for line in rest)])


def shown(text: str) -> str:
    """Return a text from a file for an error: cut, and without invisible characters."""
    cut = text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}..."
    return escape_invisible(cut)


def unquote(text: str) -> bytes | str:
    """Return the bytes of a quoted string with its escapes; an error as a str."""
    parts: list[bytes] = []
    position, end = 1, len(text) - 1
    while position < end:
        backslash = text.find("\\", position, end)
        stop = backslash if backslash >= 0 else end
        parts.append(text[position:stop].encode("utf-8", "surrogateescape"))
        if backslash < 0:
            break
        match = _ESCAPE.match(text, backslash)
        assert match is not None
        octal, hexadecimal, short, long, simple, wrong = match.groups()
        if wrong is not None:
            return f'"\\{shown(wrong)}" is not an escape'
        if octal or hexadecimal:
            code = int(octal, 8) if octal else int(hexadecimal, 16)
            if code > 255:
                return f'"\\{octal}" is more than a byte'
            parts.append(bytes([code]))
        elif simple:
            parts.append(bytes([_SIMPLE_ESCAPES[simple]]))
        else:
            code = int(short or long, 16)
            position = match.end()
            if 0xD800 <= code < 0xDC00 and (
                low := re.compile(r"\\u([dD][c-fC-F][0-9a-fA-F]{2})").match(text, position)
            ):
                code = 0x10000 + ((code - 0xD800) << 10) + (int(low[1], 16) - 0xDC00)
                position = low.end()
            if code > 0x10FFFF:
                return f"U+{code:X} is not a character"
            parts.append(chr(code).encode("utf-8", "surrogatepass"))
            continue
        position = match.end()
    return b"".join(parts)
