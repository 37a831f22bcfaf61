"""Read the tokens of a .proto file with their values: names, numbers, strings."""

from __future__ import annotations

from typing import NoReturn

from .lexer import Lexer, Token, shown, unquote

MAX_NUMBER = (1 << 29) - 1


class TokenReader:
    """A parser without grammar: it reads tokens, and fails at those that are not expected."""

    def __init__(self, lexer: Lexer) -> None:
        self.lexer = lexer

    @property
    def token(self) -> Token:
        return self.lexer.token

    def next(self) -> Token:
        """Return the current token, and move to the next one."""
        token = self.lexer.token
        self.lexer.next()
        return token

    def at(self, *texts: str) -> bool:
        return self.lexer.token.text in texts and self.lexer.token.kind in ("name", "symbol")

    def take(self, text: str) -> bool:
        if self.at(text):
            self.lexer.next()
            return True
        return False

    def expect(self, *texts: str) -> Token:
        if not self.at(*texts):
            self.expected(" or ".join(f'"{text}"' for text in texts))
        return self.next()

    def expected(self, what: str) -> NoReturn:
        found = "the file ends here" if self.token.kind == "end" else f'this is "{shown(self.token.text)}"'
        self.lexer.fail(f"expected {what}; {found}")

    def name(self, what: str) -> Token:
        if self.token.kind != "name":
            self.expected(what)
        return self.next()

    def full_name(self, what: str) -> Token:
        """Read a name with dots. A leading dot is part of it."""
        start = self.token
        parts = [self.next().text] if self.at(".") else []
        parts.append(self.name(what).text)
        while self.at("."):
            self.next()
            parts += [".", self.name(what).text]
        return Token("name", "".join(parts), start.position)

    def integer(self, what: str, maximum: int = MAX_NUMBER) -> int:
        if self.token.kind != "integer":
            self.expected(what)
        return self.checked(self.next(), maximum)

    def checked(self, token: Token, maximum: int) -> int:
        value = integer_value(token.text)
        if value is None or value > maximum:
            self.lexer.fail(f"{shown(token.text)} is larger than {maximum:,}", token)
        return value

    def signed(self, what: str, minimum: int, maximum: int) -> int:
        if self.take("-"):
            return -self.integer(what, -minimum)
        return self.integer(what, maximum)

    def string(self, what: str) -> bytes:
        """Read a string. Adjacent strings are joined."""
        if self.token.kind != "string":
            self.expected(what)
        parts = []
        while self.token.kind == "string":
            token = self.next()
            value = unquote(token.text)
            if isinstance(value, str):
                self.lexer.fail(value, token)
            parts.append(value)
        return b"".join(parts)

    def text(self, what: str) -> str:
        token = self.token
        try:
            return self.string(what).decode()
        except UnicodeDecodeError:
            self.lexer.fail(f"{what} is not valid UTF-8", token)


def integer_value(text: str) -> int | None:
    """Return the value of an integer token; None for a number of more than 64 bits."""
    if text[:2] in ("0x", "0X"):
        digits, base = text[2:], 16
    else:
        digits, base = (text, 8) if text.startswith("0") else (text, 10)
    digits = digits.lstrip("0") or "0"
    if len(digits) > 22:  # octal digits of 64 bits
        return None
    value = int(digits, base)
    return value if value < 1 << 64 else None
