"""Kernels that decode tf.Example messages.

Features become tensors:

    dense      one tensor [batch, *shape]; if the first size is unknown, padded to the longest example
    sparse     indices [n, 2], values [n], shape [batch, longest]
    ragged     values [n], row_splits [batch + 1]

A single Example has no batch dimension: dense is [*shape], sparse has indices [n, 1], ragged has no splits.
"""

from __future__ import annotations

import numpy as np

from pbwire import errors

from ...errors import RunError
from ...messages import DataType, Example
from ..runtime.argument_checks import check, read_scalar, show
from ..runtime.registry import Tensor, kernel
from .features import Batch, KeyShape, Row, feature_map, transpose


@kernel("ParseExample")
def parse_example(
    serialized: Tensor,
    names: Tensor,
    *tensors: Tensor,
    sparse_types: list[DataType],
    dense_shapes: list[KeyShape],
    Nsparse: int,
    Ndense: int,
    Tdense: list[DataType],
) -> list[Tensor]:
    check(serialized.ndim == 1, f"serialized must be a vector, not of shape {show(serialized.shape)}")
    keys = [read_scalar(key_tensor, "a key") for key_tensor in tensors[: Nsparse + Ndense]]
    batch = _examples(serialized, names)
    sparse = [batch.sparse(key, dtype) for key, dtype in zip(keys, sparse_types, strict=False)]
    dense = batch.all_dense(keys[Nsparse:], Tdense, dense_shapes, tensors[Nsparse + Ndense :])
    return [*transpose(sparse, 3), *dense]


@kernel("ParseExampleV2")
def parse_example_v2(
    serialized: Tensor,
    names: Tensor,
    sparse_keys: Tensor,
    dense_keys: Tensor,
    ragged_keys: Tensor,
    *defaults: Tensor,
    sparse_types: list[DataType],
    Tdense: list[DataType],
    dense_shapes: list[KeyShape],
    ragged_value_types: list[DataType],
    ragged_split_types: list[DataType],
) -> list[Tensor]:
    check(serialized.ndim <= 1, f"serialized must be a vector or scalar, not of shape {show(serialized.shape)}")
    for name, keys in (("sparse", sparse_keys), ("dense", dense_keys), ("ragged", ragged_keys)):
        check(keys.ndim == 1, f"{name}_keys must be a vector, not of shape {show(keys.shape)}")
    check(len(sparse_types) == sparse_keys.size, "sparse_types must have a type for each of sparse_keys")
    fits = len(ragged_value_types) == ragged_keys.size == len(ragged_split_types)
    check(fits, "ragged_value_types and ragged_split_types must have a type for each of ragged_keys")
    batch = _examples(serialized, names)
    sparse = [batch.sparse(key, dtype) for key, dtype in zip(sparse_keys.tolist(), sparse_types, strict=True)]
    types = zip(ragged_value_types, ragged_split_types, strict=True)
    ragged = [batch.ragged(key, *type_pair) for key, type_pair in zip(ragged_keys.tolist(), types, strict=True)]
    dense = batch.all_dense(dense_keys.tolist(), Tdense, dense_shapes, defaults)
    return [*transpose(sparse, 3), *dense, *transpose(ragged, 2)]


@kernel("ParseSingleExample")
def parse_single_example(
    serialized: Tensor,
    *defaults: Tensor,
    sparse_keys: list[bytes],
    dense_keys: list[bytes],
    sparse_types: list[DataType],
    Tdense: list[DataType],
    dense_shapes: list[KeyShape],
) -> list[Tensor]:
    check(serialized.ndim == 0, f"serialized must be a scalar, not of shape {show(serialized.shape)}")
    batch = _examples(serialized, np.zeros(0, object))
    sparse = [batch.sparse(key, dtype) for key, dtype in zip(sparse_keys, sparse_types, strict=True)]
    return [*transpose(sparse, 3), *batch.all_dense(dense_keys, Tdense, dense_shapes, defaults)]


def _examples(serialized: Tensor, names: Tensor) -> Batch:
    rows = [_parse_features(data) for data in serialized.reshape(-1).tolist()]
    return Batch(rows, names, single=serialized.ndim == 0)


def _parse_features(data: bytes) -> Row:
    try:
        return feature_map(Example.from_bytes(data).features)
    except errors.Error as error:
        raise RunError(f"serialized is not an Example: {error}") from error
