"""Ops that pick elements and slices out of tensors by their indices."""

from __future__ import annotations

import math

import numpy as np

from ...errors import RunError
from .checking import axis_of, check, check_indices, listed, scalar, shown
from .registry import Tensor, kernel
from .room import INDEX, claim

__all__: list[str] = []


@kernel("Gather")
def gather(params: Tensor, indices: Tensor) -> Tensor:
    check(params.ndim > 0, "params must not be a scalar")
    check_indices(indices, params.shape[0])
    return np.take(params, indices, 0)


@kernel("GatherV2")
def gather_v2(params: Tensor, indices: Tensor, axis: Tensor, *, batch_dims: int) -> Tensor:
    check(params.ndim > 0, "params must not be a scalar")
    place = axis_of(scalar(axis, "axis"), params.ndim)
    check(
        -indices.ndim <= batch_dims <= indices.ndim,
        f"batch_dims is {batch_dims}, but indices has {indices.ndim} dimensions",
    )
    batched = batch_dims + indices.ndim if batch_dims < 0 else batch_dims
    check(batched <= place, f"batch_dims is {batch_dims}, which is more than axis, {place}")
    check(
        params.shape[:batched] == indices.shape[:batched],
        f"params of shape {shown(params.shape)} and indices of shape {shown(indices.shape)} differ in the first "
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
    check(params.size or 0 in indices.shape[:-1], f"nothing can be picked from params of shape {shown(params.shape)}")
    if 0 in shape:
        return np.empty(shape, params.dtype)
    return params.reshape((-1, *params.shape[depth:]))[flat_indices(indices, params.shape[:depth])]


def flat_indices(indices: Tensor, shape: tuple[int, ...]) -> Tensor:
    """One number for each index along the last axis: its place in a flattened tensor. RunError if it is in none."""
    wide = indices.astype(np.int64)
    wrong = (wide < 0) | (wide >= np.array(shape, np.int64))
    if wrong.any():
        at = np.argwhere(wrong)[0][:-1].tolist()
        raise RunError(f"indices{shown(at)} = {shown(listed(indices[tuple(at)]))} is not inside of {shown(shape)}")
    strides = np.array([math.prod(shape[axis + 1 :]) for axis in range(len(shape))], np.int64)
    return np.asarray(wide @ strides)


@kernel("Where")
def where(x: Tensor) -> Tensor:
    check(x.ndim > 0, "the input must not be a scalar")
    claim(2 * INDEX * x.ndim * int(np.count_nonzero(x)))
    return np.argwhere(x)


@kernel("OneHot")
def one_hot(indices: Tensor, depth: Tensor, on_value: Tensor, off_value: Tensor, *, axis: int) -> Tensor:
    count = scalar(depth, "depth")
    check(count >= 0, f"depth is {count}, but must not be negative")
    for name, value in (("on_value", on_value), ("off_value", off_value)):
        check(value.ndim == 0, f"{name} must be a scalar, not of shape {shown(value.shape)}")
    check(-1 <= axis <= indices.ndim, f"axis is {axis}, but indices has {indices.ndim} dimensions")
    place = indices.ndim if axis == -1 else axis
    classes = np.arange(count).reshape([count] + [1] * (indices.ndim - place))
    return np.where(np.expand_dims(indices, place) == classes, on_value, off_value)


@kernel("UnravelIndex")
def unravel_index(indices: Tensor, dims: Tensor) -> Tensor:
    check(indices.ndim <= 1, f"indices must be a scalar or a vector, not of shape {shown(indices.shape)}")
    check(dims.ndim == 1, f"dims must be a vector, not of shape {shown(dims.shape)}")
    sizes = listed(dims)
    check(min(sizes, default=1) > 0, f"dims is {shown(sizes)}, but sizes must be positive")
    claim(indices.nbytes * (3 * len(sizes) + 4))
    left, places = np.abs(indices), []
    for size in reversed(sizes):
        left, place = np.divmod(left, size)
        places.append(place)
    check(not left[indices > 0].any(), f"an index is not inside of {shown(sizes)}")
    return np.array(places[::-1], dims.dtype).reshape((len(sizes), *indices.shape)) * np.sign(indices)


@kernel("DynamicPartition")
def dynamic_partition(data: Tensor, partitions: Tensor, *, num_partitions: int) -> list[Tensor]:
    check(
        data.shape[: partitions.ndim] == partitions.shape,
        f"the shape of data, {shown(data.shape)}, does not begin with that of partitions, {shown(partitions.shape)}",
    )
    check_indices(partitions, num_partitions, "partitions")
    claim(3 * INDEX * partitions.size + data.nbytes + 25 * INDEX * num_partitions)  # each is an array of its own
    rows = data.reshape((partitions.size, *data.shape[partitions.ndim :]))
    numbers = partitions.reshape(-1)
    order = np.argsort(numbers, kind="stable")
    return np.split(rows[order], np.searchsorted(numbers[order], np.arange(1, num_partitions)))
