"""Tensors formatted as text: StringFormat. Printing ops are in tests/golden/kernels/stateful.py."""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, bf16, f32, i64, numbers, strings

__all__ = ["CASES"]

_TENSORS = [
    np.array([-1.5, 2.25, 0.1, 1 / 3, 1e10, 1e-10, np.nan, np.inf, -np.inf, -0.0, 123456, 1234567, 2**24], np.float32),
    np.array([0.1, 1 / 3, 1e300, 1e-300, 123456789012345678]),
    f32(2, 3),
    i64(range(24)).reshape(2, 3, 4),
    i64(range(1000)).reshape(10, 10, 10),
    np.array([True, False]),
    numbers((3, 5), bool),
    np.array(True),
    strings(["a\n\"'é\\\t\r\x01\x7f", b"\xff\xc3(", ""]),
    strings([["a", "b"]]),
    strings("text"),
    np.float32(1.5),
    np.zeros((0, 3), np.float32),
    np.zeros((3, 0), np.int32),
    np.array([1 + 2j, 3]),
    numbers((2, 2), np.complex64),
    f32(4).astype(np.float16),
    np.array([65, -3], np.int8),
    np.array([200, 3], np.uint8),
    numbers((70,), np.int32, -9, 9),
]

CASES = [
    *(
        Case("StringFormat", [[tensor]], template=b"<%s>", summarize=most)
        for tensor in _TENSORS
        for most in (3, -1, 1, 0)
    ),
    Case("StringFormat", [[bf16(f32(5))]], summarize=-1),
    Case("StringFormat", [[f32(2), i64(3)]], template=b"{} and {}!", placeholder=b"{}"),
    Case("StringFormat", [[f32(2), i64(3)]], template=b"{} and {} and {}", placeholder=b"{}"),
    Case("StringFormat", [[f32(2), i64(3)]], template=b"{}", placeholder=b"{}"),
    Case("StringFormat", [[]], template=b"nothing", placeholder=b"{}", T=[]),
]
