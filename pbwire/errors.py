"""Exceptions about data. Each says what is wrong, and where.

Bad input raises only these exceptions. A wrong Python argument raises TypeError or ValueError; an OSError is passed to
the caller.

An error is raised deep inside a message, by code that knows a byte position but not the path to the message. While the
exception passes up the stack, each frame prepends its own segment to the path with `within`. So paths take no time for
valid input.

All these exceptions can be pickled and copied.
"""

from __future__ import annotations

from typing import Self

from .error_text import is_visible

__all__ = ["DecodeError", "EncodeError", "Error", "JsonError", "TextFormatError", "class_name"]

_MAX_EXCERPT_LENGTH = 100  # of a source line: a file may be one line of many megabytes


class Error(Exception):
    """Base of all errors about data."""


class _ErrorInField(Error):
    """An error at a field. `message` is the problem; `path` is the place, such as `node[17].attr["value"].tensor`."""

    def __init__(self, problem: str, *, path: str = "") -> None:
        super().__init__(problem)
        self.message = problem
        self.path = path

    def within(self, segment: str) -> Self:
        """Prepend a segment such as `node[17]` to the path, and return this error."""
        if segment:
            separator = "." if self.path and not self.path.startswith("[") else ""
            self.path = f"{segment}{separator}{self.path}"
        return self

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class DecodeError(_ErrorInField):
    """Bytes that are not a valid encoding of the message.

    `offset` is the position in the whole input; None if the error has no single position. `detail` is a text after the
    path: for the path "tensor_content", it may be "needs 2,097,152 bytes, 12 are left".
    """

    def __init__(self, problem: str, *, offset: int | None = None, path: str = "", detail: str = "") -> None:
        super().__init__(problem, path=path)
        self.offset = offset
        self.detail = detail

    def __str__(self) -> str:
        what = self.message if self.offset is None else f"{self.message} at byte {self.offset:,}"
        where = f"{self.path} {self.detail}".strip()
        return f"{what}: {where}" if where else what


class EncodeError(_ErrorInField):
    """A message that cannot be encoded: a value of the wrong type or out of range, or an invalid string."""


class TextFormatError(Error):
    """Text that is not valid text format for the message.

    `line` and `column` count from 1. `source` is the text of the line without its line break. `width` is the number of
    wrong characters. `str()` shows the line, with the wrong characters underlined.
    """

    def __init__(
        self, problem: str, *, line: int | None = None, column: int | None = None, source: str = "", width: int = 1
    ) -> None:
        super().__init__(problem)
        self.message = problem
        self.line = line
        self.column = column
        self.source = source
        self.width = width

    def __str__(self) -> str:
        what = f"{_position(self.line, self.column)}{self.message}"
        if self.column is None or not self.source:
            return what
        error_index = self.column - 1
        start = max(0, error_index - _MAX_EXCERPT_LENGTH // 2) if len(self.source) > _MAX_EXCERPT_LENGTH else 0
        excerpt = self.source[start : start + _MAX_EXCERPT_LENGTH]
        shown = "".join(c if is_visible(c) else " " if c == "\t" else "?" for c in excerpt).rstrip()
        carets = "^" * max(1, min(self.width, len(shown) - (error_index - start)))
        return f"{what}\n    {shown}\n    {' ' * (error_index - start)}{carets}"


class JsonError(_ErrorInField):
    """JSON that is not valid for the message. Syntax errors have `line` and `column`; errors in values have `path`."""

    def __init__(self, problem: str, *, path: str = "", line: int | None = None, column: int | None = None) -> None:
        super().__init__(problem, path=path)
        self.line = line
        self.column = column

    def __str__(self) -> str:
        return f"{_position(self.line, self.column)}{super().__str__()}"


def _position(line: int | None, column: int | None) -> str:
    return "".join(f"{number}:" for number in (line, column) if number is not None) + (" " if line is not None else "")


def class_name(value: object, *expected: type) -> str:
    """Return the name of a value's class, for an error about a value that is not of one of the `expected` classes.

    If the class has the same name as an expected class, add the modules of both: they are from two copies of a package.
    """
    cls = type(value)
    for other in expected:
        if other is not cls and other.__name__ == cls.__name__:
            return f"{cls.__name__} from another copy of its package ({cls.__module__}, not {other.__module__})"
    return cls.__name__
