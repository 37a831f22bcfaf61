"""Special functions: the error function and its relatives, gamma, incomplete gamma, zeta and Bessel functions.

Each function of one number is split into a smooth part, approximated by a polynomial, and a known factor. The
polynomials are computed when first needed, from a slow and exact function at the Chebyshev points of an interval.

    @_series(0, 8)
    def _i0e_near(x: float) -> float:     # of one number, as exact as it gets: a sum of many terms
        ...

    _i0e_near(array)                      # the polynomial that goes through its values

These compute in double precision, block by block, and are exact to some units in the last place.

Functions of two numbers are sums and continued fractions in double precision, with as many terms as the slowest
element needs.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from operator import mul

import numpy as np

from ..runtime.argument_checks import check
from ..runtime.memory_limit import claim
from ..runtime.registry import Tensor, kernel

__all__ = ["SPECIAL", "digamma", "log_gamma", "normal_quantile"]


_BLOCK = 1 << 12  # numbers: their temporary arrays stay in the cache
_POINTS = 64
_NOTHING = 2.0**-51  # of the largest coefficient: what rounding the values adds to each

Function = Callable[[Tensor], Tensor]


def _series(low: float, high: float) -> Callable[[Callable[[float], float]], Function]:
    """Make a function of arrays of one of numbers: the polynomial that meets it between two numbers."""

    def fit(function: Callable[[float], float]) -> Function:
        @cache
        def coefficients() -> list[float]:
            turns = [2 * place + 1 for place in range(_POINTS)]
            cosines = [math.cos(math.pi * turn / (2 * _POINTS)) for turn in range(4 * _POINTS)]
            values = [function(low + (high - low) * (1 + cosines[turn]) / 2) for turn in turns]
            found = []
            for degree in range(_POINTS):
                waves = [cosines[degree * turn % (4 * _POINTS)] for turn in turns]
                found.append(math.fsum(map(mul, values, waves)) * 2 / _POINTS)
            found[0] /= 2
            least = _NOTHING * max(map(abs, found))
            ends = (degree for degree in range(1, _POINTS) if max(map(abs, found[degree : degree + 3])) < least)
            return found[: next(ends, _POINTS)]

        def evaluate(x: Tensor) -> Tensor:
            return _clenshaw((x - low) * (4 / (high - low)) - 2, coefficients())

        return evaluate

    return fit


def _clenshaw(doubled: Tensor, coefficients: list[float]) -> Tensor:
    """A sum of Chebyshev polynomials, of half of the numbers that are given."""
    one, two, spare = np.zeros_like(doubled), np.zeros_like(doubled), np.empty_like(doubled)
    for coefficient in coefficients[:0:-1]:
        np.multiply(doubled, one, out=spare)
        spare -= two
        spare += coefficient
        one, two, spare = spare, one, two
    return np.asarray(doubled * one / 2 - two + coefficients[0])


def _either(condition: Tensor, x: Tensor, yes: Function, no: Function) -> Tensor:
    """Apply one function where a condition is true, and another elsewhere."""
    if not condition.any():
        return no(x)
    found = np.empty_like(x)
    found[condition] = yes(x[condition])
    found[~condition] = no(x[~condition])
    return found


# --- the error function ----------------------------------------------------------------------------------------------


@_series(0, 4)
def _erf_ratio(square: float) -> float:
    """erf(x) / x, of x squared."""
    x = math.sqrt(square)
    return math.erf(x) / x


@_series(-1, 1)
def _erfc_ratio(place: float) -> float:
    """erfc(x) exp(x²) (1 + x) of (x - 2) / (x + 2), which is -1 for 0 and 1 for infinity."""
    x = 2 * (1 + place) / (1 - place)
    if x > 3:
        fraction = x
        for k in range(200, 0, -1):
            fraction = x + k / 2 / fraction
        return (1 + x) / (fraction * math.sqrt(math.pi))
    lost = float(Fraction(x) ** 2 - Fraction(x * x))
    return math.erfc(x) * math.exp(x * x) * (1 + lost) * (1 + x)


def _gauss(x: Tensor) -> Tensor:
    """exp(-x²). The square of the upper half of x is exact, so that rounding it takes nothing away."""
    upper = x.astype(np.float32).astype(np.float64)
    return np.asarray(np.exp(-upper * upper) * np.exp((upper - x) * (upper + x)))


def _erfc_above(x: Tensor) -> Tensor:
    """Return erfc of non-negative numbers."""
    x = np.minimum(x, 100)
    return np.asarray(_gauss(x) * _erfc_ratio((x - 2) / (x + 2)) / (1 + x))


def _erfc(x: Tensor) -> Tensor:
    found = _erfc_above(np.abs(x))
    return np.where(x < 0, 2 - found, found)


def _erf(x: Tensor) -> Tensor:
    return _either(np.abs(x) > 2, x, _erf_far, lambda x: x * _erf_ratio(x * x))


def _erf_far(x: Tensor) -> Tensor:
    return np.asarray(np.copysign(1 - _erfc_above(np.abs(x)), x))


def _inverse(x: Tensor, rest: Tensor) -> Tensor:
    """The y of which x is the error function. `rest` is 1 - |x|, which says more where x is next to 1.

    An estimate by Winitzki, two parts in a thousand off at the most, and steps by Halley, which cube that.
    """
    logarithm = np.log(rest * (2 - rest)) / 2
    middle = logarithm + 1 / (math.pi * 0.147) * 2
    y = np.sqrt(np.maximum(np.sqrt(middle * middle - 2 * logarithm / 0.147) - middle, 0))
    for _ in range(3):
        error = np.where(rest > 0.5, _erf(y) - np.abs(x), rest - _erfc_above(y))
        y = y - error / (2 / math.sqrt(math.pi) * _gauss(y) + y * error)
    return np.asarray(np.copysign(np.where(rest <= 0, np.inf, y), x))


def _erfinv(x: Tensor) -> Tensor:
    return _inverse(x, 1 - np.abs(x))


def _ndtri(p: Tensor) -> Tensor:
    return _inverse(2 * p - 1, 2 * np.minimum(p, 1 - p)) * math.sqrt(2)


# --- the gamma function ----------------------------------------------------------------------------------------------

_FAR = 10  # from where on the asymptotic expansions are exact enough
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)


def _tail(x: Tensor, weights: list[float]) -> Tensor:
    """The sum of weights[k] / x ** 2k."""
    return np.asarray(np.polynomial.polynomial.polyval(1 / (x * x), weights))


@_series(0.5, 2.5)
def _lgamma_ratio(x: float) -> float:
    """lgamma(x) without its zeros, which are at 1 and 2."""
    return math.lgamma(x) / ((x - 1) * (x - 2))


def _lgamma(x: Tensor) -> Tensor:
    near = (x > 0.5) & (x < 2.5)
    return _either(near, x, lambda x: (x - 1) * (x - 2) * _lgamma_ratio(x), _lgamma_far)


def _lgamma_far(x: Tensor) -> Tensor:
    """By Stirling's formula, to which small numbers are taken by x gamma(x) = gamma(x + 1), negative by reflection."""
    low = x < 0.5
    y = np.where(low, 1 - x, x)
    product = np.ones_like(y)
    for step in range(_FAR):
        product *= np.where(y < _FAR - step, y + step, 1)
    far = np.where(y < _FAR, y + np.ceil(_FAR - y), y)
    weights = [each / ((2 * k + 1) * (2 * k + 2)) for k, each in enumerate(_BERNOULLI)]
    found = (far - 0.5) * np.log(far) - far + math.log(2 * math.pi) / 2 + _tail(far, weights) / far - np.log(product)
    found = np.where(np.isinf(x), np.inf, found)
    mirrored = np.log(math.pi / np.abs(np.sin(math.pi * (x - np.rint(x))))) - found
    return np.where(low & np.isfinite(x), mirrored, found)


def _digamma(x: Tensor) -> Tensor:
    low = x < 0.5
    y = np.where(low, 1 - x, x)
    steps = np.zeros_like(y)
    for step in range(_FAR):
        steps += np.where(y < _FAR - step, 1 / (y + step), 0)
    far = np.where(y < _FAR, y + np.ceil(_FAR - y), y)
    weights = [each / (2 * k + 2) for k, each in enumerate(_BERNOULLI)]
    found = np.log(far) - 0.5 / far - _tail(far, weights) / (far * far) - steps
    mirrored = found - math.pi / np.tan(math.pi * (x - np.rint(x)))
    return np.where(low, np.where(x == np.floor(x), np.nan, mirrored), found)


# --- Bessel functions ------------------------------------------------------------------------------------------------


def _bessel(order: int, x: float) -> float:
    """exp(-x) I(x), of order 0 or 1."""
    if x > 60:
        total = term = 1.0
        for k in range(1, 40):
            term *= -(4 * order - (2 * k - 1) ** 2) / (8 * k * x)
            total += term
        return total / math.sqrt(2 * math.pi * x)
    total = term = (x / 2) ** order
    for k in itertools.count(1):
        term *= x * x / 4 / (k * (k + order))
        total += term
        if term < total * 1e-18:
            break
    return total * math.exp(-x)


@_series(0, 8)
def _i0e_near(x: float) -> float:
    return _bessel(0, x)


@_series(0, 1)
def _i0e_far(place: float) -> float:
    """Of 8 / x."""
    return _bessel(0, 8 / place) * math.sqrt(8 / place)


@_series(0, 8)
def _i1e_near(x: float) -> float:
    return _bessel(1, x) / x


@_series(0, 1)
def _i1e_far(place: float) -> float:
    return _bessel(1, 8 / place) * math.sqrt(8 / place)


def _i0e(x: Tensor) -> Tensor:
    size = np.abs(x)
    return _either(size > 8, size, lambda y: _i0e_far(8 / y) / np.sqrt(y), _i0e_near)


def _i1e(x: Tensor) -> Tensor:
    size = np.abs(x)
    found = _either(size > 8, size, lambda y: _i1e_far(8 / y) / np.sqrt(y), lambda y: y * _i1e_near(y))
    return np.asarray(np.copysign(found, x))


# --- the ops ---------------------------------------------------------------------------------------------------------

SPECIAL: dict[str, Function] = {
    "Erf": _erf,
    "Erfc": _erfc,
    "Erfinv": _erfinv,
    "Ndtri": _ndtri,
    "Lgamma": _lgamma,
    "Digamma": _digamma,
    "BesselI0e": _i0e,
    "BesselI1e": _i1e,
    "BesselI0": lambda x: _i0e(x) * np.exp(np.abs(x)),
    "BesselI1": lambda x: _i1e(x) * np.exp(np.abs(x)),
}


def _blockwise(function: Function) -> Function:
    def computed(x: Tensor) -> Tensor:
        flat = x.reshape(-1)
        found = np.empty(flat.shape, x.dtype)
        for start in range(0, flat.size, _BLOCK):
            block = slice(start, start + _BLOCK)
            found[block] = function(flat[block].astype(np.float64))
        return found.reshape(x.shape)

    return computed


digamma = _blockwise(_digamma)
log_gamma = _blockwise(_lgamma)
normal_quantile = _blockwise(_ndtri)
"""Below which number a normal distribution has so much of itself."""

for _op, _function in SPECIAL.items():
    kernel(_op)(_blockwise(_function))


BinaryFunction = Callable[[Tensor, Tensor], Tensor]

_MOST_STEPS = 5000
_ENOUGH = 2.0**-53
_TINY = 1e-300
_ZETA_FAR = 10  # from where on, or from x on, the rest of zeta's sum is estimated
_FARTHEST = 10_000
_DOUBLES = 16 * 8  # bytes for an element on the way
_BERNOULLI_OF_ZETA = (
    1 / 6,
    -1 / 30,
    1 / 42,
    -1 / 30,
    5 / 66,
    -691 / 2730,
    7 / 6,
    -3617 / 510,
    43867 / 798,
    -174611 / 330,
)


# --- incomplete gamma functions --------------------------------------------------------------------------------------


def _lower(a: Tensor, x: Tensor) -> Tensor:
    """Compute the regularized lower function by its power series."""
    term = 1 / a
    total = term.copy()
    for step in range(1, _MOST_STEPS):
        term = term * (x / (a + step))
        total += term
        if not (term > total * _ENOUGH).any():
            break
    return total * _weight(a, x)


def _upper(a: Tensor, x: Tensor) -> Tensor:
    """Compute the regularized upper function by its continued fraction (Lentz's method)."""
    b = x + 1 - a
    c = np.full_like(b, 1 / _TINY)
    d = 1 / np.where(b == 0, _TINY, b)
    found = d.copy()
    for step in range(1, _MOST_STEPS):
        numerator = -step * (step - a)
        b = b + 2
        d = numerator * d + b
        d = 1 / np.where(d == 0, _TINY, d)
        c = b + numerator / c
        c = np.where(c == 0, _TINY, c)
        found *= c * d
        if not (np.abs(c * d - 1) > _ENOUGH * 4).any():
            break
    return found * _weight(a, x)


def _weight(a: Tensor, x: Tensor) -> Tensor:
    return np.asarray(np.exp(a * np.log(x) - x - log_gamma(a)))


def _incomplete(a: Tensor, x: Tensor, upper: bool) -> Tensor:
    found = np.full(a.shape, np.nan)
    sound = (a > 0) & (x >= 0) & np.isfinite(a)
    found[sound & (x == 0)] = upper
    found[sound & np.isinf(x)] = not upper
    sound &= (x > 0) & np.isfinite(x)
    by_fraction = sound & (x > 1) & (x > a)
    by_series = sound & ~by_fraction
    for where, function, is_upper in ((by_fraction, _upper, True), (by_series, _lower, False)):
        values = function(a[where], x[where])
        found[where] = values if upper == is_upper else 1 - values
    return found


# --- zeta and polygamma ----------------------------------------------------------------------------------------------


def _zeta(x: Tensor, q: Tensor) -> Tensor:
    """The sum of (q + n) ** -x over all n, by Euler and Maclaurin's formula behind the first terms."""
    whole = q == np.floor(q)
    check(not (q < -_FARTHEST).any(), f"zeta of less than {-_FARTHEST:,} is not computed")
    found = np.zeros_like(x)
    far = np.where(np.isfinite(q), q, 1)
    near = np.full(x.shape, True)
    for _ in range(2 * _FARTHEST):
        near &= far < np.clip(x, _ZETA_FAR, _FARTHEST)
        if not near.any():
            break
        term = np.where(near, far**-x, 0)
        found += term
        far = far + near
        near &= (far < 0) | (np.abs(term) > np.abs(found) * _ENOUGH)
    scale = far**-x
    rest = scale * far / (x - 1) + scale / 2
    factor = x * scale / far
    for number, bernoulli in enumerate(_BERNOULLI_OF_ZETA, 1):
        rest += bernoulli / math.factorial(2 * number) * factor
        factor = factor * (x + 2 * number - 1) * (x + 2 * number) / (far * far)
    found = np.where(far < np.clip(x, _ZETA_FAR, _FARTHEST), found, found + rest)
    found = np.where((q <= 0) & whole, np.where(x % 2 == 0, np.inf, np.nan), found)
    found = np.where((q <= 0) & ~whole & (x != np.floor(x)), np.nan, found)
    found = np.where(np.isnan(q) | np.isnan(x) | (x < 1), np.nan, np.where(x == 1, np.inf, found))
    return np.asarray(found)


def _polygamma(n: Tensor, x: Tensor) -> Tensor:
    sign = np.where(n % 2 == 1, 1, -1)
    found = sign * np.exp(log_gamma(n + 1)) * _zeta(n + 1, x)
    found = np.where((n >= 0) & (n == np.floor(n)), found, np.nan)
    return np.where(n == 0, digamma(x), found)


# --- the ops ---------------------------------------------------------------------------------------------------------

OF_TWO: dict[str, BinaryFunction] = {
    "Igamma": lambda a, x: _incomplete(a, x, False),
    "Igammac": lambda a, x: _incomplete(a, x, True),
    "Zeta": _zeta,
    "Polygamma": _polygamma,
}


def _doubled(function: BinaryFunction) -> BinaryFunction:
    def computed(x: Tensor, y: Tensor) -> Tensor:
        one, other = np.broadcast_arrays(x, y)
        claim(_DOUBLES * one.size)
        flat = function(one.reshape(-1).astype(np.float64), other.reshape(-1).astype(np.float64))
        return flat.reshape(one.shape).astype(x.dtype)

    return computed


for _op, _binary in OF_TWO.items():
    kernel(_op)(_doubled(_binary))
