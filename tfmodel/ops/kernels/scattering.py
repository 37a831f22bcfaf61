"""Ops that put elements and slices into tensors, by their indices."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from .checking import blank, check, check_indices, shape_of, shown
from .gathering import flat_indices
from .registry import Tensor, kernel

__all__ = ["put"]

_Put = Callable[[Tensor, Tensor, Tensor], Tensor]


@kernel("ScatterNd")
def scatter_nd(indices: Tensor, updates: Tensor, shape: Tensor) -> Tensor:
    check(shape.ndim == 1, f"shape must be a vector, not of shape {shown(shape.shape)}")
    return put(np.add, blank(shape_of(shape, "shape"), updates.dtype), indices, updates)


def _scatter(function: np.ufunc | None) -> _Put:
    def scatter(x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
        return put(function, x.copy(), indices, updates)

    return scatter


_FUNCTIONS: dict[str, np.ufunc | None] = {
    "TensorScatterUpdate": None,
    "TensorScatterAdd": np.add,
    "TensorScatterSub": np.subtract,
    "TensorScatterMin": np.minimum,
    "TensorScatterMax": np.maximum,
    "ScatterNdNonAliasingAdd": np.add,
}

for _op, _function in _FUNCTIONS.items():
    kernel(_op)(_scatter(_function))


def put(function: np.ufunc | None, target: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """The target itself, with updates put to its indices by a function; without one they are assigned, the last wins.

    An index is as long as the last axis of `indices`, and picks an element or slice.
    """
    check(target.ndim > 0, "the result must not be a scalar")
    check(indices.ndim > 1, f"indices must be a matrix or more, not of shape {shown(indices.shape)}")
    outer, depth = indices.shape[:-1], indices.shape[-1]
    check(1 <= depth <= target.ndim, f"indices of {depth} do not fit a tensor of {target.ndim} dimensions")
    wanted = outer + target.shape[depth:]
    check(updates.shape == wanted, f"updates are of shape {shown(updates.shape)}, but must be {shown(wanted)}")
    check(target.size or not indices.size, f"there are updates for a tensor of shape {shown(target.shape)}")
    if not updates.size:
        return target
    rows = flat_indices(indices.reshape((math.prod(outer), depth)), target.shape[:depth])
    slices = target.reshape((math.prod(target.shape[:depth]), *target.shape[depth:]))
    values = updates.reshape((len(rows), *target.shape[depth:]))
    if function is None:
        slices[rows] = values
    elif np.unique(rows).size == rows.size:
        slices[rows] = function(slices[rows], values)
    else:
        function.at(slices, rows, values)
    return target


# --- stitching -------------------------------------------------------------------------------------------------------


@kernel("DynamicStitch", "ParallelDynamicStitch")
def dynamic_stitch(*tensors: Tensor) -> Tensor:
    """Slices in the order that indices say. Where several have one index, the last wins; rows of none are zero."""
    count = len(tensors) // 2
    indices, data = tensors[:count], tensors[count:]
    rest = data[0].shape[indices[0].ndim :]
    for where, what in zip(indices, data, strict=True):
        check(
            what.shape == where.shape + rest,
            f"data of shape {shown(what.shape)} does not fit indices of shape {shown(where.shape)} and slices of "
            f"shape {shown(rest)}",
        )
    rows = np.concatenate([each.reshape(-1) for each in indices])
    check_indices(rows, 2**31 - 1)
    result = blank((int(rows.max(initial=-1)) + 1, *rest), data[0].dtype)
    result[rows] = np.concatenate([what.reshape((-1, *rest)) for what in data]) if result.size else 0
    return result
