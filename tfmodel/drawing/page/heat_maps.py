"""Pictures of weights as texts, a character for each of 64 levels: histograms, and heat maps.

A heat map is a matrix, or a filter as one, in at most 64 x 64 cells.

A filter [3, 3, 16, 32] is a matrix of 144 rows, one for each input of a neuron, and 32 columns, one for each neuron.
If it fits, each cell is a value; otherwise each cell is the root mean square of a block of values, so that neurons
without weights and rows that matter less than others are seen in large matrices too.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

LEVELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
"""The 64 levels of a cell. Level 32 is 0 in a map of values; level 0 is in a map of blocks."""

MAX_SIDE, MIN_SIDE = 64, 16
MAX_CELLS = 24 << 10  # of all maps of a page; a cell takes about a byte


def histogram_levels(counts: Sequence[int]) -> str:
    """Return the heights of the bars of a histogram; level 0 is only that of 0."""
    most = max(counts)
    return "".join(LEVELS[max(1, round(63 * count / most)) if count else 0] for count in counts)


def side_of(count: int) -> int:
    """Return the maximum number of rows and columns of each of `count` maps on a page."""
    side = MAX_SIDE
    while side > MIN_SIDE and count * side * side > MAX_CELLS:
        side //= 2
    return side


def heat_map(array: npt.NDArray[Any], side: int) -> dict[str, Any] | None:
    """Return a map of an array with at most `side` rows and columns; None for a vector and for other than real numbers.

    rows, columns    of the map
    cells            the levels of all cells, row by row
    most             the value of the highest level
    values           the rows and columns of the matrix
    signed           whether cells are values: level 63 is `most`, and level 1 is -`most`

    Numbers that are not finite count as 0.
    """
    if array.ndim < 2 or array.dtype.kind not in "fiub" or not array.size:
        return None
    shape = prod(array.shape[:-1]), array.shape[-1]
    if min(shape) < 2:
        return None
    rows, columns = (min(side, length) for length in shape)
    signed = shape == (rows, columns)
    if not any(step for step, length in zip(array.strides, array.shape, strict=True) if length > 1):
        array = np.broadcast_to(array.item(0), (rows, columns))  # one value for all, which may be billions
    matrix = array.reshape(-1, array.shape[-1])
    cells = _finite(matrix) if signed else _root_mean_squares(matrix, rows, columns)
    most = float(np.abs(cells).max())
    scaled = cells / (most or 1)
    levels = np.rint(32 + 31 * scaled if signed else 63 * scaled).astype(int)
    return {
        "rows": rows,
        "columns": columns,
        "cells": "".join(map(LEVELS.__getitem__, levels.ravel())),
        "most": float(f"{most:.4g}"),
        "values": [*shape],
        "signed": signed,
    }


def _finite(values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    return np.nan_to_num(values.astype(np.float64), nan=0.0, posinf=0.0, neginf=0.0)


def _root_mean_squares(matrix: npt.NDArray[Any], rows: int, columns: int) -> npt.NDArray[np.float64]:
    """Return the root mean squares of blocks of a matrix; values are divided by the largest, so that none overflows."""
    row_ends = np.arange(rows + 1) * matrix.shape[0] // rows
    starts = np.arange(columns) * matrix.shape[1] // columns
    widths = np.diff(starts, append=matrix.shape[1])
    cells = np.empty((rows, columns))
    for place in range(rows):  # one after another, since a copy of the whole matrix in doubles may be large
        block = _finite(matrix[row_ends[place] : row_ends[place + 1]])
        most = float(np.abs(block).max())
        sums = np.add.reduceat(np.square(block / (most or 1)).sum(axis=0), starts)
        cells[place] = most * np.sqrt(sums / (widths * len(block)))
    return cells
