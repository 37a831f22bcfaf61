"""Kernels that combine values of a row: set operations, EditDistance, and crosses of features.

Set operations. The last dimension of a tensor, dense or sparse, holds the elements of a set; the other dimensions index
the sets. All sets are computed at once, as one set of numbers: the number of the set times the count of distinct
values, plus the number of the value.

    union of  [[1, 2], [3, 3]]  and  [[2], [4]]   ->   [[1, 2], [3, 4]], as a sorted sparse tensor

EditDistance counts the insertions, deletions and replacements that turn one sequence into another. The last dimension
of two sparse tensors holds the sequences; the other dimensions index them.

SparseCross, SparseCrossV2, SparseCrossHashed. Each row of a batch has a list of values in each column. The cross of a
row consists of all combinations of one value of each column, as a string or as a hash:

    [["a", "b"]]  and  [["x"], ["y", "z"]]   ->   "a_X_x", "b_X_x" in the first row, and nothing in the second
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...messages import DataType
from ..runtime.argument_checks import check, read_scalar, read_vector, show
from ..runtime.memory_limit import INDEX_BYTES, LIST_ITEM_BYTES, STRING_BYTES, claim, claim_array
from ..runtime.registry import Tensor, kernel
from ..string.hashing import fingerprint64, sip_hash
from .tensors import check_sparse, flat_positions, group_by_axes, indices_of_positions

_Result = tuple[Tensor, Tensor, Tensor]


class _Sets(NamedTuple):
    """Values, the number of the set of each value, and the shape of the tensor of sets."""

    rows: Tensor
    values: Tensor
    shape: tuple[int, ...]


_OPERATIONS: dict[bytes, Callable[[Tensor, Tensor], Tensor]] = {
    b"a-b": lambda a, b: np.setdiff1d(a, b),
    b"b-a": lambda a, b: np.setdiff1d(b, a),
    b"intersection": lambda a, b: np.intersect1d(a, b),
    b"union": lambda a, b: np.union1d(a, b),
}


@kernel("DenseToDenseSetOperation")
def dense_to_dense(set1: Tensor, set2: Tensor, *, set_operation: bytes) -> _Result:
    return _combine(_read_dense(set1), _read_dense(set2), set_operation)


@kernel("DenseToSparseSetOperation")
def dense_to_sparse(
    set1: Tensor, indices: Tensor, values: Tensor, shape: Tensor, *, set_operation: bytes, validate_indices: bool
) -> _Result:
    return _combine(_read_dense(set1), _read_sparse(indices, values, shape, validate=validate_indices), set_operation)


@kernel("SparseToSparseSetOperation")
def sparse_to_sparse(*parts: Tensor, set_operation: bytes, validate_indices: bool) -> _Result:
    first, second = (_read_sparse(*tensors, validate=validate_indices) for tensors in (parts[:3], parts[3:]))
    return _combine(first, second, set_operation)


@kernel("SetSize")
def set_size(indices: Tensor, values: Tensor, shape: Tensor, *, validate_indices: bool) -> Tensor:
    sets = _read_sparse(indices, values, shape, validate=validate_indices)
    kinds, codes = np.unique(sets.values, return_inverse=True)
    rows = np.unique(sets.rows * max(kinds.size, 1) + codes) // max(kinds.size, 1)
    claim_array(sets.shape, np.int64)
    return np.bincount(rows, minlength=math.prod(sets.shape)).reshape(sets.shape)


def _read_dense(tensor: Tensor) -> _Sets:
    check(tensor.ndim >= 2, f"a tensor of sets must have 2 dimensions or more, not {tensor.ndim}")
    shape = tensor.shape[:-1]
    return _Sets(np.repeat(np.arange(math.prod(shape)), tensor.shape[-1]), tensor.reshape(-1), shape)


def _read_sparse(indices: Tensor, values: Tensor, shape: Tensor, *, validate: bool) -> _Sets:
    sizes = check_sparse(indices, values, shape)
    check(len(sizes) >= 2, f"a tensor of sets must have 2 dimensions or more, not {len(sizes)}")
    check(
        not validate or (np.diff(flat_positions(indices, sizes)) > 0).all(), "indices are not in order, or not unique"
    )
    rows, set_shape = group_by_axes(indices, sizes, range(len(sizes) - 1))
    return _Sets(rows, values, set_shape)


def _combine(first: _Sets, second: _Sets, operation: bytes) -> _Result:
    check(first.shape == second.shape, f"the shapes of sets, {show(first.shape)} and {show(second.shape)}, differ")
    names = ", ".join(name.decode() for name in _OPERATIONS)
    check(operation.lower() in _OPERATIONS, f"set_operation must be one of {names}")
    claim(10 * INDEX_BYTES * (first.values.size + second.values.size))
    kinds, codes = np.unique(np.concatenate([first.values, second.values]), return_inverse=True)
    count = max(kinds.size, 1)
    codes = codes.reshape(-1)
    a, b = first.rows * count + codes[: first.values.size], second.rows * count + codes[first.values.size :]
    check(math.prod(first.shape) * count < 2**63, f"too many sets: {show(first.shape)}")
    rows, value_numbers = np.divmod(_OPERATIONS[operation.lower()](a, b), count)
    starts, sizes = np.unique(rows, return_index=True, return_counts=True)[1:]
    columns = np.arange(rows.size) - np.repeat(starts, sizes)
    indices = np.concatenate([indices_of_positions(rows, first.shape), columns[:, np.newaxis]], 1)
    return indices, kinds[value_numbers], np.array([*first.shape, sizes.max(initial=0)], np.int64)


@kernel("EditDistance")
def edit_distance(
    hypothesis_indices: Tensor,
    hypothesis_values: Tensor,
    hypothesis_shape: Tensor,
    truth_indices: Tensor,
    truth_values: Tensor,
    truth_shape: Tensor,
    *,
    normalize: bool,
) -> Tensor:
    """Return the distances, optionally divided by the length of the truth; infinite for an empty truth."""
    hypothesis_sizes = check_sparse(hypothesis_indices, hypothesis_values, hypothesis_shape)
    truth_sizes = check_sparse(truth_indices, truth_values, truth_shape)
    check(
        len(hypothesis_sizes) == len(truth_sizes) >= 2,
        f"shapes {show(hypothesis_sizes)} and {show(truth_sizes)} must have the same rank, 2 or more",
    )
    shape = tuple(map(max, zip(hypothesis_sizes[:-1], truth_sizes[:-1], strict=True)))
    hypotheses = _sequences(hypothesis_indices, hypothesis_values, hypothesis_sizes, shape)
    truths = _sequences(truth_indices, truth_values, truth_sizes, shape)
    result = np.zeros(math.prod(shape), np.float32)
    empty = hypothesis_values[:0]
    for row in hypotheses.keys() | truths.keys():
        hypothesis, truth = hypotheses.get(row, empty), truths.get(row, empty)
        changes = np.float32(distance(hypothesis, truth))
        result[row] = changes / np.float32(len(truth)) if normalize else changes
    return result.reshape(shape)


def _sequences(indices: Tensor, values: Tensor, sizes: tuple[int, ...], shape: tuple[int, ...]) -> dict[int, Tensor]:
    """Return the non-empty sequences by number."""
    rows, _ = group_by_axes(indices, (*shape, sizes[-1]), range(len(shape)))
    check((np.diff(rows) >= 0).all(), "the indices of sequences must be sorted")
    numbers, starts = np.unique(rows, return_index=True)
    return dict(zip(numbers.tolist(), np.split(values, starts[1:]), strict=True)) if numbers.size else {}


def distance(first: Tensor, second: Tensor) -> int:
    """Return the Levenshtein distance of two sequences, computed row by row of its table."""
    columns = np.arange(len(first) + 1)
    row = columns
    for element in second.tolist():
        best = np.concatenate([row[:1] + 1, np.minimum(row[1:] + 1, row[:-1] + (first != element))])
        row = np.minimum.accumulate(best - columns) + columns  # each step from the left costs one
    return int(row[-1])


# --- crosses ---------------------------------------------------------------------------------------------------------

_CrossResult = tuple[Tensor, Tensor, Tensor]
_Columns = list[list[list[Any]]]
"""The values of each column, by column and row of the batch."""

_MASK = (1 << 64) - 1
_MAX_INT64 = (1 << 63) - 1


@kernel("SparseCross")
def sparse_cross(
    *tensors: Tensor, N: int, num_buckets: int, hash_key: int, out_type: DataType, internal_type: DataType
) -> _CrossResult:
    """Return strings joined by "_X_", or hashes if `out_type` is int64; TensorFlow ignores `hashed_output`."""
    sparse, dense = _split_inputs(tensors, N)
    if out_type == DataType.DT_STRING:
        texts_only = all(values.dtype == object for values in (*[part[1] for part in sparse], *dense))
        check(
            internal_type != DataType.DT_STRING or texts_only, "with the internal_type string, it crosses no integers"
        )
        return _cross_strings(_read_columns(sparse, dense, _text), b"_X_")
    buckets = num_buckets or _MAX_INT64
    columns = _read_columns(sparse, dense, _fingerprint)
    return _cross(columns, lambda parts: _concatenate_hashes((hash_key & _MASK, *parts)) % buckets)


@kernel("SparseCrossV2")
def sparse_cross_v2(*tensors: Tensor, N: int) -> _CrossResult:
    separator = read_scalar(tensors[-1], "sep")
    return _cross_strings(_read_columns(*_split_inputs(tensors[:-1], N), _text), separator)


@kernel("SparseCrossHashed")
def sparse_cross_hashed(*tensors: Tensor, N: int) -> _CrossResult:
    """Hash with fingerprints, or with SipHash if `strong_hash` is set; `salt` is its key."""
    num_buckets, strong = read_scalar(tensors[-3], "num_buckets"), read_scalar(tensors[-2], "strong_hash")
    low, high = (number & _MASK for number in read_vector(tensors[-1], "salt", 2))
    buckets = num_buckets or _MAX_INT64

    sparse, dense = _split_inputs(tensors[:-3], N)
    check(not strong or all(column.dtype == object for column in dense), "a strong hash of dense integers is undefined")

    def hash_bytes(value: bytes) -> int:
        return sip_hash(value, low, high) if strong else fingerprint64(value)

    def hash_sparse(value: Any) -> int:
        return hash_bytes(value if isinstance(value, bytes) else _low_bytes(value))

    def hash_dense(value: Any) -> int:
        return hash_bytes(value) if isinstance(value, bytes) else value & _MASK

    columns = _read_columns(sparse, dense, hash_sparse, hash_dense)
    return _cross(columns, lambda parts: _concatenate_hashes(parts) % buckets)


def _split_inputs(tensors: Sequence[Tensor], count: int) -> tuple[list[tuple[Tensor, ...]], Sequence[Tensor]]:
    """Return the parts of the sparse tensors, and the dense ones."""
    parts = (tensors[start * count : (start + 1) * count] for start in range(3))
    return [*zip(*parts, strict=True)], tensors[3 * count :]


def _read_columns(
    sparse: Sequence[tuple[Tensor, ...]],
    dense: Sequence[Tensor],
    convert: Callable[[Any], Any],
    convert_dense: Callable[[Any], Any] | None = None,
) -> _Columns:
    """Return the converted values of each row of each column. Raises RunError if batches differ in size."""
    convert_dense = convert_dense or convert
    rows: list[int] = []
    for indices, values, shape in sparse:
        sizes = check_sparse(indices, values, shape)
        check(len(sizes) == 2, f"a column must be a matrix, not of shape {show(sizes)}")
        rows.append(sizes[0])
    for column in dense:
        check(column.ndim == 2, f"a dense column must be a matrix, not of shape {show(column.shape)}")
        rows.append(len(column))
    check(rows, "it has no columns")
    check(len({*rows}) == 1, f"its columns have batches of {', '.join(map(str, rows))} rows")
    elements = sum(part[1].size for part in sparse) + sum(column.size for column in dense)
    claim((LIST_ITEM_BYTES + STRING_BYTES) * elements + 64 * len(rows) * rows[0])
    return [
        *(_group_rows(part[0], [convert(value) for value in part[1].tolist()], rows[0]) for part in sparse),
        *([[convert_dense(value) for value in row] for row in column.tolist()] for column in dense),
    ]


def _group_rows(indices: Tensor, values: list[Any], count: int) -> list[list[Any]]:
    """Return the values of each row. As in TensorFlow, values whose row is out of order are left out."""
    numbers, rows, position = indices[:, 0].tolist(), [], 0
    for row in range(count):
        start = position
        while position < len(values) and numbers[position] == row:
            position += 1
        rows.append(values[start:position])
    return rows


def _cross_strings(columns: _Columns, separator: bytes) -> _CrossResult:
    sizes = [[sum(map(len, row)) for row in column] for column in columns]
    total = 0
    for number in range(len(columns[0])):
        counts = [len(column[number]) for column in columns]
        combinations = math.prod(counts)
        if combinations:
            letters = sum(size[number] * combinations // count for size, count in zip(sizes, counts, strict=True))
            total += letters + combinations * (STRING_BYTES + len(separator) * (len(columns) - 1))
    claim(total)
    return _cross(columns, separator.join, is_text=True)


def _cross(columns: _Columns, combine: Callable[[tuple[Any, ...]], Any], *, is_text: bool = False) -> _CrossResult:
    """Return indices, values and shape of the cross; the last column varies fastest."""
    counts = [math.prod(len(column[row]) for column in columns) for row in range(len(columns[0]))]
    total = sum(counts)
    claim(total * (2 * INDEX_BYTES + LIST_ITEM_BYTES + 3 * INDEX_BYTES))
    values = [combine(parts) for row in zip(*columns, strict=True) for parts in itertools.product(*row)]
    starts = np.cumsum(counts) - counts
    numbers = np.repeat(np.arange(len(counts)), counts)
    indices = np.stack([numbers, np.arange(total) - np.repeat(starts, counts)], -1)
    array = np.empty(total, object)
    array[:] = values
    result = array if is_text else array.astype(np.uint64).view(np.int64)
    return indices, result, np.array([len(counts), max(counts, default=0)], np.int64)


def _text(value: Any) -> bytes:
    return value if isinstance(value, bytes) else b"%d" % value


def _low_bytes(value: int) -> bytes:
    """Return the four bytes of an integer that TensorFlow hashes."""
    return (value & 0xFFFFFFFF).to_bytes(4, "little")


def _fingerprint(value: Any) -> int:
    return fingerprint64(value) if isinstance(value, bytes) else value & _MASK


_FACTOR = 0xC6A4A7935BD1E995


def _concatenate_hashes(parts: Sequence[int]) -> int:
    """Return the 64-bit fingerprint of a sequence of fingerprints."""
    result, *others = parts
    for part in others:
        result ^= _FACTOR ^ _shift_mix(part * _FACTOR) * _FACTOR & _MASK
        result = _shift_mix(result * _FACTOR) * _FACTOR
        result = _shift_mix(result)
    return result


def _shift_mix(value: int) -> int:
    value &= _MASK
    return value ^ value >> 47
