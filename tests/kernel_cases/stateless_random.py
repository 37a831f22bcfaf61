"""Random numbers that follow from a seed."""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, i32, i64
from tfmodel.messages import DataType

SEEDS = [[0, 0], [1, 2], [-1, 5], [2**31 - 1, -(2**31)]]
LONG = [[2**40 + 3, -7], [-(2**63), 2**63 - 1]]
SHAPES = [(), (1,), (0,), (2, 3), (5, 0, 2), (17,), (3, 1, 4)]
FLOATS = [DataType.DT_FLOAT, DataType.DT_DOUBLE, DataType.DT_HALF, DataType.DT_BFLOAT16]
INTEGERS = [DataType.DT_INT32, DataType.DT_INT64, DataType.DT_UINT32, DataType.DT_UINT64]
KEYS = [
    (0, [0, 0], 1),
    (2**63 + 12345, [2**64 - 2, 7], 1),
    (77, [2**64 - 3, 2**64 - 1], 3),
    (5, [2**32 - 1, 2**32 - 1], 1),
]
WRONG = [(5, [1, 2], 9), ([5, 6], [1, 2], 1), (5, [[1, 2]], 1), (5, [1, 2], [1])]
LIMITS = [(0, 10), (-5, 5), (0, 1), (-100, 2**31 - 1), (5, 5), (7, 3)]


def room(op, dtype):
    """Uniform numbers are exact; logarithms, sines and cosines are not, and may be rounded to the next bfloat16."""
    if op == "RandomUniform":
        return {"ulps": 0}
    return {"ulps": 8, "rtol": 2**-8 if dtype == DataType.DT_BFLOAT16 else 0.0}


def keyed(key, counter, alg):
    return [np.array(np.atleast_1d(key), np.uint64), np.array(counter, np.uint64), i32(alg)]


CASES = [
    *(
        Case(f"Stateless{op}", [i32(shape), i32(seed)], dtype=dtype, **room(op, dtype))
        for op in ("RandomUniform", "RandomNormal", "TruncatedNormal")
        for dtype in FLOATS
        for seed in SEEDS
        for shape in SHAPES[3:4]
    ),
    *(
        Case(f"Stateless{op}", [i64(shape), i64(seed)], dtype=dtype, **room(op, dtype))
        for op in ("RandomUniform", "RandomNormal", "TruncatedNormal")
        for dtype in FLOATS
        for seed in LONG
        for shape in SHAPES
    ),
    *(
        Case("StatelessRandomUniformFullInt", [i32(shape), i64(seed)], dtype=dtype)
        for dtype in INTEGERS
        for seed in (*SEEDS, *LONG)
        for shape in SHAPES[3:]
    ),
    *(
        Case("StatelessRandomUniformInt", [i32((2, 4)), i64(seed), np.array(low, dtype), np.array(high, dtype)])
        for dtype in (np.int32, np.int64)
        for seed in SEEDS
        for low, high in LIMITS
    ),
    Case("StatelessRandomUniformInt", [i32([9]), i64([1, 2]), i64(-(2**63)), i64(2**63 - 1)], dtype=DataType.DT_INT64),
    *(
        Case(f"Stateless{op}V2", [i32(shape), *keyed(*key)], dtype=dtype, **room(op, dtype))
        for op in ("RandomUniform", "RandomNormal", "TruncatedNormal")
        for dtype in FLOATS
        for key in KEYS
        for shape in SHAPES[3:6]
    ),
    *(
        Case("StatelessRandomUniformFullIntV2", [i32([9]), *keyed(*key)], dtype=dtype)
        for dtype in INTEGERS
        for key in (*KEYS, *WRONG)
    ),
    *(
        Case("StatelessRandomUniformIntV2", [i32((2, 4)), *keyed(*key), np.array(low, dtype), np.array(high, dtype)])
        for dtype in (np.int32, np.int64)
        for key in KEYS
        for low, high in LIMITS[:3]
    ),
    *(
        Case(op, [whole(seed)])
        for op in ("StatelessRandomGetKeyCounter", "StatelessRandomGetKeyCounterAlg")
        for seed in SEEDS
        for whole in (i32, i64)
    ),
    *(
        Case(op, [i64(seed)])
        for op in ("StatelessRandomGetKeyCounter", "StatelessRandomGetKeyCounterAlg")
        for seed in (*LONG, [1], [[1, 2]])
    ),
    *(
        Case("StatelessRandomUniform", [i32(shape), i32(seed)])
        for shape, seed in (([-1], [1, 2]), ([[1]], [1, 2]), ([2], [1]), ([2], 1))
    ),
    *(Case("StatelessRandomGetAlg") for _ in range(10)),  # there is but one
]
