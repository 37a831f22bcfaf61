"""Reductions along axes, ArgMax, and cumulative ops.

Floats are summed in double precision, so that long sums are as exact as those of TensorFlow, which adds in pairs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..runtime.argument_checks import check, int_list, normalize_axis, read_scalar, show
from ..runtime.arrays import widen_halves
from ..runtime.memory_limit import claim
from ..runtime.registry import Tensor, kernel

__all__ = ["REDUCTIONS"]

Reduction = Callable[[Tensor, tuple[int, ...], bool], Tensor]


def _accumulator(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type in which numbers are added up: integers wrap around in their own."""
    return {"f": np.dtype(np.float64), "c": np.dtype(np.complex128)}.get(dtype.kind, dtype)


def _sum(x: Tensor, axes: tuple[int, ...], keep: bool) -> Tensor:
    return np.asarray(np.sum(x, axes, _accumulator(x.dtype), keepdims=keep))


def _mean(x: Tensor, axes: tuple[int, ...], keep: bool) -> Tensor:
    """Integers are added up in 64 bits, and their mean is rounded towards zero."""
    count = math.prod(x.shape[axis] for axis in axes)
    if x.dtype.kind not in "iu":
        return np.asarray(_sum(x, axes, keep) / np.float64(count))
    total = np.asarray(np.sum(x, axes, np.int64 if x.dtype.kind == "i" else np.uint64, keepdims=keep))
    check(count or not total.size, "there is no mean of no integers")
    count = total.dtype.type(max(count, 1))
    return np.asarray((total - np.fmod(total, count)) // count)


def _product(x: Tensor, axes: tuple[int, ...], keep: bool) -> Tensor:
    return np.asarray(np.prod(x, axes, x.dtype, keepdims=keep))


def _euclidean_norm(x: Tensor, axes: tuple[int, ...], keep: bool) -> Tensor:
    claim(24 * x.size)
    squares = np.square(np.abs(x).astype(_accumulator(x.real.dtype), copy=False))
    return np.asarray(np.sqrt(_sum(squares, axes, keep)))


def lowest(dtype: np.dtype[Any]) -> Any:
    """Return the maximum of an empty tensor."""
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def highest(dtype: np.dtype[Any]) -> Any:
    """Return the minimum of an empty tensor."""
    return np.inf if dtype.kind == "f" else np.iinfo(dtype).max


def _max(x: Tensor, axes: tuple[int, ...], keep: bool) -> Tensor:
    return np.asarray(np.max(x, axes, keepdims=keep, initial=lowest(x.dtype)))


def _min(x: Tensor, axes: tuple[int, ...], keep: bool) -> Tensor:
    return np.asarray(np.min(x, axes, keepdims=keep, initial=highest(x.dtype)))


REDUCTIONS: dict[str, Reduction] = {
    "Sum": _sum,
    "Mean": _mean,
    "Prod": _product,
    "Max": _max,
    "Min": _min,
    "All": lambda x, axes, keep: np.all(x, axes, keepdims=keep),
    "Any": lambda x, axes, keep: np.any(x, axes, keepdims=keep),
    "EuclideanNorm": _euclidean_norm,
}


def _along(function: Reduction) -> Callable[..., Tensor]:
    def computed(input: Tensor, reduction_indices: Tensor, *, keep_dims: bool) -> Tensor:
        return function(widen_halves(input), _axes(reduction_indices, input.ndim), keep_dims)

    return computed


def _axes(indices: Tensor, rank: int) -> tuple[int, ...]:
    axes = tuple(normalize_axis(axis, rank) for axis in int_list(indices.reshape(-1)))
    check(len(set(axes)) == len(axes), f"axes {show(axes)} name one twice")
    return axes


for _op, _function in REDUCTIONS.items():
    kernel(_op)(_along(_function))


# --- where the largest is --------------------------------------------------------------------------------------------


@kernel("ArgMax")
def arg_max(input: Tensor, dimension: Tensor) -> Tensor:
    return _first(input, dimension, lowest, np.argmax)


@kernel("ArgMin")
def arg_min(input: Tensor, dimension: Tensor) -> Tensor:
    return _first(input, dimension, highest, np.argmin)


def _first(x: Tensor, dimension: Tensor, worst: Callable[[np.dtype[Any]], Any], find: Callable[..., Any]) -> Tensor:
    axis = normalize_axis(read_scalar(dimension, "dimension"), x.ndim, "dimension")
    check(x.shape[axis], f"axis {axis} of {show(x.shape)} is empty")
    if x.dtype.kind == "f" and np.isnan(x).any():
        x = np.where(np.isnan(x), x.dtype.type(worst(x.dtype)), x)  # NumPy finds the first NaN, TensorFlow none
    return np.asarray(find(x, axis))


# --- running totals --------------------------------------------------------------------------------------------------


def _scan(function: Callable[..., Tensor], start: float) -> Callable[..., Tensor]:
    def computed(x: Tensor, axis: Tensor, *, exclusive: bool, reverse: bool) -> Tensor:
        along = normalize_axis(read_scalar(axis, "axis"), x.ndim)
        x = np.flip(widen_halves(x), along) if reverse else widen_halves(x)
        if exclusive and x.shape[along]:
            first = np.full_like(_part(x, along, slice(0, 1)), start)
            x = np.concatenate([first, _part(x, along, slice(-1))], along)
        found = function(x, along, x.dtype)
        return np.flip(found, along) if reverse else found

    return computed


def _part(x: Tensor, axis: int, span: slice) -> Tensor:
    whole: Sequence[slice] = (slice(None),) * axis
    return x[(*whole, span)]


SCANS: dict[str, tuple[Callable[..., Tensor], float]] = {
    "Cumsum": (np.add.accumulate, 0),
    "Cumprod": (np.multiply.accumulate, 1),
    "CumulativeLogsumexp": (np.logaddexp.accumulate, -np.inf),
}
"""The function that gives all totals, and the total of nothing."""

for _op, (_totals, _start) in SCANS.items():
    kernel(_op)(_scan(_totals, _start))
