"""Convert numbers between element types without changing them: stored arrays to the arrays of users, and back.

The one change that is allowed is rounding a float to a narrower float, to nearest even, and even that must not make an
infinity or a NaN of a finite number. Everything else that does not fit is refused with the first value that does not:
a fraction for an integer type, 300 for uint8, 2**24 + 1 for float32, an imaginary part for a real type.

Arrays may have either byte order, any layout, and the types of ml_dtypes, which are known by their names.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from ..messages import DataType
from . import DTYPES, Dtype, natural_dtype
from .small_floats import FORMATS

__all__ = ["array_of", "decoded", "encoded"]

_Array = npt.NDArray[Any]

_UNEVEN_IS_ALLOWED = np.lib.NumpyVersion(np.__version__) < "1.24.0"


def array_of(values: npt.ArrayLike) -> _Array:
    """Return `values` as a NumPy array; an array is returned as it is.

    Raises ValueError for lists that are not of one length at each level, in every version: NumPy 1.23 only warns, and
    makes an array of lists.
    """
    if not _UNEVEN_IS_ALLOWED:
        return np.asarray(values)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "Creating an ndarray from", UserWarning)
        try:
            return np.asarray(values)
        except UserWarning:
            raise ValueError("the lists in it are not of one length at each level, or too many levels") from None


def decoded(stored: _Array, row: Dtype) -> _Array:
    """Return the array for users of stored elements whose type NumPy lacks."""
    if row.codec == "float":
        return np.asarray(FORMATS[row.name].decode(stored))
    low_bits = stored & np.uint8((1 << row.bits) - 1)  # some writers extend the sign into the others, some do not
    if row.given == row.stored:
        return np.asarray(low_bits)
    sign = np.int8(1 << (row.bits - 1))
    return np.asarray((low_bits.view(np.int8) ^ sign) - sign)


def encoded(values: npt.ArrayLike, row: Dtype) -> _Array:
    """Return `values` as the storage of `row`: see `Dtype.encode`. Raises ValueError and TypeError."""
    array = array_of(values)
    if row.is_object:
        raise TypeError(f"the elements of {row.name} are not numbers")
    natural = natural_dtype(array.dtype)
    if natural is not None and natural.codec:  # one of ml_dtypes
        array = array.view(natural.storage)
        if natural is row:
            return array
        array = natural.decode(array)
    elif natural is not None and natural.stored == row.stored and not row.codec:
        return array.astype(row.storage, copy=False)
    if array.dtype.kind not in "biufc":
        what = {"S": "strings", "U": "strings", "O": "elements that are not numbers"}
        raise TypeError(f"{what.get(array.dtype.kind, f'elements of type {array.dtype}')} cannot become {row.name}")
    if row.codec == "float":
        stored = _to_small_float(array, row)
    elif row.kind == "b":
        stored = _to_bool(array, row)
    elif row.kind in "iu":
        stored = _to_integer(array, row)
    else:
        stored = _to_float(array, row)
    return np.asarray(stored.astype(row.storage, copy=False))


def _to_bool(array: _Array, row: Dtype) -> _Array:
    _refuse((array != 0) & (array != 1), array, row)
    return np.asarray(array != 0)


def _to_integer(array: _Array, row: Dtype) -> _Array:
    array = _real(array, row)
    bits = row.bits or 8 * row.itemsize
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if row.given[1] == "i" else (0, (1 << bits) - 1)
    if array.dtype.kind == "f":
        # Floats hold the power of two behind `high`, but often not `high`.
        wide = array.astype(np.float64) if array.dtype.itemsize < 8 else array
        fits = (wide >= float(low)) & (wide < float(high + 1)) & (wide == np.trunc(wide))
        _refuse(~fits, array, row, low, high)
    elif array.dtype.kind != "b":
        own = np.iinfo(array.dtype)
        _refuse((array < max(low, own.min)) | (array > min(high, own.max)), array, row, low, high)
    integers: _Array = array.astype(row.numpy)
    return integers & ((1 << bits) - 1) if row.bits else integers


def _to_float(array: _Array, row: Dtype) -> _Array:
    """Convert to a float or complex type of NumPy."""
    source = array if row.kind == "c" else _real(array, row)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        floats: _Array = source.astype(row.storage)
    if source.dtype.kind in "biu":
        _refuse(~_same_integers(source, floats.real), array, row)
    elif not np.can_cast(source.dtype, row.storage):
        _refuse(np.isfinite(source) & ~np.isfinite(floats), array, row)
    return floats


def _to_small_float(array: _Array, row: Dtype) -> _Array:
    floats = _real(array, row)
    from_integers = floats.dtype.kind in "biu"
    if from_integers:
        floats = floats.astype(np.float64)
    elif floats.dtype.itemsize > 8:
        floats = _to_float(floats, DTYPES[DataType.DT_DOUBLE])
    floats = floats.astype(floats.dtype.newbyteorder("="), copy=False)
    codes, misfits = FORMATS[row.name].encode(np.atleast_1d(floats))
    if from_integers:
        misfits |= ~_same_integers(np.atleast_1d(array), FORMATS[row.name].decode(codes))
    _refuse(misfits, array, row)
    return codes.reshape(array.shape)


def _real(array: _Array, row: Dtype) -> _Array:
    if array.dtype.kind != "c":
        return array
    _refuse(array.imag != 0, array, row)
    return array.real


def _same_integers(integers: _Array, floats: _Array) -> _Array:
    """Return where a float exactly equals the integer. NumPy compares the two as floats, which rounds the integer."""
    if integers.dtype.kind == "b":
        integers = integers.astype(np.uint8)
    own = np.iinfo(integers.dtype)
    wide = floats.astype(np.float64)
    fits = (wide >= float(own.min)) & (wide < float(own.max + 1))
    return np.asarray(fits & (np.where(fits, wide, 0).astype(integers.dtype) == integers))


def _refuse(misfits: _Array, array: _Array, row: Dtype, low: int = 0, high: int = 0) -> None:
    """Raise ValueError for the first of `misfits`, if any."""
    if not np.any(misfits):
        return
    first = tuple(int(i) for i in np.unravel_index(int(np.argmax(misfits)), array.shape))
    where = f" at index {list(first)}" if first else ""
    limits = f", which goes from {low:,} to {high:,}" if high else ""
    raise ValueError(f"{array[first]!s}{where} has no counterpart in {row.name}{limits}")
