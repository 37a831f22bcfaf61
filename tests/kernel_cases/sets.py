"""Sets in dense and sparse tensors."""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, i32, i64, strings

OPERATIONS = ("a-b", "b-a", "intersection", "union")
DENSE = [
    ([[1, 2, 2], [3, 4, 5]], [[2, 9], [4, 4]]),
    ([[1], [1]], [[1], [2]]),
    ([[[1, 2]], [[3, 4]]], [[[2, 1]], [[5, 6]]]),
    (np.zeros((2, 0)), [[1], [2]]),
    ([1, 2], [1]),
    ([[1, 2]], [[1], [2]]),
    ([[-1, 5, 3]], [[3, -1, 7]]),
    (np.zeros((0, 2)), np.zeros((0, 1))),
]
# indices, values, shape
SPARSE = [
    ([[0, 0], [0, 1], [1, 0]], [2, 3, 3], [2, 2]),
    ([[0, 0], [1, 0], [1, 1]], [9, 4, 4], [2, 3]),
    (np.zeros((0, 2)), [], [2, 2]),
    ([[1, 0], [0, 0]], [1, 2], [2, 2]),
    ([[0, 3]], [1], [2, 2]),
    ([[0, 0]], [1], [3, 2]),
    ([[0, 0, 0], [1, 0, 1]], [1, 1], [2, 1, 2]),
    ([[0]], [1], [2]),
]


def sparse(row, ints=i64):
    indices, values, shape = row
    return [i64(indices), ints(values), i64(shape)]


CASES = [
    *(
        Case("DenseToDenseSetOperation", [ints(a), ints(b)], set_operation=name)
        for a, b in DENSE
        for name in OPERATIONS
        for ints in (i32, i64)
    ),
    *(
        Case("DenseToDenseSetOperation", [strings([["b", "a"]]), strings([["a", "", "c"]])], set_operation=name)
        for name in OPERATIONS
    ),
    Case("DenseToDenseSetOperation", [i32([[1]]), i32([[1]])], set_operation="both"),
    *(
        Case(
            "DenseToSparseSetOperation",
            [i64([[1, 3], [4, 9]]), *sparse(row)],
            set_operation=name,
            validate_indices=validate,
        )
        for row in SPARSE
        for name in OPERATIONS[:2]
        for validate in (True, False)
        if validate or row is not SPARSE[3]
    ),
    *(
        Case("SparseToSparseSetOperation", [*sparse(SPARSE[0]), *sparse(row)], set_operation=name)
        for row in SPARSE
        for name in OPERATIONS
    ),
    *(
        Case("SetSize", sparse(row, ints), validate_indices=validate)
        for row in SPARSE
        for ints in (i32, i64)
        for validate in (True, False)
    ),
]
