"""Features of tf.Example messages as tensors: dense, sparse and ragged.

batch = Batch(rows, names, single=False)             rows: a mapping from names to features for each example
batch.sparse(b"age", DataType.DT_INT64)              indices, values, shape
batch.ragged(b"age", DataType.DT_INT64, splits)      values, row_splits
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import prod

import numpy as np

from ...messages import DataType, Feature, Features
from ...values.dtypes import DTYPES, dtype_name
from ...values.terminal import escape
from ..runtime.argument_checks import check, show
from ..runtime.memory_limit import claim_array
from ..runtime.registry import Tensor
from ..string.strings import string_tensor

Row = Mapping[str, Feature]
KeyShape = tuple[int | None, ...] | None

_FIELDS = {DataType.DT_STRING: "bytes_list", DataType.DT_FLOAT: "float_list", DataType.DT_INT64: "int64_list"}


def feature_map(features: Features | None) -> Row:
    return features.feature if features is not None else {}


def feature_name(key: bytes) -> str:
    """Return a key as the name that messages have for it."""
    return key.decode("utf-8", "surrogateescape")


def feature_text(name: bytes) -> str:
    """Return the name of a feature or example for error messages."""
    return escape(name.decode("utf-8", "replace"))


def check_feature_type(dtype: DataType) -> None:
    check(dtype in _FIELDS, f"features cannot be of type {dtype_name(dtype)}")


def read_values(feature: Feature, key: bytes, dtype: DataType) -> Tensor | None:
    """Return the values of a feature; None if it has no kind. Raises RunError if it is of another type."""
    kind = feature.which_oneof("kind")
    if kind is None:
        return None
    check(kind == _FIELDS[dtype], f'feature "{feature_text(key)}" is a {kind}, not {dtype_name(dtype)}')
    values = getattr(feature, kind).value
    if kind == "bytes_list":
        return string_tensor(values, (len(values),))
    return np.array(values, DTYPES[dtype].numpy)


def no_values(dtype: DataType) -> Tensor:
    return np.zeros(0, DTYPES[dtype].numpy)


def concatenate(features: Sequence[Tensor], dtype: DataType) -> Tensor:
    return np.concatenate(features) if features else no_values(dtype)


def transpose(rows: Sequence[Sequence[Tensor]], count: int) -> list[Tensor]:
    """Return the first tensors of all rows, then the second ones, ..."""
    return [row[column] for column in range(count) for row in rows]


class Batch:
    """A batch of examples, each as a mapping from feature names to features. `single` is an example without a batch."""

    def __init__(self, rows: Sequence[Row], names: Tensor, *, single: bool) -> None:
        check(names.size in (0, len(rows)), f"names must be empty or of size {len(rows)}, not {names.size}")
        self.names: list[bytes] = names.reshape(-1).tolist() or [b""] * len(rows)
        self.single = single
        self._rows = rows

    def sparse(self, key: bytes, dtype: DataType) -> tuple[Tensor, Tensor, Tensor]:
        features = [no_values(dtype) if values is None else values for values in self.values(key, dtype)]
        lengths = np.array([values.size for values in features], np.int64)
        column = np.concatenate([np.arange(size, dtype=np.int64) for size in lengths] or [lengths])
        longest = lengths.max(initial=0)
        if self.single:
            return column[:, None], concatenate(features, dtype), np.array([longest], np.int64)
        row = np.repeat(np.arange(len(features), dtype=np.int64), lengths)
        return (
            np.stack([row, column], 1),
            concatenate(features, dtype),
            np.array([len(features), longest], np.int64),
        )

    def ragged(self, key: bytes, dtype: DataType, splits: DataType) -> tuple[Tensor, Tensor]:
        features = [no_values(dtype) if values is None else values for values in self.values(key, dtype)]
        ends = [] if self.single else [0, *accumulate(values.size for values in features)]
        return concatenate(features, dtype), np.array(ends, DTYPES[splits].numpy)

    def all_dense(
        self, keys: Sequence[bytes], types: Sequence[DataType], shapes: Sequence[KeyShape], defaults: Sequence[Tensor]
    ) -> list[Tensor]:
        fits = len(keys) == len(types) == len(shapes) == len(defaults)
        check(fits, "each of the dense keys needs a type, a shape and a default")
        return [self._dense(*arguments) for arguments in zip(keys, types, shapes, defaults, strict=True)]

    def _dense(self, key: bytes, dtype: DataType, shape: KeyShape, default: Tensor) -> Tensor:
        check(shape is not None and None not in shape[1:], f'the shape of feature "{feature_text(key)}" is unknown')
        sizes = tuple(size for size in shape or () if size is not None)
        variable = shape is not None and len(sizes) < len(shape)
        if variable:
            return self._pad_rows(key, dtype, sizes, default)
        fits = not default.size or default.shape == sizes
        check(
            fits,
            f'the default of "{feature_text(key)}" must be of shape {show(sizes)}, not {show(default.shape)}',
        )
        rows = []
        for name, values in zip(self.names, self.values(key, dtype), strict=True):
            if values is None:
                message = (
                    f'feature "{feature_text(key)}" is not in the example "{feature_text(name)}", and has no default'
                )
                check(default.size or not prod(sizes), message)
                values = default.reshape(-1)
            message = (
                f'feature "{feature_text(key)}" has {values.size} values in "{feature_text(name)}", not {prod(sizes)}'
            )
            check(values.size == prod(sizes), message)
            rows.append(values)
        return concatenate(rows, dtype).reshape(sizes if self.single else (len(rows), *sizes))

    def _pad_rows(self, key: bytes, dtype: DataType, sizes: tuple[int, ...], default: Tensor) -> Tensor:
        """Return a dense tensor of shape [?, *sizes], padded to the longest example with the default."""
        check(default.size == 1, f'the default of "{feature_text(key)}" must be one value, not {default.size}')
        features = [no_values(dtype) if values is None else values for values in self.values(key, dtype)]
        stride = prod(sizes)
        check(
            stride > 0 and all(values.size % stride == 0 for values in features),
            f'feature "{feature_text(key)}" has a number of values that is not a multiple of {stride}',
        )
        if self.single:
            return features[0].reshape(-1, *sizes)
        longest = max((values.size for values in features), default=0)
        claim_array((len(features), longest), DTYPES[dtype].numpy)
        filled = np.empty((len(features), longest), DTYPES[dtype].numpy)
        filled[:] = default.reshape(-1)[0]
        for row, values in zip(filled, features, strict=True):
            row[: values.size] = values
        return filled.reshape(len(features), longest // stride, *sizes)

    def values(self, key: bytes, dtype: DataType) -> list[Tensor | None]:
        """Return the values of a feature in each example; None where it is missing."""
        check_feature_type(dtype)
        features = (row.get(feature_name(key)) for row in self._rows)
        return [None if feature is None else read_values(feature, key, dtype) for feature in features]

    def has(self, key: bytes) -> list[bool]:
        """Return whether each example has a feature, even one without a kind."""
        return [feature_name(key) in row for row in self._rows]
