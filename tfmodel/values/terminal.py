"""Text for terminals: control characters as escapes, shortened names, aligned columns printed row by row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import chain, islice, repeat

from pbwire.errors import is_visible


def escape(text: str) -> str:
    """Return the text with all invisible characters, also line ends, replaced by escapes such as \\x1b."""
    if is_visible(text):
        return text
    return "".join(character if is_visible(character) else _escape_character(character) for character in text)


def shorten(text: str, longest: int) -> str:
    """Return the text, without its middle if it is longer than `longest`."""
    return text if len(text) <= longest else f"{text[: longest // 2 - 2]}...{text[-longest // 2 + 1 :]}"


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
MIN_NAME_WIDTH = 32  # of a column of names in a narrow terminal
GAP = 2

_line_width = ContextVar[int | None]("line_width", default=None)


@contextmanager
def fit_tables(line_width: int | None) -> Iterator[None]:
    """Shorten names in tables so that their lines fit into `line_width` characters; None leaves all names whole."""
    token = _line_width.set(line_width)
    try:
        yield
    finally:
        _line_width.reset(token)


def align_columns(
    rows: Iterable[Sequence[str]],
    *,
    widest: Sequence[int] = (),
    right: Sequence[int] = (),
    names: Sequence[int] = (),
    whole_names: bool = False,
    indent: int = 0,
) -> Iterator[str]:
    """Yield the rows as lines of text with aligned columns.

    widest    the maximum width of each column (default: MAX_WIDTH). A column is as wide as the first LOOK_AHEAD rows
              need, up to this maximum. A longer cell shifts the cells after it to the right
    right     the numbers of the columns that are right-aligned
    names     the numbers of the columns of names. They are as wide as all names up to MAX_NAME_WIDTH need, whatever
              `widest` says. Within `fit_tables`, long names lose their middle, as far as they stay different
    whole_names   names are never shortened, since they are meant to be copied
    indent    the number of blanks before the first column
    """
    rows = iter(rows)
    first = list(islice(rows, LOOK_AHEAD))
    columns = list(zip(*first, strict=True))
    widths = [
        _width(cells, max_width) for cells, max_width in zip(columns, chain(widest, repeat(MAX_WIDTH)), strict=False)
    ]
    line_width = None if whole_names else _line_width.get()
    for column in names if columns else ():
        widths[column] = _name_width(columns[column])
    if line_width is not None:
        _shrink(widths, columns, names, line_width - indent)
    starts = [indent]
    for width in widths:
        starts.append(starts[-1] + (width + GAP if width else 0))
    for row in chain(first, rows):
        line = ""
        for column, (cell, start) in enumerate(zip(row, starts, strict=False)):
            if line_width is not None and column in names:
                cell = shorten(cell, widths[column])
            if cell:
                line += " " * (GAP if line else 0) if len(line) + GAP > start and line else " " * (start - len(line))
                line += cell.rjust(widths[column]) if column in right else cell
        yield line


def _width(cells: Sequence[str], widest: int) -> int:
    lengths = sorted(map(len, cells))
    return lengths[-1] if lengths[-1] <= widest else min(widest, lengths[int(len(lengths) * FITTING_SHARE)])


def _name_width(cells: Sequence[str]) -> int:
    return max((len(cell) for cell in cells if len(cell) <= MAX_NAME_WIDTH), default=MAX_NAME_WIDTH)


def _shrink(widths: list[int], columns: Sequence[Sequence[str]], names: Sequence[int], line_width: int) -> None:
    """Make the columns of names narrower until the lines fit, but no narrower than different names need."""
    excess = sum(width + GAP for width in widths if width) - GAP - line_width
    for column in sorted(names, key=widths.__getitem__, reverse=True):
        if excess > 0:
            width = _distinct_width(columns[column], widths[column] - excess, widths[column])
            excess -= widths[column] - width
            widths[column] = width


def _distinct_width(cells: Sequence[str], narrowest: int, widest: int) -> int:
    """Return the smallest width from `narrowest` on to which different names can be shortened and stay different."""
    names = set(cells)
    for width in range(max(narrowest, MIN_NAME_WIDTH), widest):
        if len({shorten(name, width) for name in names}) == len(names):
            return width
    return widest
