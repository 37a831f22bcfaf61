"""What can go wrong, as exceptions that say what, where and how much.

Bad input raises one of these and nothing else. A wrong Python argument is a TypeError or a ValueError, and an
OSError passes through.

An error is raised deep inside a message, by code that knows a byte position and nothing of where it stands in the
tree. The path is put together while the error unwinds: every frame on the way adds its own part in front with
`within`, so that nothing has to be remembered for the sake of errors while all is well.

All of them pickle and copy.
"""

from __future__ import annotations

from typing import Self

from .printable import is_visible

__all__ = ["DecodeError", "EncodeError", "Error", "JsonError", "TextFormatError", "class_name"]

_EXCERPT = 100  # characters of a source line shown at most: a file may be one line of many megabytes


class Error(Exception):
    """The root of all errors about data."""


class _ErrorInField(Error):
    """An error at a field: `message` says what is wrong, `path` where, like `node[17].attr["value"].tensor`."""

    def __init__(self, problem: str, *, path: str = "") -> None:
        super().__init__(problem)
        self.message = problem
        self.path = path

    def within(self, segment: str) -> Self:
        """This same error, its path prefixed with one more segment, such as `node[17]`."""
        if segment:
            joint = "." if self.path and not self.path.startswith("[") else ""
            self.path = f"{segment}{joint}{self.path}"
        return self

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class DecodeError(_ErrorInField):
    """Bytes that are not the message they should be.

    `offset` counts from the start of the whole input; it is None only where no byte can be named. `detail` goes on
    where the path ends: "tensor_content" "needs 2,097,152 bytes, 12 are left".
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
    """A message that has no encoding: a value of the wrong type or out of range, a string that is not text."""


class TextFormatError(Error):
    """Text that is not the message it should be.

    `line` and `column` count from 1; `source` is that line without its end, `width` the number of characters at
    fault. `str()` shows the line with those characters underlined.
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
        at = self.column - 1
        start = max(0, at - _EXCERPT // 2) if len(self.source) > _EXCERPT else 0
        excerpt = self.source[start : start + _EXCERPT]
        shown = "".join(c if is_visible(c) else " " if c == "\t" else "?" for c in excerpt).rstrip()
        carets = "^" * max(1, min(self.width, len(shown) - (at - start)))
        return f"{what}\n    {shown}\n    {' ' * (at - start)}{carets}"


class JsonError(_ErrorInField):
    """JSON that is not the message it should be: `line` and `column` for its grammar, `path` for its values."""

    def __init__(self, problem: str, *, path: str = "", line: int | None = None, column: int | None = None) -> None:
        super().__init__(problem, path=path)
        self.line = line
        self.column = column

    def __str__(self) -> str:
        return f"{_position(self.line, self.column)}{super().__str__()}"


def _position(line: int | None, column: int | None) -> str:
    return "".join(f"{number}:" for number in (line, column) if number is not None) + (" " if line is not None else "")


def class_name(value: object, *wanted: type) -> str:
    """What errors call the class of a value, where one of another class is `wanted`.

    Of one name they are classes of two copies of the same package, and their modules tell them apart.
    """
    cls = type(value)
    for other in wanted:
        if other is not cls and other.__name__ == cls.__name__:
            return f"{cls.__name__} of another copy ({cls.__module__}, and {other.__module__} is meant)"
    return cls.__name__
