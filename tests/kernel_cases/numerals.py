"""Numbers and their digits."""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, bf16, numbers, strings
from tfmodel.messages import DataType

__all__ = ["CASES"]

_FLOATS = [0, -0.0, 1, -1.5, 0.1, 1 / 3, 123456.789, 1e20, -1e-10, 3.4e38, 1.2e-38, np.inf, -np.inf, np.nan]
_TYPES = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
_EXTREMES = [np.array([np.iinfo(dtype).min, 0, 1, 42, np.iinfo(dtype).max], dtype) for dtype in _TYPES]
_COMPLEX = np.array([1 + 2j, -0.5j, complex(np.inf, 1), 1e10 - 1e-10j])

_FORMATS = [
    {},
    {"precision": 0},
    {"precision": 3},
    {"precision": 12},
    {"scientific": True},
    {"shortest": True},
    {"scientific": True, "precision": 2},
    {"shortest": True, "precision": 3},
    {"width": 12},
    {"width": 3},
    {"width": 12, "fill": b"0"},
    {"width": 12, "fill": b" "},
    {"width": 12, "fill": b"-"},
    {"width": 12, "fill": b"+"},
    {"fill": b"+"},
    {"fill": b" "},
    {"fill": b"0"},
    {"width": 20, "fill": b"0", "precision": 2, "scientific": True},
]
_WRONG = [{"fill": b"x"}, {"fill": b"00"}, {"scientific": True, "shortest": True}]

_TO_STRINGS = [
    *(
        Case("AsString", [np.array(_FLOATS, dtype)], **form)
        for dtype in (np.float32, np.float64)
        for form in (*_FORMATS, *_WRONG)
    ),
    *(
        Case("AsString", [values], **form)
        for values in _EXTREMES
        for form in (
            {},
            {"width": 8},
            {"width": 8, "fill": b"0"},
            {"fill": b"+"},
            {"precision": 2},
            {"scientific": True},
            {"width": 8, "fill": b"-"},
            {"fill": b" "},
        )
    ),
    *(
        Case("AsString", [_COMPLEX.astype(dtype)], **form)
        for dtype in (np.complex64, np.complex128)
        for form in ({}, {"precision": 2}, {"width": 8}, {"shortest": True})
    ),
    *(
        Case("AsString", [np.array([True, False])], **form)
        for form in ({}, {"width": 8}, {"precision": 1}, {"scientific": True}, {"fill": b"0"}, {"width": 0})
    ),
    Case("AsString", [bf16(numbers((2, 3)))]),
    Case("AsString", [numbers((2, 3)).astype(np.float16)], precision=3),
    Case("AsString", [np.zeros((0, 2), np.float32)]),
    Case("AsString", [np.float64(2.5)]),
]

_WORDS = [
    "0",
    "-0",
    "1",
    "+1",
    "  12  ",
    "\t7\n",
    "00012",
    "-",
    "",
    " ",
    "1 2",
    "0x10",
    "-0xfF",
    "1e3",
    "1E-3",
    "1.",
    ".5",
    ".",
    "1.5e",
    "inf",
    "-INF",
    "Infinity",
    "nan",
    "NaN",
    "-nan",
    "nan(1)",
    "1e400",
    "1e-400",
    "-1e400",
    "3.4028236e38",
    "1_0",
    "2147483647",
    "2147483648",
    "-2147483648",
    "-2147483649",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "123456789012345678901234567890",
    "0.1",
    "16777217",
    "1.00000017881393432617187499",
    "1f",
    "1d",
    "\u0661",
    "0b1",
    "--1",
    "+-1",
    "1,000",
    "5.",
    "1e+5",
    "+.5e+2",
    "-.5",
    "e5",
    "0x",
    "0x1p3",
    "infi",
    "\v1\f",
]
_NUMBERS = [DataType.DT_FLOAT, DataType.DT_DOUBLE, DataType.DT_INT32, DataType.DT_INT64]

CASES = [
    *_TO_STRINGS,
    *(
        Case("StringToNumber", [strings(word)], out_type=dtype, note=repr(word))
        for dtype in _NUMBERS
        for word in _WORDS
    ),
    *(Case("StringToNumber", [strings([["1", "2"], ["-3", " 4"]])], out_type=dtype) for dtype in _NUMBERS),
    Case("StringToNumber", [np.zeros((0, 2), object)]),
]
