"""Edit distances of sequences."""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, i64, strings

# indices, values, shape
ONE = ([[0, 0], [0, 1], [0, 2]], [1, 2, 3], [1, 3])
OTHER = ([[0, 0], [0, 1]], [1, 3], [1, 4])
SEVERAL = ([[0, 0], [1, 0], [1, 1], [3, 0]], [1, 2, 3, 4], [4, 2])
MORE = ([[0, 0], [1, 0], [2, 0], [2, 1]], [1, 3, 5, 5], [3, 2])
LONG = ([[0, n] for n in range(12)], [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8], [1, 12])
LONGER = ([[0, n] for n in range(15)], [2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5, 9, 0, 4], [1, 15])
DEEP = ([[0, 1, 0], [1, 0, 0], [1, 0, 1]], [7, 8, 9], [2, 2, 2])
NOTHING = (np.zeros((0, 2)), [], [2, 2])
MIXED = ([[0, 1], [0, 0]], [1, 3], [1, 4])
FLAT = ([[0]], [1], [3])

PAIRS = [
    (ONE, ONE),
    (ONE, OTHER),
    (OTHER, ONE),
    (SEVERAL, MORE),
    (MORE, SEVERAL),
    (LONG, LONGER),
    (LONGER, LONG),
    (DEEP, DEEP),
    (NOTHING, NOTHING),
    (NOTHING, SEVERAL),
    (SEVERAL, NOTHING),
    (ONE, MIXED),
    (FLAT, FLAT),
    (ONE, DEEP),
]


def sparse(row, values=i64):
    return [i64(row[0]), values(row[1]), i64(row[2])]


def letters(values):
    return strings([chr(97 + value) for value in values])


CASES = [
    Case("EditDistance", [*sparse(one, values), *sparse(other, values)], normalize=normalize)
    for one, other in PAIRS
    for values in (i64, np.float32, letters)
    for normalize in (True, False)
]
