"""Shapes of tensors, arithmetic on shapes, and reshaping without moving elements."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from ...errors import RunError
from ...messages import DataType
from ..runtime.argument_checks import (
    check,
    check_rank,
    int_list,
    normalize_axis,
    read_scalar,
    read_shape,
    read_vector,
    show,
)
from ..runtime.memory_limit import LIST_ITEM_BYTES, claim
from ..runtime.registry import Tensor, kernel

__all__: list[str] = []


@kernel("Shape")
def shape(x: Tensor, *, out_type: DataType) -> Tensor:
    most = 2**31 if out_type == DataType.DT_INT32 else 2**63
    check(max(x.shape, default=0) < most, f"the shape {show(x.shape)} does not fit into the type of the output")
    return np.array(x.shape, np.int64)


@kernel("ShapeN")
def shapes(*tensors: Tensor, out_type: DataType) -> list[Tensor]:
    return [shape(each, out_type=out_type) for each in tensors]


@kernel("Size")
def size(x: Tensor, *, out_type: DataType) -> Tensor:
    most = 2**31 if out_type == DataType.DT_INT32 else 2**63
    check(x.size < most, f"the number of elements, {x.size:,}, does not fit into the type of the output")
    return np.array(x.size, np.int64)


@kernel("Rank")
def rank(x: Tensor) -> Tensor:
    return np.array(x.ndim, np.int32)


# --- the same elements in another shape ------------------------------------------------------------------------------


@kernel("Reshape")
def reshape(x: Tensor, shape: Tensor) -> Tensor:
    check(shape.ndim <= 1, f"shape must be a vector, not of shape {show(shape.shape)}")
    check_rank(shape, "shape")
    sizes = int_list(shape.reshape(-1))
    check(
        sizes.count(-1) <= 1 and min(sizes, default=0) >= -1,
        f"shape is {show(sizes)}, but only one size may be -1, and no other negative",
    )
    known = math.prod(size for size in sizes if size > 0 or -1 not in sizes)
    if -1 in sizes:  # where a 0 is asked for, those of the tensor do not count either
        elements = math.prod(size for size in x.shape if size or 0 not in sizes)
        sizes[sizes.index(-1)] = elements // known
    if math.prod(sizes) != x.size:
        asked = int_list(shape.reshape(-1))
        count = "none" if 0 in asked else f"a multiple of {known:,}" if -1 in asked else f"{known:,}"
        check(
            False,
            f"a tensor of shape {show(x.shape)} has {_elements(x.size)}, shape {show(asked)} wants {count}",
        )
    return x.reshape(sizes)


def _elements(count: int) -> str:
    return "1 element" if count == 1 else f"{count:,} elements"


@kernel("Squeeze")
def squeeze(x: Tensor, *, squeeze_dims: Sequence[int]) -> Tensor:
    axes = {normalize_axis(axis, x.ndim, "squeeze_dims") for axis in squeeze_dims}
    for axis in axes:
        check(x.shape[axis] == 1, f"dimension {axis} of {show(x.shape)} cannot be squeezed, as it is not 1")
    if not axes:
        return x.reshape([size for size in x.shape if size != 1])
    return x.reshape([size for axis, size in enumerate(x.shape) if axis not in axes])


@kernel("ExpandDims")
def expand_dims(x: Tensor, dim: Tensor) -> Tensor:
    check(dim.size == 1, f"dim must be one number, not of shape {show(dim.shape)}")
    return np.expand_dims(x, normalize_axis(dim.item(), x.ndim + 1, "dim"))


@kernel("BroadcastTo")
def broadcast_to(x: Tensor, shape: Tensor) -> Tensor:
    sizes = read_shape(shape, "shape")
    check(shape.ndim == 1, f"shape must be a vector, not of shape {show(shape.shape)}")
    check(
        x.ndim <= len(sizes) and all(own in (1, size) for own, size in zip(x.shape[::-1], sizes[::-1], strict=False)),
        f"a tensor of shape {show(x.shape)} cannot be broadcast to {show(sizes)}",
    )
    return np.broadcast_to(x, sizes)


# --- shapes as tensors -----------------------------------------------------------------------------------------------


@kernel("BroadcastArgs")
def broadcast_args(s0: Tensor, s1: Tensor) -> Tensor:
    one, other = read_vector(s0, "s0"), read_vector(s1, "s1")
    return np.array(_broadcast(one, other), s0.dtype)


def _broadcast(one: Sequence[int], other: Sequence[int]) -> list[int]:
    sizes = []
    for a, b in itertools.zip_longest(one[::-1], other[::-1], fillvalue=1):
        if a != b and 1 not in (a, b):
            raise RunError(f"the shapes {show(one)} and {show(other)} cannot be broadcast to one")
        sizes.append(b if a == 1 else a)
    return sizes[::-1]


@kernel("BroadcastGradientArgs")
def broadcast_gradient_args(s0: Tensor, s1: Tensor) -> tuple[Tensor, Tensor]:
    """Return the axes over which the gradients of two broadcast inputs are summed."""
    claim(3 * LIST_ITEM_BYTES * (s0.size + s1.size))
    one, other = read_vector(s0, "s0"), read_vector(s1, "s1")
    if one == other:
        return np.empty(0, s0.dtype), np.empty(0, s0.dtype)
    rank = len(_broadcast(one, other))
    padded = [[1] * (rank - len(each)) + each for each in (one, other)]
    a, b = ([axis for axis, size in enumerate(each) if size == 1] for each in padded)
    return np.array(a, s0.dtype), np.array(b, s0.dtype)


@kernel("ConcatOffset")
def concat_offset(concat_dim: Tensor, *shapes: Tensor) -> list[Tensor]:
    """Return the offset of each shape in their concatenation."""
    rows = [read_vector(each, "shape", shapes[0].size) for each in shapes]
    axis = normalize_axis(read_scalar(concat_dim, "concat_dim"), len(rows[0]), "concat_dim")
    for row in rows[1:]:
        same = row[:axis] + row[axis + 1 :] == rows[0][:axis] + rows[0][axis + 1 :]
        check(same, f"the shapes {show(rows[0])} and {show(row)} differ in more than dimension {axis}")
    starts = itertools.accumulate([row[axis] for row in rows[:-1]], initial=0)
    offsets = np.zeros((len(rows), len(rows[0])), np.int32)
    offsets[:, axis] = list(starts)
    return list(offsets)


# --- numbers in a row ------------------------------------------------------------------------------------------------
