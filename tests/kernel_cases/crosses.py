"""Crosses of features: the combinations of their values, as strings or hashes."""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, i64, strings
from tfmodel.messages import DataType

INT64, STRING = DataType.DT_INT64, DataType.DT_STRING
KEY = 0xDECAFCAFFE

WORDS = ([[0, 0], [0, 1], [1, 0], [3, 0]], strings(["a", "b", "", "dd"]), [4, 2])
LETTERS = ([[0, 0], [1, 0], [1, 1], [1, 2], [3, 0]], strings(["x", "y", "z", "Ü", "w" * 70]), [4, 3])
NUMBERS = ([[0, 0], [1, 0], [1, 1], [2, 0], [3, 0]], i64([1, -2, 3, 4, 2**62]), [4, 2])
NONE = (np.zeros((0, 2)), strings([]), [4, 0])
UNSORTED = ([[1, 0], [0, 0], [1, 1], [3, 0]], strings(["a", "b", "c", "d"]), [4, 2])
THREE_ROWS = ([[0, 0]], strings(["a"]), [3, 1])
OUTSIDE = ([[0, 0], [4, 0]], strings(["a", "b"]), [4, 1])
NEGATIVE = ([[-1, 0], [0, 0]], strings(["a", "b"]), [4, 1])
OUTSIDE_COLUMN = ([[0, 5]], strings(["a"]), [4, 1])
DENSE_WORDS = strings([["k", "l"], ["m", "n"], ["o", "p"], ["q", "r"]])
DENSE_NUMBERS = i64([[5], [-6], [7], [8]])
CUBE = ([[0, 0, 0]], strings(["a"]), [4, 1, 1])
FEW_VALUES = ([[0, 0], [1, 0]], strings(["a"]), [4, 1])
FEW_INDICES = ([[0, 0]], strings(["a", "b"]), [4, 1])

MIXES = {
    "one": ([WORDS], []),
    "two": ([WORDS, LETTERS], []),
    "three": ([WORDS, LETTERS, WORDS], []),
    "none": ([WORDS, NONE], []),
    "dense": ([], [DENSE_WORDS, DENSE_WORDS]),
    "both": ([WORDS, LETTERS], [DENSE_WORDS]),
    "unsorted": ([UNSORTED, LETTERS], []),
    "other rows": ([WORDS, THREE_ROWS], []),
    "other dense rows": ([WORDS], [DENSE_WORDS[:3]]),
    "outside": ([WORDS, OUTSIDE], []),
    "negative": ([WORDS, NEGATIVE], []),
    "outside column": ([WORDS, OUTSIDE_COLUMN], []),
    "cube": ([CUBE], []),
    "few values": ([FEW_VALUES], []),
    "few indices": ([FEW_INDICES], []),
    "vector": ([], [strings(["a", "b"])]),
}
WITH_NUMBERS = {
    "numbers": ([NUMBERS], []),
    "words, numbers": ([WORDS, NUMBERS], []),
    "numbers, words": ([NUMBERS, LETTERS], []),
    "all": ([WORDS, NUMBERS], [DENSE_WORDS, DENSE_NUMBERS]),
    "dense numbers": ([], [DENSE_NUMBERS, DENSE_NUMBERS]),
}


def _inputs(mix):
    sparse, dense = mix
    return [[i64(row[0]) for row in sparse], [row[1] for row in sparse], [i64(row[2]) for row in sparse], dense]


def _cross(mix, name, out, internal, buckets=0, key=KEY):
    return Case(
        "SparseCross",
        _inputs(mix),
        note=name,
        hashed_output=out == INT64,
        num_buckets=buckets,
        hash_key=key,
        out_type=out,
        internal_type=internal,
        **_types(mix),
    )


def _types(mix):
    sparse, dense = mix
    return {
        "N": len(sparse),
        "sparse_types": [STRING if row[1].dtype == object else INT64 for row in sparse],
        "dense_types": [STRING if array.dtype == object else INT64 for array in dense],
    }


CASES = [
    *(_cross(mix, name, STRING, STRING) for name, mix in MIXES.items()),
    *(_cross(mix, name, STRING, INT64) for name, mix in (MIXES | WITH_NUMBERS).items()),
    *(
        _cross(mix, name, INT64, INT64, buckets, key)
        for name, mix in (MIXES | WITH_NUMBERS).items()
        for buckets, key in ((0, KEY), (1000, KEY), (7, 0), (2**62, -5))
    ),
    *(_cross(mix, name, INT64, STRING, 100) for name, mix in MIXES.items()),
    *(
        Case("SparseCrossV2", [*_inputs(mix), strings(sep)], note=name, **_types(mix))
        for name, mix in MIXES.items()
        for sep in ("_X_", "", "é")
    ),
    Case("SparseCrossV2", [*_inputs(MIXES["two"]), strings(["_"])], **_types(MIXES["two"])),
    *(
        Case(
            "SparseCrossHashed",
            [*_inputs(mix), np.int64(buckets), np.bool_(strong), i64(salt)],
            note=name,
            **_types(mix),
        )
        for name, mix in (MIXES | WITH_NUMBERS).items()
        for buckets, strong, salt in (
            (0, False, [1, 2]),
            (1000, False, [1, 2]),
            (1000, False, [0, 0]),
            (0, True, [1, 2]),
            (10, True, [-1, 2**62]),
        )
        if not strong or name not in ("all", "dense numbers")  # TensorFlow reads dense integers as strings, and crashes
    ),
]
