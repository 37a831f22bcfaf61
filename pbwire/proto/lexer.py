"""The tokens of a .proto file, one at a time, so that memory does not grow with their number.

https://protobuf.dev/reference/protobuf/proto2-spec#lexical_elements. As in protoc, a comment belongs to the declaration
before it if it begins on the same line, or on the next line with an empty line or the end of the scope after it; to the
declaration after it if no empty line is between them; otherwise to none. One comment between two declarations on the
same line belongs to none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from ..errors import ProtoError, escape_invisible

_SPACE = re.compile(r"[ \t\r\n\f\v]+")
_BLANKS = re.compile(r"[ \t\r\f\v]*")
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
        self.gap: int | None = None
        """The position after the previous token; None before the first one."""
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
        return self.token

    def _fail_at(self, position: int) -> NoReturn:
        character = self.text[position]
        if character in "\"'":
            end = self.text.find("\n", position)
            text = self.text[position : end if end >= 0 else len(self.text)]
            self.fail("the string is not closed on this line", Token("string", text, position))
        self.fail(f'"{shown(character)}" is not allowed here', Token("symbol", character, position))

    def _skip(self) -> None:
        """Move over spaces and comments."""
        text = self.text
        self.gap = self.position if self.position else None
        while True:
            if space := _SPACE.match(text, self.position):
                self.position = space.end()
            if not text.startswith(("//", "/*"), self.position):
                break
            comment = _COMMENT.match(text, self.position)
            if comment is None:
                self.fail("the comment is not closed", Token("symbol", "/*", self.position))
            self.position = comment.end()

    def comments(self) -> tuple[str, str]:
        """Return the comments before the current token that belong to the declaration that ends there, and to the one
        that begins."""
        return _Comments(self.text, self.gap, self.token).split()

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


class _Comments:
    """The comments between two tokens, which belong to the declaration before or after them, or to none.

    `start` is the end of the first token; None at the beginning of the file.
    """

    def __init__(self, text: str, start: int | None, token: Token) -> None:
        self.text = text
        self.start = start
        self.token = token
        self.trailing = ""
        self.block: list[str] = []  # parts of the last comment: lines that follow one another are one comment
        self.is_block_of_lines = False
        self.may_trail = start is not None
        self.finished = 0  # comments before `block`

    def split(self) -> tuple[str, str]:
        position, end = self.start or 0, self.token.position
        last_trailing_line = -1
        if self.start is not None:
            position = self._skip_blanks(position)
            if comment := _COMMENT.match(self.text, position):
                position = self._add(comment)
                last_trailing_line = self._line(position) if comment[1] is None else -1
                self._finish()
            elif position == end:
                return "", ""
            else:
                position += 1  # the end of the line
        while (position := self._skip_blanks(position)) < end:
            if comment := _COMMENT.match(self.text, position):
                position = self._add(comment)
            else:
                position += 1  # an empty line
                self._finish()
                self.may_trail = False
        if self.token.kind == "end" or self.token.text in ("}", "]", ")"):
            self._finish()  # at the end of a scope, a comment cannot be about what follows
        is_beside = self.start is not None and self._line(end) in (0, last_trailing_line)
        if is_beside and self.token.kind != "end" and self.finished + bool(self.block) == 1:
            return "", ""  # between two declarations on a line
        return self.trailing, "".join(self.block)

    def _skip_blanks(self, position: int) -> int:
        match = _BLANKS.match(self.text, position)
        return match.end() if match else position

    def _line(self, position: int) -> int:
        """Return the number of lines between the first token and a position."""
        return self.text.count("\n", self.start, position)

    def _add(self, comment: re.Match[str]) -> int:
        """Add a comment, and return the position after it: for a block comment in lines of its own, the next line."""
        is_line = comment[1] is not None
        if not (is_line and self.is_block_of_lines):
            self._finish()
        if is_line:
            self.block.append(self.text[comment.start(1) : comment.end()])
            self.is_block_of_lines = True
            return comment.end()
        self.block = [_without_stars(comment[2])]
        position = self._skip_blanks(comment.end())
        is_alone = self.finished or not self.may_trail or "\n" in self.text[self.start : comment.start()]
        return position + (is_alone and self.text.startswith("\n", position))

    def _finish(self) -> None:
        """End the last comment: it does not belong to what follows."""
        if not self.block:
            return
        if self.may_trail:
            self.trailing = "".join(self.block)
            self.may_trail = False
        self.block = []
        self.is_block_of_lines = False
        self.finished += 1


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
