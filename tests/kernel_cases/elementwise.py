"""Unary elementwise ops."""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, bf16, f32, i32, numbers
from tfmodel.kernels.math.elementwise import GRADIENTS
from tfmodel.messages import DataType

FLOATS = (np.float32, np.float64, np.float16)
COMPLEX = (np.complex64, np.complex128)
SIGNED = (np.int8, np.int16, np.int32, np.int64)
INTEGERS = (*SIGNED, np.uint8, np.uint16, np.uint32, np.uint64)
SPECIAL = [0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 1e-30, -1e-30, 80, -80, 1e30, -1e30, np.inf, -np.inf, np.nan]
OF_COMPLEX = [
    "Neg",
    "Sign",
    "Inv",
    "Reciprocal",
    "Square",
    "Sqrt",
    "Rsqrt",
    "Exp",
    "Expm1",
    "Log",
    "Log1p",
    "Sin",
    "Cos",
    "Tan",
    "Asin",
    "Acos",
    "Atan",
    "Sinh",
    "Cosh",
    "Tanh",
    "Asinh",
    "Acosh",
    "Atanh",
    "Sigmoid",
]
OF_FLOATS = [*OF_COMPLEX, "Abs", "Ceil", "Floor", "Round", "Rint", "IsNan", "IsInf", "IsFinite"]
HALF_ULPS = {"Sigmoid": 16, "Rsqrt": 8}  # TensorFlow rounds after every step
RANGES = {"Acosh": (1, 30), "Asin": (-1, 1), "Acos": (-1, 1), "Atanh": (-1, 1), "Log": (0, 30), "Log1p": (-1, 30)}
PERIODIC = {"Sin", "Cos", "Tan"}  # Eigen reduces huge arguments in its own way


def special(op, dtype):
    values = [number for number in SPECIAL if not (op in PERIODIC and abs(number) == 1e30)]
    with np.errstate(all="ignore"):
        return np.array(values, dtype)


def extremes(dtype):
    return np.array([np.iinfo(dtype).min, np.iinfo(dtype).max, 0, 1, 2, 3], dtype)


def of_floats(op):
    low, high = RANGES.get(op, (-5, 5))
    floats = FLOATS[:2] if op == "Rint" else FLOATS  # TensorFlow rounds no halves by this name
    yield from (Case(op, [numbers([3, 5], dtype, low, high)], ulps=HALF_ULPS.get(op, 4)) for dtype in floats)
    yield from (Case(op, [special(op, dtype)], note="special", ulps=HALF_ULPS.get(op, 4)) for dtype in floats)
    yield from (Case(op, [f32(*shape)]) for shape in ((), (0,), (2, 0, 3), (1, 1, 1), (2, 2, 2, 2, 1), (17,)))
    if op != "Rint":
        yield Case(op, [bf16(numbers([7], np.float32, low, high))], rtol=2**-7)


CASES = [
    *(case for op in OF_FLOATS for case in of_floats(op)),
    *(
        Case(op, [numbers([3, 4], dtype)], rtol=4e-7 if dtype == np.complex64 else 1e-15)
        for op in OF_COMPLEX
        for dtype in COMPLEX
    ),
    *(
        Case(op, [numbers(shape, dtype)], Tout=DataType.DT_FLOAT if dtype == np.complex64 else DataType.DT_DOUBLE)
        for op in ("ComplexAbs", "Real", "Imag", "Angle")
        for dtype in COMPLEX
        for shape in ((3, 4), (), (0, 2), (1,), (17,))
    ),
    *(Case("Conj", [numbers(shape, dtype)]) for dtype in COMPLEX for shape in ((3, 4), (), (0, 2), (1,), (2, 2, 2))),
    *(Case(op, [extremes(dtype)]) for op in ("Abs", "Neg", "Sign") for dtype in SIGNED),
    *(Case("Round", [extremes(dtype)]) for dtype in SIGNED[2:]),
    *(Case("Square", [extremes(dtype)]) for dtype in (np.int32, np.int64)),
    *(Case(op, [extremes(dtype)]) for op in ("Invert", "PopulationCount") for dtype in INTEGERS),
    *(Case(op, [i32(values)]) for op in ("Invert", "PopulationCount") for values in (-7, [], [[1, -2], [3, 65537]])),
    *(
        Case("LogicalNot", [numbers(shape, bool)])
        for shape in ((), (1,), (0,), (5,), (3, 4), (2, 0), (1, 1), (2, 2, 2), (9,), (16,))
    ),
    *(
        Case(
            op,
            [numbers(shape, dtype, 0.1, 2), numbers(shape, dtype)],
            ulps=64 if dtype == np.float16 else 8,
            rtol=1e-6 * (np.dtype(dtype).kind == "c"),
        )
        for op in GRADIENTS
        for dtype in (*FLOATS, *COMPLEX)
        for shape in ((3, 4), (5,), (), (0, 2))
    ),
    *(Case(op, [f32(2, 3), f32(*shape)]) for op in GRADIENTS for shape in ((3,), (), (3, 2), (1, 3), (6,))),
]
