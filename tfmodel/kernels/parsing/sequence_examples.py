"""Kernels that decode tf.SequenceExample messages: features of a whole sequence, and lists with a feature per step.

Features of the context become tensors as those of Examples do: see `features`. Feature lists have one more dimension:

    dense      values [batch, longest, *shape], padded with 0 or "", and the number of steps [batch]
    sparse     indices [n, 3], values [n], shape [batch, most steps, most values]
    ragged     values [n], outer splits [batch + 1] of steps, inner splits [steps + 1] of values

A single SequenceExample has no batch dimension. Differences from TensorFlow: it gives numbers of no meaning for the row
splits of a single example where an empty vector is returned here, ends where a step has the shape of no values, and
does not notice damage in features that are not asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import prod
from typing import Any

import numpy as np

from pbwire import errors

from ...errors import RunError
from ...messages import DataType, FeatureList, SequenceExample
from ...values.dtypes import DTYPES
from ..runtime.argument_checks import check, read_scalar, show, zeros
from ..runtime.memory_limit import INDEX_BYTES, VIEW_BYTES, claim, claim_array
from ..runtime.registry import Tensor, kernel
from .features import (
    Batch,
    KeyShape,
    check_feature_type,
    concatenate,
    feature_map,
    feature_name,
    feature_text,
    no_values,
    read_values,
    transpose,
)

_MESSAGE_BYTES = 50
"""Memory of a decoded message for each byte: a step without values takes two bytes."""
_INDEX_COLUMNS = 8
"""Indices of each value: three columns, alone and side by side, and what they are made of."""


@kernel("ParseSequenceExample")
def parse_sequence_example(
    serialized: Tensor,
    debug_name: Tensor,
    *defaults: Tensor,
    feature_list_dense_missing_assumed_empty: list[bytes],
    context_sparse_keys: list[bytes],
    context_dense_keys: list[bytes],
    feature_list_sparse_keys: list[bytes],
    feature_list_dense_keys: list[bytes],
    context_sparse_types: list[DataType],
    Tcontext_dense: list[DataType],
    feature_list_dense_types: list[DataType],
    context_dense_shapes: list[KeyShape],
    feature_list_sparse_types: list[DataType],
    feature_list_dense_shapes: list[KeyShape],
) -> list[Tensor]:
    optional = [key in feature_list_dense_missing_assumed_empty for key in feature_list_dense_keys]
    context = _Wanted(
        sparse=_rows(context_sparse_keys, context_sparse_types),
        dense=_rows(context_dense_keys, Tcontext_dense, context_dense_shapes, defaults),
    )
    lists = _Wanted(
        sparse=_rows(feature_list_sparse_keys, feature_list_sparse_types),
        dense=_rows(feature_list_dense_keys, feature_list_dense_types, feature_list_dense_shapes, optional),
    )
    return _parse_batch(serialized, debug_name, context, lists)


@kernel("ParseSequenceExampleV2")
def parse_sequence_example_v2(
    serialized: Tensor,
    debug_name: Tensor,
    *tensors: Tensor,
    Tcontext_dense: list[DataType],
    context_sparse_types: list[DataType],
    context_ragged_value_types: list[DataType],
    context_ragged_split_types: list[DataType],
    context_dense_shapes: list[KeyShape],
    feature_list_dense_types: list[DataType],
    feature_list_sparse_types: list[DataType],
    feature_list_ragged_value_types: list[DataType],
    feature_list_ragged_split_types: list[DataType],
    feature_list_dense_shapes: list[KeyShape],
) -> list[Tensor]:
    """The tensors are six vectors of keys, the dense lists that may be missing, and defaults of the dense context."""
    vectors, defaults = [_read_keys(tensor) for tensor in tensors[:7]], tensors[7:]
    context = _Wanted(
        sparse=_rows(vectors[0], context_sparse_types),
        dense=_rows(vectors[1], Tcontext_dense, context_dense_shapes, defaults),
        ragged=_rows(vectors[2], context_ragged_value_types, context_ragged_split_types),
    )
    lists = _Wanted(
        sparse=_rows(vectors[3], feature_list_sparse_types),
        dense=_rows(vectors[4], feature_list_dense_types, feature_list_dense_shapes, vectors[6]),
        ragged=_rows(vectors[5], feature_list_ragged_value_types, feature_list_ragged_split_types),
    )
    return _parse_batch(serialized, debug_name, context, lists)


@kernel("ParseSingleSequenceExample")
def parse_single_sequence_example(
    serialized: Tensor,
    feature_list_dense_missing_assumed_empty: Tensor,
    *tensors: Tensor,
    Ncontext_sparse: int,
    Ncontext_dense: int,
    Nfeature_list_sparse: int,
    Nfeature_list_dense: int,
    context_sparse_types: list[DataType],
    Tcontext_dense: list[DataType],
    feature_list_dense_types: list[DataType],
    context_dense_shapes: list[KeyShape],
    feature_list_sparse_types: list[DataType],
    feature_list_dense_shapes: list[KeyShape],
) -> list[Tensor]:
    """The tensors are the keys, a scalar each, defaults of the dense context, and a name for error messages."""
    *tensors_before_name, debug_name = tensors
    check(serialized.ndim == 0, f"serialized must be a scalar, not of shape {show(serialized.shape)}")
    check(debug_name.ndim == 0, f"debug_name must be a scalar, not of shape {show(debug_name.shape)}")
    inputs = iter(tensors_before_name)
    counts = (Ncontext_sparse, Ncontext_dense, Nfeature_list_sparse, Nfeature_list_dense)
    keys = [[read_scalar(key, "a key") for key in islice(inputs, count)] for count in counts]
    missing = _read_keys(feature_list_dense_missing_assumed_empty)
    context = _Wanted(
        sparse=_rows(keys[0], context_sparse_types),
        dense=_rows(keys[1], Tcontext_dense, context_dense_shapes, list(inputs)),
    )
    lists = _Wanted(
        sparse=_rows(keys[2], feature_list_sparse_types),
        dense=_rows(keys[3], feature_list_dense_types, feature_list_dense_shapes, [key in missing for key in keys[3]]),
    )
    batch = _Sequences(serialized, debug_name)
    return [*batch.context_outputs(context), *batch.list_outputs(lists, with_lengths=False)]


# --- what is asked for -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Wanted:
    """The features to decode, by form: for each, the arguments of the method that decodes it."""

    sparse: Sequence[tuple[Any, ...]]
    dense: Sequence[tuple[Any, ...]]
    ragged: Sequence[tuple[Any, ...]] = ()

    def check_forms(self) -> None:
        """Check that no feature is asked for in two forms."""
        forms = [{row[0] for row in rows} for rows in (self.sparse, self.dense, self.ragged)]
        repeated = next(iter((forms[0] & forms[1]) | (forms[0] & forms[2]) | (forms[1] & forms[2])), b"")
        check(len(set().union(*forms)) == sum(map(len, forms)), f'feature "{feature_text(repeated)}" has two forms')


def _rows(keys: Sequence[bytes], *columns: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return a tuple for each key: the key, its type and the other arguments."""
    fits = all(len(column) == len(keys) for column in columns)
    check(fits, f"{len(keys)} keys need as many types, shapes and defaults, not {[len(column) for column in columns]}")
    return list(zip(keys, *columns, strict=True))


def _read_keys(tensor: Tensor) -> list[Any]:
    check(tensor.ndim == 1, f"keys must be a vector, not of shape {show(tensor.shape)}")
    values: list[Any] = tensor.tolist()
    return values


def _parse_batch(serialized: Tensor, names: Tensor, context: _Wanted, lists: _Wanted) -> list[Tensor]:
    check(serialized.ndim <= 1, f"serialized must be a vector or scalar, not of shape {show(serialized.shape)}")
    context.check_forms()
    lists.check_forms()
    batch = _Sequences(serialized, names)
    return [*batch.context_outputs(context), *batch.list_outputs(lists, with_lengths=True)]


# --- sequences -------------------------------------------------------------------------------------------------------


class _Sequences:
    """A batch of SequenceExamples, or a single one."""

    def __init__(self, serialized: Tensor, names: Tensor) -> None:
        data = serialized.reshape(-1).tolist()
        claim(_MESSAGE_BYTES * sum(map(len, data)))
        messages = [_parse(serialized_message) for serialized_message in data]
        context = [feature_map(message.context) for message in messages]
        self._context = Batch(context, names, single=serialized.ndim == 0)
        self._single = serialized.ndim == 0
        self._lists: list[Mapping[str, FeatureList]] = [
            message.feature_lists.feature_list if message.feature_lists is not None else {} for message in messages
        ]

    def context_outputs(self, wanted: _Wanted) -> list[Tensor]:
        return [
            *transpose([self._context.sparse(*row) for row in wanted.sparse], 3),
            *(self._dense_context(*row) for row in wanted.dense),
            *transpose([self._context.ragged(*row) for row in wanted.ragged], 2),
        ]

    def list_outputs(self, wanted: _Wanted, *, with_lengths: bool) -> list[Tensor]:
        return [
            *transpose([self._sparse(*row) for row in wanted.sparse], 3),
            *transpose([self._dense(*row) for row in wanted.dense], 2 if with_lengths else 1),
            *transpose([self._ragged(*row) for row in wanted.ragged], 3),
        ]

    def _dense_context(self, key: bytes, dtype: DataType, shape: KeyShape, default: Tensor) -> Tensor:
        sizes, text = _known_sizes(key, shape), feature_text(key)
        fits = not default.size or default.shape == sizes
        check(fits, f'the default of "{text}" must be of shape {show(sizes)}, not {show(default.shape)}')
        rows = []
        for name, present, read in zip(
            self._context.names, self._context.has(key), self._context.values(key, dtype), strict=True
        ):
            where = f'feature "{text}" of "{feature_text(name)}"'
            check(present or default.size, f"{where} is missing, and has no default")
            values = default.reshape(-1) if not present else no_values(dtype) if read is None else read
            check(values.size == prod(sizes), f"{where} has {values.size} values, not {prod(sizes)}")
            rows.append(values)
        check(rows or default.size or not prod(sizes), f'feature "{text}" is in no example, and has no default')
        claim_array((len(rows), *sizes), DTYPES[dtype].numpy)
        return concatenate(rows, dtype).reshape(sizes if self._single else (len(rows), *sizes))

    def _dense(self, key: bytes, dtype: DataType, shape: KeyShape, may_be_missing: bool) -> tuple[Tensor, Tensor]:
        """Return the steps of a feature list, padded to the longest example, and their number in each example."""
        sizes, text = _known_sizes(key, shape), feature_text(key)
        steps_of_examples = []
        for name, steps in zip(self._context.names, self._steps(key, dtype), strict=True):
            where = f'feature list "{text}" of "{feature_text(name)}"'
            check(steps is not None or may_be_missing, f"{where} is missing")
            for number, values in enumerate(steps or ()):
                count = 0 if values is None else values.size
                fits = values is not None and count == prod(sizes)
                check(fits, f"{where} has {count} values at step {number}, not {prod(sizes)}")
            steps_of_examples.append([values for values in steps or () if values is not None])
        lengths = np.array([len(steps) for steps in steps_of_examples], np.int64)
        result = zeros((len(lengths), int(lengths.max(initial=0)), *sizes), DTYPES[dtype].numpy)
        for row, rows in zip(result, steps_of_examples, strict=True):
            row[: len(rows)] = concatenate(rows, dtype).reshape(len(rows), *sizes)
        return (result[0], lengths[0]) if self._single else (result, lengths)

    def _sparse(self, key: bytes, dtype: DataType) -> tuple[Tensor, Tensor, Tensor]:
        values, steps, counts = self._flat(key, dtype)
        claim(_INDEX_COLUMNS * INDEX_BYTES * values.size)
        example, step = np.repeat(np.arange(len(steps)), steps), _count_up(steps)
        columns = [np.repeat(example, counts), np.repeat(step, counts), _count_up(counts)]
        sizes = [len(steps), steps.max(initial=0), counts.max(initial=0)]
        first = 1 if self._single else 0
        return np.stack(columns[first:], 1), values, np.array(sizes[first:], np.int64)

    def _ragged(self, key: bytes, dtype: DataType, splits: DataType) -> tuple[Tensor, Tensor, Tensor]:
        values, steps, counts = self._flat(key, dtype)
        inner, outer = (
            np.concatenate([[0], np.cumsum(sizes)]).astype(DTYPES[splits].numpy) for sizes in (counts, steps)
        )
        return values, outer[:0] if self._single else outer, inner

    def _flat(self, key: bytes, dtype: DataType) -> tuple[Tensor, Tensor, Tensor]:
        """Return all values of a feature list, the number of steps of each example, and of values of each step."""
        lists = [steps or [] for steps in self._steps(key, dtype)]
        features = [no_values(dtype) if values is None else values for steps in lists for values in steps]
        steps = np.array([len(steps) for steps in lists], np.int64)
        counts = np.array([values.size for values in features], np.int64)
        return concatenate(features, dtype), steps, counts

    def _steps(self, key: bytes, dtype: DataType) -> list[list[Tensor | None] | None]:
        """Return the values of each step in each example, None for a step without a kind; None for a missing list."""
        check_feature_type(dtype)
        lists = [by_name.get(feature_name(key)) for by_name in self._lists]
        claim(VIEW_BYTES * sum(len(steps.feature) for steps in lists if steps is not None))
        return [
            None if steps is None else [read_values(feature, key, dtype) for feature in steps.feature]
            for steps in lists
        ]


def _parse(data: bytes) -> SequenceExample:
    try:
        return SequenceExample.from_bytes(data)
    except errors.Error as error:
        raise RunError(f"serialized is not a SequenceExample: {error}") from error


def _known_sizes(key: bytes, shape: KeyShape) -> tuple[int, ...]:
    sizes = tuple(size for size in shape or () if size is not None)
    check(shape is not None and len(sizes) == len(shape), f'the shape of feature "{feature_text(key)}" is unknown')
    return sizes


def _count_up(lengths: Tensor) -> Tensor:
    """Return the numbers from 0 up to each length, one after the other."""
    return np.asarray(np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths))
