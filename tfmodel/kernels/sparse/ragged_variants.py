"""Kernels that pack ragged tensors into variants, in which loops keep their rows: one variant for each row, or for all.

    RaggedTensorToVariant([[0, 2, 3]], [a, b, c], batched_input=True)      variants of [a, b] and [c]
    RaggedTensorFromVariant(variants)                                      splits [0, 2, 3], values [a, b, c]

Splits that do not fit their values are refused, where TensorFlow reads other memory or ends, and so are values of other
inner shapes, or not as many as a gradient needs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...messages import DataType
from ...values.dtypes import DTYPES
from ..runtime.argument_checks import add, check, read_shape, show, zeros_like
from ..runtime.memory_limit import VIEW_BYTES, claim, hold
from ..runtime.registry import Tensor, kernel


@dataclass(frozen=True, slots=True, eq=False)
class RaggedVariant:
    """A ragged tensor: the splits of its ragged dimensions, outer ones first, and its values."""

    splits: tuple[Tensor, ...]
    values: Tensor

    def zeros(self) -> RaggedVariant:
        return RaggedVariant(self.splits, zeros_like(self.values))

    def plus(self, other: RaggedVariant) -> RaggedVariant:
        pairs = zip(self.splits, other.splits, strict=False)
        fits = len(self.splits) == len(other.splits) and all(np.array_equal(one, two) for one, two in pairs)
        check(fits, "ragged tensors of other row splits cannot be added")
        return RaggedVariant(self.splits, add(self.values, other.values))


@kernel("RaggedTensorToVariant")
def ragged_tensor_to_variant(*tensors: Tensor, batched_input: bool) -> Any:
    *splits, values = tensors
    counts = [*(len(tensor) - 1 if tensor.ndim else 0 for tensor in splits[1:]), len(values) if values.ndim else -1]
    for tensor, count in zip(splits, counts, strict=False):
        _check_splits(tensor, count)
    if not batched_input:
        return (RaggedVariant(tuple(splits), values),)
    check(values.ndim, "a scalar has no rows")
    number = len(splits[0]) - 1 if splits else len(values)
    hold(VIEW_BYTES * (len(splits) + 2) * number)
    claim(sum(tensor.nbytes for tensor in splits))
    rows = np.empty(number, object)
    rows[:] = list(_rows(splits, values)) if splits else [RaggedVariant((), values[row, ...]) for row in range(number)]
    return (rows,)


def _check_splits(splits: Tensor, count: int) -> None:
    """Check that splits are of `count` rows."""
    check(splits.ndim == 1 and splits.size, f"splits must be a vector of one or more, not {show(splits.shape)}")
    fits = splits[0] == 0 and splits[-1] == count and (np.diff(splits) >= 0).all()
    check(fits, f"splits must not decrease, from 0 to the number of rows, {count}")


def _rows(splits: Sequence[Tensor], values: Tensor) -> Iterator[RaggedVariant]:
    """Yield each row of a ragged tensor. The splits of a row begin at 0."""
    for start, stop in zip(splits[0].tolist(), splits[0][1:].tolist(), strict=False):
        inner = []
        for tensor in splits[1:]:
            part = tensor[start : stop + 1]
            inner.append(part - part[0])
            start, stop = int(part[0]), int(part[-1])
        yield RaggedVariant(tuple(inner), values[start:stop])


@kernel("RaggedTensorFromVariant")
def ragged_tensor_from_variant(
    encoded: Any, *, input_ragged_rank: int, output_ragged_rank: int, Tvalues: DataType, Tsplits: DataType
) -> list[Tensor]:
    """Return the splits and the values of a tensor of variants, whose dimensions become ragged ones."""
    shape, rank = np.shape(encoded), input_ragged_rank
    rank = output_ragged_rank - len(shape) if rank == -1 else rank
    fits = rank >= 0 and output_ragged_rank == len(shape) + rank
    check(fits, f"variants of shape {show(shape)} with {rank} ragged dimensions do not make {output_ragged_rank}")
    dtype = DTYPES[Tsplits].numpy
    parts = list(_elements(encoded))
    for part in parts:
        _check_part(part, rank, DTYPES[Tvalues].numpy, dtype)
    if not shape:
        return [*parts[0].splits, parts[0].values]
    outer = [np.arange(math.prod(shape[:axis]) + 1) * shape[axis] for axis in range(1, len(shape))]
    lengths = [len(part.splits[0]) - 1 if rank else len(part.values) for part in parts]
    splits = [*outer, np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])]
    for level in range(rank):
        steps = [np.diff(part.splits[level]) for part in parts]
        splits.append(np.concatenate([[0], np.cumsum(np.concatenate(steps or [np.zeros(0, dtype)]))]))
    return [*(tensor.astype(dtype) for tensor in splits), _join(parts, Tvalues)]


def _elements(encoded: Any) -> Iterator[RaggedVariant]:
    """Yield the ragged tensors in a tensor of variants."""
    for element in encoded.reshape(-1).tolist() if isinstance(encoded, np.ndarray) else [encoded]:
        check(isinstance(element, RaggedVariant), "its input is not a ragged tensor")
        yield element


def _check_part(part: RaggedVariant, rank: int, values: np.dtype[Any], splits: np.dtype[Any]) -> None:
    check(len(part.splits) == rank, f"a variant has {len(part.splits)} ragged dimensions, not {rank}")
    check(part.values.dtype == values, f"a variant has values of {part.values.dtype.name}, not {values.name}")
    check(all(tensor.dtype == splits for tensor in part.splits), f"a variant has other splits than {splits.name}")
    check(part.values.ndim, "the values of a variant are a scalar")


def _join(parts: Sequence[RaggedVariant], dtype: DataType) -> Tensor:
    if not parts:
        return np.zeros(0, DTYPES[dtype].numpy)
    inner = {part.values.shape[1:] for part in parts}
    check(len(inner) == 1, f"variants have values of inner shapes {', '.join(sorted(map(show, inner)))}")
    claim(sum(part.values.nbytes for part in parts))
    return np.concatenate([part.values for part in parts])


@kernel("RaggedTensorToVariantGradient")
def ragged_tensor_to_variant_gradient(encoded: Any, row_splits: Tensor, dense_values_shape: Tensor) -> Tensor:
    """Return the values of all variants, one after the other."""
    shape = read_shape(dense_values_shape, "dense_values_shape")
    parts = [part.values for part in _elements(encoded)]
    if len(parts) == 1:
        return parts[0]
    count = sum(part.size for part in parts)
    check(count == math.prod(shape), f"variants have {count} values, and the shape is {show(shape)}")
    claim(sum(part.nbytes for part in parts))
    check(parts, "there is no variant")
    return np.concatenate([part.reshape(-1) for part in parts]).reshape(shape)
