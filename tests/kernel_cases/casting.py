"""Conversion of numbers between types."""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, Typed, bf16, f32, i32, i64, numbers, strings
from tfmodel.messages import DataType
from tfmodel.values.dtypes import DTYPES

NUMBERS = [
    DataType.DT_FLOAT,
    DataType.DT_DOUBLE,
    DataType.DT_HALF,
    DataType.DT_BFLOAT16,
    DataType.DT_INT8,
    DataType.DT_INT16,
    DataType.DT_INT32,
    DataType.DT_INT64,
    DataType.DT_UINT8,
    DataType.DT_UINT16,
    DataType.DT_UINT32,
    DataType.DT_UINT64,
    DataType.DT_BOOL,
    DataType.DT_COMPLEX64,
    DataType.DT_COMPLEX128,
]
FLOATS = [
    0.5,
    1.9,
    -1.9,
    127.5,
    128,
    -129,
    255,
    256,
    300,
    -1,
    -300,
    32768,
    40000,
    65536,
    70000,
    -40000,
    2147483520,
    2147483648,
    3e9,
    4294967295,
    4.3e9,
    -2147483648,
    -3e9,
    9.2e18,
    9.3e18,
    1.8e19,
    1.9e19,
    1e30,
    -1e30,
    np.inf,
    -np.inf,
    np.nan,
    -0.0,
    1.00048828125,
    1.0009765,
    65519,
    65520,
    1e-8,
    6e-8,
    9e-8,
    -1.00390625,
    -1.0117,
    3.4e38,
    2.98e-08,
]
CUTS = [
    (DataType.DT_DOUBLE, DataType.DT_FLOAT),
    (DataType.DT_DOUBLE, DataType.DT_HALF),
    (DataType.DT_DOUBLE, DataType.DT_BFLOAT16),
    (DataType.DT_FLOAT, DataType.DT_HALF),
    (DataType.DT_FLOAT, DataType.DT_BFLOAT16),
    (DataType.DT_HALF, DataType.DT_BFLOAT16),
    (DataType.DT_HALF, DataType.DT_FLOAT),
    (DataType.DT_BFLOAT16, DataType.DT_HALF),
    (DataType.DT_FLOAT, DataType.DT_INT32),
    (DataType.DT_INT32, DataType.DT_HALF),
]


def some(dtype):
    """Numbers of a type that others do not have."""
    row = DTYPES[dtype]
    if dtype == DataType.DT_BFLOAT16:
        return bf16(FLOATS)
    if row.kind == "f":
        with np.errstate(over="ignore"):
            return np.array(FLOATS, row.numpy)
    if row.kind == "b":
        return numbers([5], bool)
    if row.kind == "c":
        return np.array([0, 1.5 - 2j, -3 + 1j, 2j, 1e5, -7.5], row.numpy)
    limits = np.iinfo(row.numpy)
    middle = (1 << limits.bits - 2) + 1
    return np.array([limits.min, limits.max, limits.max - 1, middle, 2 * (middle // 3), 0, 1, 100], row.numpy)


CASES = [
    *(Case("Cast", [some(old)], SrcT=old, DstT=new, ulps=0) for old in NUMBERS for new in NUMBERS),
    *(Case("Cast", [some(old)], SrcT=old, DstT=new, Truncate=True, ulps=0) for old, new in CUTS),
    *(
        Case("Cast", [f32(*shape)], SrcT=DataType.DT_FLOAT, DstT=new)
        for shape in ((), (0,), (2, 0), (2, 3, 1))
        for new in (DataType.DT_INT32, DataType.DT_BFLOAT16, DataType.DT_BOOL, DataType.DT_UINT64)
    ),
    Case("Cast", [strings(["1"])], SrcT=DataType.DT_STRING, DstT=DataType.DT_INT32),
    Case("Cast", [f32(2)], SrcT=DataType.DT_FLOAT, DstT=DataType.DT_STRING),
    Case("Cast", [Typed(i32([1, -2]), DataType.DT_QINT32)], SrcT=DataType.DT_QINT32, DstT=DataType.DT_QINT32),
    *(
        Case("Bucketize", [np.array([[-5, 0, 1], [2, 3, 100]], dtype)], boundaries=edges)
        for dtype in (np.int32, np.int64, np.float32, np.float64)
        for edges in ([0, 2, 3], [1.5], [], [0, 0, 1], [3, 1], [-0.5, 2.5, 1e9])
    ),
    Case("Bucketize", [np.float32([np.nan, np.inf, -np.inf, 0.1])], boundaries=[0.1, 1]),
    Case("Bucketize", [np.float64([0.1, np.float32(0.1)])], boundaries=[0.1]),
    *(Case("Bucketize", [f32(*shape)], boundaries=[0, 1]) for shape in ((), (0,), (2, 2, 2))),
    Case("Bucketize", [i64(2**24 + 1)], boundaries=[2.0**24 + 2]),
]
