"""Rows of cells that line up, printed before the last row is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, repeat

__all__ = ["aligned"]

LOOK_AHEAD = 500  # rows that decide how wide the columns are
WIDEST = 60  # characters of a column
FITTING = 0.9  # so many of the cells fit, if not all can
GAP = 2


def aligned(
    rows: Iterable[Sequence[str]], *, widest: Sequence[int] = (), right: Sequence[int] = (), indent: int = 0
) -> Iterator[str]:
    """The rows as lines.

    A column is as wide as the first rows need it, or most of them if that is more than `widest` allows. A longer cell
    pushes what follows to the right, and the line falls back into step where it can. Columns in `right` are flushed
    right.
    """
    rows = iter(rows)
    first = list(islice(rows, LOOK_AHEAD))
    columns = list(zip(*first, strict=True))
    widths = [_width(cells, most) for cells, most in zip(columns, chain(widest, repeat(WIDEST)), strict=False)]
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
    return lengths[-1] if lengths[-1] <= widest else min(widest, lengths[int(len(lengths) * FITTING)])
