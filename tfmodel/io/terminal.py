"""Text for terminals: control characters as escapes, shortened names, aligned columns printed row by row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, repeat

from pbwire.error_text import is_visible

__all__ = ["align_columns", "escape", "shorten"]


def escape(text: str) -> str:
    """Return the text with all invisible characters, also line ends, replaced by escapes such as \\x1b."""
    if is_visible(text):
        return text
    return "".join(character if is_visible(character) else _escape_character(character) for character in text)


def shorten(text: str, longest: int) -> str:
    """Return the text, without its middle if it is longer than `longest`."""
    return text if len(text) <= longest else f"{text[: longest // 2 - 2]}...{text[-longest // 2 + 1 :]}"


def _escape_character(character: str) -> str:
    if "\udc80" <= character <= "\udcff":  # a byte of a file name that is not UTF-8
        return f"\\x{ord(character) - 0xDC00:02x}"
    return ascii(character)[1:-1]


LOOK_AHEAD = 500  # rows that determine the widths of the columns
MAX_WIDTH = 60  # characters of a column
FITTING_SHARE = 0.9  # the share of the cells that must fit into a column with a limited width
GAP = 2


def align_columns(
    rows: Iterable[Sequence[str]], *, widest: Sequence[int] = (), right: Sequence[int] = (), indent: int = 0
) -> Iterator[str]:
    """Yield the rows as lines of text with aligned columns.

    widest    the maximum width of each column (default: MAX_WIDTH). A column is as wide as the first LOOK_AHEAD rows
              need, up to this maximum. A longer cell shifts the cells after it to the right
    right     the numbers of the columns that are right-aligned
    indent    the number of blanks before the first column
    """
    rows = iter(rows)
    first = list(islice(rows, LOOK_AHEAD))
    columns = list(zip(*first, strict=True))
    widths = [
        _width(cells, max_width) for cells, max_width in zip(columns, chain(widest, repeat(MAX_WIDTH)), strict=False)
    ]
    starts = [indent]
    for width in widths:
        starts.append(starts[-1] + (width + GAP if width else 0))
    for row in chain(first, rows):
        line = ""
        for column, (cell, start) in enumerate(zip(row, starts, strict=False)):
            if cell:
                line += " " * (GAP if line else 0) if len(line) + GAP > start and line else " " * (start - len(line))
                line += cell.rjust(widths[column]) if column in right else cell
        yield line


def _width(cells: Sequence[str], widest: int) -> int:
    lengths = sorted(map(len, cells))
    return lengths[-1] if lengths[-1] <= widest else min(widest, lengths[int(len(lengths) * FITTING_SHARE)])
