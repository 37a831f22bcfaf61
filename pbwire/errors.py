"""Exceptions about data. Each says what is wrong, and where.

Bad input raises only these exceptions. A wrong Python argument raises TypeError or ValueError; an OSError is passed to
the caller.

An error is raised deep inside a message, by code that knows a byte position but not the path to the message. While the
exception passes up the stack, each frame prepends its own segment to the path with `within`. So paths take no time for
valid input.

All these exceptions can be pickled and copied.

A message is a string, or a `Text`, which knows what it is about and what it advises: the name that it begins with, and
which of its parts are hints, such as the argument that would help. `str(error)` words hints for callers in Python. A
program that has other words for the same, such as a command line, words them in its own way, without searching text.
f-strings and `"".join` make plain strings, so messages are put together by `about`, `compose` and `join`.

The functions make texts of errors safe to print: `escape_invisible` and `quoted_key` escape invisible characters.
`str.isprintable` is false for control, format, surrogate, private-use and unassigned characters, and for all spaces but
U+0020. Some letters, marks and symbols are invisible too: most of them have the Unicode property
Default_Ignorable_Code_Point, and a few have an empty glyph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

TYPE_CHECKING = False  # as type checkers know it; importing `typing` takes longer than this package
if TYPE_CHECKING:
    from typing import Self

_MAX_EXCERPT_LENGTH = 100  # of a source line: a file may be one line of many megabytes


class Hint:
    """Base of the hints in a `Text`. `str()` gives the words for callers in Python."""

    __slots__ = ()


class UnknownType(Hint):
    """The message in an Any is of a type that the argument `types=` lacks."""

    __slots__ = ()

    def __str__(self) -> str:
        return ": types= does not contain this name"


class Subject(str):
    """The name of the file, model or node that a message is about, as the first part of the message."""

    __slots__ = ()


class Text(str):
    """A string with a subject or with hints, in Python's words. `parts` are its strings and hints.

    `compose` and `about` make it.
    """

    __slots__ = ("parts",)

    parts: tuple[str | Hint, ...]

    @property
    def subject(self) -> str:
        """The name that the message begins with; "" if it has no subject."""
        return self.parts[0] if isinstance(self.parts[0], Subject) else ""

    @property
    def problem(self) -> str:
        """The message without its subject."""
        return compose(*self.parts[2:]) if self.subject else self

    def worded(self, word: Callable[[Hint], str]) -> str:
        """Return the string with other words for the hints."""
        return "".join(word(part) if isinstance(part, Hint) else part for part in self.parts)

    @property
    def hints(self) -> tuple[Hint, ...]:
        return tuple(part for part in self.parts if isinstance(part, Hint))

    def __str__(self) -> str:
        return self

    def __add__(self, other: str) -> str:
        return compose(self, other)

    def __radd__(self, other: str) -> str:
        return compose(other, self)

    def __reduce__(self) -> tuple[Callable[..., str], tuple[str | Hint, ...]]:
        return compose, self.parts


def compose(*parts: str | Hint | BaseException) -> str:
    """Return a message of strings, hints, and messages of errors: a Text if it begins with a subject or has hints."""
    flat: list[str | Hint] = []
    for part in parts:
        message = str(part) if isinstance(part, BaseException) else part
        flat += message.parts if isinstance(message, Text) else (message,)
    whole = "".join(map(str, flat))
    if not any(isinstance(part, Hint) for part in flat) and not isinstance(flat[0] if flat else "", Subject):
        return whole
    made = Text(whole)
    made.parts = tuple(flat)
    return made


def about(subject: str, problem: str | Hint | BaseException) -> str:
    """Return a message "subject: problem"; without a subject, only the problem."""
    return compose(Subject(subject), ": ", problem) if subject else compose(problem)


def without(subject: str, message: str | BaseException) -> str:
    """Return a message without its subject, if that is `subject`."""
    message = str(message)
    return message.problem if isinstance(message, Text) and message.subject == subject else message


def has_subject(message: str) -> bool:
    return isinstance(message, Text) and bool(message.subject)


def is_about(subject: str, message: str) -> bool:
    """Return whether a message begins with a subject, or with a place in it: a line of a file, a file in a folder."""
    own = message.subject if isinstance(message, Text) else ""
    return own == subject or own.startswith((f"{subject}:", f"{subject.rstrip('/')}/"))


def join(separator: str, parts: Iterable[str | Hint]) -> str:
    """Return `separator.join(parts)`, which is a Text if there is a hint in it."""
    pieces = [piece for part in parts for piece in (separator, part)]
    return compose(*pieces[1:])


class Error(Exception):
    """Base of all errors about data."""

    @property
    def hints(self) -> tuple[Hint, ...]:
        """The hints in the message."""
        message = str(self)
        return message.hints if isinstance(message, Text) else ()

    @property
    def subject(self) -> str:
        """The name of the file, model or node that the message begins with; "" if it has none."""
        message = str(self)
        return message.subject if isinstance(message, Text) else ""


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
        return compose(f"{self.path}: ", self.message) if self.path else self.message


class DecodeError(_ErrorInField):
    """Bytes that are not a valid encoding of the message.

    `offset` is the position in the whole input; None if the error has no single position. `detail` is a text after the
    path: for the path "tensor_content", it may be "needs 2,097,152 bytes, 12 are left". `is_truncated` says whether the
    bytes end inside of a field.
    """

    def __init__(
        self, problem: str, *, offset: int | None = None, path: str = "", detail: str = "", is_truncated: bool = False
    ) -> None:
        super().__init__(problem, path=path)
        self.offset = offset
        self.detail = detail
        self.is_truncated = is_truncated

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
        self, problem: str = "", line: int | None = None, column: int | None = None, source: str = "", width: int = 1
    ) -> None:
        super().__init__(problem)
        self.message = problem
        self.line = line
        self.column = column
        self.source = source
        self.width = width

    def __str__(self) -> str:
        return compose(_position(self.line, self.column), self.unplaced)

    @property
    def unplaced(self) -> str:
        """The message with the line that it is about, without its numbers."""
        return compose(self.message, _underlined(self.source, self.column, self.width))

    def GetLine(self) -> int | None:  # noqa: N802  # a name of protobuf
        """Return `line`, as protobuf spells it."""
        return self.line

    def GetColumn(self) -> int | None:  # noqa: N802  # a name of protobuf
        """Return `column`, as protobuf spells it."""
        return self.column


class ProtoError(Error):
    """A .proto file, or a descriptor of one, that is not valid. `str()` begins as compilers do: a.proto:12:5: ...

    `line` and `column` count from 1, and are None for a file that cannot be read and for a descriptor without source.
    `file` is empty for a descriptor without a name.
    `source` and `width` are as in TextFormatError.
    """

    def __init__(
        self,
        problem: str,
        *,
        file: str | None = "",
        line: int | None = None,
        column: int | None = None,
        source: str = "",
        width: int = 1,
    ) -> None:
        super().__init__(problem)
        self.message = problem
        self.file = file or ""
        self.line = line
        self.column = column
        self.source = source
        self.width = width

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (escape_invisible(self.file), self.line, self.column) if part)
        where = f"{place}: " if place else ""
        return f"{where}{self.message}{_underlined(self.source, self.column, self.width)}"


class JsonError(_ErrorInField):
    """JSON that is not valid for the message. Syntax errors have `line` and `column`; errors in values have `path`."""

    def __init__(self, problem: str, *, path: str = "", line: int | None = None, column: int | None = None) -> None:
        super().__init__(problem, path=path)
        self.line = line
        self.column = column

    def __str__(self) -> str:
        return compose(_position(self.line, self.column), super().__str__())


def _underlined(source: str, column: int | None, width: int) -> str:
    """Return lines with an excerpt of the source, and carets below the wrong characters; "" without source."""
    if column is None or not source:
        return ""
    error_index = column - 1
    start = max(0, error_index - _MAX_EXCERPT_LENGTH // 2) if len(source) > _MAX_EXCERPT_LENGTH else 0
    excerpt = source[start : start + _MAX_EXCERPT_LENGTH]
    shown = "".join(c if is_visible(c) else " " if c == "\t" else "?" for c in excerpt).rstrip()
    carets = "^" * max(1, min(width, len(shown) - (error_index - start)))
    return f"\n    {shown}\n    {' ' * (error_index - start)}{carets}"


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


MAX_KEY_LENGTH = 100  # characters of a key that an error shows
MAX_COMPARED_LENGTH = 100  # a name from a hostile file may have millions of characters

# --- escapes ---------------------------------------------------------------------------------------------------------

_RANGES = (
    (0x034F, 0x034F),  # combining grapheme joiner
    (0x115F, 0x1160),  # Hangul fillers
    (0x17B4, 0x17B5),  # inherent vowels of Khmer
    (0x180B, 0x180F),  # Mongolian variation selectors and vowel separator
    (0x2800, 0x2800),  # Braille pattern without dots
    (0x3164, 0x3164),  # Hangul filler
    (0xFE00, 0xFE0F),  # variation selectors
    (0xFFA0, 0xFFA0),  # halfwidth Hangul filler
    (0x13441, 0x13442),  # blanks of Egyptian hieroglyphs
    (0x16FE4, 0x16FE4),  # filler of the Khitan small script
    (0x1D159, 0x1D159),  # musical null notehead
    (0xE0100, 0xE01EF),  # variation selectors
)
_BLANK = frozenset(chr(code) for low, high in _RANGES for code in range(low, high + 1))


def is_visible(text: str) -> bool:
    """Return whether all characters are visible or U+0020."""
    return text.isprintable() and (text.isascii() or _BLANK.isdisjoint(text))


def escape_invisible(text: str) -> str:
    r"""Return the text with a Python escape in place of each invisible character: \n, \x1b, \u202e."""
    if is_visible(text):
        return text
    return "".join(character if is_visible(character) else ascii(character)[1:-1] for character in text)


def quoted_key(key: object) -> str:
    """Return the key of a map for the path of an error. A string is in quotes, cut to 100 characters."""
    if not isinstance(key, str):
        return str(key)
    return '"' + escape_invisible(key[:MAX_KEY_LENGTH]).replace('"', '\\"') + '"'


# --- suggestions -----------------------------------------------------------------------------------------------------


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return '; did you mean "..."?' with the known word most similar to `word`; "" if all are too different."""
    from difflib import get_close_matches  # importing it takes longer than decoding most files

    folded = {name.casefold(): name for name in known}
    close = get_close_matches(word[:MAX_COMPARED_LENGTH].casefold(), folded, n=1, cutoff=0.7)
    return f'; did you mean "{folded[close[0]]}"?' if close else ""
