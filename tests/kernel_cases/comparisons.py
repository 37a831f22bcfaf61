"""Comparing, combining truths, choosing."""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, Typed, bf16, f32, f64, i32, i64, numbers, strings
from tests.kernel_cases.arithmetic import SHAPES
from tfmodel.messages import DataType

ORDERED = (
    np.float32,
    np.float64,
    np.float16,
    np.int8,
    np.int16,
    np.int32,
    np.int64,
    np.uint8,
    np.uint16,
    np.uint32,
    np.uint64,
)
SPECIAL = np.array([0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan])
WORDS = strings(["a", "b", "", b"\xff\0", b"\xff"])
CHOICES = [
    ((2, 3), (2, 3), (2, 3)),
    ((), (2, 3), (2, 3)),
    ((2,), (2, 3), (2, 3)),
    ((3,), (2, 3), (2, 3)),
    ((2, 1), (2, 3), (2, 3)),
    ((2, 3), (3,), ()),
    ((), (), ()),
    ((1,), (1, 2), (1, 2)),
    ((0,), (0, 2), (0, 2)),
    ((2, 3), (2, 3), (2, 1)),
    ((4, 1, 1), (3, 1), (2,)),
    ((2,), (2,), (3,)),
    ((2,), (3, 2), (3, 2)),
    ((2, 2), (2,), (2,)),
    ((0,), (), ()),
]
CLIPS = [
    ((2, 3), (), ()),
    ((2, 3), (2, 3), ()),
    ((2, 3), (), (2, 3)),
    ((2, 3), (2, 3), (2, 3)),
    ((), (), ()),
    ((0,), (), ()),
    ((2, 3), (3,), ()),
    ((2, 3), (1,), ()),
    ((2, 3), (), (1, 3)),
    ((2,), (2,), (1,)),
]


def some(dtype):
    if np.dtype(dtype).kind == "f":
        return SPECIAL.astype(dtype)
    return np.array([0, 1, 2, np.iinfo(dtype).max, np.iinfo(dtype).min], dtype)


CASES = [
    *(
        Case(op, [some(dtype)[:, np.newaxis], some(dtype)])
        for op in ("Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual")
        for dtype in ORDERED
    ),
    *(
        Case(op, [f32(*x), f32(*y)])
        for op in ("Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual")
        for x, y in SHAPES
    ),
    *(Case(op, [f32(*x), f32(*y)], incompatible_shape_error=False) for op in ("Equal", "NotEqual") for x, y in SHAPES),
    *(
        Case(op, [array[:, np.newaxis], array])
        for op in ("Equal", "NotEqual")
        for array in (WORDS, numbers([3], bool), numbers([4], np.complex64), numbers([2], np.complex128))
    ),
    *(
        Case(op, [bf16([1, 2, np.nan]), bf16([[2], [1]])])
        for op in ("Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual")
    ),
    Case("Equal", [Typed(i32([1, 2]), DataType.DT_QINT32), Typed(i32([1, 3]), DataType.DT_QINT32)]),
    *(Case(op, [numbers(x, bool), ~numbers(y, bool)]) for op in ("LogicalAnd", "LogicalOr") for x, y in SHAPES),
    *(
        Case(
            "ApproximateEqual",
            [np.array([0, 1, 2, 3], dtype), np.array([0, 1.0625, 2.5, 4], dtype)],
            tolerance=tolerance,
        )
        for dtype in (np.float32, np.float64)
        for tolerance in (0.1, 1.0, 0.5)
    ),
    *(Case("ApproximateEqual", [f32(*x), f32(*y)], tolerance=0.5) for x, y in SHAPES[:4]),
    Case("ApproximateEqual", [SPECIAL, SPECIAL], tolerance=1e-5),
    *(
        Case(op, [numbers(c, bool), f32(*t), f32(*e) + np.float32(9)])
        for op in ("Select", "SelectV2")
        for c, t, e in CHOICES
    ),
    *(
        Case(op, [numbers([2], bool), t, e])
        for op in ("Select", "SelectV2")
        for t, e in (
            (i64([1, 2]), i64([3, 4])),
            (strings(["a", "b"]), strings(["c", b"\xff"])),
            (bf16([1, 2]), bf16([3, 4])),
            (numbers([2], bool), numbers([2], bool)),
            (f64(2), f64(2) + 1),
            (numbers([2], np.complex64), numbers([2], np.complex64)),
        )
    ),
    Case("Select", [np.array(True), strings("a"), strings("b")]),
    *(
        Case("ClipByValue", [f32(*t), np.float32(-0.5) * np.ones(low, np.float32), np.ones(high, np.float32)])
        for t, low, high in CLIPS
    ),
    *(Case("ClipByValue", [np.array([0, 1, 5, 100], dtype), dtype(2), dtype(7)]) for dtype in ORDERED[:9]),
    Case("ClipByValue", [f32(3), np.float32(1), np.float32(-1)], note="nothing is between"),
    Case("ClipByValue", [np.float32([np.nan, np.inf, -np.inf]), np.float32(-1), np.float32(1)]),
    Case("ClipByValue", [bf16([-3, 0.5, 3]), bf16(-1), bf16(1)]),
]
