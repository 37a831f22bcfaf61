"""Kernels of ragged tensors: rows of unequal length, stored as values and `splits` for each ragged dimension.

[[a, b], [], [c]]      values [a, b, c]      splits [0, 2, 2, 3]: row i is values[splits[i] : splits[i + 1]]
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..runtime.argument_checks import check, check_indices, read_scalar, read_vector, show
from ..runtime.memory_limit import INDEX_BYTES, claim, claim_array
from ..runtime.registry import Tensor, kernel

_VIEW_BYTES = 200
"""The memory of a row as an array object."""


@kernel("RaggedRange")
def ragged_range(starts: Tensor, limits: Tensor, deltas: Tensor) -> tuple[Tensor, Tensor]:
    """Return a range for each row."""
    inputs = (starts, limits, deltas)
    for name, tensor in zip(("starts", "limits", "deltas"), inputs, strict=True):
        check(tensor.ndim <= 1, f"{name} must be a scalar or a vector, not of shape {show(tensor.shape)}")
    lengths = {tensor.size for tensor in inputs if tensor.ndim}
    check(len(lengths) <= 1, f"starts, limits and deltas must be of one size, not {show(sorted(lengths))}")
    start, limit, delta = (np.broadcast_to(tensor, next(iter(lengths), 1)) for tensor in inputs)
    check((delta != 0).all(), "deltas must not be 0")
    if start.dtype.kind in "iu":
        counts = np.maximum(-((start.astype(np.int64) - limit) // delta), 0)
    else:
        steps = np.ceil((limit - start) / delta)
        check(np.isfinite(steps).all(), "a range never ends")
        counts = np.maximum(steps, 0).astype(np.int64)
    splits = np.concatenate([[0], np.cumsum(counts)])
    claim(4 * INDEX_BYTES * int(splits[-1]) + _VIEW_BYTES * len(counts))
    if start.dtype.kind in "iu":
        offsets = np.arange(splits[-1]) - np.repeat(splits[:-1], counts)
        return splits, np.repeat(start, counts) + offsets.astype(start.dtype) * np.repeat(delta, counts)
    numbers = np.repeat(delta, counts)
    numbers[splits[:-1][counts > 0]] = start[counts > 0]
    rows = [
        np.add.accumulate(row) for row in np.split(numbers, splits[1:-1])
    ]  # RaggedRange sums up steps, Range multiplies
    return splits, np.concatenate(rows)


@kernel("RaggedGather")
def ragged_gather(*tensors: Tensor, PARAMS_RAGGED_RANK: int) -> list[Tensor]:
    """Return rows of a ragged tensor by their numbers. The dimensions of the indices become ragged dimensions."""
    nested = [_read_splits(tensor) for tensor in tensors[:PARAMS_RAGGED_RANK]]
    values, indices = tensors[PARAMS_RAGGED_RANK:]
    check(values.ndim > 0, "the values must not be a scalar")
    check_indices(indices, len(nested[0]) - 1)
    outer_splits = _splits_of_dense(indices.shape)
    rows = indices.reshape(-1).astype(np.int64)
    for level, splits in enumerate(nested):
        check(
            splits[-1] <= (len(nested[level + 1]) - 1 if level + 1 < len(nested) else len(values)),
            "splits must not be larger than the number of values",
        )
        lengths = (splits[1:] - splits[:-1])[rows]
        ends = np.concatenate([[0], np.cumsum(lengths)])
        claim(4 * INDEX_BYTES * int(ends[-1]))
        outer_splits.append(ends)
        rows = np.repeat(splits[:-1][rows] - ends[:-1], lengths) + np.arange(ends[-1])
    claim_array((len(rows), *values.shape[1:]), values.dtype)
    return [*outer_splits, values[rows]]


def _splits_of_dense(shape: Sequence[int]) -> list[Tensor]:
    """Return the splits of all dimensions of a dense tensor but the first."""
    return [np.arange(math.prod(shape[:axis]) + 1) * shape[axis] for axis in range(1, len(shape))]


def _read_splits(tensor: Tensor) -> Tensor:
    check(tensor.ndim == 1 and tensor.size > 0, f"splits must be a vector of one or more, not {show(tensor.shape)}")
    check(tensor[0] == 0 and (np.diff(tensor) >= 0).all(), "splits must start at 0 and must not decrease")
    return tensor.astype(np.int64)


@kernel("RaggedTensorToSparse")
def ragged_tensor_to_sparse(*tensors: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    *nested, values = tensors
    check(nested and values.ndim > 0, "there must be splits, and the values must not be a scalar")
    all_splits = [_read_splits(tensor) for tensor in nested]
    for splits, size in zip(all_splits, [*(len(tensor) - 1 for tensor in all_splits[1:]), len(values)], strict=True):
        check(splits[-1] == size, f"splits end at {splits[-1]}, but there are {size} rows")
    count = math.prod(values.shape[1:])
    claim(3 * INDEX_BYTES * (len(nested) + values.ndim) * max(values.size, count, len(values)))
    columns = [np.arange(len(all_splits[0]) - 1)]
    sizes = [len(all_splits[0]) - 1]
    for splits in all_splits:
        lengths = np.diff(splits)
        columns = [np.repeat(column, lengths) for column in columns]
        columns.append(np.arange(splits[-1]) - np.repeat(splits[:-1], lengths))
        sizes.append(int(lengths.max(initial=0)))
    inner = np.indices(values.shape[1:]).reshape(values.ndim - 1, count)
    rows = [np.repeat(column, count) for column in columns] + [np.tile(tensor, len(values)) for tensor in inner]
    shape = np.array([*sizes, *values.shape[1:]], np.int64)
    return np.stack(rows, -1), values.reshape(-1), shape


@kernel("RaggedTensorToTensor")
def ragged_tensor_to_tensor(
    shape: Tensor, values: Tensor, default_value: Tensor, *partitions: Tensor, row_partition_types: Sequence[bytes]
) -> Tensor:
    """Return a dense tensor: short rows are padded, and long rows truncated to the sizes in `shape`."""
    check(
        len(partitions) == len(row_partition_types) > 0, "row_partition_types must have a type for each row partition"
    )
    kinds = [name.decode("latin1") for name in row_partition_types]
    first = 0
    if kinds[0] == "FIRST_DIM_SIZE":
        first, kinds, partitions = read_scalar(partitions[0], "the first row partition"), kinds[1:], partitions[1:]
        check(kinds[:1] != ["ROW_SPLITS"], "row splits do not follow the size of the first dimension")
    else:
        check(kinds[0] == "ROW_SPLITS", f"row partitions must not begin with {kinds[0]}")
        first = partitions[0].size - 1
    requested = read_vector(shape, "shape") if shape.ndim else [shape.item()] * (len(kinds) + values.ndim)
    rank = len(kinds) + values.ndim
    check(len(requested) == rank, f"shape must have {rank} elements, not {len(requested)}")
    claim(3 * INDEX_BYTES * first)
    rows = np.arange(first)  # the position of each row of a level, -1 if it is truncated
    sizes = [requested[0] if requested[0] >= 0 else first]
    rows = np.where(rows < sizes[0], rows, -1)
    for kind, partition, size in zip(kinds, partitions, requested[1:], strict=False):
        parents = _row_of_values(kind, partition, len(rows))
        lengths = np.bincount(parents, minlength=len(rows))
        offsets = np.arange(len(parents)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        sizes.append(size if size >= 0 else int(lengths.max(initial=0)))
        rows = np.where((rows[parents] >= 0) & (offsets < sizes[-1]), rows[parents] * sizes[-1] + offsets, -1)
    check(values.ndim > 0, "values must not be a scalar")
    check(len(rows) == len(values), f"the row partitions are for {len(rows)} values, but there are {len(values)}")
    inner = values.shape[1:]
    claim_array((*sizes, *inner), values.dtype)
    for actual, size in zip(inner, requested[len(kinds) + 1 :], strict=False):
        check(size in (-1, actual), f"values of shape {show(values.shape)} do not fit the shape {show(requested)}")
    result = np.empty((math.prod(sizes), *inner), values.dtype)
    result[...] = np.broadcast_to(default_value, inner)
    result[rows[rows >= 0]] = values[rows >= 0]
    return result.reshape((*sizes, *inner))


def _row_of_values(kind: str, partition: Tensor, rows: int) -> Tensor:
    """Return the row of each value."""
    if kind == "ROW_SPLITS":
        splits = _read_splits(partition)
        check(len(splits) == rows + 1, f"there are {len(splits) - 1} row splits for {rows} rows")
        claim(6 * INDEX_BYTES * int(splits[-1]))
        return np.repeat(np.arange(rows), np.diff(splits))
    check(kind == "VALUE_ROWIDS", f"unknown row_partition_type {kind}")
    read_vector(partition, "value_rowids")
    check_indices(partition, rows, "value_rowids")
    check((np.diff(partition) >= 0).all(), "value_rowids must not decrease")
    return partition.astype(np.int64)
