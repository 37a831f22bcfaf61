"""Kernels of stateless random numbers, which are those of TensorFlow.

StatelessRandomUniform      takes a seed of two integers, from which key and counter are derived
StatelessRandomUniformV2    takes key and counter as tensors, the outputs of StatelessRandomGetKeyCounter
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...messages import DataType
from ..runtime.argument_checks import check, read_scalar, read_shape, show
from ..runtime.registry import Tensor, kernel
from .philox import MASK, integers, integers_in_range, normal, philox, truncated_normal, uniform

_SCRAMBLING_KEY = 0x02461E293EC8F720
_PHILOX, _AUTO = 1, 3
"""Values of `alg`."""


def _key_and_counter(seed: Tensor) -> tuple[int, int]:
    """Return key and counter for a seed of two integers."""
    check(seed.shape == (2,), f"seed must be two integers, not of shape {show(seed.shape)}")
    low, high = (number & MASK for number in seed.tolist())
    words = philox(_SCRAMBLING_KEY, low | high << 64, 1)[0].tolist()
    return words[0] | words[1] << 32, (words[2] | words[3] << 32) << 64


@kernel("StatelessRandomGetKeyCounter")
def get_key_counter(seed: Tensor) -> tuple[Tensor, Tensor]:
    key, counter = _key_and_counter(seed)
    return np.array([key], np.uint64), np.array([counter & MASK, counter >> 64], np.uint64)


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
    "StatelessRandomUniform": uniform,
    "StatelessRandomNormal": normal,
    "StatelessRandomUniformFullInt": integers,
    "StatelessRandomUniformInt": integers_in_range,
    "StatelessTruncatedNormal": truncated_normal,
}

for _op, _distribution in STATELESS.items():
    kernel(_op)(_seed_kernel(_distribution))
    kernel(f"{_op}V2")(_key_kernel(_distribution))
