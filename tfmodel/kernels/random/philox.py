"""Philox4x32-10, and the distributions of its words: the numbers of TensorFlow bit for bit.

Philox (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011) is a block cipher: ten
rounds encrypt a 128-bit counter into four 32-bit words, under a 64-bit key. The counter is incremented for every four
words. Numbers of a normal distribution may differ from TensorFlow's in the last bit, since logarithms and sines differ
between platforms.

A distribution takes a key, the first counter, the shape of the result and its type.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ...messages import DataType
from ...values.dtypes import dtype_of
from ..runtime.argument_checks import check, read_scalar
from ..runtime.memory_limit import claim
from ..runtime.registry import Tensor

_MULTIPLIERS = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
_KEY_STEPS = (0x9E3779B9, 0xBB67AE85)
"""The increments of the key for each round."""
_ROUNDS = 10
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
MASK = (1 << 64) - 1
_BLOCK = 1 << 14
"""The number of counters that are encrypted at once."""
_WORDS_IN_COPIES = 6
"""The memory of random words while they become numbers, in multiples of the words."""
_NORMAL_BYTES = 64
"""The memory of a normal number while it is computed in double precision."""
_TRUNCATED_BYTES = 128
_MOST_DEVIATIONS = 2
RESERVED = 256
"""The counters that ops with state set aside for each number that they return."""


def philox(key: int, counter: int, count: int) -> Tensor:
    """Return the words of `count` counters from `counter` on: uint32 of shape (count, 4)."""
    words = np.empty((count, 4), np.uint32)
    for start in range(0, count, _BLOCK):
        block = words[start : start + _BLOCK]
        _encrypt(key, (counter + start) % (1 << 128), np.arange(len(block), dtype=np.uint64), block)
    return words


def philox_at(key: int, counter: int, offsets: Tensor) -> Tensor:
    """Return the words of the counters at these distances from `counter`: uint32 of shape (offsets, 4)."""
    words = np.empty((len(offsets), 4), np.uint32)
    for start in range(0, len(offsets), _BLOCK):
        end = start + _BLOCK
        _encrypt(key, counter % (1 << 128), offsets[start:end].astype(np.uint64), words[start:end])
    return words


def _encrypt(key: int, counter: int, offsets: Tensor, output: Tensor) -> None:
    start = np.uint64(counter & MASK)
    low = offsets + start
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


def draw_words(key: int, counter: int, shape: tuple[int, ...], word_count: int) -> Tensor:
    """Return `word_count` words for each number of this shape: an array of shape (numbers, word_count)."""
    count = math.prod(shape)
    claim(_WORDS_IN_COPIES * 4 * word_count * count)
    blocks = philox(key, counter, -(-count * word_count // 4))
    return blocks.reshape(-1, word_count)[:count]


# --- distributions ---------------------------------------------------------------------------------------------------


def to_unit_interval(words: Tensor, dtype: DataType) -> Tensor:
    """Return numbers in [0, 1), with as many bits as the mantissa has."""
    if dtype == DataType.DT_DOUBLE:
        return np.asarray((words[:, 0] & np.uint32(0xFFFFF)) * 2.0**-20 + words[:, 1] * 2.0**-52)
    bits = {DataType.DT_HALF: 10, DataType.DT_BFLOAT16: 7}.get(dtype, 23)
    return (words[:, 0] & np.uint32((1 << bits) - 1)).astype(np.float32) * np.float32(2.0**-bits)


def uniform(key: int, counter: int, shape: tuple[int, ...], dtype: DataType) -> Tensor:
    return to_unit_interval(draw_words(key, counter, shape, 2 if dtype == DataType.DT_DOUBLE else 1), dtype).reshape(
        shape
    )


def normal(key: int, counter: int, shape: tuple[int, ...], dtype: DataType) -> Tensor:
    """Return normal numbers by the Box-Muller transform: two numbers from two uniform ones."""
    count = math.prod(shape)
    claim(_NORMAL_BYTES * count)
    source = DataType.DT_DOUBLE if dtype == DataType.DT_DOUBLE else DataType.DT_FLOAT
    units = uniform(key, counter, (count + count % 2,), source)
    return _box_muller(units).reshape(-1)[:count].reshape(shape)


def _box_muller(units: Tensor) -> Tensor:
    """Return pairs of normal numbers for pairs of uniform ones."""
    units = units.reshape(-1, 2)
    number = units.dtype.type
    length = np.sqrt(number(-2) * _compute_in_double(np.log, np.maximum(units[:, 0], number(1e-7))))
    angle = (2 * math.pi * units[:, 1].astype(np.float64)).astype(number)
    return np.stack([_compute_in_double(np.sin, angle) * length, _compute_in_double(np.cos, angle) * length], 1)


def truncated_normal(key: int, counter: int, shape: tuple[int, ...], dtype: DataType) -> Tensor:
    """Return normal numbers within two standard deviations of 0: others are drawn again.

    The numbers are in groups of as many as four words make. RESERVED counters are set aside for each number, so that
    each group begins at a place of its own.
    """
    count = math.prod(shape)
    is_double = dtype == DataType.DT_DOUBLE
    size = 2 if is_double else 4
    groups = -(-count // size)
    claim(_TRUNCATED_BYTES * count)
    numbers = np.empty((groups, size), np.float64 if is_double else np.float32)
    filled = np.zeros(groups, np.intp)
    pending = np.arange(groups)
    draw = 0
    while pending.size:
        words = philox_at(key, counter, pending * (size * RESERVED // 4) + draw).reshape(-1, 2 if is_double else 1)
        units = to_unit_interval(words, DataType.DT_DOUBLE if is_double else DataType.DT_FLOAT)
        for column in _box_muller(units).reshape(-1, size).T:
            taken = (np.abs(column) < _MOST_DEVIATIONS) & (filled[pending] < size)
            numbers[pending[taken], filled[pending[taken]]] = column[taken]
            filled[pending] += taken
        pending, draw = pending[filled[pending] < size], draw + 1
    return numbers.reshape(-1)[:count].reshape(shape)


def _compute_in_double(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """Apply a function in double precision and round once. NumPy's functions in single precision are less exact."""
    return function(x.astype(np.float64)).astype(x.dtype)


def integers(key: int, counter: int, shape: tuple[int, ...], dtype: DataType) -> Tensor:
    """Return integers with all bits random."""
    numpy_dtype = dtype_of(dtype).numpy
    check(numpy_dtype.itemsize in (4, 8), f"random integers must be of 32 or 64 bits, not {numpy_dtype.name}")
    words = draw_words(key, counter, shape, numpy_dtype.itemsize // 4)
    integers = words[:, 0] if numpy_dtype.itemsize == 4 else words[:, 0] | words[:, 1].astype(np.uint64) << _HALF
    return integers.astype(numpy_dtype).reshape(shape)


def integers_in_range(
    key: int, counter: int, shape: tuple[int, ...], dtype: DataType, minval: Tensor, maxval: Tensor
) -> Tensor:
    low, high = read_scalar(minval, "minval"), read_scalar(maxval, "maxval")
    check(low < high, f"minval must be less than maxval, but they are {low} and {high}")
    unsigned = np.dtype(f"u{minval.dtype.itemsize}")
    numbers = integers(key, counter, shape, DataType.DT_UINT32 if unsigned.itemsize == 4 else DataType.DT_UINT64)
    return np.asarray(minval + (numbers % unsigned.type(high - low)).astype(minval.dtype))
