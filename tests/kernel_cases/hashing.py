"""Hashes of strings."""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, f32, i32, strings, u8

__all__ = ["CASES"]

_LENGTHS = [*range(70), 95, 96, 97, 127, 128, 129, 130, 191, 192, 193, 255, 256, 257, 1000]
_BYTES = u8(1000).tobytes()
_TEXTS = strings([_BYTES[:length] for length in _LENGTHS])
_ENDS = strings([_BYTES[-length:] for length in _LENGTHS[1:]])
_WORDS = [_TEXTS, _ENDS, strings([["a", "b"], ["", "a"]]), strings("word"), np.zeros((0, 3), object)]
_COUNTS = [1, 10, 1000, 2**31 - 1, 2**62 + 1]
_KEYS = [[0, 0], [1, 2], [-1, 2**62], [0x0706050403020100, -1]]

CASES = [
    *(
        Case(op, [words], num_buckets=count)
        for op in ("StringToHashBucketFast", "StringToHashBucket")
        for words in _WORDS
        for count in _COUNTS
    ),
    *(Case("StringToHashBucketStrong", [words], num_buckets=2**62 + 1, key=key) for words in _WORDS for key in _KEYS),
    Case("StringToHashBucketStrong", [_TEXTS], num_buckets=10, key=[1]),
    Case("StringToHashBucketFast", [_TEXTS], num_buckets=0),
    *(
        Case("Fingerprint", [data, strings("farmhash64")])
        for data in (
            _TEXTS,
            _ENDS,
            strings([["a", "b"], ["", "a"]]),
            strings([["a"], ["b"]]),
            f32(3, 4),
            f32(5),
            u8(2, 3, 40),
            i32([[1, 2], [3, 4]]),
            np.zeros((0, 3), np.float32),
            f32(2, 2).astype(np.float16),
        )
    ),
    Case("Fingerprint", [f32(3), strings("md5")]),
    Case("Fingerprint", [np.float32(1), strings("farmhash64")]),
]
