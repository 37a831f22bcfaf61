"""Fourier transforms."""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, i32, numbers
from tfmodel.messages import DataType

RANKS = {"": 1, "2D": 2, "3D": 3}
SHAPES = [(4,), (5,), (1,), (2, 6), (0,), (3, 4), (2, 3, 4), (3, 0), (2, 2, 3, 2), (2, 0, 3), ()]
LENGTHS = [4, 5, 1, 3, 2, 0, 8, -1]
KINDS = [
    (np.float32, np.complex64, DataType.DT_FLOAT, DataType.DT_COMPLEX64),
    (np.float64, np.complex128, DataType.DT_DOUBLE, DataType.DT_COMPLEX128),
]
TOLERANCE = {np.float32: 1e-6, np.float64: 1e-14}

CASES = [
    *(
        Case(f"{way}{name}", [numbers(shape, number)], Tcomplex=dtype, rtol=2e-6)
        for way in ("FFT", "IFFT")
        for name in RANKS
        for shape in SHAPES
        for number, dtype in ((np.complex64, DataType.DT_COMPLEX64), (np.complex128, DataType.DT_COMPLEX128))
    ),
    *(
        Case(
            f"RFFT{name}",
            [numbers((2, 4, 5, 4)[-rank - 1 :], real), i32([3] * (rank - 1) + [length])],
            Treal=r,
            Tcomplex=c,
            rtol=2e-6,
        )
        for name, rank in RANKS.items()
        for length in LENGTHS
        for real, _, r, c in KINDS
    ),
    *(
        Case(
            f"IRFFT{name}",
            [numbers((2, 4, 5, 4)[-rank - 1 :], number), i32([3] * (rank - 1) + [length])],
            Treal=r,
            Tcomplex=c,
            rtol=2e-6,
        )
        for name, rank in RANKS.items()
        for length in LENGTHS
        for _, number, r, c in KINDS
    ),
    *(
        Case(f"RFFT{name}", [numbers(shape), i32(lengths)], rtol=2e-6)
        for name in RANKS
        for shape, lengths in (
            ((4,), [4]),
            ((4, 4), [4, 4]),
            ((3, 4), [2, 4]),
            ((4, 4), [[4]]),
            ((2, 2, 2), [2, 2, 2]),
            ((0, 4), [4]),
            ((2, 0), [0]),
        )
    ),
]
