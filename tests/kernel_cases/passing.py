"""Constants, identities, placeholders, assertions."""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, bf16, f32, f64, i32, i64, numbers, strings, u8
from tfmodel.messages import DataType

ARRAYS = [
    f32(2, 3),
    f64(3),
    i32([[1, -2]]),
    i64(2**62),
    u8(4),
    numbers([2], np.complex64),
    numbers([3], bool),
    strings([["a", b"\xff\0"], ["", "ccc"]]),
    f32(2, 0, 3),
    numbers([2], np.float16),
    numbers([2, 2], np.uint16, 0, 9),
]
NUMBERS = [array for array in ARRAYS if array.dtype != object]
TYPES = [Case("Identity", [array]).types[0] for array in ARRAYS]
SHAPES = [(2, 3), (None, 3), (2, None), None, (), (3, 2), (2, 3, 1), (None,), (2,), (None, None), (0, 3)]
FLOATS = [
    [1, -2],
    [np.nan],
    [1, np.inf],
    [-np.inf, 0],
    [np.nan, np.inf],
    [],
    [-0.0, 1e-45],
    [np.inf, -np.inf],
    3,
    np.nan,
]
YES, NO = np.array(True), np.array(False)
DATA = [[strings("it is"), f32(2, 3)], [i32([1, 2, 3, 4])], [strings(["a", b"\xff"]), numbers([], bool)]]

CASES = [
    *(
        Case(op, value=array, dtype=dtype)
        for op in ("Const", "HostConst")
        for array, dtype in zip(ARRAYS, TYPES, strict=True)
    ),
    *(Case("Const", value=f32(2), dtype=dtype) for dtype in (DataType.DT_INT32, DataType.DT_STRING)),
    *(Case(op, [array]) for op in ("Identity", "StopGradient", "PreventGradient") for array in ARRAYS),
    *(
        Case(op, [array])
        for op in ("Snapshot", "GuaranteeConst", "DebugGradientIdentity", "DeepCopy")
        for array in NUMBERS
    ),
    *(Case("Identity", [bf16(x)]) for x in ([1.5], [])),
    *(Case("PlaceholderWithDefault", [array], shape=None) for array in ARRAYS),
    *(Case("IdentityN", [[array, *ARRAYS[:n]]]) for n, array in enumerate(ARRAYS)),
    *(Case("ZerosLike", [array]) for array in [*ARRAYS, bf16([2, 3])]),
    *(Case("OnesLike", [array]) for array in [*NUMBERS, bf16([2, 3])]),
    Case("NoOp"),
    Case("ControlTrigger"),
    *(
        Case(op, dtype=dtype, shape=shape)
        for op in ("Placeholder", "PlaceholderV2")
        for dtype, shape in zip(TYPES, SHAPES, strict=True)
    ),
    *(Case("EnsureShape", [f32(2, 3)], shape=shape) for shape in SHAPES),
    *(Case("EnsureShape", [f32()], shape=shape) for shape in SHAPES[:5]),
    *(
        Case(op, [np.array(values, dtype)], message="m")
        for op in ("CheckNumerics", "CheckNumericsV2")
        for values in FLOATS
        for dtype in (np.float32, np.float16)
    ),
    *(
        Case("Assert", [condition, data], summarize=summarize)
        for condition in (YES, NO)
        for data in DATA
        for summarize in (2, -1)
    ),
    *(Case("Assert", [condition, DATA[0]]) for condition in (numbers([1], bool), numbers([0], bool))),
    *(
        Case("Fill", [i32(dims), value])
        for dims in ([2, 3], [], [0, 4], [1])
        for value in (np.float32(2.5), strings("x"), np.array(True), i64(-7))
    ),
    *(
        Case("Fill", [i64(dims), value])
        for dims, value in (
            ([2, -1], f32()),
            (3, f32()),
            ([[2]], f32()),
            ([2], f32(1)),
            ([2], f32(2)),
            ([2], bf16(1.5)),
        )
    ),
    *(
        Case("Empty", [i32(dims)], dtype=dtype, init=True)
        for dims in ([2, 3], [], [0], [2, -1], [[2]])
        for dtype in (DataType.DT_FLOAT, DataType.DT_INT64)
    ),
]
