"""Functions of two numbers around the gamma function: incomplete gamma functions, zeta and polygamma functions.

Sums and continued fractions, taken as far as the slowest number of a tensor needs, in double precision.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from .checking import check
from .registry import Tensor, kernel
from .room import claim
from .special import digamma, log_gamma

__all__: list[str] = []

Function = Callable[[Tensor, Tensor], Tensor]

_MOST_STEPS = 5000
_ENOUGH = 2.0**-53
_TINY = 1e-300
_FAR = 10  # from where on, or from x on, the rest of zeta's sum is estimated
_FARTHEST = 10_000
_DOUBLES = 16 * 8  # bytes for an element on the way
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330)


# --- incomplete gamma functions --------------------------------------------------------------------------------------


def _lower(a: Tensor, x: Tensor) -> Tensor:
    """The regularised lower function, by its power series."""
    term = 1 / a
    total = term.copy()
    for step in range(1, _MOST_STEPS):
        term = term * (x / (a + step))
        total += term
        if not (term > total * _ENOUGH).any():
            break
    return total * _weight(a, x)


def _upper(a: Tensor, x: Tensor) -> Tensor:
    """The regularised upper function, by its continued fraction in the way of Lentz."""
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
        near &= far < np.clip(x, _FAR, _FARTHEST)
        if not near.any():
            break
        term = np.where(near, far**-x, 0)
        found += term
        far = far + near
        near &= (far < 0) | (np.abs(term) > np.abs(found) * _ENOUGH)
    scale = far**-x
    rest = scale * far / (x - 1) + scale / 2
    factor = x * scale / far
    for number, bernoulli in enumerate(_BERNOULLI, 1):
        rest += bernoulli / math.factorial(2 * number) * factor
        factor = factor * (x + 2 * number - 1) * (x + 2 * number) / (far * far)
    found = np.where(far < np.clip(x, _FAR, _FARTHEST), found, found + rest)
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

OF_TWO: dict[str, Function] = {
    "Igamma": lambda a, x: _incomplete(a, x, False),
    "Igammac": lambda a, x: _incomplete(a, x, True),
    "Zeta": _zeta,
    "Polygamma": _polygamma,
}


def _doubled(function: Function) -> Function:
    def computed(x: Tensor, y: Tensor) -> Tensor:
        one, other = np.broadcast_arrays(x, y)
        claim(_DOUBLES * one.size)
        flat = function(one.reshape(-1).astype(np.float64), other.reshape(-1).astype(np.float64))
        return flat.reshape(one.shape).astype(x.dtype)

    return computed


for _op, _function in OF_TWO.items():
    kernel(_op)(_doubled(_function))
