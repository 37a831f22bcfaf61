"""Kernels that distribute slices over tensors, and put them together again: DynamicPartition, DynamicStitch."""

from __future__ import annotations

import numpy as np

from ..runtime.argument_checks import check, check_indices, show, zeros
from ..runtime.memory_limit import INDEX_BYTES, claim
from ..runtime.registry import Tensor, kernel


@kernel("DynamicPartition")
def dynamic_partition(data: Tensor, partitions: Tensor, *, num_partitions: int) -> list[Tensor]:
    check(
        data.shape[: partitions.ndim] == partitions.shape,
        f"the shape of data, {show(data.shape)}, does not begin with that of partitions, {show(partitions.shape)}",
    )
    check_indices(partitions, num_partitions, "partitions")
    claim(3 * INDEX_BYTES * partitions.size + data.nbytes + 25 * INDEX_BYTES * num_partitions)  # an array per partition
    rows = data.reshape((partitions.size, *data.shape[partitions.ndim :]))
    numbers = partitions.reshape(-1)
    order = np.argsort(numbers, kind="stable")
    return np.split(rows[order], np.searchsorted(numbers[order], np.arange(1, num_partitions)))


@kernel("DynamicStitch", "ParallelDynamicStitch")
def dynamic_stitch(*tensors: Tensor) -> Tensor:
    """Put slices at their indices. The last slice with an index wins; rows without a slice are zero."""
    count = len(tensors) // 2
    indices, data = tensors[:count], tensors[count:]
    slice_shape = data[0].shape[indices[0].ndim :]
    for positions, slices in zip(indices, data, strict=True):
        check(
            slices.shape == positions.shape + slice_shape,
            f"data of shape {show(slices.shape)} does not fit indices of shape {show(positions.shape)} and slices of "
            f"shape {show(slice_shape)}",
        )
    rows = np.concatenate([vector.reshape(-1) for vector in indices])
    check_indices(rows, 2**31 - 1)
    result = zeros((int(rows.max(initial=-1)) + 1, *slice_shape), data[0].dtype)
    result[rows] = np.concatenate([slices.reshape((-1, *slice_shape)) for slices in data]) if result.size else 0
    return result
