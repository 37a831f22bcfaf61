"""Decode and encode the floats that NumPy lacks: bfloat16, the five kinds of float8, and float4.

All have a sign, an exponent and a mantissa, subnormal numbers below the smallest exponent, and differ in three sizes
and in what they do without: infinities, most NaNs, the negative zero. Names say so: "e4m3" is 4 bits of exponent and 3
of mantissa, "b11" an exponent bias that is not the usual one, "fn" finite numbers only, "uz" no negative zero.

A format makes its table of values, once. Reading is a look-up. Writing looks for the place of a number among the
midpoints between neighbours, which is rounding to nearest; even is preferred by moving every second midpoint down.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["FORMATS", "SmallFloat"]

_Array = npt.NDArray[Any]
_QUIET_NAN = 0x7FC00000  # of float32


@dataclass(frozen=True)
class SmallFloat:
    """A format. `nan` says which codes are not finite numbers:

    "ieee"   those of the highest exponent: infinity, and NaN with any mantissa but 0
    "ones"   NaN where exponent and mantissa are all ones
    "sign"   NaN instead of the negative zero
    ""       none
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
    def largest(self) -> int:
        """The code of the largest finite number."""
        not_finite = {"ieee": 1 << self.mantissa, "ones": 1}.get(self.nan, 0)
        return self._sign - 1 - not_finite

    def _magnitude(self, codes: _Array) -> _Array:
        """Return the values of finite codes without a sign, as float64."""
        exponent, mantissa = codes >> self.mantissa, codes & ((1 << self.mantissa) - 1)
        normal = exponent > 0
        whole = mantissa + (normal << self.mantissa)
        return np.asarray(np.ldexp(whole.astype(np.float64), np.maximum(exponent, 1) - self.bias - self.mantissa))

    @cached_property
    def values(self) -> _Array:
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
    def _midpoints(self) -> _Array:
        """The end of the interval that is rounded to each code, as float64; the last one ends the range.

        A number half-way between two codes goes to the even one. So the ends behind odd codes are taken down by the
        smallest step there is.
        """
        values = self._magnitude(np.arange(self.largest + 2))
        ends = (values[:-1] + values[1:]) / 2
        ends[1::2] = np.nextafter(ends[1::2], 0)
        return ends

    def decode(self, codes: _Array) -> _Array:
        """Return the values of codes, as float32. Bits above those of the format are ignored."""
        return np.asarray(self.values[codes & ((1 << self.bits) - 1)])

    def encode(self, values: _Array) -> tuple[_Array, _Array]:
        """Return the nearest codes of floats, and where the format has none: too large, or unsupported inf or NaN."""
        if self.exponent == 8 and values.dtype == np.float32:
            return self._upper_half(values)
        with np.errstate(invalid="ignore"):  # a signalling NaN
            codes = np.searchsorted(self._midpoints, np.abs(values).astype(np.float64))
        misfits = codes > self.largest
        if misfits.any():  # infinities and NaN are sorted behind everything else
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

    def _upper_half(self, values: _Array) -> tuple[_Array, _Array]:
        """Encode bfloat16, the upper half of a float32, by arithmetic: several times as fast as the table."""
        bits = values.view(np.uint32)
        codes = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)
        misfits = (codes & np.uint32(0x7FFF)) > self.largest
        if misfits.any():
            nan = np.isnan(values)
            codes[nan] = np.where(np.signbit(values[nan]), self._sign, 0) | self._nan_codes(values[nan])
            misfits &= np.isfinite(values)
        return codes, misfits

    def _nan_codes(self, values: _Array) -> _Array:
        """Return the codes of NaNs, without a sign; the upper bits of the mantissa are kept."""
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
