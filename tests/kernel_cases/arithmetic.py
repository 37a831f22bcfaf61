"""Binary elementwise ops."""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, bf16, f32, i32, numbers, strings
from tfmodel.messages import DataType

FLOATS = (np.float32, np.float64, np.float16)
COMPLEX = (np.complex64, np.complex128)
SIGNED = (np.int8, np.int16, np.int32, np.int64)
UNSIGNED = (np.uint8, np.uint16, np.uint32, np.uint64)
SHAPES = [
    ((2, 3), (2, 3)),
    ((2, 3), (3,)),
    ((3,), (2, 3)),
    ((2, 1), (1, 3)),
    ((), (2, 2)),
    ((2, 2), ()),
    ((), ()),
    ((0, 3), (3,)),
    ((2, 0), (2, 1)),
    ((4, 1, 2), (3, 1)),
    ((2, 3), (2,)),
    ((2,), (3,)),
    ((1, 2, 1, 3, 1), (2, 1, 3)),
]
SPECIAL = np.array([0.0, -0.0, 1, -1, 2.5, -7.5, 1e-30, 1e30, np.inf, -np.inf, np.nan])
ALL = (*FLOATS, *SIGNED, *UNSIGNED, *COMPLEX)
REAL = (*FLOATS, *SIGNED, *UNSIGNED)
TYPES = {
    "Add": [t for t in ALL if t not in UNSIGNED[1:]],
    "AddV2": ALL,
    "Sub": ALL,
    "Mul": ALL,
    "MulNoNan": (*FLOATS, *COMPLEX),
    "Div": ALL,
    "RealDiv": (*FLOATS, *COMPLEX),
    "DivNoNan": (*FLOATS, *COMPLEX),
    "TruncateDiv": (*SIGNED, *UNSIGNED),
    "FloorDiv": REAL,
    "Mod": (np.int32, np.int64, np.float32, np.float64),
    "TruncateMod": (np.int32, np.int64, np.float32, np.float64),
    "FloorMod": [t for t in REAL if t != np.float16],
    "Pow": (*FLOATS, *COMPLEX),
    "Maximum": REAL,
    "Minimum": REAL,
    "SquaredDifference": (*FLOATS, np.int32, np.int64, *COMPLEX),
    "Atan2": FLOATS,
    "Xdivy": (*FLOATS, *COMPLEX),
    "Xlogy": (*FLOATS, *COMPLEX),
    "Xlog1py": (*FLOATS, *COMPLEX),
    "NextAfter": (np.float32, np.float64),
}
BITS = ("BitwiseAnd", "BitwiseOr", "BitwiseXor", "LeftShift", "RightShift")
DIVISIONS = ("Div", "TruncateDiv", "FloorDiv", "FloorMod", "Mod", "TruncateMod")
INEXACT = ("Pow", "Xlogy", "Xlog1py")  # of complex numbers; and steps of halves


def pair(op, dtype):
    """Every one of some numbers with every other."""
    if np.dtype(dtype).kind in "iu":
        values = np.array([0, 1, 2, 3, 5, 7, 100, np.iinfo(dtype).max, np.iinfo(dtype).min], dtype)
        if np.dtype(dtype).kind == "i":
            values = np.append(values, np.array([-2, -3, -7], dtype))
        others = values[values != 0] if op in DIVISIONS else values
        return values[:, np.newaxis], others
    if np.dtype(dtype).kind == "c":
        return numbers([4, 1], dtype), numbers([5], dtype, 0.5, 2)
    with np.errstate(over="ignore"):
        values = SPECIAL.astype(dtype)
    return values[:, np.newaxis], values


def tolerance(op, dtype):
    if np.dtype(dtype).kind == "c":
        return {"rtol": 1e-6 if dtype == np.complex64 else 1e-14}
    return {"ulps": 8 if dtype == np.float16 and op in INEXACT else 4}


CASES = [
    *(Case(op, list(pair(op, dtype)), **tolerance(op, dtype)) for op, types in TYPES.items() for dtype in types),
    *(Case(op, [f32(*x), f32(*y) + np.float32(0.25)]) for op in TYPES for x, y in SHAPES if op != "TruncateDiv"),
    *(
        Case(op, [bf16([1.5, -2.25, 3]), bf16([[3], [0.5]])], rtol=2**-7)
        for op in TYPES
        if op not in ("TruncateDiv", "NextAfter", "FloorMod", "Mod", "TruncateMod")
    ),
    *(Case(op, [i32([[7, -7]]), i32([[2], [0]])]) for op in DIVISIONS),
    *(Case(op, [i32([]), i32([0])]) for op in DIVISIONS),
    *(Case("Pow", [np.array([0, 1, -2, 3, 7], dtype), np.array([[0], [1], [2], [5]], dtype)]) for dtype in SIGNED),
    Case("Pow", [i32([2, 3]), i32([1, -1])]),
    Case("Pow", [i32([]), i32(-1)]),
    *(
        Case("Add", [strings(x), strings(y)])
        for x, y in (
            (["a", b"\xff"], "b"),
            ([["a"], ["b"]], ["c", "", "d"]),
            ("", ""),
            ([], ["a"]),
            (["a", "b"], ["c", "d", "e"]),
        )
    ),
    *(Case(op, list(pair(op, dtype))) for op in BITS for dtype in (*SIGNED, *UNSIGNED)),
    *(
        Case(op, [np.array([[1], [-1], [77]], dtype), np.array([-1, 0, 7, 8, 31, 33, 64, 100], dtype)])
        for op in ("LeftShift", "RightShift")
        for dtype in SIGNED
    ),
    *(Case(op, [i32(np.ones(x)), i32(np.ones(y))]) for op in BITS for x, y in SHAPES[4:]),
    *(
        Case(
            "Complex",
            [numbers(x, dtype), numbers(y, dtype, 4, 5)],
            Tout=DataType.DT_COMPLEX64 if dtype == np.float32 else DataType.DT_COMPLEX128,
        )
        for dtype in (np.float32, np.float64)
        for x, y in SHAPES
    ),
    *(
        Case("AddN", [[numbers(shape, dtype, n, n + 2) for n in range(count)]])
        for dtype in (np.float32, np.int32, np.complex64, np.uint8)
        for shape in ((2, 3), (), (0, 2))
        for count in (1, 2, 3, 9)
    ),
    Case("AddN", [[f32(2), f32(3)]]),
    Case("AddN", [[f32(2), f32(1)]]),
    Case("AddN", [[bf16([1, 2.5]), bf16([3, 0.5])]]),
    Case("AddN", [[numbers([3], np.float16, n) for n in range(4)]]),
    *(
        Case("AccumulateNV2", [[f32(*shape)] * count], shape=shape)
        for shape in ((2, 3), (), (1,), (0, 2))
        for count in (1, 2, 5)
    ),
]
