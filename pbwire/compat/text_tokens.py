"""The tokens of text format: `Tokenizer` and the functions for words of google.protobuf.text_format, and its escapes.

Parsers of messages do not use them: `pbwire.text` has faster ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ..behavior import behavior
from ..errors import TextFormatError
from ..text.literals import escape_bytes, escape_string, escape_utf8, escape_utf8_only, unescape_literal
from ..text.scalars import InvalidValue

_SPACE = re.compile(r"\s+")
_COMMENT = re.compile(r"#.*")
_TOKEN = re.compile(
    r"[a-zA-Z_][\w+-]*|(?:[0-9+-]|\.[0-9])[\w.+-]*|\"(?:[^\"\n\\]|\\.)*(?:\"|\\?$)|'(?:[^'\n\\]|\\.)*(?:'|\\?$)|.",
    re.ASCII,
)
_IDENTIFIER = re.compile(r"[^\d\W]\w*", re.ASCII).fullmatch
_IDENTIFIER_OR_NUMBER = re.compile(r"\w+", re.ASCII).fullmatch
_INTEGER = re.compile(r"-?(?:0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)").fullmatch
_FLOAT = re.compile(
    r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[fF]?|-?(?:inf(?:inity)?|nan)f?", re.I
).fullmatch
_OCTAL = re.compile(r"-?0[0-9]+").match


def CEscape(text: Any, as_utf8: bool) -> str:
    """Return the text between the quotes of a str or of bytes."""
    escape = escape_utf8 if behavior().controls else escape_utf8_only
    if isinstance(text, str):
        return escape(text) if as_utf8 else escape_string(text)
    return escape(bytes(text).decode("utf-8", "surrogateescape")) if as_utf8 else escape_bytes(text)


def CUnescape(text: str) -> bytes:
    """Return the bytes for the text between quotes. Raises ValueError for an escape that is not valid."""
    try:
        return unescape_literal(text)
    except InvalidValue as error:
        raise ValueError(error.problem) from None


def ParseInteger(text: str, is_signed: bool = False, is_long: bool = False) -> int:
    """Return the value of an integer of 32 or 64 bits: decimal, hexadecimal (0x1f) or octal (017).

    Raises ValueError.
    """
    value = _any_integer(text)
    bits = 64 if is_long else 32
    low, high = (-(1 << bits - 1), 1 << bits - 1) if is_signed else (0, 1 << bits)
    if not low <= value < high:
        raise ValueError(f"Value out of range: {text}")
    return value


def ParseFloat(text: str) -> float:
    """Return the value of a number; "inf", "infinity" and "nan" are numbers too. Raises ValueError."""
    if _OCTAL(text):
        raise ValueError(f"Invalid octal float: {text}")
    if not _FLOAT(text):
        raise ValueError(f"Couldn't parse float: {text}")
    return float(text.rstrip("fF") if text[-1:] in "fF" and text.lower().lstrip("-") != "inf" else text)


def ParseBool(text: str) -> bool:
    """Return the value of "true", "t", "1", "false" and others. Raises ValueError."""
    if text in ("true", "t", "1", "True"):
        return True
    if text in ("false", "f", "0", "False"):
        return False
    raise ValueError('Expected "true" or "false".')


def ParseEnum(field: Any, value: str) -> int:
    """Return the number of an enum for the name or the number of one of its values. Raises ValueError."""
    enum = field.enum_type
    try:
        number = int(value, 0)
    except ValueError:
        named = enum.values_by_name.get(value)
        if named is None:
            raise ValueError(f'Enum type "{enum.full_name}" has no value named {value}.') from None
        return int(named.number)
    if number not in enum.values_by_number and enum.is_closed:
        raise ValueError(f'Enum type "{enum.full_name}" has no value with number {value}.')
    return number


class TextWriter:
    """The text that `PrintField` and others print, in memory."""

    def __init__(self, as_utf8: bool) -> None:
        self._parts: list[str] = []

    def write(self, val: Any) -> int:
        """Append a text, or bytes of UTF-8."""
        text = val if isinstance(val, str) else val.decode()
        self._parts.append(text)
        return len(text)

    def getvalue(self) -> str:
        """Return the text."""
        return "".join(self._parts)

    def close(self) -> None:
        """Forget the text."""
        self._parts = []


class Tokenizer:
    """Reads the tokens of the lines of a text: `token` is the current one, and empty at the end."""

    def __init__(self, lines: Iterable[str], skip_comments: bool = True) -> None:
        self._lines = iter(lines)
        self._skip_comments = skip_comments
        self._text = ""
        self._line, self._column = -1, 0
        self._previous = 0, 0
        self._more_lines = True
        self.token = ""
        self.contains_silent_marker_before_current_token = False
        self._move()

    def AtEnd(self) -> bool:
        """Return whether all tokens have been read."""
        return not self.token

    def LookingAt(self, token: str) -> bool:
        """Return whether this is the current token."""
        return self.token == token

    def NextToken(self) -> None:
        """Move to the next token."""
        self._previous = self._line, self._column
        self._column += len(self.token)
        self._move()

    def _move(self) -> None:
        while True:
            if space := _SPACE.match(self._text, self._column):
                self._column = space.end()
            comment = _COMMENT.match(self._text, self._column)
            if comment and self._skip_comments:
                self._column = comment.end()
            if self._column < len(self._text):
                break
            following = next(self._lines, None)
            if following is None:
                self._more_lines = False
                self.token = ""
                return
            self._text, self._line, self._column = following, self._line + 1, 0
        match = comment or _TOKEN.match(self._text, self._column)
        self.token = match[0] if match else self._text[self._column]

    # --- errors --------------------------------------------------------------------------------------------------

    def ParseError(self, message: str) -> TextFormatError:
        """Return an error at the current token."""
        width = max(1, len(self.token))
        return TextFormatError(
            message, line=self._line + 1, column=self._column + 1, source=self._text.rstrip("\n"), width=width
        )

    def ParseErrorPreviousToken(self, message: str) -> TextFormatError:
        """Return an error at the token before the current one."""
        line, column = self._previous
        return TextFormatError(message, line=line + 1, column=column + 1)

    # --- words ---------------------------------------------------------------------------------------------------

    def TryConsume(self, token: str) -> bool:
        """Read a token if it is the current one."""
        is_here = self.token == token
        if is_here:
            self.NextToken()
        return is_here

    def Consume(self, token: str) -> None:
        """Read a token. Raises ParseError for another one."""
        if not self.TryConsume(token):
            raise self.ParseError(f'Expected "{token}".')

    def _word(self) -> str:
        token = self.token
        self.NextToken()
        return token

    def ConsumeComment(self) -> str:
        """Return the comment that is the current token. Raises ParseError."""
        if not self.token.startswith("#"):
            raise self.ParseError("Expected comment.")
        return self._word()

    def ConsumeCommentOrTrailingComment(self) -> tuple[bool, str]:
        """Return the comment that is the current token, and whether it is behind others on its line."""
        is_behind = self._line == self._previous[0] and self._column > 0 and bool(self._text[: self._column].strip())
        return is_behind, self.ConsumeComment()

    def ConsumeIdentifier(self) -> str:
        """Return a name. Raises ParseError."""
        if not _IDENTIFIER(self.token):
            raise self.ParseError("Expected identifier.")
        return self._word()

    def ConsumeIdentifierOrNumber(self) -> str:
        """Return a name or a number as it is written. Raises ParseError."""
        if not _IDENTIFIER_OR_NUMBER(self.token):
            raise self.ParseError(f"Expected identifier or number, got {self.token}.")
        return self._word()

    def _parsed(self, parse: Any, *arguments: Any) -> Any:
        try:
            value = parse(*arguments, self.token)
        except ValueError as error:
            raise self.ParseError(str(error)) from None
        self.NextToken()
        return value

    def ConsumeInteger(self) -> int:
        """Return an integer of any size. Raises ParseError."""
        return int(self._parsed(_any_integer))

    def ConsumeFloat(self) -> float:
        """Return a number. Raises ParseError."""
        return float(self._parsed(ParseFloat))

    def ConsumeBool(self) -> bool:
        """Return a bool. Raises ParseError."""
        return bool(self._parsed(ParseBool))

    def ConsumeEnum(self, field: Any) -> int:
        """Return the number of a value of an enum. Raises ParseError."""
        return int(self._parsed(ParseEnum, field))

    def ConsumeByteString(self) -> bytes:
        """Return the bytes of one or more quoted strings. Raises ParseError."""
        parts = [self._quoted()]
        while self.token[:1] in ("'", '"') and self.token:
            parts.append(self._quoted())
        return b"".join(parts)

    def ConsumeString(self) -> str:
        """Return the text of one or more quoted strings. Raises ParseError."""
        start = self.ParseError("")
        try:
            return self.ConsumeByteString().decode()
        except UnicodeDecodeError as error:
            start.message = f"Invalid UTF-8 in a string: {error}"
            raise start from None

    def _quoted(self) -> bytes:
        token = self.token
        if token[:1] not in ("'", '"') or not token:
            raise self.ParseError(f"Expected string but found: {token!r}")
        if len(token) < 2 or token[-1] != token[0]:
            raise self.ParseError(f"String missing ending quote: {token!r}")
        return bytes(self._parsed(lambda text: CUnescape(text[1:-1])))

    def _tried(self, consume: Any) -> bool:
        try:
            consume()
        except TextFormatError:
            return False
        return True

    def TryConsumeIdentifier(self) -> bool:
        """Read a name, if one is here."""
        return self._tried(self.ConsumeIdentifier)

    def TryConsumeIdentifierOrNumber(self) -> bool:
        """Read a name or a number, if one is here."""
        return self._tried(self.ConsumeIdentifierOrNumber)

    def TryConsumeInteger(self) -> bool:
        """Read an integer, if one is here."""
        return self._tried(self.ConsumeInteger)

    def TryConsumeFloat(self) -> bool:
        """Read a number, if one is here."""
        return self._tried(self.ConsumeFloat)

    def TryConsumeByteString(self) -> bool:
        """Read quoted strings, if they are here."""
        return self._tried(self.ConsumeByteString)


def _any_integer(text: str) -> int:
    if not _INTEGER(text) or len(text) > 4_000:
        raise ValueError(f"Couldn't parse integer: {text}")
    digits = text.lstrip("-")
    value = int(digits, 16 if digits[:2] in ("0x", "0X") else 8 if digits.startswith("0") else 10)
    return -value if text.startswith("-") else value
