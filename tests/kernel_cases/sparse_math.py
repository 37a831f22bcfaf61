"""Arithmetic with sparse tensors, and sums over segments."""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, bf16, f32, f64, i32, i64, numbers
from tests.kernel_cases.sparse import BELOW, DEEP, EMPTY, LONG, MIXED, NOTHING, OUTSIDE, ROW, A, parts

B = ([[0, 1], [1, 1], [3, 2]], [4, 4])
TYPES = (np.float32, np.float64, np.int32, np.int64, np.uint8)
# sparse, shape of the dense matrix, adjoint_a, adjoint_b
PRODUCTS = [
    (A, (4, 3), False, False),
    (A, (4, 3), True, False),
    (A, (3, 4), False, True),
    (A, (3, 4), True, True),
    (EMPTY, (2, 5), False, False),
    (EMPTY, (3, 5), True, False),
    (A, (3, 3), False, False),
    (MIXED, (4, 2), False, False),
    (OUTSIDE, (4, 2), False, False),
    (BELOW, (4, 2), False, False),
    (DEEP, (2, 2), False, False),
    (A, (4,), False, False),
    (NOTHING, (2, 2), False, False),
    (NOTHING, (0, 2), True, False),
    (LONG, (4, 2), False, False),
]
AXES = [[0], [1], [-1], [0, 1], [], 0, [2], [0, 0], [-3]]
# indices, segment_ids, num_segments
SEGMENTS = [
    ([0, 1, 2], [0, 0, 1], 2),
    ([3, 0], [0, 2], 4),
    ([1, 1, 1, 0], [0, 1, 1, 1], 2),
    ([0, 1], [1, 0], 2),
    ([0, 4], [0, 1], 2),
    ([-1, 0], [0, 1], 2),
    ([0, 1], [-1, 0], 2),
    ([], [], 0),
    ([], [], 3),
    ([0], [0, 1], 2),
    ([0, 1], [0, 1], 1),
    ([2], [3], 4),
    ([0] * 20, [0] * 20, 1),
    ([[0]], [0], 1),
]
DENSES = [(4, 4), (4, 1), (1, 4), (4,), (), (1, 1), (3, 4), (1, 4, 4), (2, 3, 2)]

CASES = [
    *(
        Case("SparseTensorDenseMatMul", [*parts(tensor), f32(*shape)], adjoint_a=a, adjoint_b=b, rtol=1e-6)
        for tensor, shape, a, b in PRODUCTS
    ),
    *(
        Case(
            "SparseTensorDenseMatMul",
            [*parts(A, dtype), numbers([3, 4], dtype)],
            adjoint_a=True,
            adjoint_b=True,
            rtol=1e-6,
        )
        for dtype in (np.float64, np.int32, np.complex64)
    ),
    *(
        Case(
            "SparseTensorDenseAdd",
            [ints(tensor[0]), f32(len(tensor[0])), ints(tensor[1]), f64(*shape).astype(np.float32)],
        )
        for ints in (i32, i64)
        for tensor, shape in (
            (A, (4, 4)),
            (MIXED, (4, 4)),
            (DEEP, (2, 3, 2)),
            (ROW, (6,)),
            (EMPTY, (3, 2)),
            (A, (4, 1)),
            (OUTSIDE, (4, 4)),
        )
    ),
    *(Case("SparseTensorDenseAdd", [*parts(A, dtype), numbers([4, 4], dtype)]) for dtype in TYPES[1:4]),
    *(
        Case(f"SparseDenseCwise{name}", [*parts(tensor), np.float32(5) + f32(*shape)])
        for name in ("Add", "Mul", "Div")
        for tensor in (A, DEEP, EMPTY)
        for shape in DENSES
    ),
    *(
        Case(f"SparseDenseCwise{name}", [*parts(A, dtype), numbers([4], dtype, 1, 5)])
        for name in ("Add", "Mul", "Div")
        for dtype in TYPES[1:]
    ),
    *(Case("SparseDenseCwiseDiv", [*parts(A), np.float32([0, -0.0, 1, np.nan])]) for _ in (1,)),
    *(
        Case("SparseSoftmax", parts(tensor, dtype), rtol=1e-6)
        for tensor in (A, DEEP, EMPTY, ROW, LONG)
        for dtype in (np.float32, np.float64)
    ),
    *(
        Case("SparseAdd", [*parts(a, dtype), *parts(b, dtype), np.array(limit, dtype)])
        for a, b in ((A, A), (A, B), (B, A), (EMPTY, EMPTY), (A, EMPTY), (DEEP, DEEP), (ROW, ROW))
        for limit in (0, 2)
        for dtype in (np.float32, np.int32)
    ),
    *(
        Case(op, [*parts(a, dtype), *parts(b, dtype)])
        for op in ("SparseSparseMaximum", "SparseSparseMinimum")
        for a, b in ((A, A), (A, B), (B, A), (EMPTY, EMPTY), (A, EMPTY), (DEEP, DEEP), (ROW, ROW))
        for dtype in (np.float32, np.int64)
    ),
    *(
        Case(f"SparseReduce{name}", [*parts(tensor), i32(axes)], keep_dims=keep)
        for name in ("Sum", "Max", "SumSparse", "MaxSparse")
        for tensor in (A, DEEP, EMPTY)
        for axes in AXES
        for keep in (False, True)
    ),
    *(
        Case(f"SparseSegment{name}", [f32(4, 3), ints(indices), i32(ids)], rtol=1e-6)
        for name in ("Sum", "Mean", "SqrtN")
        for indices, ids, _ in SEGMENTS
        for ints in (i32, i64)
    ),
    *(
        Case(f"SparseSegment{name}WithNumSegments", [f64(4, 3), i32(indices), ints(ids), ints(count)])
        for name in ("Sum", "Mean", "SqrtN")
        for indices, ids, count in SEGMENTS
        for ints in (i32, i64)
    ),
    *(
        Case("SparseSegmentSum", [numbers([3, 2], dtype, 0, 9), i32([0, 2, 1]), i32([0, 0, 2])])
        for dtype in (np.int32, np.uint8, np.int64, np.float16)
    ),
    *(
        Case(f"SparseSegment{name}", [data, i32([0, 2, 1]), i32([0, 0, 1])])
        for name in ("Sum", "Mean", "SqrtN")
        for data in (bf16([[1, 2], [3, 4], [5, 6]]), f32(3), f32(3, 0), f32(3, 2, 2), f32(), np.float16([1, 2, 4]))
    ),
]
