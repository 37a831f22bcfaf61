"""Kernels of random numbers: from the generator of the run, and stateless ones from a seed tensor.

Ops with state use the generator of the run: two runs differ unless it is seeded. A node with a seed is refused: it
needs the numbers of TensorFlow's generator, which are not available.

Stateless ops return the numbers of TensorFlow bit for bit; numbers of a normal distribution may differ in the last
bit, since logarithms and sines differ between platforms. These ops use Philox4x32-10 (Salmon, Moraes, Dror and Shaw,
"Parallel random numbers: as easy as 1, 2, 3", 2011): a block cipher of ten rounds encrypts a 128-bit counter into four
32-bit words, under a 64-bit key. The counter is incremented for every four words.

    StatelessRandomUniform      takes a seed of two integers, from which key and counter are derived
    StatelessRandomUniformV2    takes key and counter as tensors, the outputs of StatelessRandomGetKeyCounter
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import RunError
from ...messages import DataType
from ...values.dtypes import dtype_of
from ..math.special import normal_quantile
from ..runtime.argument_checks import check, read_scalar, read_shape, show
from ..runtime.memory_limit import claim
from ..runtime.registry import Runtime, Tensor, kernel

# --- ops with state --------------------------------------------------------------------------------------------------

_BELOW_MINUS_TWO = 0.022750131948179195
"""The probability of a normal variable below -2."""


def _generator(runtime: Runtime | None, seed: int, seed2: int) -> Any:
    if seed or seed2:
        raise RunError(
            f"TensorFlow's random numbers for its seeds, {seed} and {seed2}, are not available; set both to 0 for "
            "other random numbers"
        )
    if runtime is None:
        raise RunError("random numbers need the generator of a run")
    return runtime.random


@kernel("RandomUniform")
def random_uniform(shape: Tensor, *, dtype: DataType, seed: int, seed2: int, runtime: Runtime | None = None) -> Tensor:
    """Return numbers in [0, 1). Small types are rounded down, so that no number becomes 1."""
    row = dtype_of(dtype)
    single = np.float64 if row.numpy == np.float64 else np.float32
    numbers = _generator(runtime, seed, seed2).random(read_shape(shape, "shape"), single)
    bits = {"float16": 10, "bfloat16": 7}.get(row.name)
    return np.asarray(numbers if bits is None else np.floor(numbers * 2**bits) / 2**bits)


@kernel("RandomStandardNormal")
def random_standard_normal(
    shape: Tensor, *, dtype: DataType, seed: int, seed2: int, runtime: Runtime | None = None
) -> Tensor:
    single = np.float64 if dtype == DataType.DT_DOUBLE else np.float32
    return np.asarray(_generator(runtime, seed, seed2).standard_normal(read_shape(shape, "shape"), single))


@kernel("TruncatedNormal")
def truncated_normal(
    shape: Tensor, *, dtype: DataType, seed: int, seed2: int, runtime: Runtime | None = None
) -> Tensor:
    """Return normal numbers within two standard deviations of 0."""
    fractions = _generator(runtime, seed, seed2).random(read_shape(shape, "shape"))
    return normal_quantile(np.asarray(_BELOW_MINUS_TWO + fractions * (1 - 2 * _BELOW_MINUS_TWO)))


@kernel("RandomUniformInt")
def random_uniform_int(
    shape: Tensor, minval: Tensor, maxval: Tensor, *, seed: int, seed2: int, runtime: Runtime | None = None
) -> Tensor:
    low, high = read_scalar(minval, "minval"), read_scalar(maxval, "maxval")
    sizes = read_shape(shape, "shape")
    check(low < high or 0 in sizes, f"minval must be less than maxval, but they are {low} and {high}")
    return np.asarray(_generator(runtime, seed, seed2).integers(low, max(high, low + 1), sizes, minval.dtype))


@kernel("RandomShuffle")
def random_shuffle(value: Tensor, *, seed: int, seed2: int, runtime: Runtime | None = None) -> Tensor:
    generator = _generator(runtime, seed, seed2)
    return value[generator.permutation(len(value))] if value.ndim else value


@kernel("Multinomial")
def multinomial(
    logits: Tensor, num_samples: Tensor, *, seed: int, seed2: int, runtime: Runtime | None = None
) -> Tensor:
    """Draw column numbers for each row of logits, with probabilities proportional to exp(logits)."""
    count = read_scalar(num_samples, "num_samples")
    check(logits.ndim == 2, f"logits must be a matrix, not of shape {show(logits.shape)}")
    check(count >= 0, f"num_samples must not be negative, got {count}")
    generator = _generator(runtime, seed, seed2)
    rows, classes = logits.shape
    check(classes or not rows * count, "the logits have 0 classes")
    weights = np.exp(logits - np.max(logits, 1, keepdims=True, initial=-np.inf), dtype=np.float64)
    ends = np.cumsum(np.where(np.isfinite(weights), weights, 0), 1)
    points = generator.random((rows, count)) * (ends[:, -1:] if classes else 1)
    samples = [np.searchsorted(end, row_points, "right") for end, row_points in zip(ends, points, strict=True)]
    return np.array(samples, np.int64).reshape(rows, count)


@kernel("RandomGamma")
def random_gamma(shape: Tensor, alpha: Tensor, *, seed: int, seed2: int, runtime: Runtime | None = None) -> Tensor:
    """Return numbers for each alpha: the shape of the result is `shape` followed by that of alpha."""
    check((alpha > 0).all(), "alpha must be positive")
    sizes = read_shape(shape, "shape")
    return np.asarray(_generator(runtime, seed, seed2).standard_gamma(alpha, (*sizes, *alpha.shape)))


@kernel("RandomPoisson", "RandomPoissonV2")
def random_poisson(shape: Tensor, rate: Tensor, *, seed: int, seed2: int, runtime: Runtime | None = None) -> Tensor:
    check((rate >= 0).all(), "rate must not be negative")
    sizes = read_shape(shape, "shape")
    return np.asarray(_generator(runtime, seed, seed2).poisson(rate.astype(np.float64), (*sizes, *rate.shape)))


# --- Philox ----------------------------------------------------------------------------------------------------------

_MULTIPLIERS = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
_KEY_STEPS = (0x9E3779B9, 0xBB67AE85)
"""The increments of the key for each round."""
_ROUNDS = 10
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_SCRAMBLING_KEY = 0x02461E293EC8F720
_MASK = (1 << 64) - 1
_BLOCK = 1 << 14
"""The number of counters that are encrypted at once."""
_WORDS_IN_COPIES = 6
"""The memory of random words while they become numbers, in multiples of the words."""
_NORMAL_BYTES = 64
"""The memory of a normal number while it is computed in double precision."""
_PHILOX, _AUTO = 1, 3
"""Values of `alg`."""


def philox(key: int, counter: int, count: int) -> Tensor:
    """Return the words of `count` counters from `counter` on: uint32 of shape (count, 4)."""
    words = np.empty((count, 4), np.uint32)
    for start in range(0, count, _BLOCK):
        _encrypt(key, (counter + start) % (1 << 128), words[start : start + _BLOCK])
    return words


def _encrypt(key: int, counter: int, output: Tensor) -> None:
    start = np.uint64(counter & _MASK)
    low = np.arange(len(output), dtype=np.uint64) + start
    high = np.uint64(counter >> 64) + (low < start)
    words = [low & _LOW, low >> _HALF, high & _LOW, high >> _HALF]
    first, second = key & 0xFFFFFFFF, key >> 32
    for _ in range(_ROUNDS):
        first_product, second_product = words[0] * _MULTIPLIERS[0], words[2] * _MULTIPLIERS[1]
        words = [
            (second_product >> _HALF) ^ words[1] ^ np.uint64(first),
            second_product & _LOW,
            (first_product >> _HALF) ^ words[3] ^ np.uint64(second),
            first_product & _LOW,
        ]
        first, second = (first + _KEY_STEPS[0]) & 0xFFFFFFFF, (second + _KEY_STEPS[1]) & 0xFFFFFFFF
    for column, word in enumerate(words):
        output[:, column] = word


def _key_and_counter(seed: Tensor) -> tuple[int, int]:
    """Return key and counter for a seed of two integers."""
    check(seed.shape == (2,), f"seed must be two integers, not of shape {show(seed.shape)}")
    low, high = (number & _MASK for number in seed.tolist())
    words = philox(_SCRAMBLING_KEY, low | high << 64, 1)[0].tolist()
    return words[0] | words[1] << 32, (words[2] | words[3] << 32) << 64


def _draw_words(key: int, counter: int, shape: tuple[int, ...], word_count: int) -> Tensor:
    """Return `word_count` words for each number of this shape: an array of shape (numbers, word_count)."""
    count = math.prod(shape)
    claim(_WORDS_IN_COPIES * 4 * word_count * count)
    blocks = philox(key, counter, -(-count * word_count // 4))
    return blocks.reshape(-1, word_count)[:count]


# --- distributions of stateless ops ----------------------------------------------------------------------------------


def _to_unit_interval(words: Tensor, dtype: DataType) -> Tensor:
    """Return numbers in [0, 1), with as many bits as the mantissa has."""
    if dtype == DataType.DT_DOUBLE:
        return np.asarray((words[:, 0] & np.uint32(0xFFFFF)) * 2.0**-20 + words[:, 1] * 2.0**-52)
    bits = {DataType.DT_HALF: 10, DataType.DT_BFLOAT16: 7}.get(dtype, 23)
    return (words[:, 0] & np.uint32((1 << bits) - 1)).astype(np.float32) * np.float32(2.0**-bits)


def _uniform(key: int, counter: int, shape: tuple[int, ...], dtype: DataType) -> Tensor:
    return _to_unit_interval(_draw_words(key, counter, shape, 2 if dtype == DataType.DT_DOUBLE else 1), dtype).reshape(
        shape
    )


def _normal(key: int, counter: int, shape: tuple[int, ...], dtype: DataType) -> Tensor:
    """Return normal numbers by the Box-Muller transform: two numbers from two uniform ones."""
    count = math.prod(shape)
    claim(_NORMAL_BYTES * count)
    source = DataType.DT_DOUBLE if dtype == DataType.DT_DOUBLE else DataType.DT_FLOAT
    units = _uniform(key, counter, (count + count % 2,), source).reshape(-1, 2)
    number = units.dtype.type
    length = np.sqrt(number(-2) * _compute_in_double(np.log, np.maximum(units[:, 0], number(1e-7))))
    angle = (2 * math.pi * units[:, 1].astype(np.float64)).astype(number)
    pairs = np.stack([_compute_in_double(np.sin, angle) * length, _compute_in_double(np.cos, angle) * length], 1)
    return pairs.reshape(-1)[:count].reshape(shape)


def _compute_in_double(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """Apply a function in double precision and round once. NumPy's functions in single precision are less exact."""
    return function(x.astype(np.float64)).astype(x.dtype)


def _integers(key: int, counter: int, shape: tuple[int, ...], dtype: DataType) -> Tensor:
    """Return integers with all bits random."""
    numpy_dtype = dtype_of(dtype).numpy
    check(numpy_dtype.itemsize in (4, 8), f"random integers must be of 32 or 64 bits, not {numpy_dtype.name}")
    words = _draw_words(key, counter, shape, numpy_dtype.itemsize // 4)
    integers = words[:, 0] if numpy_dtype.itemsize == 4 else words[:, 0] | words[:, 1].astype(np.uint64) << _HALF
    return integers.astype(numpy_dtype).reshape(shape)


def _integers_in_range(
    key: int, counter: int, shape: tuple[int, ...], dtype: DataType, minval: Tensor, maxval: Tensor
) -> Tensor:
    low, high = read_scalar(minval, "minval"), read_scalar(maxval, "maxval")
    check(low < high, f"minval must be less than maxval, but they are {low} and {high}")
    unsigned = np.dtype(f"u{minval.dtype.itemsize}")
    integers = _integers(key, counter, shape, DataType.DT_UINT32 if unsigned.itemsize == 4 else DataType.DT_UINT64)
    return np.asarray(minval + (integers % unsigned.type(high - low)).astype(minval.dtype))


# --- the ops ---------------------------------------------------------------------------------------------------------


@kernel("StatelessRandomGetKeyCounter")
def get_key_counter(seed: Tensor) -> tuple[Tensor, Tensor]:
    key, counter = _key_and_counter(seed)
    return np.array([key], np.uint64), np.array([counter & _MASK, counter >> 64], np.uint64)


@kernel("StatelessRandomGetAlg")
def get_alg() -> Tensor:
    return np.array(_PHILOX, np.int32)


@kernel("StatelessRandomGetKeyCounterAlg")
def get_key_counter_alg(seed: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return *get_key_counter(seed), get_alg()


def _read_key_and_counter(key: Tensor, counter: Tensor, alg: Tensor) -> tuple[int, int]:
    check(read_scalar(alg, "alg") in (_PHILOX, _AUTO), f"alg must be 1 (Philox), not {alg}")
    check(key.shape == (1,), f"key must be one number, not of shape {show(key.shape)}")
    check(
        counter.ndim == 1 and counter.size >= 2,
        f"counter must be two numbers, not of shape {show(counter.shape)}",
    )
    return int(key[0]), int(counter[0]) | int(counter[1]) << 64


def _seed_kernel(distribution: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def compute(shape: Tensor, seed: Tensor, *limits: Tensor, dtype: DataType) -> Tensor:
        return distribution(*_key_and_counter(seed), read_shape(shape, "shape"), dtype, *limits)

    return compute


def _key_kernel(distribution: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def compute(shape: Tensor, key: Tensor, counter: Tensor, alg: Tensor, *limits: Tensor, dtype: DataType) -> Any:
        return distribution(*_read_key_and_counter(key, counter, alg), read_shape(shape, "shape"), dtype, *limits)

    return compute


STATELESS: dict[str, Callable[..., Tensor]] = {
    "StatelessRandomUniform": _uniform,
    "StatelessRandomNormal": _normal,
    "StatelessRandomUniformFullInt": _integers,
    "StatelessRandomUniformInt": _integers_in_range,
}

for _op, _distribution in STATELESS.items():
    kernel(_op)(_seed_kernel(_distribution))
    kernel(f"{_op}V2")(_key_kernel(_distribution))
