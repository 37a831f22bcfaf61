"""Kernels of special functions: error functions, gamma, incomplete gamma, zeta and Bessel functions.

Each unary function is split into a smooth factor, approximated by a Chebyshev series, and a known factor. The series is
computed when first needed, from a slow and exact function at the Chebyshev points of an interval.

    @_series(0, 8)
    def _i0e_near(x: float) -> float:     # one exact value: a sum of many terms
        ...

    _i0e_near(array)                      # the Chebyshev series that interpolates these values

Unary functions compute in double precision, block by block, and are exact to some units in the last place. Binary
functions are sums and continued fractions in double precision, with as many terms as the slowest element needs.
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

# --- Chebyshev series ------------------------------------------------------------------------------------------------

_BLOCK = 1 << 12
"""Elements that are computed at once, so that temporary arrays stay in the cache."""
_POINTS = 64
_ROUNDING_ERROR = 2.0**-51
"""The error of a coefficient, relative to the largest one: smaller coefficients are left out."""

Function = Callable[[Tensor], Tensor]


def _series(low: float, high: float) -> Callable[[Callable[[float], float]], Function]:
    """Decorate a function of one number: it becomes a function of arrays, its Chebyshev series between two numbers."""

    def fit(function: Callable[[float], float]) -> Function:
        @cache
        def coefficients() -> list[float]:
            turns = [2 * point + 1 for point in range(_POINTS)]
            cosines = [math.cos(math.pi * turn / (2 * _POINTS)) for turn in range(4 * _POINTS)]
            values = [function(low + (high - low) * (1 + cosines[turn]) / 2) for turn in turns]
            terms = []
            for degree in range(_POINTS):
                waves = [cosines[degree * turn % (4 * _POINTS)] for turn in turns]
                terms.append(math.fsum(map(mul, values, waves)) * 2 / _POINTS)
            terms[0] /= 2
            min_term = _ROUNDING_ERROR * max(map(abs, terms))
            ends = (degree for degree in range(1, _POINTS) if max(map(abs, terms[degree : degree + 3])) < min_term)
            return terms[: next(ends, _POINTS)]

        def evaluate(x: Tensor) -> Tensor:
            return _clenshaw((x - low) * (4 / (high - low)) - 2, coefficients())

        return evaluate

    return fit


def _clenshaw(doubled: Tensor, coefficients: list[float]) -> Tensor:
    """Return the value of a Chebyshev series at x; `doubled` is 2 x."""
    last, before_last, buffer = np.zeros_like(doubled), np.zeros_like(doubled), np.empty_like(doubled)
    for coefficient in coefficients[:0:-1]:
        np.multiply(doubled, last, out=buffer)
        buffer -= before_last
        buffer += coefficient
        last, before_last, buffer = buffer, last, before_last
    return np.asarray(doubled * last / 2 - before_last + coefficients[0])


def _choose(condition: Tensor, x: Tensor, on_true: Function, on_false: Function) -> Tensor:
    """Apply one function where a condition is true, and another elsewhere."""
    if not condition.any():
        return on_false(x)
    result = np.empty_like(x)
    result[condition] = on_true(x[condition])
    result[~condition] = on_false(x[~condition])
    return result


# --- the error function ----------------------------------------------------------------------------------------------


@_series(0, 4)
def _erf_ratio(square: float) -> float:
    """Return erf(x) / x, for the square of x."""
    x = math.sqrt(square)
    return math.erf(x) / x


@_series(-1, 1)
def _erfc_ratio(mapped: float) -> float:
    """Return erfc(x) exp(x²) (1 + x), for (x - 2) / (x + 2), which is -1 for 0 and 1 for infinity."""
    x = 2 * (1 + mapped) / (1 - mapped)
    if x > 3:
        fraction = x
        for k in range(200, 0, -1):
            fraction = x + k / 2 / fraction
        return (1 + x) / (fraction * math.sqrt(math.pi))
    rounding = float(Fraction(x) ** 2 - Fraction(x * x))
    return math.erfc(x) * math.exp(x * x) * (1 + rounding) * (1 + x)


def _gauss(x: Tensor) -> Tensor:
    """Return exp(-x²). The square of the upper half of x is exact, so that rounding errors are not amplified."""
    upper = x.astype(np.float32).astype(np.float64)
    return np.asarray(np.exp(-upper * upper) * np.exp((upper - x) * (upper + x)))


def _erfc_above(x: Tensor) -> Tensor:
    """Return erfc of non-negative numbers."""
    x = np.minimum(x, 100)
    return np.asarray(_gauss(x) * _erfc_ratio((x - 2) / (x + 2)) / (1 + x))


def _erfc(x: Tensor) -> Tensor:
    result = _erfc_above(np.abs(x))
    return np.where(x < 0, 2 - result, result)


def _erf(x: Tensor) -> Tensor:
    return _choose(np.abs(x) > 2, x, _erf_far, lambda x: x * _erf_ratio(x * x))


def _erf_far(x: Tensor) -> Tensor:
    return np.asarray(np.copysign(1 - _erfc_above(np.abs(x)), x))


def _inverse_erf(x: Tensor, complement: Tensor) -> Tensor:
    """Return y with erf(y) = x. `complement` is 1 - |x|, which is more exact than x where x is close to 1.

    Winitzki's estimate, with an error of at most 0.2 percent, and Halley's method, each step of which cubes the error.
    """
    logarithm = np.log(complement * (2 - complement)) / 2
    middle = logarithm + 1 / (math.pi * 0.147) * 2
    y = np.sqrt(np.maximum(np.sqrt(middle * middle - 2 * logarithm / 0.147) - middle, 0))
    for _ in range(3):
        error = np.where(complement > 0.5, _erf(y) - np.abs(x), complement - _erfc_above(y))
        y = y - error / (2 / math.sqrt(math.pi) * _gauss(y) + y * error)
    return np.asarray(np.copysign(np.where(complement <= 0, np.inf, y), x))


def _erfinv(x: Tensor) -> Tensor:
    return _inverse_erf(x, 1 - np.abs(x))


def _ndtri(p: Tensor) -> Tensor:
    return _inverse_erf(2 * p - 1, 2 * np.minimum(p, 1 - p)) * math.sqrt(2)


# --- the gamma function ----------------------------------------------------------------------------------------------

_MIN_ASYMPTOTIC = 10
"""The smallest number for which the asymptotic expansions are exact enough."""
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)


def _asymptotic_series(x: Tensor, weights: list[float]) -> Tensor:
    """Return the sum of weights[k] / x ** 2k."""
    return np.asarray(np.polynomial.polynomial.polyval(1 / (x * x), weights))


@_series(0.5, 2.5)
def _lgamma_ratio(x: float) -> float:
    """Return lgamma(x) without its zeros, which are at 1 and 2."""
    return math.lgamma(x) / ((x - 1) * (x - 2))


def _lgamma(x: Tensor) -> Tensor:
    near = (x > 0.5) & (x < 2.5)
    return _choose(near, x, lambda x: (x - 1) * (x - 2) * _lgamma_ratio(x), _lgamma_far)


def _lgamma_far(x: Tensor) -> Tensor:
    """Return lgamma by Stirling's formula, which needs large numbers.

    Small numbers are increased step by step, since x gamma(x) = gamma(x + 1). Numbers below 0.5 are reflected.
    """
    low = x < 0.5
    y = np.where(low, 1 - x, x)
    product = np.ones_like(y)
    for step in range(_MIN_ASYMPTOTIC):
        product *= np.where(y < _MIN_ASYMPTOTIC - step, y + step, 1)
    far = np.where(y < _MIN_ASYMPTOTIC, y + np.ceil(_MIN_ASYMPTOTIC - y), y)
    weights = [number / ((2 * k + 1) * (2 * k + 2)) for k, number in enumerate(_BERNOULLI)]
    result = (
        (far - 0.5) * np.log(far)
        - far
        + math.log(2 * math.pi) / 2
        + _asymptotic_series(far, weights) / far
        - np.log(product)
    )
    result = np.where(np.isinf(x), np.inf, result)
    mirrored = np.log(math.pi / np.abs(np.sin(math.pi * (x - np.rint(x))))) - result
    return np.where(low & np.isfinite(x), mirrored, result)


def _digamma(x: Tensor) -> Tensor:
    low = x < 0.5
    y = np.where(low, 1 - x, x)
    steps = np.zeros_like(y)
    for step in range(_MIN_ASYMPTOTIC):
        steps += np.where(y < _MIN_ASYMPTOTIC - step, 1 / (y + step), 0)
    far = np.where(y < _MIN_ASYMPTOTIC, y + np.ceil(_MIN_ASYMPTOTIC - y), y)
    weights = [number / (2 * k + 2) for k, number in enumerate(_BERNOULLI)]
    result = np.log(far) - 0.5 / far - _asymptotic_series(far, weights) / (far * far) - steps
    mirrored = result - math.pi / np.tan(math.pi * (x - np.rint(x)))
    return np.where(low, np.where(x == np.floor(x), np.nan, mirrored), result)


# --- Bessel functions ------------------------------------------------------------------------------------------------


def _bessel(order: int, x: float) -> float:
    """Return exp(-x) I(x), of order 0 or 1."""
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
def _i0e_far(inverse: float) -> float:
    """Return I0e(x) sqrt(x), for 8 / x."""
    return _bessel(0, 8 / inverse) * math.sqrt(8 / inverse)


@_series(0, 8)
def _i1e_near(x: float) -> float:
    return _bessel(1, x) / x


@_series(0, 1)
def _i1e_far(inverse: float) -> float:
    """Return I1e(x) sqrt(x), for 8 / x."""
    return _bessel(1, 8 / inverse) * math.sqrt(8 / inverse)


def _i0e(x: Tensor) -> Tensor:
    size = np.abs(x)
    return _choose(size > 8, size, lambda y: _i0e_far(8 / y) / np.sqrt(y), _i0e_near)


def _i1e(x: Tensor) -> Tensor:
    size = np.abs(x)
    result = _choose(size > 8, size, lambda y: _i1e_far(8 / y) / np.sqrt(y), lambda y: y * _i1e_near(y))
    return np.asarray(np.copysign(result, x))


# --- unary ops -------------------------------------------------------------------------------------------------------

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
    def compute(x: Tensor) -> Tensor:
        flat = x.reshape(-1)
        result = np.empty(flat.shape, x.dtype)
        for start in range(0, flat.size, _BLOCK):
            block = slice(start, start + _BLOCK)
            result[block] = function(flat[block].astype(np.float64))
        return result.reshape(x.shape)

    return compute


digamma = _blockwise(_digamma)
log_gamma = _blockwise(_lgamma)
normal_quantile = _blockwise(_ndtri)
"""The quantile function of the normal distribution."""

for _op, _function in SPECIAL.items():
    kernel(_op)(_blockwise(_function))


# --- incomplete gamma functions --------------------------------------------------------------------------------------

BinaryFunction = Callable[[Tensor, Tensor], Tensor]

_MAX_STEPS = 5000
_PRECISION = 2.0**-53
_TINY = 1e-300
"""Replaces zero in Lentz's method."""
_MIN_ASYMPTOTIC_ZETA = 10
"""The terms of zeta's sum are added up to this number or x, whichever is larger; the remainder is estimated."""
_MAX_ZETA_STEPS = 10_000
_BYTES_PER_ELEMENT = 16 * 8
"""Temporary memory for each element of a binary function."""
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


def _lower_gamma(a: Tensor, x: Tensor) -> Tensor:
    """Compute the regularized lower function by its power series."""
    term = 1 / a
    total = term.copy()
    for step in range(1, _MAX_STEPS):
        term = term * (x / (a + step))
        total += term
        if not (term > total * _PRECISION).any():
            break
    return total * _gamma_weight(a, x)


def _upper_gamma(a: Tensor, x: Tensor) -> Tensor:
    """Compute the regularized upper function by its continued fraction (Lentz's method)."""
    b = x + 1 - a
    c = np.full_like(b, 1 / _TINY)
    d = 1 / np.where(b == 0, _TINY, b)
    result = d.copy()
    for step in range(1, _MAX_STEPS):
        numerator = -step * (step - a)
        b = b + 2
        d = numerator * d + b
        d = 1 / np.where(d == 0, _TINY, d)
        c = b + numerator / c
        c = np.where(c == 0, _TINY, c)
        result *= c * d
        if not (np.abs(c * d - 1) > _PRECISION * 4).any():
            break
    return result * _gamma_weight(a, x)


def _gamma_weight(a: Tensor, x: Tensor) -> Tensor:
    return np.asarray(np.exp(a * np.log(x) - x - log_gamma(a)))


def _incomplete_gamma(a: Tensor, x: Tensor, upper: bool) -> Tensor:
    result = np.full(a.shape, np.nan)
    is_valid = (a > 0) & (x >= 0) & np.isfinite(a)
    result[is_valid & (x == 0)] = upper
    result[is_valid & np.isinf(x)] = not upper
    is_valid &= (x > 0) & np.isfinite(x)
    by_fraction = is_valid & (x > 1) & (x > a)
    by_series = is_valid & ~by_fraction
    for mask, function, is_upper in ((by_fraction, _upper_gamma, True), (by_series, _lower_gamma, False)):
        values = function(a[mask], x[mask])
        result[mask] = values if upper == is_upper else 1 - values
    return result


# --- zeta and polygamma ----------------------------------------------------------------------------------------------


def _zeta(x: Tensor, q: Tensor) -> Tensor:
    """Return the sum of (q + n) ** -x over all n >= 0: the first terms, then the Euler-Maclaurin formula."""
    is_integer = q == np.floor(q)
    check(not (q < -_MAX_ZETA_STEPS).any(), f"q of Zeta must be at least {-_MAX_ZETA_STEPS:,}")
    total = np.zeros_like(x)
    far = np.where(np.isfinite(q), q, 1)
    near = np.full(x.shape, True)
    for _ in range(2 * _MAX_ZETA_STEPS):
        near &= far < np.clip(x, _MIN_ASYMPTOTIC_ZETA, _MAX_ZETA_STEPS)
        if not near.any():
            break
        term = np.where(near, far**-x, 0)
        total += term
        far = far + near
        near &= (far < 0) | (np.abs(term) > np.abs(total) * _PRECISION)
    scale = far**-x
    remainder = scale * far / (x - 1) + scale / 2
    factor = x * scale / far
    for number, bernoulli in enumerate(_BERNOULLI_OF_ZETA, 1):
        remainder += bernoulli / math.factorial(2 * number) * factor
        factor = factor * (x + 2 * number - 1) * (x + 2 * number) / (far * far)
    total = np.where(far < np.clip(x, _MIN_ASYMPTOTIC_ZETA, _MAX_ZETA_STEPS), total, total + remainder)
    total = np.where((q <= 0) & is_integer, np.where(x % 2 == 0, np.inf, np.nan), total)
    total = np.where((q <= 0) & ~is_integer & (x != np.floor(x)), np.nan, total)
    total = np.where(np.isnan(q) | np.isnan(x) | (x < 1), np.nan, np.where(x == 1, np.inf, total))
    return np.asarray(total)


def _polygamma(n: Tensor, x: Tensor) -> Tensor:
    sign = np.where(n % 2 == 1, 1, -1)
    result = sign * np.exp(log_gamma(n + 1)) * _zeta(n + 1, x)
    result = np.where((n >= 0) & (n == np.floor(n)), result, np.nan)
    return np.where(n == 0, digamma(x), result)


# --- binary ops ------------------------------------------------------------------------------------------------------

BINARY_FUNCTIONS: dict[str, BinaryFunction] = {
    "Igamma": lambda a, x: _incomplete_gamma(a, x, False),
    "Igammac": lambda a, x: _incomplete_gamma(a, x, True),
    "Zeta": _zeta,
    "Polygamma": _polygamma,
}


def _binary_kernel(function: BinaryFunction) -> BinaryFunction:
    def compute(x: Tensor, y: Tensor) -> Tensor:
        first, second = np.broadcast_arrays(x, y)
        claim(_BYTES_PER_ELEMENT * first.size)
        flat = function(first.reshape(-1).astype(np.float64), second.reshape(-1).astype(np.float64))
        return flat.reshape(first.shape).astype(x.dtype)

    return compute


for _op, _binary in BINARY_FUNCTIONS.items():
    kernel(_op)(_binary_kernel(_binary))
