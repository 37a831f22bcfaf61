"""Kernels of reductions, ArgMax, cumulative ops and segment reductions.

Floats are summed in double precision, so that long sums are as exact as those of TensorFlow, which adds in pairs. A
segment is the rows of a tensor that have the same segment id.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...messages import DataType
from ...values.dtypes import dtype_of
from ...values.dtypes.conversion import FORMATS
from ..runtime.argument_checks import (
    check,
    check_indices,
    int_list,
    normalize_axis,
    read_scalar,
    read_vector,
    show,
    widen_halves,
    zeros,
)
from ..runtime.memory_limit import claim, claim_array
from ..runtime.registry import Tensor, kernel

# --- along axes ------------------------------------------------------------------------------------------------------

Reduction = Callable[[Tensor, tuple[int, ...]], Tensor]
"""Reduces axes of a tensor to size 1."""


def _accumulator(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type of sums: double precision for floats; integers wrap around in their own type."""
    return {"f": np.dtype(np.float64), "c": np.dtype(np.complex128)}.get(dtype.kind, dtype)


def _sum(x: Tensor, axes: tuple[int, ...]) -> Tensor:
    return np.asarray(np.sum(x, axes, _accumulator(x.dtype), keepdims=True))


def _mean(x: Tensor, axes: tuple[int, ...]) -> Tensor:
    """Return the mean. Integers are summed in 64 bits, and their mean is rounded towards zero."""
    count = math.prod(x.shape[axis] for axis in axes)
    if x.dtype.kind not in "iu":
        return np.asarray(_sum(x, axes) / np.float64(count))
    total = np.asarray(np.sum(x, axes, np.int64 if x.dtype.kind == "i" else np.uint64, keepdims=True))
    check(count or not total.size, "the mean of an empty integer tensor is undefined")
    count = total.dtype.type(max(count, 1))
    return np.asarray((total - np.fmod(total, count)) // count)


def _product(x: Tensor, axes: tuple[int, ...]) -> Tensor:
    return np.asarray(np.prod(x, axes, x.dtype, keepdims=True))


def _euclidean_norm(x: Tensor, axes: tuple[int, ...]) -> Tensor:
    claim(24 * x.size)
    squares = np.square(np.abs(x).astype(_accumulator(x.real.dtype), copy=False))
    return np.asarray(np.sqrt(_sum(squares, axes)))


def lowest_value(dtype: np.dtype[Any]) -> Any:
    """Return the initial value of a maximum, which is the maximum of an empty tensor."""
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def highest_value(dtype: np.dtype[Any]) -> Any:
    """Return the initial value of a minimum, which is the minimum of an empty tensor."""
    return np.inf if dtype.kind == "f" else np.iinfo(dtype).max


def _max(x: Tensor, axes: tuple[int, ...]) -> Tensor:
    return np.asarray(np.max(x, axes, keepdims=True, initial=lowest_value(x.dtype)))


def _min(x: Tensor, axes: tuple[int, ...]) -> Tensor:
    return np.asarray(np.min(x, axes, keepdims=True, initial=highest_value(x.dtype)))


REDUCTIONS: dict[str, Reduction] = {
    "Sum": _sum,
    "Mean": _mean,
    "Prod": _product,
    "Max": _max,
    "Min": _min,
    "All": lambda x, axes: np.all(x, axes, keepdims=True),
    "Any": lambda x, axes: np.any(x, axes, keepdims=True),
    "EuclideanNorm": _euclidean_norm,
}


def _reduction_kernel(function: Reduction) -> Callable[..., Tensor]:
    def compute(input: Tensor, reduction_indices: Tensor, *, keep_dims: bool) -> Tensor:
        axes = _read_axes(reduction_indices, input.ndim)
        result = function(widen_halves(input), axes)
        return result if keep_dims else result.squeeze(axes)

    return compute


def _read_axes(indices: Tensor, rank: int) -> tuple[int, ...]:
    axes = tuple(normalize_axis(axis, rank) for axis in int_list(indices.reshape(-1)))
    check(len(set(axes)) == len(axes), f"axes {show(axes)} have a duplicate")
    return axes


for _op, _function in REDUCTIONS.items():
    kernel(_op)(_reduction_kernel(_function))


# --- ArgMax and ArgMin -----------------------------------------------------------------------------------------------


@kernel("ArgMax")
def arg_max(input: Tensor, dimension: Tensor) -> Tensor:
    return _find_extreme(input, dimension, lowest_value, np.argmax)


@kernel("ArgMin")
def arg_min(input: Tensor, dimension: Tensor) -> Tensor:
    return _find_extreme(input, dimension, highest_value, np.argmin)


def _find_extreme(
    x: Tensor, dimension: Tensor, worst: Callable[[np.dtype[Any]], Any], find: Callable[..., Any]
) -> Tensor:
    axis = normalize_axis(read_scalar(dimension, "dimension"), x.ndim, "dimension")
    check(x.shape[axis], f"axis {axis} of {show(x.shape)} is empty")
    if x.dtype.kind == "f" and np.isnan(x).any():
        x = np.where(np.isnan(x), x.dtype.type(worst(x.dtype)), x)  # NumPy finds the first NaN, TensorFlow skips them
    return np.asarray(find(x, axis))


# --- cumulative ops --------------------------------------------------------------------------------------------------


def _scan_kernel(function: Callable[..., Tensor], start: float) -> Callable[..., Tensor]:
    def compute(x: Tensor, axis: Tensor, *, exclusive: bool, reverse: bool) -> Tensor:
        dim = normalize_axis(read_scalar(axis, "axis"), x.ndim)
        x = np.flip(widen_halves(x), dim) if reverse else widen_halves(x)
        if exclusive and x.shape[dim]:
            first = np.full_like(_slice_axis(x, dim, slice(0, 1)), start)
            x = np.concatenate([first, _slice_axis(x, dim, slice(-1))], dim)
        totals = function(x, dim, x.dtype)
        return np.flip(totals, dim) if reverse else totals

    return compute


def _slice_axis(x: Tensor, axis: int, span: slice) -> Tensor:
    before: Sequence[slice] = (slice(None),) * axis
    return x[(*before, span)]


SCANS: dict[str, tuple[Callable[..., Tensor], float]] = {
    "Cumsum": (np.add.accumulate, 0),
    "Cumprod": (np.multiply.accumulate, 1),
    "CumulativeLogsumexp": (np.logaddexp.accumulate, -np.inf),
}
"""The function that accumulates, and its initial value."""

for _op, (_totals, _start) in SCANS.items():
    kernel(_op)(_scan_kernel(_totals, _start))


# --- segments --------------------------------------------------------------------------------------------------------


def reduce_segments(function: np.ufunc, rows: Tensor, ids: Tensor, count: int, empty: Any) -> Tensor:
    """Reduce the rows of each of `count` segments to one row; `empty` for segments without rows.

    Rows with negative ids are ignored.
    """
    if (ids < 0).any():
        rows, ids = rows[ids >= 0], ids[ids >= 0]
    if (ids[1:] < ids[:-1]).any():
        order = np.argsort(ids, kind="stable")
        rows, ids = rows[order], ids[order]
    claim_array((count, *rows.shape[1:]), rows.dtype)
    result = np.full((count, *rows.shape[1:]), empty, rows.dtype)
    if ids.size:
        starts = np.flatnonzero(np.concatenate([[True], ids[1:] != ids[:-1]]))
        result[ids[starts]] = function.reduceat(rows, starts, 0, rows.dtype)
    return result


# --- sorted segments -------------------------------------------------------------------------------------------------


def _check_sorted(ids: Tensor, rows: int) -> int:
    """Return the number of segments. Raises RunError for ids that are unsorted, negative or of another shape."""
    check(ids.shape == (rows,), f"segment_ids must be a vector of {rows} numbers, not of shape {show(ids.shape)}")
    check((ids[1:] >= ids[:-1]).all(), "segment_ids must be sorted")
    check(not ids.size or ids[0] >= 0, "segment_ids must not be negative")
    return int(ids[-1]) + 1 if ids.size else 0


def _sorted_segments_kernel(function: np.ufunc, empty: int) -> Callable[[Tensor, Tensor], Tensor]:
    def compute(data: Tensor, segment_ids: Tensor) -> Tensor:
        check(data.ndim > 0, "the data must not be a scalar")
        count = _check_sorted(segment_ids, len(data))
        return reduce_segments(function, widen_halves(data), segment_ids, count, empty)

    return compute


SORTED_SEGMENTS: dict[str, tuple[np.ufunc, int]] = {
    "SegmentSum": (np.add, 0),
    "SegmentProd": (np.multiply, 1),
    "SegmentMin": (np.minimum, 0),
    "SegmentMax": (np.maximum, 0),
}
"""The function, and the value of a segment without rows."""

for _op, (_function, _empty) in SORTED_SEGMENTS.items():
    kernel(_op)(_sorted_segments_kernel(_function, _empty))


@kernel("SegmentMean")
def segment_mean(data: Tensor, segment_ids: Tensor) -> Tensor:
    check(data.ndim > 0, "the data must not be a scalar")
    count = _check_sorted(segment_ids, len(data))
    total = reduce_segments(np.add, widen_halves(data), segment_ids, count, 0)
    return _divide_by_counts(total, np.bincount(segment_ids, minlength=count))


def _divide_by_counts(total: Tensor, counts: Tensor) -> Tensor:
    """Divide totals by their counts. Integers are rounded towards zero."""
    divisors = np.maximum(counts, 1).astype(total.dtype).reshape(-1, *(1,) * (total.ndim - 1))
    if total.dtype.kind in "iu":
        return np.asarray((total - np.fmod(total, divisors)) // divisors)
    return np.asarray(total / divisors)


# --- unsorted segments -----------------------------------------------------------------------------------------------


def _max_finite(dtype: DataType) -> Any:
    """Return the largest finite number of a type."""
    row = dtype_of(dtype)
    if row.codec == "float":
        return float(row.decode(np.array(FORMATS[row.name].largest, row.storage)))
    return np.iinfo(row.numpy).max if row.kind in "iu" else float(np.finfo(row.numpy).max)


def _min_finite(dtype: DataType) -> Any:
    row = dtype_of(dtype)
    return np.iinfo(row.numpy).min if row.numpy.kind in "iu" else -_max_finite(dtype)


UNSORTED_SEGMENTS: dict[str, tuple[np.ufunc, Callable[[DataType], Any]]] = {
    "UnsortedSegmentSum": (np.add, lambda dtype: 0),
    "UnsortedSegmentProd": (np.multiply, lambda dtype: 1),
    "UnsortedSegmentMin": (np.minimum, _max_finite),
    "UnsortedSegmentMax": (np.maximum, _min_finite),
}
"""The function, and the value of a segment without rows."""


def _unsorted_segments_kernel(function: np.ufunc, empty: Callable[[DataType], Any]) -> Callable[..., Tensor]:
    def compute(data: Tensor, segment_ids: Tensor, num_segments: Tensor, *, T: DataType) -> Tensor:
        count = read_scalar(num_segments, "num_segments")
        check(count >= 0, f"num_segments must not be negative, and is {count}")
        check(
            data.shape[: segment_ids.ndim] == segment_ids.shape,
            f"the shape of the data, {show(data.shape)}, does not start with that of segment_ids, "
            f"{show(segment_ids.shape)}",
        )
        ids = segment_ids.reshape(-1)
        check(not ids.size or ids.max() < count, f"segment_ids must be smaller than num_segments, {count}")
        rows = widen_halves(data).reshape(ids.size, *data.shape[segment_ids.ndim :])
        return reduce_segments(function, rows, ids, count, empty(T))

    return compute


for _op, (_function, _empty_value) in UNSORTED_SEGMENTS.items():
    kernel(_op)(_unsorted_segments_kernel(_function, _empty_value))


# --- sparse segments -------------------------------------------------------------------------------------------------

SegmentScale = Callable[[Tensor], Any]


_SCALES: dict[str, SegmentScale | None] = {"Sum": None, "Mean": lambda counts: counts, "SqrtN": np.sqrt}


def _sparse_segments_kernel(scale: SegmentScale | None) -> Callable[..., Tensor]:
    def reduce(data: Tensor, indices: Tensor, segment_ids: Tensor, num_segments: Tensor | None = None) -> Tensor:
        """Sum rows of data by sorted segment ids. A segment without rows is zero."""
        check(data.ndim > 0, "data must not be a scalar")
        ids = read_vector(segment_ids, "segment_ids", len(read_vector(indices, "indices")))
        check((np.diff(segment_ids) >= 0).all(), "segment_ids must be sorted")
        check(not ids or ids[0] >= 0, "segment_ids must not be negative")
        check_indices(indices, len(data))
        count = ids[-1] + 1 if ids else 0
        if num_segments is not None:
            count = read_scalar(num_segments, "num_segments")
            check(count > (ids[-1] if ids else -1), f"segment_ids must be smaller than num_segments, {count}")
        result = zeros((count, *data.shape[1:]), data.dtype)
        claim_array((2 * len(indices), *data.shape[1:]), data.dtype)
        present, starts, counts = np.unique(segment_ids, return_index=True, return_counts=True)
        if present.size:
            wide = np.float32 if data.dtype == np.float16 else data.dtype
            sums = np.add.reduceat(data[indices], starts, axis=0, dtype=wide)
            if scale is not None:
                sums = sums / scale(counts).astype(wide).reshape([-1] + [1] * (data.ndim - 1))
            result[present] = sums
        return result

    return reduce


for _name, _scale in _SCALES.items():
    kernel(f"SparseSegment{_name}", f"SparseSegment{_name}WithNumSegments")(_sparse_segments_kernel(_scale))
