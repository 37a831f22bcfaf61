"""Products of matrices."""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, bf16, f32, numbers
from tfmodel.messages import DataType

FLIPS = [(False, False), (True, False), (False, True), (True, True)]
SHAPES = [
    ((2, 3), (3, 4)),
    ((1, 1), (1, 1)),
    ((0, 3), (3, 2)),
    ((2, 0), (0, 3)),
    ((2, 3), (3, 0)),
    ((2, 3), (2, 3)),
    ((3,), (3,)),
    ((2, 3, 4), (4, 5)),
    ((5, 7), (7, 1)),
    ((2, 3), (4, 3)),
    ((1, 40), (40, 3)),
]
BATCHES = [
    ((2, 3, 4), (2, 4, 5)),
    ((2, 1, 3, 4), (1, 5, 4, 2)),
    ((3, 4), (2, 4, 5)),
    ((2, 3, 4), (4, 5)),
    ((2, 3), (3, 4)),
    ((3,), (3, 4)),
    ((2, 3, 4), (3, 4, 5)),
    ((0, 2, 3), (0, 3, 2)),
    ((2, 0, 3), (2, 3, 4)),
    ((2, 3, 0), (2, 0, 4)),
    ((2, 3, 4), (2, 5, 4)),
    ((1, 2, 3), (4, 3, 2)),
    ((0, 2, 3), (1, 3, 2)),
]
TYPES = (np.float64, np.float16, np.int32, np.int64, np.complex64, np.complex128)
WIDE = {np.float16: 2e-3, np.complex64: 1e-6, np.complex128: 1e-14, np.float32: 1e-6}


def flipped(shape, flip):
    return (*shape[:-2], *shape[:-3:-1]) if flip else shape


def tolerance(dtype):
    return {"rtol": WIDE.get(dtype, 1e-14)}


CASES = [
    *(
        Case(op, [f32(*flipped(a, x)), f32(*flipped(b, y)) + np.float32(1)], transpose_a=x, transpose_b=y, rtol=1e-6)
        for op in ("MatMul", "SparseMatMul")
        for a, b in SHAPES
        for x, y in FLIPS
    ),
    *(
        Case("MatMul", [numbers([2, 3], dtype), numbers([2, 3], dtype, -9, 9)], transpose_b=True, **tolerance(dtype))
        for dtype in TYPES
    ),
    Case("MatMul", [np.int32([[2**30, 2**30]]), np.int32([[4], [3]])], note="wraps"),
    Case("MatMul", [bf16(f32(2, 3)), bf16(f32(3, 2))], rtol=2**-7),
    *(
        Case("SparseMatMul", [a, b], Ta=Case("Identity", [a]).types[0], Tb=Case("Identity", [b]).types[0], rtol=2**-6)
        for a, b in ((bf16(f32(2, 3)), f32(3, 2)), (f32(2, 3), bf16(f32(3, 2))), (bf16(f32(2, 3)), bf16(f32(3, 2))))
    ),
    *(
        Case(op, [f32(*flipped(a, x)), f32(*flipped(b, y))], adj_x=x, adj_y=y, rtol=1e-6)
        for op in ("BatchMatMul", "BatchMatMulV2")
        for a, b in BATCHES
        for x, y in FLIPS
    ),
    *(Case("BatchMatMulV3", [f32(*a), f32(*b)], Tout=DataType.DT_FLOAT, rtol=1e-6) for a, b in BATCHES),
    *(
        Case("BatchMatMulV2", [numbers([2, 3, 2], dtype), numbers([3, 3], dtype)], adj_x=True, **tolerance(dtype))
        for dtype in (*TYPES, np.int16)
    ),
    *(
        Case(
            "BatchMatMulV3",
            [numbers([2, 2, 3], a, 0, 200), numbers([3, 2], b, 0, 200)],
            Ta=x,
            Tb=y,
            Tout=DataType.DT_INT32,
        )
        for a, x, b, y in (
            (np.int8, DataType.DT_INT8, np.int8, DataType.DT_INT8),
            (np.uint8, DataType.DT_UINT8, np.int8, DataType.DT_INT8),
            (np.uint8, DataType.DT_UINT8, np.uint8, DataType.DT_UINT8),
        )
    ),
    Case("BatchMatMulV2", [bf16(f32(2, 2, 3)), bf16(f32(2, 3, 2))], rtol=2**-7),
    *(
        Case("Cross", [numbers(shape, dtype), numbers(shape, dtype, 1, 7)], rtol=1e-3 if dtype == np.float16 else 1e-6)
        for dtype in (np.float32, np.float64, np.int32, np.uint8, np.float16)
        for shape in ((3,), (2, 3), (0, 3), (2, 2, 3))
    ),
    Case("Cross", [f32(2), f32(2)]),
    Case("Cross", [f32(2, 3), f32(3)]),
    Case("Cross", [f32(), f32()]),
]
