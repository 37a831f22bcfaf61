"""The error function and its relatives, the gamma function, Bessel functions."""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, bf16, f32, numbers

RANGES = {
    "Erf": (-5, 5),
    "Erfc": (-4, 9),
    "Erfinv": (-1, 1),
    "Ndtri": (0, 1),
    "Lgamma": (-10, 30),
    "Digamma": (-10, 30),
    "BesselI0e": (-20, 20),
    "BesselI1e": (-20, 20),
    "BesselI0": (-20, 20),
    "BesselI1": (-20, 20),
}
SPECIAL = [0.0, 1, -1, 0.5, 2, 1e-6, -1e-6, 30, 1.5, np.nan]
INFINITE = {"Erf", "Erfc", "Lgamma"}  # of which TensorFlow gives the limits
EDGES = [0.0, -0.0, 1, -1, 0.5, -0.25, 1.5, -2, np.nan]

CASES = [
    *(
        Case(op, [numbers([6, 20], dtype, low, high)], ulps=32, rtol=2e-6 if dtype == np.float32 else 1e-13)
        for op, (low, high) in RANGES.items()
        for dtype in (np.float32, np.float64)
    ),
    *(
        Case(op, [np.array(SPECIAL + [np.inf, -np.inf] * (op in INFINITE), dtype)], note="special", ulps=64)
        for op in RANGES
        if op != "Erfinv"
        for dtype in (np.float32, np.float64)
    ),
    *(Case("Erfinv", [np.array(EDGES, dtype)], note="special", ulps=16) for dtype in (np.float32, np.float64)),
    *(Case(op, [numbers([9], np.float16, *RANGES[op])], rtol=2e-3) for op in RANGES if op not in ("Erfinv", "Ndtri")),
    *(Case(op, [bf16(numbers([9], np.float32, *RANGES[op]))], rtol=2**-6) for op in ("Erf", "Erfc")),
    *(
        Case(op, [np.asarray(np.abs(f32(*shape)) * np.float32(0.25))], rtol=2e-6)
        for op in RANGES
        for shape in ((), (0,), (2, 0, 3), (1, 1), (2, 2, 2), (1, 0))
    ),
]
