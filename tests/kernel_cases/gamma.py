"""Incomplete gamma functions, zeta and polygamma functions."""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, f32, f64, numbers

TYPES = (np.float32, np.float64)
RTOL = {np.float32: 2e-4, np.float64: 1e-11}  # TensorFlow computes floats in single precision throughout
BROADCASTS = [((2, 3), (3,)), ((), (2,)), ((2, 1), (1, 3)), ((0,), ()), ((), ()), ((2,), (3,)), ((0, 2), (3, 1, 2))]
ODD = [(0, 1), (1, 0), (-1, 1), (1, -1), (np.nan, 1), (1, np.nan), (0.5, 1e-3), (50, 49), (50, 51), (3, 100)]
ZETAS = [(1, 2), (0.5, 2), (2, 0), (3, 0), (2, -1), (2, -0.5), (3, -2.5), (2.5, -0.5), (np.nan, 1), (30, 2), (2, 1e6)]
ORDERS = [(0, 2), (1, 2), (2, 0.5), (3, 10), (5, 30), (0.5, 2), (-1, 2), (1, -0.5), (2, -1.5), (1, np.nan)]

CASES = [
    *(
        Case(op, [numbers([8, 1], dtype, 0.01, high), numbers([9], dtype, 0, high)], rtol=RTOL[dtype])
        for op in ("Igamma", "Igammac")
        for dtype in TYPES
        for high in (2, 20, 200)
    ),
    *(
        Case("Zeta", [numbers([8, 1], dtype, 1.1, high), numbers([9], dtype, 0.2, high)], rtol=RTOL[dtype])
        for dtype in TYPES
        for high in (3, 20, 60)
    ),
    *(
        Case("Polygamma", [np.arange(6, dtype=dtype)[:, np.newaxis], numbers([9], dtype, 0.3, high)], rtol=RTOL[dtype])
        for dtype in TYPES
        for high in (3, 40)
    ),
    *(
        Case(op, [np.array(pairs, dtype)[:, 0], np.array(pairs, dtype)[:, 1]], rtol=RTOL[dtype], note="special")
        for op, pairs in (("Igamma", ODD), ("Igammac", ODD), ("Zeta", ZETAS), ("Polygamma", ORDERS))
        for dtype in TYPES
    ),
    *(
        Case(op, [np.abs(f32(*a)) + np.float32(1.5), np.abs(f32(*b)) + np.float32(1)], rtol=5e-6)
        for op in ("Igamma", "Igammac", "Zeta")
        for a, b in BROADCASTS
    ),
    *(Case("Polygamma", [np.ones(a), np.abs(f64(*b)) + 1], rtol=1e-11) for a, b in BROADCASTS),
]
