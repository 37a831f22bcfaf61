"""Random numbers: from the generator of the run, and stateless ones that follow from a seed tensor.

Ops with state use the generator of the run: two runs differ unless it is seeded. A node with a seed of its own
is refused: it asks for the numbers of TensorFlow's generator, and other numbers would look right but be wrong.

Stateless ops return the numbers of TensorFlow bit for bit; those of a normal distribution up to the last bit, since
logarithms and sines differ between platforms. They use Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random
numbers: as easy as 1, 2, 3", 2011): a block cipher of ten rounds makes four 32-bit words of a 128-bit counter, under a
64-bit key. The counter is incremented for every four words.

    StatelessRandomUniform      takes a seed of two integers, which gives key and counter
    StatelessRandomUniformV2    takes key and counter as tensors, which StatelessRandomGetKeyCounter makes of a seed
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...dtypes import dtype_of
from ...errors import RunError
from ...messages import DataType
from ..math.special import normal_quantile
from ..runtime.argument_checks import check, read_scalar, read_shape, show
from ..runtime.registry import Runtime, Tensor, kernel

__all__ = ["philox"]


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
    found = _generator(runtime, seed, seed2).random(read_shape(shape, "shape"), single)
    bits = {"float16": 10, "bfloat16": 7}.get(wanted.name)
    return np.asarray(found if bits is None else np.floor(found * 2**bits) / 2**bits)


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
    """Return normal numbers of at most two standard deviations from 0."""
    places = _generator(runtime, seed, seed2).random(read_shape(shape, "shape"))
    return normal_quantile(np.asarray(_BEYOND_TWO + places * (1 - 2 * _BEYOND_TWO)))


@kernel("RandomUniformInt")
def random_uniform_int(
    shape: Tensor, minval: Tensor, maxval: Tensor, *, seed: int, seed2: int, runtime: Runtime | None = None
) -> Tensor:
    low, high = read_scalar(minval, "minval"), read_scalar(maxval, "maxval")
    sizes = read_shape(shape, "shape")
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
    count = read_scalar(num_samples, "num_samples")
    check(logits.ndim == 2, f"logits must be a matrix, not of shape {show(logits.shape)}")
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
    sizes = read_shape(shape, "shape")
    return np.asarray(_generator(runtime, seed, seed2).standard_gamma(alpha, (*sizes, *alpha.shape)))


@kernel("RandomPoisson", "RandomPoissonV2")
def random_poisson(shape: Tensor, rate: Tensor, *, seed: int, seed2: int, runtime: Runtime | None = None) -> Tensor:
    check((rate >= 0).all(), "rate must not be negative")
    sizes = read_shape(shape, "shape")
    return np.asarray(_generator(runtime, seed, seed2).poisson(rate.astype(np.float64), (*sizes, *rate.shape)))


_MULTIPLIERS = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
_STEPS = (0x9E3779B9, 0xBB67AE85)  # of the key, from round to round
_ROUNDS = 10
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_SCRAMBLING_KEY = 0x02461E293EC8F720
_ALL = (1 << 64) - 1
_BLOCK = 1 << 14  # counters at a time
_PHILOX, _AUTO = 1, 3


# --- the generator ---------------------------------------------------------------------------------------------------


def philox(key: int, counter: int, count: int) -> Tensor:
    """The words for so many counters, from `counter` on: uint32 of shape (count, 4)."""
    found = np.empty((count, 4), np.uint32)
    for start in range(0, count, _BLOCK):
        _encipher(key, (counter + start) % (1 << 128), found[start : start + _BLOCK])
    return found


def _encipher(key: int, counter: int, found: Tensor) -> None:
    start = np.uint64(counter & _ALL)
    low = np.arange(len(found), dtype=np.uint64) + start
    high = np.uint64(counter >> 64) + (low < start)
    words = [low & _LOW, low >> _HALF, high & _LOW, high >> _HALF]
    first, second = key & 0xFFFFFFFF, key >> 32
    for _ in range(_ROUNDS):
        one, other = words[0] * _MULTIPLIERS[0], words[2] * _MULTIPLIERS[1]
        words = [
            (other >> _HALF) ^ words[1] ^ np.uint64(first),
            other & _LOW,
            (one >> _HALF) ^ words[3] ^ np.uint64(second),
            one & _LOW,
        ]
        first, second = (first + _STEPS[0]) & 0xFFFFFFFF, (second + _STEPS[1]) & 0xFFFFFFFF
    for place, each in enumerate(words):
        found[:, place] = each


def _scrambled(seed: Tensor) -> tuple[int, int]:
    """Return key and counter for a seed of two integers."""
    check(seed.shape == (2,), f"seed must be two integers, not of shape {show(seed.shape)}")
    one, other = (each & _ALL for each in seed.tolist())
    words = philox(_SCRAMBLING_KEY, one | other << 64, 1)[0].tolist()
    return words[0] | words[1] << 32, (words[2] | words[3] << 32) << 64


def _words(key: int, counter: int, shape: tuple[int, ...], each: int) -> Tensor:
    """Words for numbers of this shape, `each` for one: of shape (count, each)."""
    count = math.prod(shape)
    blocks = philox(key, counter, -(-count * each // 4))
    return blocks.reshape(-1, each)[:count]


# --- numbers of words ------------------------------------------------------------------------------------------------


def _unit(words: Tensor, dtype: DataType) -> Tensor:
    """Between 0 and 1: as many bits as a mantissa has."""
    if dtype == DataType.DT_DOUBLE:
        return np.asarray((words[:, 0] & np.uint32(0xFFFFF)) * 2.0**-20 + words[:, 1] * 2.0**-52)
    bits = {DataType.DT_HALF: 10, DataType.DT_BFLOAT16: 7}.get(dtype, 23)
    return (words[:, 0] & np.uint32((1 << bits) - 1)).astype(np.float32) * np.float32(2.0**-bits)


def _uniform(key: int, counter: int, shape: tuple[int, ...], dtype: DataType) -> Tensor:
    return _unit(_words(key, counter, shape, 2 if dtype == DataType.DT_DOUBLE else 1), dtype).reshape(shape)


def _normal(key: int, counter: int, shape: tuple[int, ...], dtype: DataType) -> Tensor:
    """By Box and Muller: two numbers of two."""
    count = math.prod(shape)
    source = DataType.DT_DOUBLE if dtype == DataType.DT_DOUBLE else DataType.DT_FLOAT
    units = _uniform(key, counter, (count + count % 2,), source).reshape(-1, 2)
    number = units.dtype.type
    length = np.sqrt(number(-2) * _exactly(np.log, np.maximum(units[:, 0], number(1e-7))))
    turn = (2 * math.pi * units[:, 1].astype(np.float64)).astype(number)
    both = np.stack([_exactly(np.sin, turn) * length, _exactly(np.cos, turn) * length], 1)
    return both.reshape(-1)[:count].reshape(shape)


def _exactly(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The nearest number to what a function gives. NumPy's own in single precision are some units off."""
    return function(x.astype(np.float64)).astype(x.dtype)


def _integers(key: int, counter: int, shape: tuple[int, ...], dtype: DataType) -> Tensor:
    """All bits of an integer."""
    wanted = dtype_of(dtype).numpy
    check(wanted.itemsize in (4, 8), f"there are no random {wanted.name}")
    words = _words(key, counter, shape, wanted.itemsize // 4)
    whole = words[:, 0] if wanted.itemsize == 4 else words[:, 0] | words[:, 1].astype(np.uint64) << _HALF
    return whole.astype(wanted).reshape(shape)


def _between(key: int, counter: int, shape: tuple[int, ...], dtype: DataType, minval: Tensor, maxval: Tensor) -> Tensor:
    low, high = read_scalar(minval, "minval"), read_scalar(maxval, "maxval")
    check(low < high, f"minval is {low}, which is not below maxval, {high}")
    unsigned = np.dtype(f"u{minval.dtype.itemsize}")
    drawn = _integers(key, counter, shape, DataType.DT_UINT32 if unsigned.itemsize == 4 else DataType.DT_UINT64)
    return np.asarray(minval + (drawn % unsigned.type(high - low)).astype(minval.dtype))


# --- the ops ---------------------------------------------------------------------------------------------------------


@kernel("StatelessRandomGetKeyCounter")
def get_key_counter(seed: Tensor) -> tuple[Tensor, Tensor]:
    key, counter = _scrambled(seed)
    return np.array([key], np.uint64), np.array([counter & _ALL, counter >> 64], np.uint64)


@kernel("StatelessRandomGetAlg")
def get_alg() -> Tensor:
    return np.array(_PHILOX, np.int32)


@kernel("StatelessRandomGetKeyCounterAlg")
def get_key_counter_alg(seed: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return *get_key_counter(seed), get_alg()


def _of_key(key: Tensor, counter: Tensor, alg: Tensor) -> tuple[int, int]:
    check(read_scalar(alg, "alg") in (_PHILOX, _AUTO), f"there is no generator of number {alg}: only 1, Philox")
    check(key.shape == (1,), f"key must be one number, not of shape {show(key.shape)}")
    check(
        counter.ndim == 1 and counter.size >= 2,
        f"counter must be two numbers, not of shape {show(counter.shape)}",
    )
    return int(key[0]), int(counter[0]) | int(counter[1]) << 64


def _seeded(made: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def computed(shape: Tensor, seed: Tensor, *limits: Tensor, dtype: DataType) -> Tensor:
        return made(*_scrambled(seed), read_shape(shape, "shape"), dtype, *limits)

    return computed


def _keyed(made: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def computed(shape: Tensor, key: Tensor, counter: Tensor, alg: Tensor, *limits: Tensor, dtype: DataType) -> Any:
        return made(*_of_key(key, counter, alg), read_shape(shape, "shape"), dtype, *limits)

    return computed


MADE: dict[str, Callable[..., Tensor]] = {
    "StatelessRandomUniform": _uniform,
    "StatelessRandomNormal": _normal,
    "StatelessRandomUniformFullInt": _integers,
    "StatelessRandomUniformInt": _between,
}

for _op, _made in MADE.items():
    kernel(_op)(_seeded(_made))
    kernel(f"{_op}V2")(_keyed(_made))
