"""Kernels of random numbers from the generator of the run, or from the seeds of a node.

The numbers of a node without seeds come from the generator of the run: two runs differ unless that is seeded. Those of
a node with seeds are TensorFlow's: the first seed is the key of Philox, the second one the upper half of its counter.
As there, a node goes on in its numbers each time it runs, until the session ends: 256 counters are set aside for each
number. Multinomial draws its rows one after another, as TensorFlow does in one thread; how it divides large batches
among threads depends on the machine. Gamma and Poisson distributions with seeds are refused.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...errors import RunError
from ...messages import DataType, NodeDef
from ...values.dtypes import dtype_of
from ..math.special import normal_quantile
from ..runtime.argument_checks import check, read_scalar, read_shape, show
from ..runtime.memory_limit import claim
from ..runtime.registry import Runtime, Tensor, kernel
from . import philox
from .philox import MASK, RESERVED

_SHUFFLED_BYTES = 200
"""The memory for each row whose place is drawn: words and places as Python's numbers."""
_BELOW_MINUS_TWO = 0.022750131948179195
"""The probability of a normal variable below -2."""


def _generator(runtime: Runtime | None) -> Any:
    if runtime is None:
        raise RunError("random numbers need the generator of a run")
    return runtime.random


def _unseeded(runtime: Runtime | None, seed: int, seed2: int) -> Any:
    """Return the generator of the run for an op whose numbers for seeds are not known."""
    if seed or seed2:
        raise RunError(
            f"TensorFlow's random numbers for its seeds, {seed} and {seed2}, are not available; set both to 0 for "
            "other random numbers"
        )
    return _generator(runtime)


class _Stream:
    """The counter of a node with seeds."""

    def __init__(self, counter: int) -> None:
        self.counter = counter

    def reserve(self, count: int) -> int:
        """Return the first of `count` counters, which are then used."""
        first = self.counter
        self.counter += count
        return first


def _reserve(node: NodeDef, runtime: Runtime | None, seed: int, seed2: int, count: int) -> tuple[int, int]:
    """Return the key of a node with seeds, and the first of `count` counters."""
    start = (seed2 & MASK) << 64
    if runtime is None:  # a single run
        return seed & MASK, start
    stream = runtime.resource(("random", id(node)), lambda: _Stream(start))
    return seed & MASK, stream.reserve(count)


@kernel("RandomUniform")
def random_uniform(
    node: NodeDef, shape: Tensor, *, dtype: DataType, seed: int, seed2: int, runtime: Runtime | None = None
) -> Tensor:
    """Return numbers in [0, 1). Small types are rounded down, so that no number becomes 1."""
    sizes = read_shape(shape, "shape")
    if seed or seed2:
        return philox.uniform(*_reserve(node, runtime, seed, seed2, RESERVED * math.prod(sizes)), sizes, dtype)
    row = dtype_of(dtype)
    single = np.float64 if row.numpy == np.float64 else np.float32
    numbers = _generator(runtime).random(sizes, single)
    bits = {"float16": 10, "bfloat16": 7}.get(row.name)
    return np.asarray(numbers if bits is None else np.floor(numbers * 2**bits) / 2**bits)


@kernel("RandomStandardNormal")
def random_standard_normal(
    node: NodeDef, shape: Tensor, *, dtype: DataType, seed: int, seed2: int, runtime: Runtime | None = None
) -> Tensor:
    sizes = read_shape(shape, "shape")
    if seed or seed2:
        return philox.normal(*_reserve(node, runtime, seed, seed2, RESERVED * math.prod(sizes)), sizes, dtype)
    single = np.float64 if dtype == DataType.DT_DOUBLE else np.float32
    return np.asarray(_generator(runtime).standard_normal(sizes, single))


@kernel("TruncatedNormal")
def truncated_normal(
    node: NodeDef, shape: Tensor, *, dtype: DataType, seed: int, seed2: int, runtime: Runtime | None = None
) -> Tensor:
    """Return normal numbers within two standard deviations of 0."""
    sizes = read_shape(shape, "shape")
    if seed or seed2:
        reserved = _reserve(node, runtime, seed, seed2, RESERVED * math.prod(sizes))
        return philox.truncated_normal(*reserved, sizes, dtype)
    fractions = _generator(runtime).random(sizes)
    return normal_quantile(np.asarray(_BELOW_MINUS_TWO + fractions * (1 - 2 * _BELOW_MINUS_TWO)))


@kernel("RandomUniformInt")
def random_uniform_int(
    node: NodeDef,
    shape: Tensor,
    minval: Tensor,
    maxval: Tensor,
    *,
    Tout: DataType,
    seed: int,
    seed2: int,
    runtime: Runtime | None = None,
) -> Tensor:
    low, high = read_scalar(minval, "minval"), read_scalar(maxval, "maxval")
    sizes = read_shape(shape, "shape")
    check(low < high or 0 in sizes, f"minval must be less than maxval, but they are {low} and {high}")
    if seed or seed2:
        key, counter = _reserve(node, runtime, seed, seed2, RESERVED * math.prod(sizes))
        if 0 in sizes:
            return np.empty(sizes, minval.dtype)
        return philox.integers_in_range(key, counter, sizes, Tout, minval, maxval)
    return np.asarray(_generator(runtime).integers(low, max(high, low + 1), sizes, minval.dtype))


@kernel("RandomShuffle")
def random_shuffle(node: NodeDef, value: Tensor, *, seed: int, seed2: int, runtime: Runtime | None = None) -> Tensor:
    if seed or seed2:
        return value[_permutation(node, runtime, seed, seed2, len(value))] if value.ndim and value.size > 1 else value
    generator = _generator(runtime)
    return value[generator.permutation(len(value))] if value.ndim else value


def _permutation(node: NodeDef, runtime: Runtime | None, seed: int, seed2: int, size: int) -> list[int]:
    """Return the row that each place gets: it changes places with a random one of those from it on."""
    claim(_SHUFFLED_BYTES * size)
    blocks = -(-(size - 1) // 4)
    words = philox.philox(*_reserve(node, runtime, seed, seed2, blocks), blocks).reshape(-1).tolist()
    order = [*range(size)]
    for place, word in zip(range(size - 1), words, strict=False):
        other = place + word % (size - place)
        order[place], order[other] = order[other], order[place]
    return order


@kernel("Multinomial")
def multinomial(
    node: NodeDef, logits: Tensor, num_samples: Tensor, *, seed: int, seed2: int, runtime: Runtime | None = None
) -> Tensor:
    """Draw column numbers for each row of logits, with probabilities proportional to exp(logits)."""
    count = read_scalar(num_samples, "num_samples")
    check(logits.ndim == 2, f"logits must be a matrix, not of shape {show(logits.shape)}")
    check(count >= 0, f"num_samples must not be negative, got {count}")
    rows, classes = logits.shape
    check(classes or not rows * count, "the logits have 0 classes")
    if seed or seed2:
        reserved = _reserve(node, runtime, seed, seed2, RESERVED * rows * 2 * (-(-count // 4) * 4))
        fractions = philox.uniform(*reserved, (rows, count), DataType.DT_DOUBLE)
    else:
        fractions = _generator(runtime).random((rows, count))
    is_finite = np.isfinite(logits)
    highest = np.max(np.where(is_finite, logits, -np.inf), 1, keepdims=True, initial=-np.inf)
    with np.errstate(all="ignore"):  # of a row without finite logits
        weights = np.exp(logits.astype(np.float64) - highest.astype(np.float64))
    ends = np.cumsum(np.where(is_finite, weights, 0), 1)
    points = fractions * (ends[:, -1:] if classes else 1)
    samples = [np.searchsorted(end, row_points, "right") for end, row_points in zip(ends, points, strict=True)]
    return np.array(samples, np.int64).reshape(rows, count)


@kernel("RandomGamma")
def random_gamma(shape: Tensor, alpha: Tensor, *, seed: int, seed2: int, runtime: Runtime | None = None) -> Tensor:
    """Return numbers for each alpha: the shape of the result is `shape` followed by that of alpha."""
    check((alpha > 0).all(), "alpha must be positive")
    sizes = read_shape(shape, "shape")
    return np.asarray(_unseeded(runtime, seed, seed2).standard_gamma(alpha, (*sizes, *alpha.shape)))


@kernel("RandomPoisson", "RandomPoissonV2")
def random_poisson(shape: Tensor, rate: Tensor, *, seed: int, seed2: int, runtime: Runtime | None = None) -> Tensor:
    check((rate >= 0).all(), "rate must not be negative")
    sizes = read_shape(shape, "shape")
    return np.asarray(_unseeded(runtime, seed, seed2).poisson(rate.astype(np.float64), (*sizes, *rate.shape)))
