"""Ops that give numbers another type, and that tell in which of some ranges numbers are.

Floats that an integer type does not reach become what an x86 processor makes of them, since that is where models were
trained and tried: it converts to 32 or 64 bits with a sign, gives the lowest number for what does not fit and for NaN,
and narrower types keep the lower bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dtypes import dtype_of
from ...messages import DataType
from ..runtime.argument_checks import check
from ..runtime.registry import Tensor, kernel

__all__: list[str] = []

_MANTISSAS = {
    (DataType.DT_DOUBLE, DataType.DT_FLOAT): 52 - 23,
    (DataType.DT_DOUBLE, DataType.DT_HALF): 52 - 10,
    (DataType.DT_FLOAT, DataType.DT_HALF): 23 - 10,
    (DataType.DT_FLOAT, DataType.DT_BFLOAT16): 23 - 7,
}
"""How many bits of its mantissa a float loses, between types of which TensorFlow can cut them off."""
_BEYOND_SIGNED = 2.0**63


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
        return to_integers(x, row.numpy)
    if Truncate and (SrcT, DstT) in _MANTISSAS:
        x = _cut(x, _MANTISSAS[SrcT, DstT])
    if DstT == DataType.DT_HALF:
        x = x.astype(np.float32, copy=False)  # TensorFlow rounds doubles and integers twice
    return x.astype(row.numpy)


def to_integers(x: Tensor, dtype: np.dtype[Any]) -> Tensor:
    """Floats without their fractions."""
    if dtype == np.uint64:
        upper = x >= _BEYOND_SIGNED  # of these, 2**63 is taken off first, and put back as a bit
        low = _converted(np.where(upper, x - x.dtype.type(_BEYOND_SIGNED), x), np.dtype(np.int64)).astype(np.uint64)
        return np.asarray(np.where(upper, low ^ np.uint64(1 << 63), low))
    wide = np.dtype(np.int64 if dtype.itemsize == 8 or dtype == np.uint32 else np.int32)
    return _converted(x, wide).astype(dtype)


def _converted(x: Tensor, dtype: np.dtype[Any]) -> Tensor:
    limits = np.iinfo(dtype)
    fits = (x >= float(limits.min)) & (x < -float(limits.min))
    return np.where(fits, np.where(fits, x, 0).astype(dtype), dtype.type(limits.min))


def _cut(x: Tensor, bits: int) -> Tensor:
    """Floats without so many of the last bits of their mantissas."""
    integer = np.dtype(f"u{x.dtype.itemsize}")
    mask = integer.type((1 << 8 * integer.itemsize) - (1 << bits))
    return np.asarray((np.ascontiguousarray(x).view(integer) & mask).view(x.dtype)).reshape(x.shape)
