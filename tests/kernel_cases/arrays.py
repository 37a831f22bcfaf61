"""Joining, splitting and padding."""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, bf16, f32, f64, i32, i64, numbers, strings, u8

WORDS = strings([["a", "bb", ""], ["c", "d", b"\xff"]])
JOINS = [
    (0, [(2, 3), (1, 3)]),
    (1, [(2, 3), (2, 1)]),
    (-1, [(2, 3), (2, 1), (2, 2)]),
    (2, [(2, 3), (2, 3)]),
    (0, [(), ()]),
    (-2, [(2, 3), (4, 3)]),
    (-3, [(2, 3), (4, 3)]),
    (0, [(2, 3), (2, 4)]),
    (0, [(2, 3), (3,)]),
    (0, [(0,), (2,)]),
    (1, [(2, 0), (2, 3)]),
    (0, [(0, 3), (0, 3)]),
    (0, [(0,), (2, 3)]),
    (0, [(2,)] * 5),
    ([0], [(2,), (1,)]),
    ([[0]], [(2,), (1,)]),
]
PACKS = [
    (0, [(2, 3)] * 2),
    (1, [(2, 3)] * 3),
    (2, [(2, 3)] * 2),
    (-1, [(2, 3)] * 2),
    (-3, [(2, 3)] * 2),
    (0, [()] * 4),
    (3, [(2, 3)] * 2),
    (-4, [(2, 3)] * 2),
    (0, [(2,), (3,)]),
    (0, [(1,), ()]),
    (1, [(0,)] * 2),
    (0, [(2, 3)]),
]
SPLITS = [
    ((4, 6), 0, 2),
    ((4, 6), 1, 3),
    ((4, 6), -1, 2),
    ((4, 6), -2, 4),
    ((4, 6), 0, 3),
    ((4, 6), 2, 2),
    ((4, 6), -3, 2),
    ((4, 6), 0, 1),
    ((0, 2), 0, 3),
    ((0, 2), 1, 2),
    ((), 0, 1),
    ((4, 6), [0], 2),
    ((4, 6, 2), 1, 6),
]
UNEQUAL = [
    ((5, 3), [2, 3], 0),
    ((5, 3), [2, -1], 0),
    ((5, 3), [1, 1, 1], 1),
    ((5, 3), [0, 3], -1),
    ((5, 3), [-1], 0),
    ((5, 3), [5], 0),
    ((5, 3), [6, -1], 0),
    ((5, 3), [-1, -1], 0),
    ((5, 3), [2, 2], 0),
    ((5, 3), [-2, 7], 0),
    ((5, 3), [[2, 3]], 0),
    ((5, 3), [2, 3], 2),
    ((0, 3), [0, 0], 0),
    ((5, 3), [5, -1], 0),
    ((5, 3), [2, 3], [0]),
]
PADS = [
    ((2, 3), [[1, 1], [0, 2]]),
    ((2, 3), [[0, 0], [0, 0]]),
    ((2, 3), [[1, 1], [2, 2]]),
    ((2, 3), [[2, 2], [3, 3]]),
    ((2, 3), [[0, -1], [0, 0]]),
    ((2, 3), [[1, 1]]),
    ((2, 3), [[1], [1]]),
    ((0, 3), [[1, 0], [0, 0]]),
    ((), np.zeros((0, 2))),
    ((4,), [[3, 2]]),
    ((2, 3, 2), [[1, 0], [0, 1], [1, 1]]),
    ((0,), [[0, 0]]),
    ((2, 1, 2, 2), [[0, 1], [0, 0], [1, 1], [0, 1]]),
    ((1, 3), [[1, 1], [0, 0]]),
    ((5,), [[4, 4]]),
    ((5,), [[5, 5]]),
    ((5,), [[6, 0]]),
    ((3,), [3, 2]),
]
TILES = [
    ((2, 3), [2, 1]),
    ((2, 3), [1, 3]),
    ((2, 3), [0, 1]),
    ((2, 3), [2]),
    ((2, 3), [-1, 1]),
    ((), []),
    ((3,), [3]),
    ((0, 2), [2, 2]),
    ((2, 3), [[1, 1]]),
    ((2, 1, 3), [2, 2, 2]),
    ((1,), [5]),
    ((2, 3), [1, 1]),
]


def several(shapes):
    return [f32(*shape) + np.float32(number) for number, shape in enumerate(shapes)]


CASES = [
    *(Case("ConcatV2", [several(shapes), i32(axis)]) for axis, shapes in JOINS),
    *(Case("Concat", [i32(axis), several(shapes)]) for axis, shapes in JOINS),
    *(
        Case("ConcatV2", [[array, array], i64(axis)])
        for axis in (0, -1)
        for array in (WORDS, u8(2, 2), numbers([2, 2], bool), f64(1, 2), bf16([[1, 2]]), numbers([3], np.complex128))
    ),
    *(Case("Pack", [several(shapes)], axis=axis) for axis, shapes in PACKS),
    *(Case("Pack", [[array, array]], axis=1) for array in (WORDS, u8(2, 2), numbers([2, 2], bool), bf16([1, 2]))),
    *(
        Case("Unpack", [f32(3, 4)], num=num, axis=axis)
        for num, axis in ((3, 0), (4, 1), (4, -1), (3, -2), (2, 0), (3, 2), (3, -3), (4, 0), (0, 0))
    ),
    *(Case("Unpack", [array], num=2) for array in (f32(2), WORDS, u8(2, 0), f32(), numbers([2], bool), bf16([1, 2]))),
    Case("Unpack", [f32(0, 2)], num=0),
    *(Case("Split", [i32(axis), f32(*shape)], num_split=count) for shape, axis, count in SPLITS),
    *(Case("Split", [i32(0), array], num_split=2) for array in (WORDS, u8(4), numbers([2, 2], bool), bf16([1, 2]))),
    *(
        Case("SplitV", [f32(*shape), dtype(sizes), i32(axis)], num_split=np.size(sizes))
        for shape, sizes, axis in UNEQUAL
        for dtype in (i32, i64)
    ),
    *(Case("SplitV", [array, i64([1, 1]), i32(0)], num_split=2) for array in (WORDS, u8(2), bf16([1, 2]))),
    Case("SplitV", [f32(5), i64([2, 3]), i32(0)], num_split=3),
    *(Case("Pad", [f32(*shape), i32(pads)]) for shape, pads in PADS),
    *(
        Case("Pad", [array, i64([[1, 0], [0, 2]])])
        for array in (u8(2, 2), numbers([2, 2], bool), WORDS, bf16([[1, 2]]))
    ),
    *(Case("PadV2", [f64(*shape), i64(pads), np.float64(-1.5)]) for shape, pads in PADS),
    *(
        Case("PadV2", [array, i32([[1, 0]]), value])
        for array, value in (
            (u8(2), np.uint8(7)),
            (strings(["a"]), strings("x")),
            (numbers([2], bool), np.array(True)),
            (f32(2), f32(1)),
        )
    ),
    *(
        Case("MirrorPad", [f32(*shape), i32(pads)], mode=mode)
        for shape, pads in PADS
        for mode in ("REFLECT", "SYMMETRIC")
    ),
    *(Case("MirrorPad", [array, i64([[1, 1], [0, 1]])], mode="SYMMETRIC") for array in (u8(2, 2), WORDS, f64(3, 1))),
    *(Case("Tile", [f32(*shape), i32(times)]) for shape, times in TILES),
    *(Case("Tile", [array, i64([1, 2])]) for array in (WORDS, u8(2, 2), numbers([2, 2], bool), bf16([[1, 2]]))),
]
