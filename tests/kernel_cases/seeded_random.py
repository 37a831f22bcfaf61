"""Random numbers of the first run of a node with seeds."""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, f32, i32, i64
from tests.kernel_cases.stateless_random import FLOATS, room
from tfmodel.messages import DataType

SEEDS = [{"seed": 1}, {"seed2": 7}, {"seed": 87654321, "seed2": 42}, {"seed": -5, "seed2": 2**40 + 3}]
LONG = {"seed": 2**62, "seed2": -(2**63)}
LOGITS = np.array([[0, 1, -2, 0.5], [-np.inf, 3, 3, np.nan], [9, 9, 9, 9]], np.float32)

CASES = [
    *(
        Case(op, [i32(shape)], dtype=dtype, **seeds, **room(op, dtype))
        for op in ("RandomUniform", "RandomStandardNormal", "TruncatedNormal")
        for dtype in FLOATS
        for shape, seeds in (((2, 5), SEEDS[0]), ((), SEEDS[1]), ((37,), SEEDS[2]), ((3,), SEEDS[3]), ((0, 3), LONG))
    ),
    *(
        Case("RandomUniformInt", [i32(shape), np.array(low, dtype), np.array(high, dtype)], **seeds)
        for dtype in (np.int32, np.int64)
        for shape, seeds in (((2, 5), SEEDS[0]), ((), SEEDS[1]), ((33,), SEEDS[2]), ((3,), LONG))
        for low, high in ((0, 10), (-5, 7), (-(2**31), 2**31 - 1))
    ),
    Case("RandomUniformInt", [i32([3]), i64(-(2**63)), i64(2**63 - 1)], **SEEDS[0]),
    Case("RandomUniformInt", [i32([3]), i32(3), i32(3)], **SEEDS[0]),
    Case("RandomUniformInt", [i32([0]), i32(3), i32(3)], **SEEDS[0]),
    *(
        Case("RandomShuffle", [np.arange(np.prod(shape, dtype=int), dtype=np.int32).reshape(shape)], **seeds)
        for shape in ((), (0,), (1,), (2,), (5,), (64,), (7, 2), (1, 9), (3, 0))
        for seeds in SEEDS
    ),
    *(
        Case("Multinomial", [LOGITS.astype(dtype), i32(count)], output_dtype=output, **seeds)
        for dtype in (np.float32, np.float64)
        for count, seeds in ((1, SEEDS[0]), (8, SEEDS[1]), (3, SEEDS[2]), (0, SEEDS[3]))
        for output in (DataType.DT_INT32, DataType.DT_INT64)
    ),
    Case("Multinomial", [f32(0, 3), i32(2)], **SEEDS[0]),
    Case("Multinomial", [np.zeros((2, 0), np.float32), i32(2)], **SEEDS[0]),
]
