"""Transposing, reversing, rolling, blocks and patches."""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, Typed, bf16, f32, f64, i32, i64, numbers, strings, u8
from tfmodel.messages import DataType

WORDS = strings([["a", "bb", ""], ["c", "d", b"\xff"]])
OTHERS = [WORDS, u8(2, 3), numbers([2, 3], bool), f64(2, 3), numbers([2, 3], np.complex64), bf16([[1, 2, 3]] * 2)]

PERMUTATIONS = [
    ((2, 3), [1, 0]),
    ((2, 3), [0, 1]),
    ((2, 3, 4), [2, 0, 1]),
    ((2, 3), [-1, 0]),
    ((2, 3), [1, 1]),
    ((2, 3), [0, 2]),
    ((2, 3), [0]),
    ((), []),
    ((2, 3), [[1, 0]]),
    ((0, 3), [1, 0]),
    ((2, 1, 3, 2), [3, 1, 0, 2]),
    ((3,), [0]),
]
REVERSED = [[0], [1], [-1], [0, 1], [], [0, 0], [0, -2], [2], [-3], [[0]]]
FLAGS = [[True, False], [False, True], [True, True], [False, False], [True], [True] * 3, [[True, False]]]
# shape, lengths, seq_dim, batch_dim
SEQUENCES = [
    ((3, 4), [1, 2, 4], 1, 0),
    ((3, 4), [0, 3, 2], 1, 0),
    ((4, 3), [1, 2, 4], 0, 1),
    ((2, 3, 4), [1, 3, 4], 2, 1),
    ((3, 4, 2), [4, 4, 4], 1, 0),
    ((3, 4), [1, 2, 5], 1, 0),
    ((3, 4), [1, -1, 2], 1, 0),
    ((3, 4), [1, 2], 1, 0),
    ((3, 4), [1, 2, 3], 0, 0),
    ((3, 4), [1, 2, 3], 2, 0),
    ((3, 4), [1, 2, 3], 1, 2),
    ((0, 4), [], 1, 0),
    ((3, 0), [0, 0, 0], 1, 0),
    ((3, 4), [[1, 2, 3]], 1, 0),
]
ROLLS = [
    ((5,), 2, 0),
    ((5,), -2, 0),
    ((5,), 12, 0),
    ((2, 3), [1, 1], [0, 1]),
    ((2, 3), [1, 2], [1, 1]),
    ((2, 3), 1, -1),
    ((2, 3), [1], [-2]),
    ((2, 3), 1, 2),
    ((2, 3), [1, 2], 0),
    ((), 1, 0),
    ((0, 3), 1, 0),
    ((2, 3), 1, -3),
    ((2, 3), [], []),
    ((2, 3), [[1]], [[0]]),
]
TO_BATCH = [
    ((1, 2, 2, 1), [2, 2], [[0, 0], [0, 0]]),
    ((2, 4, 3, 2), [2, 2], [[0, 0], [1, 0]]),
    ((1, 3, 3, 1), [2, 2], [[0, 1], [1, 0]]),
    ((1, 4), [2], [[1, 1]]),
    ((1, 3), [2], [[0, 0]]),
    ((2, 6, 1), [3], [[0, 0]]),
    ((1, 2, 2, 1), [2, 0], [[0, 0], [0, 0]]),
    ((1, 2, 2, 1), [2, 2], [[0, 0]]),
    ((1, 2, 2, 1), [2, 2], [[0, -2], [0, 0]]),
    ((2,), [2], [[0, 0]]),
    ((2, 3), [], np.zeros((0, 2))),
    ((1, 2, 4, 2, 1), [2, 1, 2], [[0, 0], [0, 0], [0, 2]]),
    ((0, 2, 2, 1), [2, 2], [[0, 0], [0, 0]]),
    ((1, 2, 2, 1), [[2, 2]], [[0, 0], [0, 0]]),
    ((1, 2, 3, 2), [1, 3], [[0, 0], [0, 0]]),
]
FROM_BATCH = [
    ((4, 1, 1, 1), [2, 2], [[0, 0], [0, 0]]),
    ((8, 2, 2, 2), [2, 2], [[0, 1], [1, 0]]),
    ((4, 2, 3, 1), [2, 2], [[2, 2], [0, 0]]),
    ((2, 3), [2], [[1, 1]]),
    ((3, 3), [2], [[0, 0]]),
    ((6, 2, 1), [3], [[0, 2]]),
    ((4, 1, 1, 1), [2, 2], [[2, 1], [0, 0]]),
    ((4, 1, 1, 1), [2, 2], [[0, 0]]),
    ((4, 1, 1, 1), [2, 2], [[0, -1], [0, 0]]),
    ((2,), [2], [[0, 0]]),
    ((2, 3), [], np.zeros((0, 2))),
    ((4, 1, 2, 1, 1), [2, 1, 2], [[0, 0], [0, 0], [0, 1]]),
    ((0, 2, 2, 1), [2, 2], [[0, 0], [0, 0]]),
    ((4, 1, 1, 1), [0, 2], [[0, 0], [0, 0]]),
    ((3, 2, 3, 2), [1, 3], [[0, 1], [1, 0]]),
]
DEPTHS = [
    ((1, 2, 2, 4), 2),
    ((2, 4, 6, 8), 2),
    ((1, 3, 3, 9), 3),
    ((1, 2, 3, 4), 2),
    ((1, 2, 2, 3), 2),
    ((2, 2, 2), 2),
    ((0, 2, 2, 4), 2),
    ((1, 4, 4, 16), 4),
    ((1, 2, 2, 4), 1),
    ((1, 4, 2, 4), 2),
    ((1, 2, 2, 0), 2),
]
# shape, ksizes, strides, rates
PATCHES = [
    ((1, 5, 5, 2), (2, 2), (1, 1), (1, 1)),
    ((2, 6, 5, 1), (3, 2), (2, 3), (1, 1)),
    ((1, 7, 7, 1), (2, 3), (1, 2), (2, 1)),
    ((1, 3, 3, 3), (3, 3), (1, 1), (1, 1)),
    ((1, 3, 3, 1), (4, 4), (1, 1), (1, 1)),
    ((0, 4, 4, 1), (2, 2), (2, 2), (1, 1)),
    ((1, 4, 4, 2), (1, 1), (3, 3), (1, 1)),
    ((1, 4, 4), (2, 2), (1, 1), (1, 1)),
]
VOLUMES = [
    ((1, 3, 4, 3, 2), (2, 2, 2), (1, 1, 1)),
    ((2, 4, 3, 4, 1), (3, 1, 2), (2, 1, 3)),
    ((1, 2, 2, 2, 3), (2, 2, 2), (2, 2, 2)),
    ((1, 2, 2, 2, 1), (3, 1, 1), (1, 1, 1)),
    ((1, 3, 3, 3, 1), (1, 1, 1), (2, 2, 2)),
    ((1, 3, 3, 3), (1, 1, 1), (2, 2, 2)),
]
QUANTIZED = [Typed(u8(3), DataType.DT_QUINT8), Typed(i32([1, -1]), DataType.DT_QINT32)]
BITS = [
    (f32(2, 3), DataType.DT_INT32),
    (f32(3), DataType.DT_UINT8),
    (u8(2, 4), DataType.DT_FLOAT),
    (u8(2, 3), DataType.DT_FLOAT),
    (f64(2), DataType.DT_FLOAT),
    (i32([[1, 2]]), DataType.DT_INT64),
    (i64([-1]), DataType.DT_UINT16),
    (f32(), DataType.DT_INT32),
    (bf16([1.5, -2, 3]), DataType.DT_UINT16),
    (numbers([2], np.uint16, 0, 65536), DataType.DT_BFLOAT16),
    (f32(0, 2), DataType.DT_DOUBLE),
    (f32(4), DataType.DT_BFLOAT16),
    (numbers([2], np.complex64), DataType.DT_DOUBLE),
    (u8(), DataType.DT_FLOAT),
    (QUANTIZED[0], DataType.DT_UINT8),
    (u8(3), DataType.DT_QUINT8),
    (QUANTIZED[1], DataType.DT_FLOAT),
    (u8(0), DataType.DT_INT8),
]


def around(values):
    return [1, *values, 1]


CASES = [
    *(
        Case(op, [numbers(shape, dtype), i32(perm)])
        for shape, perm in PERMUTATIONS
        for op, dtype in (("Transpose", np.float32), ("ConjugateTranspose", np.complex64))
    ),
    *(Case("Transpose", [array, i64([1, 0])]) for array in OTHERS),
    *(Case("ReverseV2", [f32(2, 3), ints(axes)]) for axes in REVERSED for ints in (i32, i64)),
    *(Case("ReverseV2", [array, i32([1])]) for array in OTHERS),
    *(Case("ReverseV2", [f32(), i32(axes)]) for axes in ([], [0])),
    Case("ReverseV2", [f32(2, 0), i32([0])]),
    *(Case("Reverse", [array, np.array(flags, bool)]) for flags in FLAGS for array in (f32(2, 3), WORDS)),
    *(
        Case("Reverse", [f32(*shape), np.array(flags, bool)])
        for shape, flags in (((), []), ((2,) * 8, [True, False] * 4))
    ),
    *(
        Case("ReverseSequence", [f32(*shape), ints(lengths)], seq_dim=seq, batch_dim=batch)
        for shape, lengths, seq, batch in SEQUENCES
        for ints in (i32, i64)
    ),
    *(Case("ReverseSequence", [array, i64([2, 3])], seq_dim=1) for array in OTHERS),
    *(Case("Roll", [f32(*shape), i32(shift), i64(axis)]) for shape, shift, axis in ROLLS),
    *(Case("Roll", [array, i64(1), i32(1)]) for array in OTHERS),
    *(Case("SpaceToBatchND", [f32(*shape), i32(block), i64(pads)]) for shape, block, pads in TO_BATCH),
    *(
        Case("SpaceToBatchND", [numbers([1, 2, 2], dtype), i64([2]), i32([[1, 1]])])
        for dtype in (np.float64, np.uint8, np.int64)
    ),
    *(
        Case("SpaceToBatch", [f32(*shape), i32(pads)], block_size=block)
        for shape, _, pads in TO_BATCH
        if len(shape) == 4
        for block in (2, 3)
    ),
    Case("SpaceToBatch", [f32(2, 2, 2), i32([[0, 0], [0, 0]])], block_size=2),
    *(Case("BatchToSpaceND", [f32(*shape), i32(block), i64(crops)]) for shape, block, crops in FROM_BATCH),
    *(
        Case("BatchToSpaceND", [numbers([2, 2, 2], dtype), i64([2]), i32([[1, 1]])])
        for dtype in (np.float64, np.uint8, np.int64)
    ),
    *(
        Case("BatchToSpace", [f32(*shape), i32(crops)], block_size=block)
        for shape, _, crops in FROM_BATCH
        if len(shape) == 4
        for block in (2, 3)
    ),
    Case("BatchToSpace", [f32(4, 2, 2), i32([[0, 0], [0, 0]])], block_size=2),
    *(Case(op, [f32(*shape)], block_size=block) for op in ("SpaceToDepth", "DepthToSpace") for shape, block in DEPTHS),
    *(
        Case(op, [numbers([1, 2, 2, 4], dtype)], block_size=2)
        for op in ("SpaceToDepth", "DepthToSpace")
        for dtype in (np.float64, np.uint8, np.int64, bool)
    ),
    *(
        Case(
            "ExtractImagePatches",
            [f32(*shape)],
            ksizes=around(sizes),
            strides=around(strides),
            rates=around(rates),
            padding=padding,
        )
        for shape, sizes, strides, rates in PATCHES
        for padding in ("SAME", "VALID")
    ),
    *(
        Case(
            "ExtractImagePatches",
            [array],
            ksizes=around(sizes),
            strides=[1, 1, 1, 1],
            rates=[1, 1, 1, 1],
            padding="SAME",
        )
        for array in (u8(1, 3, 3, 2), bf16(np.ones((1, 2, 2, 1))))
        for sizes in ((2, 2), (0, 1))
    ),
    *(
        Case("ExtractVolumePatches", [f32(*shape)], ksizes=around(sizes), strides=around(strides), padding=padding)
        for shape, sizes, strides in VOLUMES
        for padding in ("SAME", "VALID")
    ),
    *(Case("Bitcast", [array], type=dtype) for array, dtype in BITS),
]
