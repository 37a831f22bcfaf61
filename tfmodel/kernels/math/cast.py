"""Kernel of Cast: conversions between numeric types.

Cast converts floats to integers as x86 processors do: first to a signed integer of 32 or 64 bits, where NaN and all
numbers out of range become the lowest integer. Narrower types get the lower bits of that integer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...messages import DataType
from ...values.dtypes import dtype_of
from ..runtime.argument_checks import check
from ..runtime.registry import Tensor, kernel

_LOST_MANTISSA_BITS = {
    (DataType.DT_DOUBLE, DataType.DT_FLOAT): 52 - 23,
    (DataType.DT_DOUBLE, DataType.DT_HALF): 52 - 10,
    (DataType.DT_FLOAT, DataType.DT_HALF): 23 - 10,
    (DataType.DT_FLOAT, DataType.DT_BFLOAT16): 23 - 7,
}
"""The number of mantissa bits that Cast with Truncate=true removes, for the types that support it."""
_INT64_LIMIT = 2.0**63
"""The first float beyond int64."""


@kernel("Cast")
def cast(x: Tensor, *, SrcT: DataType, DstT: DataType, Truncate: bool) -> Tensor:
    row = dtype_of(DstT)
    check(not row.is_object and x.dtype.kind != "O", "strings and handles cannot be cast")
    if SrcT == DstT:
        return x
    if x.dtype.kind == "c" and row.kind != "c":
        x = x.real
    if row.kind == "b":
        return np.asarray(x != 0)
    if row.numpy.kind in "iu" and x.dtype.kind == "f":
        return _to_integers(x, row.numpy)
    if Truncate and (SrcT, DstT) in _LOST_MANTISSA_BITS:
        x = _truncate_mantissa(x, _LOST_MANTISSA_BITS[SrcT, DstT])
    if DstT == DataType.DT_HALF:
        x = x.astype(np.float32, copy=False)  # TensorFlow rounds doubles and integers twice
    return x.astype(row.numpy)


def _to_integers(x: Tensor, dtype: np.dtype[Any]) -> Tensor:
    """Convert floats to integers, rounding towards zero."""
    if dtype == np.uint64:
        upper = x >= _INT64_LIMIT  # convert x - 2**63 and set the highest bit
        low = _convert_in_range(np.where(upper, x - x.dtype.type(_INT64_LIMIT), x), np.dtype(np.int64)).astype(
            np.uint64
        )
        return np.asarray(np.where(upper, low ^ np.uint64(1 << 63), low))
    wide = np.dtype(np.int64 if dtype.itemsize == 8 or dtype == np.uint32 else np.int32)
    return _convert_in_range(x, wide).astype(dtype)


def _convert_in_range(x: Tensor, dtype: np.dtype[Any]) -> Tensor:
    limits = np.iinfo(dtype)
    fits = (x >= float(limits.min)) & (x < -float(limits.min))
    return np.where(fits, np.where(fits, x, 0).astype(dtype), dtype.type(limits.min))


def _truncate_mantissa(x: Tensor, bits: int) -> Tensor:
    """Clear the last `bits` bits of the mantissas of floats."""
    integer = np.dtype(f"u{x.dtype.itemsize}")
    mask = integer.type((1 << 8 * integer.itemsize) - (1 << bits))
    return np.asarray((np.ascontiguousarray(x).view(integer) & mask).view(x.dtype)).reshape(x.shape)
