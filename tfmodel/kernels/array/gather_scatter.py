"""Kernels that read or write elements by index, or find them: Gather, Scatter, OneHot, Unique."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ...errors import RunError
from ..runtime.argument_checks import (
    check,
    check_indices,
    check_kind,
    int_list,
    normalize_axis,
    read_scalar,
    read_shape,
    read_vector,
    show,
    zeros,
)
from ..runtime.memory_limit import INDEX_BYTES, claim, claim_array
from ..runtime.registry import Tensor, kernel


@kernel("Gather")
def gather(params: Tensor, indices: Tensor) -> Tensor:
    check(params.ndim > 0, "params must not be a scalar")
    check_indices(indices, params.shape[0])
    return np.take(params, indices, 0)


@kernel("GatherV2")
def gather_v2(params: Tensor, indices: Tensor, axis: Tensor, *, batch_dims: int) -> Tensor:
    check(params.ndim > 0, "params must not be a scalar")
    dim = normalize_axis(read_scalar(axis, "axis"), params.ndim)
    check(
        -indices.ndim <= batch_dims <= indices.ndim,
        f"batch_dims is {batch_dims}, but indices has {indices.ndim} dimensions",
    )
    batched = batch_dims + indices.ndim if batch_dims < 0 else batch_dims
    check(batched <= dim, f"batch_dims is {batch_dims}, which is more than axis, {dim}")
    check(
        params.shape[:batched] == indices.shape[:batched],
        f"params of shape {show(params.shape)} and indices of shape {show(indices.shape)} differ in the first "
        f"{batched} dimensions",
    )
    check_indices(indices, params.shape[dim])
    if not batched:
        return np.take(params, indices, dim)
    shape = params.shape
    batch, outer = math.prod(shape[:batched]), math.prod(shape[batched:dim])
    flat = params.reshape((batch, outer, shape[dim], math.prod(shape[dim + 1 :])))
    rows = indices.reshape((batch, 1, math.prod(indices.shape[batched:])))
    gathered = flat[np.arange(batch)[:, None, None], np.arange(outer)[:, None], rows]
    return gathered.reshape(shape[:dim] + indices.shape[batched:] + shape[dim + 1 :])


@kernel("GatherNd")
def gather_nd(params: Tensor, indices: Tensor) -> Tensor:
    check(params.ndim > 0, "params must not be a scalar")
    check(indices.ndim > 0, "indices must not be a scalar")
    depth = indices.shape[-1]
    check(depth <= params.ndim, f"indices of {depth} are too long for params of {params.ndim} dimensions")
    shape = indices.shape[:-1] + params.shape[depth:]
    check(params.size or 0 in indices.shape[:-1], f"params of shape {show(params.shape)} have no elements to gather")
    if 0 in shape:
        return np.empty(shape, params.dtype)
    return params.reshape((-1, *params.shape[depth:]))[flat_indices(indices, params.shape[:depth])]


def flat_indices(indices: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Return the flat position of each index along the last axis. Raises RunError if one is outside."""
    wide = indices.astype(np.int64)
    wrong = (wide < 0) | (wide >= np.array(shape, np.int64))
    if wrong.any():
        position = np.argwhere(wrong)[0][:-1].tolist()
        raise RunError(
            f"indices{show(position)} = {show(int_list(indices[tuple(position)]))} is out of range for {show(shape)}"
        )
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
    dim = indices.ndim if axis == -1 else axis
    claim(INDEX_BYTES * count)
    claim_array((*indices.shape, count), np.bool_)
    classes = np.arange(count).reshape([count] + [1] * (indices.ndim - dim))
    return np.where(np.expand_dims(indices, dim) == classes, on_value, off_value)


@kernel("UnravelIndex")
def unravel_index(indices: Tensor, dims: Tensor) -> Tensor:
    check(indices.ndim <= 1, f"indices must be a scalar or a vector, not of shape {show(indices.shape)}")
    check(dims.ndim == 1, f"dims must be a vector, not of shape {show(dims.shape)}")
    sizes = int_list(dims)
    check(min(sizes, default=1) > 0, f"dims is {show(sizes)}, but sizes must be positive")
    claim(indices.nbytes * (3 * len(sizes) + 4))
    quotient, coordinates = np.abs(indices), []
    for size in reversed(sizes):
        quotient, coordinate = np.divmod(quotient, size)
        coordinates.append(coordinate)
    check(not quotient[indices > 0].any(), f"an index is out of range for {show(sizes)}")
    return np.array(coordinates[::-1], dims.dtype).reshape((len(sizes), *indices.shape)) * np.sign(indices)


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
    """Combine elements of `target` with updates by a function, in place. None assigns updates; the last one counts.

    The last axis of `indices` holds the index of an element or slice.
    """
    if function is np.subtract:
        check_kind(target, "iufc")
    check(target.ndim > 0, "the result must not be a scalar")
    check(indices.ndim > 1, f"indices must be a matrix or more, not of shape {show(indices.shape)}")
    outer, depth = indices.shape[:-1], indices.shape[-1]
    check(1 <= depth <= target.ndim, f"indices of {depth} do not fit a tensor of {target.ndim} dimensions")
    expected = outer + target.shape[depth:]
    check(updates.shape == expected, f"updates are of shape {show(updates.shape)}, but must be {show(expected)}")
    check(target.size or not indices.size, f"a tensor of shape {show(target.shape)} has no elements to update")
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


_IN_PLACE: dict[str, np.ufunc | None] = {"InplaceUpdate": None, "InplaceAdd": np.add, "InplaceSub": np.subtract}


def _change_rows(function: np.ufunc | None) -> Callable[..., Tensor]:
    """Combine rows of a copy of x with those of v. Rows count modulo their number, as in TensorFlow."""

    def change(x: Tensor, i: Tensor, v: Tensor) -> Tensor:
        check(i.ndim <= 1, f"i must be a vector, not of shape {show(i.shape)}")
        check(
            x.ndim > 0 and v.shape == (i.size, *x.shape[1:]),
            f"v of shape {show(v.shape)} does not fit {i.size} rows of x, of shape {show(x.shape)}",
        )
        check(len(x) > 0 or not i.size, "x has no rows")
        if not i.size:
            return x
        if function is not None:
            check_kind(x, "iufc")
        result = x.copy()
        rows = i.reshape(-1) % len(x)
        if function is None:
            for row, value in zip(rows.tolist(), v, strict=True):
                result[row] = value
        else:
            function.at(result, rows, v)
        return result

    return change


for _op, _function in _IN_PLACE.items():
    kernel(_op)(_change_rows(_function))


# --- unique elements -------------------------------------------------------------------------------------------------

_SORT_BYTES = 5 * INDEX_BYTES
"""Temporary memory for an element while elements are sorted and numbered."""


@kernel("Unique")
def unique(x: Tensor) -> tuple[Tensor, Tensor]:
    return _unique(x, 0, vectors=True)[:2]


@kernel("UniqueWithCounts")
def unique_with_counts(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return _unique(x, 0, vectors=True)


@kernel("UniqueV2")
def unique_v2(x: Tensor, axis: Tensor) -> tuple[Tensor, Tensor]:
    return unique_with_counts_v2(x, axis)[:2]


@kernel("UniqueWithCountsV2")
def unique_with_counts_v2(x: Tensor, axis: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    axes = read_vector(axis, "axis")
    check(len(axes) <= 1, f"axis must be one axis or none, not {show(axes)}")
    return _unique(x, normalize_axis(axes[0], x.ndim) if axes else 0, vectors=not axes)


def _unique(x: Tensor, axis: int, *, vectors: bool) -> tuple[Tensor, Tensor, Tensor]:
    """Return the unique slices in order of first occurrence, the number of each slice, and their counts."""
    check(x.ndim == 1 or not vectors, f"the input must be a vector, not of shape {show(x.shape)}")
    claim(_SORT_BYTES * x.size)
    codes = np.unique(x, return_inverse=True, equal_nan=False)[1].reshape(x.shape)
    if x.ndim > 1:
        codes = _row_codes(np.moveaxis(codes, axis, 0).reshape(x.shape[axis], -1 if x.size else 0))
    first, inverse, counts = np.unique(codes, return_index=True, return_inverse=True, return_counts=True)[1:]
    order = np.argsort(first)
    numbers = np.empty_like(order)
    numbers[order] = np.arange(order.size)
    return np.take(x, first[order], axis), numbers[inverse], counts[order]


def _row_codes(rows: Tensor) -> Tensor:
    """Return a number for each row; equal rows have equal numbers."""
    if not rows.size:
        return np.zeros(len(rows), np.int64)
    return np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)


@kernel("ListDiff")
def list_diff(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    for name, vector in (("x", x), ("y", y)):
        check(vector.ndim == 1, f"{name} must be a vector, not of shape {show(vector.shape)}")
    claim(_SORT_BYTES * (x.size + y.size))
    codes = np.unique(np.concatenate([x, y]), return_inverse=True, equal_nan=False)[1]
    indices = np.flatnonzero(~np.isin(codes[: x.size], codes[x.size :]))
    return x[indices], indices


@kernel("InvertPermutation")
def invert_permutation(x: Tensor) -> Tensor:
    check(x.ndim == 1, f"x must be a vector, not of shape {show(x.shape)}")
    check_indices(x, x.size, "x")
    is_present = np.zeros(x.size, np.bool_)
    is_present[x] = True
    check(is_present.all(), "x is not a permutation: it has a number twice")
    inverse = np.empty_like(x)
    inverse[x] = np.arange(x.size)
    return inverse


# --- searching -------------------------------------------------------------------------------------------------------


@kernel("LowerBound")
def lower_bound(sorted_inputs: Tensor, values: Tensor) -> Tensor:
    return _search_sorted(sorted_inputs, values, before=True)


@kernel("UpperBound")
def upper_bound(sorted_inputs: Tensor, values: Tensor) -> Tensor:
    return _search_sorted(sorted_inputs, values, before=False)


def _search_sorted(rows: Tensor, values: Tensor, *, before: bool) -> Tensor:
    """Return the insertion positions of values in sorted rows.

    All rows are searched at once: each row has keys larger than those of the row before.
    """
    check(
        rows.ndim == values.ndim == 2 and len(rows) == len(values),
        f"sorted_inputs {show(rows.shape)} and values {show(values.shape)} must be matrices of as many rows",
    )
    claim(_SORT_BYTES * (rows.size + values.size))
    both = np.concatenate([rows, values], 1)
    kinds, codes = np.unique(both, return_inverse=True)
    counts = np.arange(len(both))[:, np.newaxis]
    numbers = codes.reshape(both.shape) + counts * kinds.size
    inputs, searched = np.split(numbers, [rows.shape[1]], 1)
    positions = np.searchsorted(inputs.reshape(-1), searched.reshape(-1), "left" if before else "right")
    return np.asarray(positions.reshape(values.shape) - counts * rows.shape[1])
