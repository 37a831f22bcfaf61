"""Gather, scatter, one-hot and other ops that read or write elements and slices by index."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ...errors import RunError
from ..runtime.argument_checks import (
    check,
    check_indices,
    int_list,
    normalize_axis,
    read_scalar,
    read_shape,
    show,
)
from ..runtime.arrays import zeros
from ..runtime.memory_limit import INDEX_BYTES, claim
from ..runtime.registry import Tensor, kernel

__all__ = ["put"]


@kernel("Gather")
def gather(params: Tensor, indices: Tensor) -> Tensor:
    check(params.ndim > 0, "params must not be a scalar")
    check_indices(indices, params.shape[0])
    return np.take(params, indices, 0)


@kernel("GatherV2")
def gather_v2(params: Tensor, indices: Tensor, axis: Tensor, *, batch_dims: int) -> Tensor:
    check(params.ndim > 0, "params must not be a scalar")
    place = normalize_axis(read_scalar(axis, "axis"), params.ndim)
    check(
        -indices.ndim <= batch_dims <= indices.ndim,
        f"batch_dims is {batch_dims}, but indices has {indices.ndim} dimensions",
    )
    batched = batch_dims + indices.ndim if batch_dims < 0 else batch_dims
    check(batched <= place, f"batch_dims is {batch_dims}, which is more than axis, {place}")
    check(
        params.shape[:batched] == indices.shape[:batched],
        f"params of shape {show(params.shape)} and indices of shape {show(indices.shape)} differ in the first "
        f"{batched} dimensions",
    )
    check_indices(indices, params.shape[place])
    if not batched:
        return np.take(params, indices, place)
    shape = params.shape
    batch, outer = math.prod(shape[:batched]), math.prod(shape[batched:place])
    flat = params.reshape((batch, outer, shape[place], math.prod(shape[place + 1 :])))
    wanted = indices.reshape((batch, 1, math.prod(indices.shape[batched:])))
    taken = flat[np.arange(batch)[:, None, None], np.arange(outer)[:, None], wanted]
    return taken.reshape(shape[:place] + indices.shape[batched:] + shape[place + 1 :])


@kernel("GatherNd")
def gather_nd(params: Tensor, indices: Tensor) -> Tensor:
    check(params.ndim > 0, "params must not be a scalar")
    check(indices.ndim > 0, "indices must not be a scalar")
    depth = indices.shape[-1]
    check(depth <= params.ndim, f"indices of {depth} are too long for params of {params.ndim} dimensions")
    shape = indices.shape[:-1] + params.shape[depth:]
    check(params.size or 0 in indices.shape[:-1], f"nothing can be picked from params of shape {show(params.shape)}")
    if 0 in shape:
        return np.empty(shape, params.dtype)
    return params.reshape((-1, *params.shape[depth:]))[flat_indices(indices, params.shape[:depth])]


def flat_indices(indices: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Return the flat position of each index along the last axis. Raises RunError if one is outside."""
    wide = indices.astype(np.int64)
    wrong = (wide < 0) | (wide >= np.array(shape, np.int64))
    if wrong.any():
        at = np.argwhere(wrong)[0][:-1].tolist()
        raise RunError(f"indices{show(at)} = {show(int_list(indices[tuple(at)]))} is not inside of {show(shape)}")
    strides = np.array([math.prod(shape[axis + 1 :]) for axis in range(len(shape))], np.int64)
    return np.asarray(wide @ strides)


@kernel("Where")
def where(x: Tensor) -> Tensor:
    check(x.ndim > 0, "the input must not be a scalar")
    claim(2 * INDEX_BYTES * x.ndim * int(np.count_nonzero(x)))
    return np.argwhere(x)


@kernel("OneHot")
def one_hot(indices: Tensor, depth: Tensor, on_value: Tensor, off_value: Tensor, *, axis: int) -> Tensor:
    count = read_scalar(depth, "depth")
    check(count >= 0, f"depth is {count}, but must not be negative")
    for name, value in (("on_value", on_value), ("off_value", off_value)):
        check(value.ndim == 0, f"{name} must be a scalar, not of shape {show(value.shape)}")
    check(-1 <= axis <= indices.ndim, f"axis is {axis}, but indices has {indices.ndim} dimensions")
    place = indices.ndim if axis == -1 else axis
    classes = np.arange(count).reshape([count] + [1] * (indices.ndim - place))
    return np.where(np.expand_dims(indices, place) == classes, on_value, off_value)


@kernel("UnravelIndex")
def unravel_index(indices: Tensor, dims: Tensor) -> Tensor:
    check(indices.ndim <= 1, f"indices must be a scalar or a vector, not of shape {show(indices.shape)}")
    check(dims.ndim == 1, f"dims must be a vector, not of shape {show(dims.shape)}")
    sizes = int_list(dims)
    check(min(sizes, default=1) > 0, f"dims is {show(sizes)}, but sizes must be positive")
    claim(indices.nbytes * (3 * len(sizes) + 4))
    left, places = np.abs(indices), []
    for size in reversed(sizes):
        left, place = np.divmod(left, size)
        places.append(place)
    check(not left[indices > 0].any(), f"an index is not inside of {show(sizes)}")
    return np.array(places[::-1], dims.dtype).reshape((len(sizes), *indices.shape)) * np.sign(indices)


_Put = Callable[[Tensor, Tensor, Tensor], Tensor]


@kernel("ScatterNd")
def scatter_nd(indices: Tensor, updates: Tensor, shape: Tensor) -> Tensor:
    check(shape.ndim == 1, f"shape must be a vector, not of shape {show(shape.shape)}")
    return put(np.add, zeros(read_shape(shape, "shape"), updates.dtype), indices, updates)


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
    """Apply updates at indices of `target` in place, by a function; without one, assign them, and the last wins.

    An index is as long as the last axis of `indices`, and picks an element or slice.
    """
    check(target.ndim > 0, "the result must not be a scalar")
    check(indices.ndim > 1, f"indices must be a matrix or more, not of shape {show(indices.shape)}")
    outer, depth = indices.shape[:-1], indices.shape[-1]
    check(1 <= depth <= target.ndim, f"indices of {depth} do not fit a tensor of {target.ndim} dimensions")
    wanted = outer + target.shape[depth:]
    check(updates.shape == wanted, f"updates are of shape {show(updates.shape)}, but must be {show(wanted)}")
    check(target.size or not indices.size, f"there are updates for a tensor of shape {show(target.shape)}")
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
