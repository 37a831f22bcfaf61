"""Segment reductions: reduce the rows of each segment, which are the rows with the same segment id."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...dtypes import dtype_of
from ...dtypes.small_floats import FORMATS
from ...messages import DataType
from ..runtime.argument_checks import check, check_indices, read_scalar, read_vector, show
from ..runtime.arrays import widen_halves, zeros
from ..runtime.memory_limit import claim_array
from ..runtime.registry import Tensor, kernel

__all__ = ["by_segment"]


def by_segment(function: np.ufunc, rows: Tensor, ids: Tensor, count: int, empty: Any) -> Tensor:
    """Reduce rows to one for each of `count` segments, `empty` for those without rows. Negative ids are ignored."""
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


# --- segments in order -----------------------------------------------------------------------------------------------


def _check_sorted(ids: Tensor, rows: int) -> int:
    """Return the number of segments."""
    check(ids.shape == (rows,), f"segment_ids must be a vector of {rows} numbers, not of shape {show(ids.shape)}")
    check((ids[1:] >= ids[:-1]).all(), "segment_ids must be sorted")
    check(not ids.size or ids[0] >= 0, "segment_ids must not be negative")
    return int(ids[-1]) + 1 if ids.size else 0


def _sorted_segments(function: np.ufunc, empty: int) -> Callable[[Tensor, Tensor], Tensor]:
    def computed(data: Tensor, segment_ids: Tensor) -> Tensor:
        check(data.ndim > 0, "the data must not be a scalar")
        count = _check_sorted(segment_ids, len(data))
        return by_segment(function, widen_halves(data), segment_ids, count, empty)

    return computed


SORTED: dict[str, tuple[np.ufunc, int]] = {
    "SegmentSum": (np.add, 0),
    "SegmentProd": (np.multiply, 1),
    "SegmentMin": (np.minimum, 0),
    "SegmentMax": (np.maximum, 0),
}
"""The function, and the value of a segment without rows."""

for _op, (_function, _empty) in SORTED.items():
    kernel(_op)(_sorted_segments(_function, _empty))


@kernel("SegmentMean")
def segment_mean(data: Tensor, segment_ids: Tensor) -> Tensor:
    check(data.ndim > 0, "the data must not be a scalar")
    count = _check_sorted(segment_ids, len(data))
    total = by_segment(np.add, widen_halves(data), segment_ids, count, 0)
    return _shared(total, np.bincount(segment_ids, minlength=count))


def _shared(total: Tensor, counts: Tensor) -> Tensor:
    """Divide totals by their counts. Integers are rounded towards zero."""
    shares = np.maximum(counts, 1).astype(total.dtype).reshape(-1, *(1,) * (total.ndim - 1))
    if total.dtype.kind in "iu":
        return np.asarray((total - np.fmod(total, shares)) // shares)
    return np.asarray(total / shares)


# --- segments in any order -------------------------------------------------------------------------------------------


def _largest(dtype: DataType) -> Any:
    """Return the largest finite number of a type."""
    row = dtype_of(dtype)
    if row.codec == "float":
        return float(FORMATS[row.name].values.max(where=np.isfinite(FORMATS[row.name].values), initial=0))
    return np.iinfo(row.numpy).max if row.kind in "iu" else float(np.finfo(row.numpy).max)


def _least(dtype: DataType) -> Any:
    row = dtype_of(dtype)
    return np.iinfo(row.numpy).min if row.numpy.kind in "iu" else -_largest(dtype)


UNSORTED: dict[str, tuple[np.ufunc, Callable[[DataType], Any]]] = {
    "UnsortedSegmentSum": (np.add, lambda dtype: 0),
    "UnsortedSegmentProd": (np.multiply, lambda dtype: 1),
    "UnsortedSegmentMin": (np.minimum, _largest),
    "UnsortedSegmentMax": (np.maximum, _least),
}
"""The function, and the value of a segment without rows."""


def _unsorted_segments(function: np.ufunc, empty: Callable[[DataType], Any]) -> Callable[..., Tensor]:
    def computed(data: Tensor, segment_ids: Tensor, num_segments: Tensor, *, T: DataType) -> Tensor:
        count = read_scalar(num_segments, "num_segments")
        check(count >= 0, f"num_segments is {count}")
        check(
            data.shape[: segment_ids.ndim] == segment_ids.shape,
            f"the shape of the data, {show(data.shape)}, does not start with that of segment_ids, "
            f"{show(segment_ids.shape)}",
        )
        ids = segment_ids.reshape(-1)
        check(not ids.size or ids.max() < count, f"segment_ids are not all below num_segments, which is {count}")
        rows = widen_halves(data).reshape(ids.size, *data.shape[segment_ids.ndim :])
        return by_segment(function, rows, ids, count, empty(T))

    return computed


for _op, (_function, _nothing) in UNSORTED.items():
    kernel(_op)(_unsorted_segments(_function, _nothing))


SegmentScale = Callable[[Tensor], Any]


_SCALES: dict[str, SegmentScale | None] = {"Sum": None, "Mean": lambda counts: counts, "SqrtN": np.sqrt}


def _sparse_segments(scale: SegmentScale | None) -> Callable[..., Tensor]:
    def reduce(data: Tensor, indices: Tensor, segment_ids: Tensor, num_segments: Tensor | None = None) -> Tensor:
        """Sum rows of data by sorted segment ids. A segment without rows is zero."""
        check(data.ndim > 0, "data must not be a scalar")
        ids = read_vector(segment_ids, "segment_ids", len(read_vector(indices, "indices")))
        check((np.diff(segment_ids) >= 0).all(), "segment_ids are not in order")
        check(not ids or ids[0] >= 0, "segment_ids must not be negative")
        check_indices(indices, len(data))
        count = ids[-1] + 1 if ids else 0
        if num_segments is not None:
            count = read_scalar(num_segments, "num_segments")
            check(count > (ids[-1] if ids else -1), f"segment_ids must be smaller than num_segments, {count}")
        result = zeros((count, *data.shape[1:]), data.dtype)
        claim_array((2 * len(indices), *data.shape[1:]), data.dtype)
        there, starts, counts = np.unique(segment_ids, return_index=True, return_counts=True)
        if there.size:
            wide = np.float32 if data.dtype == np.float16 else data.dtype
            sums = np.add.reduceat(data[indices], starts, axis=0, dtype=wide)
            if scale is not None:
                sums = sums / scale(counts).astype(wide).reshape([-1] + [1] * (data.ndim - 1))
            result[there] = sums
        return result

    return reduce


for _name, _scale in _SCALES.items():
    kernel(f"SparseSegment{_name}", f"SparseSegment{_name}WithNumSegments")(_sparse_segments(_scale))
