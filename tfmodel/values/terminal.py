"""Text for terminals: control characters as escapes, shortened names, aligned columns printed row by row."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import chain, islice, repeat, takewhile

from pbwire.errors import is_visible


def escape(text: str) -> str:
    """Return the text with all invisible characters, also line ends, replaced by escapes such as \\x1b."""
    if is_visible(text):
        return text
    return "".join(character if is_visible(character) else _escape_character(character) for character in text)


MAX_NAME_CHARACTERS = 1_000
"""The most characters of a name that an error shows."""


def quote(name: str) -> str:
    """Return a name or another word of the caller as errors show it: quoted, shortened, without control characters."""
    return f'"{escape(shorten(name, MAX_NAME_CHARACTERS))}"'


def shorten(text: str, longest: int) -> str:
    """Return the text, without its middle if it is longer than `longest`."""
    return text if len(text) <= longest else f"{text[: longest // 2 - 2]}...{text[-longest // 2 + 1 :]}"


def wrap_words(text: str, width: int) -> list[str]:
    """Return a text as lines of at most `width` characters, or of one word that is longer."""
    lines = [""]
    for word in text.split(" "):
        if len(lines[-1]) + len(word) + 1 <= width or not lines[-1].strip():
            lines[-1] += f" {word}" if lines[-1] else word
        else:
            lines.append(word)
    return lines


def count_of(number: int, noun: str) -> str:
    """Return a number and a noun: "1 tensor", "1,000 tensors"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _escape_character(character: str) -> str:
    if "\udc80" <= character <= "\udcff":  # a byte of a file name that is not UTF-8
        return f"\\x{ord(character) - 0xDC00:02x}"
    return ascii(character)[1:-1]


LOOK_AHEAD = 500  # rows that determine the widths of the columns
MAX_WIDTH = 60  # characters of a column
FITTING_SHARE = 0.9  # the share of the cells that must fit into a column with a limited width
MAX_NAME_WIDTH = 100  # characters of a column of names
NARROWER = ((32, 12), (22, 8))  # the minimum widths of names and of other texts in a narrow terminal, step by step
MIN_WRAPPED_WIDTH = 24  # of a column whose text goes on in the next line
GAP = 2

_line_width = ContextVar[int | None]("line_width", default=None)


@contextmanager
def fit_tables(line_width: int | None) -> Iterator[None]:
    """Make the lines of tables fit into `line_width` characters, as far as that goes; None leaves all cells whole."""
    token = _line_width.set(line_width)
    try:
        yield
    finally:
        _line_width.reset(token)


def fit_line(line: str) -> str:
    """Return a line; within `fit_tables`, without its middle if it is too long."""
    width = _line_width.get()
    return line if width is None else shorten(line, width)


def align_columns(
    rows: Iterable[Sequence[str]],
    *,
    widest: Sequence[int] = (),
    right: Sequence[int] = (),
    names: Sequence[int] = (),
    whole_names: bool = False,
    kept: Sequence[int] = (),
    optional: Sequence[int] = (),
    wrapped: bool = False,
    indent: int = 0,
) -> Iterator[str]:
    """Yield the rows as lines of text with aligned columns.

    widest    the maximum width of each column (default: MAX_WIDTH). A column is as wide as the first LOOK_AHEAD rows
              need, up to this maximum. A longer cell shifts the cells after it to the right
    right     the numbers of the columns that are right-aligned
    names     the numbers of the columns of names. They are as wide as all names up to MAX_NAME_WIDTH need, whatever
              `widest` says. Within `fit_tables`, long names lose a part, as far as they stay different
    whole_names   nothing is ever shortened, since names are meant to be copied
    kept      the numbers of other columns that are never shortened, as right-aligned ones are not
    optional  the numbers of columns that are left out where the others would become too narrow, the first one first
    wrapped   within `fit_tables`, a long text in the last column goes on in the next line
    indent    the number of blanks before the first column

    Within `fit_tables`, columns become narrower, and long cells lose their middle, until the lines fit.
    """
    rows = iter(rows)
    first = list(islice(rows, LOOK_AHEAD))
    columns = list(zip(*first, strict=True))
    widths = [
        _width(cells, max_width) for cells, max_width in zip(columns, chain(widest, repeat(MAX_WIDTH)), strict=False)
    ]
    for column in names if columns else ():
        widths[column] = _name_width(columns[column])
    line_width = None if (whole_names and not wrapped) or not columns else _line_width.get()
    fitted = None
    if line_width is not None:
        kept = [*range(len(widths) - 1)] if whole_names else [*right, *kept]
        fitted = _Fitted(widths, columns, names, kept, optional, line_width - indent, wrapped=wrapped)
    starts = [indent]
    for width in widths:
        starts.append(starts[-1] + (width + GAP if width else 0))
    for row in chain(first, rows):
        cells, more = (row, ()) if fitted is None else fitted.fit(row)
        yield _line(cells, widths, starts, right)
        yield from (" " * starts[-2] + text for text in more)


def _line(cells: Sequence[str], widths: Sequence[int], starts: Sequence[int], right: Sequence[int]) -> str:
    line = ""
    for column, (cell, start) in enumerate(zip(cells, starts, strict=False)):
        if cell:
            line += " " * (GAP if line else 0) if len(line) + GAP > start and line else " " * (start - len(line))
            line += cell.rjust(widths[column]) if column in right else cell
    return line


def _width(cells: Sequence[str], widest: int) -> int:
    lengths = sorted(map(len, cells))
    return lengths[-1] if lengths[-1] <= widest else min(widest, lengths[int(len(lengths) * FITTING_SHARE)])


def _name_width(cells: Sequence[str]) -> int:
    return max((len(cell) for cell in cells if len(cell) <= MAX_NAME_WIDTH), default=MAX_NAME_WIDTH)


class _Fitted:
    """The columns of a table in a terminal. It makes `widths` narrower until the lines fit, if that is possible."""

    def __init__(
        self,
        widths: list[int],
        columns: Sequence[Sequence[str]],
        names: Sequence[int],
        kept: Collection[int],
        optional: Sequence[int],
        line_width: int,
        *,
        wrapped: bool,
    ) -> None:
        self._line_width, self._widths, self._wrapped = line_width, widths, wrapped
        self._names = {column: ShortNames(columns[column]) for column in names if column not in kept}
        last = len(widths) - 1
        if last not in names and last not in kept:
            widths[last] = max(map(len, columns[last]))
        self._texts = {column: False for column in range(len(widths)) if column not in names and column not in kept}
        self._left_out: list[int] = []
        for name, text in NARROWER:
            self._shrink_names(name, may_be_equal=(name, text) != NARROWER[0])
            self._shrink_texts(text, last)
            if (name, text) == NARROWER[0]:
                self._leave_out(optional)

    def fit(self, row: Sequence[str]) -> tuple[list[str], Sequence[str]]:
        """Return a row with cells that fit their columns, and lines with the rest of the last cell if it is wrapped."""
        cells = list(row)
        for column, names in self._names.items():
            cells[column] = names.shorten(cells[column], self._widths[column])
        for column, is_narrow in self._texts.items():
            if is_narrow and not (self._wrapped and column == len(cells) - 1):
                cells[column] = shorten(cells[column], self._widths[column])
        for column in self._left_out:
            cells[column] = ""
        if not self._wrapped or len(cells[-1]) <= self._widths[-1]:
            return cells, ()
        first, *more = wrap_words(cells[-1], max(self._widths[-1], MIN_WRAPPED_WIDTH))
        return [*cells[:-1], first], more

    @property
    def _excess(self) -> int:
        return sum(width + GAP for width in self._widths if width) - GAP - self._line_width

    def _shrink_names(self, narrowest: int, *, may_be_equal: bool) -> None:
        """Make the columns of names narrower; unless names may be equal, no narrower than different names need."""
        for column in sorted(self._names, key=self._widths.__getitem__, reverse=True):
            if (excess := self._excess) > 0:
                width = self._widths[column]
                wanted = max(width - excess, min(narrowest, width))
                self._widths[column] = self._names[column].choose(wanted, width, may_be_equal=may_be_equal)

    def _leave_out(self, columns: Iterable[int]) -> None:
        """Leave out columns, one by one, until the lines fit."""
        for column in columns:
            if self._excess > 0:
                self._widths[column] = 0
                self._left_out.append(column)

    def _shrink_texts(self, narrowest: int, last: int) -> None:
        """Make other columns narrower, the widest first."""
        least = [MIN_WRAPPED_WIDTH if self._wrapped and column == last else narrowest for column in range(last + 1)]
        while (excess := self._excess) > 0:
            wide = sorted((self._widths[column], column) for column in self._texts)
            wide = [(width, column) for width, column in wide if width > least[column]]
            if not wide:
                return
            width, column = wide[-1]
            second = wide[-2][0] if len(wide) > 1 else 0
            self._widths[column] = max(width - excess, min(second, width - 1), least[column])
            self._texts[column] = True


class ShortNames:
    """Short forms of the names in a column, which may be paths with slashes: without their middle, or by segments.

    By segments, a name has none of those with which all names begin and end, and the others without their middles. This
    form is taken if more names stay different in it.
    """

    def __init__(self, cells: Iterable[str]) -> None:
        self._names = set(cells)
        paths = [name.split("/") for name in self._names if "/" in name]
        self._begin = _common_length(paths)
        self._end = _common_length([path[self._begin :][::-1] for path in paths])
        self._by_segments = False

    def choose(self, wanted: int, widest: int, *, may_be_equal: bool) -> int:
        """Choose the form for a column of `wanted` characters, and return its width.

        Unless names may be equal, it is as wide as different names need, `widest` at most.
        """
        for width in range(wanted, widest, _STEP):
            counts = [len({form(name, width) for name in self._names}) for form in (shorten, self._segments)]
            self._by_segments = counts[1] > counts[0]
            if may_be_equal or max(counts) == len(self._names):
                return width
        return widest

    def shorten(self, name: str, width: int) -> str:
        return self._segments(name, width) if self._by_segments else shorten(name, width)

    def _segments(self, name: str, width: int) -> str:
        if len(name) <= width or "/" not in name:
            return shorten(name, width)
        segments = name.split("/")
        segments = segments[self._begin : len(segments) - self._end]
        for size in range(width, _MIN_SEGMENT - 1, -1):
            text = "/".join(shorten(segment, size) for segment in segments)
            if len(text) <= width:
                return text
        return shorten("/".join(segments), width)


def _common_length(paths: Sequence[Sequence[str]]) -> int:
    """Return the number of segments with which all paths begin."""
    same = (len(set(segments)) == 1 for segments in zip(*paths, strict=False))
    return sum(1 for _ in takewhile(bool, same))


_STEP = 3  # characters by which the width of a column is varied
_MIN_SEGMENT = 6  # characters of a segment of a name
