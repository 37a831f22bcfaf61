"""Convert between element types: numbers without changing them, and the floats that NumPy lacks.

Only one change to a number is allowed: rounding a float to a narrower float, to nearest even. Rounding must not make an
infinity or a NaN of a finite number. All other values that do not fit are refused, and the error names the first one:
a fraction for an integer type, 300 for uint8, the integer 2**24 + 1 for float32, an imaginary part for a real type.
Arrays may have any byte order and any layout. They may have types of ml_dtypes, which are recognized by their names.

NumPy lacks bfloat16, the five kinds of float8, and float4. All have a sign, an exponent and a mantissa, and subnormal
numbers below the smallest exponent. They differ in the sizes of exponent and mantissa, in the exponent bias, and in the
values that they lack: infinities, most NaNs, or the negative zero. Their names describe this:

    e4m3    4 bits of exponent, 3 bits of mantissa
    b11     an exponent bias of 11, which is not the usual one
    fn      no infinities, and at most one NaN of each sign
    uz      no negative zero: its code is the only NaN

A format makes its table of values once. Decoding is a look-up in this table. Encoding searches the position of a number
among the midpoints between neighbouring values, which rounds to nearest. Every second midpoint is moved down, so that a
number half-way between two values becomes the even one. bfloat16 is the upper half of float32: it is decoded, and
encoded from float32, by arithmetic, which is faster and needs no tables.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ...messages import DataType
from . import DTYPES, Dtype, natural_dtype

_Floats = npt.NDArray[Any]
_QUIET_NAN = 0x7FC00000  # of float32


@dataclass(frozen=True)
class SmallFloat:
    """A format: the bits of its exponent and mantissa, and the exponent bias. A code is an encoded number.

    `nan` says which codes are not finite numbers:

    "ieee"   codes with the highest exponent: infinity if the mantissa is 0, else NaN
    "ones"   the codes whose exponent and mantissa are all ones are NaN
    "sign"   the code of the negative zero is NaN
    ""       all codes are finite numbers
    """

    exponent: int
    mantissa: int
    bias: int
    nan: str

    @property
    def bits(self) -> int:
        return 1 + self.exponent + self.mantissa

    @property
    def _sign(self) -> int:
        return 1 << (self.bits - 1)

    @property
    def _is_upper_half(self) -> bool:
        """True for bfloat16: its codes are the upper halves of float32."""
        return self.exponent == 8

    @property
    def largest(self) -> int:
        """The code of the largest finite number."""
        not_finite = {"ieee": 1 << self.mantissa, "ones": 1}.get(self.nan, 0)
        return self._sign - 1 - not_finite

    def _magnitude(self, codes: _Floats) -> _Floats:
        """Return the values of codes of finite numbers as float64. The codes have no sign bit."""
        exponent, mantissa = codes >> self.mantissa, codes & ((1 << self.mantissa) - 1)
        normal = exponent > 0
        significand = mantissa + (normal << self.mantissa)
        return np.asarray(np.ldexp(significand.astype(np.float64), np.maximum(exponent, 1) - self.bias - self.mantissa))

    @cached_property
    def values(self) -> _Floats:
        """The float32 of every code. A NaN keeps its sign and its mantissa."""
        codes = np.arange(1 << self.bits)
        below = codes & (self._sign - 1)
        values = np.where(codes & self._sign, -1.0, 1.0) * self._magnitude(np.minimum(below, self.largest))
        bits = values.astype(np.float32).view(np.uint32)
        sign = (codes & self._sign).astype(np.uint32) << np.uint32(32 - self.bits)
        mantissa = (codes & ((1 << self.mantissa) - 1)).astype(np.uint32) << np.uint32(23 - self.mantissa)
        if self.nan == "ieee":
            bits = np.where(below > self.largest, sign | np.uint32(0x7F800000) | mantissa, bits)
        elif self.nan == "ones":
            bits = np.where(below > self.largest, sign | np.uint32(_QUIET_NAN), bits)
        elif self.nan == "sign":
            bits[self._sign] = 0x80000000 | _QUIET_NAN
        values = bits.view(np.float32)
        values.flags.writeable = False
        return values

    @cached_property
    def _midpoints(self) -> _Floats:
        """For each code, the end of the interval that is rounded to it, as float64.

        Numbers above the last end are out of range.

        A number half-way between two codes is rounded to the even code. Therefore the ends of the intervals of odd
        codes are moved down to the next smaller float64.
        """
        values = self._magnitude(np.arange(self.largest + 2))
        ends = (values[:-1] + values[1:]) / 2
        ends[1::2] = np.nextafter(ends[1::2], 0)
        return ends

    def decode(self, codes: _Floats) -> _Floats:
        """Return the values of codes, as float32. Bits above those of the format are ignored."""
        if self._is_upper_half:
            bits = codes.astype(np.uint32)
            bits <<= np.uint32(16)
            return bits.view(np.float32)
        return np.asarray(self.values[codes & ((1 << self.bits) - 1)])

    def encode(self, values: _Floats) -> tuple[_Floats, _Floats]:
        """Return the nearest codes of floats, and a mask of the floats that the format cannot represent.

        These are too large, or an infinity or NaN that the format lacks.
        """
        if self._is_upper_half and values.dtype == np.float32:
            return self._upper_half(values)
        with np.errstate(invalid="ignore"):  # a signalling NaN
            codes = np.searchsorted(self._midpoints, np.abs(values).astype(np.float64))
        misfits = codes > self.largest
        if misfits.any():  # infinities and NaN are sorted after all finite numbers
            nan = np.isnan(values)
            if self.nan:
                misfits &= ~nan
                codes[nan] = self._nan_codes(values[nan])
            if self.nan == "ieee":
                misfits &= ~np.isinf(values)
        codes |= np.where(np.signbit(values), self._sign, 0)
        if self.nan == "sign":
            codes[codes == self._sign] = 0
            codes[np.isnan(values)] = self._sign
        return codes, misfits

    def _upper_half(self, values: _Floats) -> tuple[_Floats, _Floats]:
        """Encode float32 as bfloat16, its upper half, by arithmetic: several times as fast as a search."""
        bits = values.view(np.uint32)
        codes = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)
        nan = np.isnan(values)
        if nan.any():  # rounding may carry into their signs, or beyond
            codes[nan] = np.where(np.signbit(values[nan]), self._sign, 0) | self._nan_codes(values[nan])
        misfits = (codes & np.uint32(0x7FFF)) > self.largest
        if misfits.any():
            misfits &= np.isfinite(values)
        return codes, misfits

    def _nan_codes(self, values: _Floats) -> _Floats:
        """Return the codes of NaNs, without their signs. A format with several NaNs keeps the upper mantissa bits."""
        if self.nan != "ieee":
            return np.full(values.shape, self._sign - 1)
        with np.errstate(invalid="ignore"):
            bits = values.astype(np.float32).view(np.uint32)
        mantissa = (bits >> np.uint32(23 - self.mantissa)).astype(np.int64) & ((1 << self.mantissa) - 1)
        mantissa[mantissa == 0] = 1 << (self.mantissa - 1)
        return self.largest + 1 + mantissa


FORMATS = {
    "bfloat16": SmallFloat(8, 7, 127, "ieee"),
    "float8_e5m2": SmallFloat(5, 2, 15, "ieee"),
    "float8_e4m3fn": SmallFloat(4, 3, 7, "ones"),
    "float8_e4m3fnuz": SmallFloat(4, 3, 8, "sign"),
    "float8_e4m3b11fnuz": SmallFloat(4, 3, 11, "sign"),
    "float8_e5m2fnuz": SmallFloat(5, 2, 16, "sign"),
    "float4_e2m1fn": SmallFloat(2, 1, 1, ""),
}


_Array = npt.NDArray[Any]

_UNEVEN_IS_ALLOWED = np.lib.NumpyVersion(np.__version__) < "1.24.0"


def array_of(values: npt.ArrayLike) -> _Array:
    """Return `values` as a NumPy array; an array is returned as it is.

    Raises ValueError if lists at one level have different lengths. NumPy before 1.24 only warns, and makes an array of
    lists.
    """
    if not _UNEVEN_IS_ALLOWED:
        return np.asarray(values)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "Creating an ndarray from", UserWarning)
        try:
            return np.asarray(values)
        except UserWarning:
            raise ValueError("lists at one level have different lengths, or there are too many levels") from None


def decode_values(stored: _Array, row: Dtype) -> _Array:
    """Convert stored elements whose type NumPy lacks to the array for users."""
    if row.codec == "float":
        return np.asarray(FORMATS[row.name].decode(stored))
    low_bits = stored & np.uint8((1 << row.bits) - 1)  # some writers extend the sign into the other bits
    if row.given == row.stored:
        return np.asarray(low_bits)
    sign = np.int8(1 << (row.bits - 1))
    return np.asarray((low_bits.view(np.int8) ^ sign) - sign)


def encode_values(values: npt.ArrayLike, row: Dtype) -> _Array:
    """Return `values` as an array of stored elements of the type `row`: see `Dtype.encode`."""
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
        # A float can represent `high + 1`, a power of two, but often not `high`.
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
    """Return a mask of the floats that exactly equal the integers.

    NumPy would convert the integers to floats to compare them, which rounds them.
    """
    if integers.dtype.kind == "b":
        integers = integers.astype(np.uint8)
    own = np.iinfo(integers.dtype)
    wide = floats.astype(np.float64)
    fits = (wide >= float(own.min)) & (wide < float(own.max + 1))
    return np.asarray(fits & (np.where(fits, wide, 0).astype(integers.dtype) == integers))


def _refuse(misfits: _Array, array: _Array, row: Dtype, low: int = 0, high: int = 0) -> None:
    """Raise ValueError for the first element of `array` at which the mask `misfits` is true, if any."""
    if not np.any(misfits):
        return
    first = tuple(int(i) for i in np.unravel_index(int(np.argmax(misfits)), array.shape))
    where = f" at index {list(first)}" if first else ""
    limits = f", which goes from {low:,} to {high:,}" if high else ""
    raise ValueError(f"{array[first]!s}{where} has no counterpart in {row.name}{limits}")
