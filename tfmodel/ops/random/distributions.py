"""Random numbers, from the generator of the run: no two runs give the same unless it is seeded.

A node with a seed of its own asks for numbers that only TensorFlow's generator makes. It is refused: other numbers
would look like the right ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dtypes import dtype_of
from ...errors import RunError
from ...messages import DataType
from ..math.special import normal_quantile
from ..runtime.argument_checks import check, scalar, shape_of, shown
from ..runtime.context import Runtime
from ..runtime.registry import Tensor, kernel

__all__ = ["RANDOM_OPS"]

RANDOM_OPS = frozenset(
    {
        "Multinomial",
        "RandomGamma",
        "RandomPoisson",
        "RandomPoissonV2",
        "RandomShuffle",
        "RandomStandardNormal",
        "RandomUniform",
        "RandomUniformInt",
        "TruncatedNormal",
    }
)
"""The ops whose results depend on the generator of the run, and so on its seed."""

_BEYOND_TWO = 0.022750131948179195  # how much of the normal distribution is below -2


def _generator(runtime: Runtime | None, seed: int, seed2: int) -> Any:
    if seed or seed2:
        raise RunError(
            f"random with seeds refused: it has the seeds {seed} and {seed2}, for which TensorFlow makes numbers that "
            "are not made here; set both to 0 to get any"
        )
    if runtime is None:
        raise RunError("there is no generator of random numbers: it needs a run")
    return runtime.random


@kernel("RandomUniform")
def random_uniform(shape: Tensor, *, dtype: DataType, seed: int, seed2: int, runtime: Runtime | None = None) -> Tensor:
    """Between 0 and 1, which rounding must not make of anything below."""
    wanted = dtype_of(dtype)
    single = np.float64 if wanted.numpy == np.float64 else np.float32
    found = _generator(runtime, seed, seed2).random(shape_of(shape, "shape"), single)
    bits = {"float16": 10, "bfloat16": 7}.get(wanted.name)
    return np.asarray(found if bits is None else np.floor(found * 2**bits) / 2**bits)


@kernel("RandomStandardNormal")
def random_standard_normal(
    shape: Tensor, *, dtype: DataType, seed: int, seed2: int, runtime: Runtime | None = None
) -> Tensor:
    single = np.float64 if dtype == DataType.DT_DOUBLE else np.float32
    return np.asarray(_generator(runtime, seed, seed2).standard_normal(shape_of(shape, "shape"), single))


@kernel("TruncatedNormal")
def truncated_normal(
    shape: Tensor, *, dtype: DataType, seed: int, seed2: int, runtime: Runtime | None = None
) -> Tensor:
    """Not more than two standard deviations from 0."""
    places = _generator(runtime, seed, seed2).random(shape_of(shape, "shape"))
    return normal_quantile(np.asarray(_BEYOND_TWO + places * (1 - 2 * _BEYOND_TWO)))


@kernel("RandomUniformInt")
def random_uniform_int(
    shape: Tensor, minval: Tensor, maxval: Tensor, *, seed: int, seed2: int, runtime: Runtime | None = None
) -> Tensor:
    low, high = scalar(minval, "minval"), scalar(maxval, "maxval")
    sizes = shape_of(shape, "shape")
    check(low < high or 0 in sizes, f"minval is {low}, which is not below maxval, {high}")
    return np.asarray(_generator(runtime, seed, seed2).integers(low, max(high, low + 1), sizes, minval.dtype))


@kernel("RandomShuffle")
def random_shuffle(value: Tensor, *, seed: int, seed2: int, runtime: Runtime | None = None) -> Tensor:
    generator = _generator(runtime, seed, seed2)
    return value[generator.permutation(len(value))] if value.ndim else value


@kernel("Multinomial")
def multinomial(
    logits: Tensor, num_samples: Tensor, *, seed: int, seed2: int, runtime: Runtime | None = None
) -> Tensor:
    """For each row of logits, numbers of columns: column c as often as exp(logits[c]) says."""
    count = scalar(num_samples, "num_samples")
    check(logits.ndim == 2, f"logits must be a matrix, not of shape {shown(logits.shape)}")
    check(count >= 0, f"num_samples is {count}")
    check(logits.shape[1] or not logits.size, "there are no classes to choose from")
    generator = _generator(runtime, seed, seed2)
    rows, classes = logits.shape
    check(classes or not rows * count, "there are no classes to choose from")
    shares = np.exp(logits - np.max(logits, 1, keepdims=True, initial=-np.inf), dtype=np.float64)
    ends = np.cumsum(np.where(np.isfinite(shares), shares, 0), 1)
    places = generator.random((rows, count)) * (ends[:, -1:] if classes else 1)
    found = [np.searchsorted(end, place, "right") for end, place in zip(ends, places, strict=True)]
    return np.array(found, np.int64).reshape(rows, count)


@kernel("RandomGamma")
def random_gamma(shape: Tensor, alpha: Tensor, *, seed: int, seed2: int, runtime: Runtime | None = None) -> Tensor:
    """So many numbers for each alpha: the shape of the result is `shape` with that of alpha behind it."""
    check((alpha > 0).all(), "alpha must be positive")
    sizes = shape_of(shape, "shape")
    return np.asarray(_generator(runtime, seed, seed2).standard_gamma(alpha, (*sizes, *alpha.shape)))


@kernel("RandomPoisson", "RandomPoissonV2")
def random_poisson(shape: Tensor, rate: Tensor, *, seed: int, seed2: int, runtime: Runtime | None = None) -> Tensor:
    check((rate >= 0).all(), "rate must not be negative")
    sizes = shape_of(shape, "shape")
    return np.asarray(_generator(runtime, seed, seed2).poisson(rate.astype(np.float64), (*sizes, *rate.shape)))
