"""Comparisons, logical ops, Select and ClipByValue."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..runtime.argument_checks import check, show
from ..runtime.registry import Tensor, kernel

__all__ = ["COMPARISONS", "broadcastable"]

COMPARISONS: dict[str, Binary] = {
    "Less": np.less,
    "LessEqual": np.less_equal,
    "Greater": np.greater,
    "GreaterEqual": np.greater_equal,
    "LogicalAnd": np.logical_and,
    "LogicalOr": np.logical_or,
}


for _op, _function in COMPARISONS.items():
    kernel(_op)(_of_two(_function))


@kernel("Equal")
def equal(x: Tensor, y: Tensor, *, incompatible_shape_error: bool) -> Tensor:
    if not incompatible_shape_error and not broadcastable(x.shape, y.shape):
        return np.asarray(False)
    return np.asarray(np.equal(x, y))


@kernel("NotEqual")
def not_equal(x: Tensor, y: Tensor, *, incompatible_shape_error: bool) -> Tensor:
    if not incompatible_shape_error and not broadcastable(x.shape, y.shape):
        return np.asarray(True)
    return np.asarray(np.not_equal(x, y))


def broadcastable(shape: Sequence[int], other: Sequence[int]) -> bool:
    """Return whether two shapes can be broadcast."""
    return all(a == b or 1 in (a, b) for a, b in zip(reversed(shape), reversed(other), strict=False))


@kernel("ApproximateEqual")
def approximate_equal(x: Tensor, y: Tensor, *, tolerance: float) -> Tensor:
    _check_same(x, y)
    return np.asarray(np.abs(x - y) <= np.asarray(tolerance).astype(x.real.dtype))


# --- choosing --------------------------------------------------------------------------------------------------------


@kernel("SelectV2")
def select_v2(condition: Tensor, t: Tensor, e: Tensor) -> Tensor:
    return np.where(condition, t, e)


@kernel("Select")
def select(condition: Tensor, t: Tensor, e: Tensor) -> Tensor:
    """A condition that is a vector chooses rows."""
    _check_same(t, e)
    if condition.ndim == 0:
        return t if condition else e
    if condition.shape != t.shape:
        check(
            condition.ndim == 1 and condition.shape == t.shape[:1],
            f"a condition of shape {show(condition.shape)} cannot choose between tensors of shape {show(t.shape)}",
        )
        condition = condition.reshape(-1, *(1,) * (t.ndim - 1))
    return np.where(condition, t, e)


@kernel("ClipByValue")
def clip_by_value(t: Tensor, clip_value_min: Tensor, clip_value_max: Tensor) -> Tensor:
    for bound in (clip_value_min, clip_value_max):
        check(
            bound.ndim == 0 or bound.shape == t.shape,
            f"limits must be scalars or of shape {show(t.shape)}, and one is of shape {show(bound.shape)}",
        )
    if not any((bound != bound).any() for bound in (clip_value_min, clip_value_max)):
        return np.asarray(np.maximum(np.minimum(t, clip_value_max), clip_value_min))
    lowered = np.where(clip_value_max < t, clip_value_max, t)  # a limit that is NaN limits nothing
    return np.where(lowered < clip_value_min, clip_value_min, lowered)


def _check_same(x: Tensor, y: Tensor) -> None:
    check(x.shape == y.shape, f"its inputs must be of one shape, and are {show(x.shape)} and {show(y.shape)}")
