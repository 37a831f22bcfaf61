"""Kernels that decode tensors from strings: raw bytes, TensorProtos, CSV, and tf.Example messages.

    DecodeRaw([b"\\1\\0", b"\\2\\0"], out_type=DT_INT16)            [[1], [2]]
    DecodeCSV(["1,a", "2,b"], [0], [""])                            [1, 2], [b"a", b"b"]

Features of tf.Example messages become tensors:

    dense      one tensor [batch, *shape]; if the first size is unknown, padded to the longest example
    sparse     indices [n, 2], values [n], shape [batch, longest]
    ragged     values [n], row_splits [batch + 1]

A single Example has no batch dimension: dense is [*shape], sparse has indices [n, 1], ragged has no splits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from math import prod

import numpy as np

from pbwire import errors

from ...errors import RunError
from ...messages import DataType, Example, Feature, TensorProto
from ...values.dtypes import DTYPES, dtype_name, dtype_of
from ...values.shape import shape_to_proto
from ...values.tensors import from_ndarray, to_ndarray
from ...values.terminal import escape
from ..runtime.argument_checks import check, read_scalar, show, zeros
from ..runtime.memory_limit import claim
from ..runtime.registry import Tensor, kernel
from ..string.formatting import parse_number
from ..string.strings import string_tensor

_MAX_FILL = 1 << 28
"""The maximum size in bytes of a tensor that repeats its last value."""


# --- bytes -----------------------------------------------------------------------------------------------------------


@kernel("DecodeRaw")
def decode_raw(x: Tensor, *, out_type: DataType, little_endian: bool = True) -> Tensor:
    rows = x.reshape(-1).tolist()
    size = len(rows[0]) if rows else 0
    claim(size * len(rows))
    check(all(len(row) == size for row in rows), "its strings must have the same length")
    return _bytes_to_numbers(np.frombuffer(b"".join(rows), np.uint8), size, x.shape, out_type, little_endian)


@kernel("DecodePaddedRaw")
def decode_padded_raw(x: Tensor, fixed_length: Tensor, *, out_type: DataType, little_endian: bool = True) -> Tensor:
    """Decode strings that are truncated or zero-padded to a fixed length."""
    size: int = read_scalar(fixed_length, "fixed_length")
    check(size > 0, f"fixed_length must be greater than zero, and is {size}")
    data = zeros((x.size, size), np.dtype(np.uint8))
    for row, string in zip(data, x.reshape(-1).tolist(), strict=True):
        row[: len(string)] = np.frombuffer(string[:size], np.uint8)
    return _bytes_to_numbers(data.reshape(-1), size, x.shape, out_type, little_endian)


def _bytes_to_numbers(data: Tensor, size: int, shape: Sequence[int], out_type: DataType, little_endian: bool) -> Tensor:
    """Return the bytes of strings of one size as numbers."""
    row = DTYPES[out_type]
    check(row.itemsize > 0 and not row.is_object, f"strings cannot be decoded as {dtype_name(out_type)}")
    check(size % row.itemsize == 0, f"strings of {size} bytes do not fit {row.name}, of {row.itemsize} bytes")
    if row.kind == "b":
        return np.asarray(data != 0).reshape(*shape, size)
    parts = 2 if row.kind == "c" else 1
    stored = np.dtype(row.storage)
    if not little_endian:
        data = data.reshape(-1, stored.itemsize // parts)[:, ::-1].reshape(-1)
    numbers: Tensor = row.decode(np.ascontiguousarray(data).view(stored))
    return numbers.reshape(*shape, size // row.itemsize)


@kernel("ParseTensor")
def parse_tensor(serialized: Tensor, *, out_type: DataType) -> Tensor:
    data = read_scalar(serialized, "serialized")
    try:
        tensor = TensorProto.from_bytes(data)
        check(tensor.dtype == out_type, f"it is a {dtype_name(tensor.dtype)}, not a {dtype_name(out_type)}")
        return to_ndarray(tensor, max_fill=_MAX_FILL)
    except errors.Error as error:
        raise RunError(f"serialized is not a TensorProto: {error}") from error


@kernel("SerializeTensor")
def serialize_tensor(x: Tensor, *, T: DataType) -> Tensor:
    row = dtype_of(T)
    check(row.codec != "message", f"tensors of type {row.name} cannot be serialized")
    claim(sum(map(len, x.reshape(-1).tolist())) if T == DataType.DT_STRING else x.nbytes)
    if row.is_object:
        tensor = from_ndarray(x, T)
    else:
        content = np.ascontiguousarray(row.encode(x)).tobytes()
        shape = shape_to_proto(x.shape)
        tensor = TensorProto(dtype=T, tensor_shape=shape, tensor_content=content)
    return string_tensor([tensor.to_bytes()], ())


# --- comma-separated values ------------------------------------------------------------------------------------------


@kernel("DecodeCSV")
def decode_csv(
    records: Tensor,
    *defaults: Tensor,
    field_delim: bytes,
    use_quote_delim: bool,
    na_value: bytes,
    select_cols: list[int],
    OUT_TYPE: list[DataType],
) -> list[Tensor]:
    """Return a tensor for each column. An empty default marks a required column."""
    check(len(field_delim) == 1, "field_delim must be one character")
    check(
        all(default.ndim <= 1 and default.size <= 1 for default in defaults),
        "record_defaults must have one value or none",
    )
    check(
        select_cols == sorted(set(select_cols)) and all(index >= 0 for index in select_cols),
        "select_cols must increase",
    )
    check(
        not select_cols or len(select_cols) == len(defaults),
        "select_cols and record_defaults must have the same length",
    )
    columns: list[list[object]] = [[] for _ in defaults]
    for number, record in enumerate(records.reshape(-1).tolist()):
        fields = list(_split_fields(record, field_delim, use_quote_delim))
        if select_cols:
            fields = [fields[index] for index in select_cols if index < len(fields)]
        check(len(fields) == len(defaults), f"record {number} has {len(fields)} fields, not {len(defaults)}")
        for position, (text, default, dtype) in enumerate(zip(fields, defaults, OUT_TYPE, strict=True)):
            column = columns[position]
            if text and text != na_value:
                column.append(text if dtype == DataType.DT_STRING else parse_number(text, dtype))
            else:
                check(default.size, f"record {number} has no value for field {position}")
                column.append(default.reshape(-1)[0])
    return [_column(column, dtype, records.shape) for column, dtype in zip(columns, OUT_TYPE, strict=True)]


def _column(values: Sequence[object], dtype: DataType, shape: Sequence[int]) -> Tensor:
    column = np.empty(len(values), DTYPES[dtype].numpy)
    column[:] = values
    return column.reshape(shape)


def _split_fields(record: bytes, delimiter: bytes, quotes: bool) -> Iterator[bytes]:
    """Return the fields of a line. Quoted fields may contain delimiters, line ends and doubled quotes."""
    offset, size = 0, len(record)
    while offset < size:
        if record[offset : offset + 1] in b"\r\n":
            offset += 1
        elif quotes and record[offset : offset + 1] == b'"':
            field, offset = _read_quoted_field(record, offset + 1, delimiter)
            yield field
        else:
            end = record.find(delimiter, offset)
            end = size if end < 0 else end
            field = record[offset:end]
            fits = b"\n" not in field and b"\r" not in field and not (quotes and b'"' in field)
            check(fits, "unquoted fields must not contain quotes or line ends")
            yield field
            offset = end + 1
    if record.endswith(delimiter):
        yield b""


def _read_quoted_field(record: bytes, offset: int, delimiter: bytes) -> tuple[bytes, int]:
    """Return a quoted field, whose text begins at `offset`, and the position of the next field."""
    parts: list[bytes] = []
    while True:
        end = record.find(b'"', offset)
        check(end >= 0, "a quoted field must end with a quote, before a delimiter or the end")
        parts.append(record[offset:end])
        following = record[end + 1 : end + 2]
        if following == delimiter or not following:
            return b"".join(parts), end + 2
        check(following == b'"', "a quote inside of a quoted field must be doubled")
        parts.append(b'"')
        offset = end + 2


# --- tf.Example ------------------------------------------------------------------------------------------------------

_Row = Mapping[str, Feature]
_Shape = tuple[int | None, ...] | None


@kernel("ParseExample")
def parse_example(
    serialized: Tensor,
    names: Tensor,
    *tensors: Tensor,
    sparse_types: list[DataType],
    dense_shapes: list[_Shape],
    Nsparse: int,
    Ndense: int,
    Tdense: list[DataType],
) -> list[Tensor]:
    check(serialized.ndim == 1, f"serialized must be a vector, not of shape {show(serialized.shape)}")
    keys = [read_scalar(key_tensor, "a key") for key_tensor in tensors[: Nsparse + Ndense]]
    batch = _Batch(serialized, names)
    sparse = [batch.sparse(key, dtype) for key, dtype in zip(keys, sparse_types, strict=False)]
    dense = batch.all_dense(keys[Nsparse:], Tdense, dense_shapes, tensors[Nsparse + Ndense :])
    return [*_transpose(sparse, 3), *dense]


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
    dense_shapes: list[_Shape],
    ragged_value_types: list[DataType],
    ragged_split_types: list[DataType],
) -> list[Tensor]:
    check(serialized.ndim <= 1, f"serialized must be a vector or scalar, not of shape {show(serialized.shape)}")
    for name, keys in (("sparse", sparse_keys), ("dense", dense_keys), ("ragged", ragged_keys)):
        check(keys.ndim == 1, f"{name}_keys must be a vector, not of shape {show(keys.shape)}")
    check(len(sparse_types) == sparse_keys.size, "sparse_types must have a type for each of sparse_keys")
    fits = len(ragged_value_types) == ragged_keys.size == len(ragged_split_types)
    check(fits, "ragged_value_types and ragged_split_types must have a type for each of ragged_keys")
    batch = _Batch(serialized, names)
    sparse = [batch.sparse(key, dtype) for key, dtype in zip(sparse_keys.tolist(), sparse_types, strict=True)]
    types = zip(ragged_value_types, ragged_split_types, strict=True)
    ragged = [batch.ragged(key, *type_pair) for key, type_pair in zip(ragged_keys.tolist(), types, strict=True)]
    dense = batch.all_dense(dense_keys.tolist(), Tdense, dense_shapes, defaults)
    return [*_transpose(sparse, 3), *dense, *_transpose(ragged, 2)]


@kernel("ParseSingleExample")
def parse_single_example(
    serialized: Tensor,
    *defaults: Tensor,
    sparse_keys: list[bytes],
    dense_keys: list[bytes],
    sparse_types: list[DataType],
    Tdense: list[DataType],
    dense_shapes: list[_Shape],
) -> list[Tensor]:
    check(serialized.ndim == 0, f"serialized must be a scalar, not of shape {show(serialized.shape)}")
    batch = _Batch(serialized, np.zeros(0, object))
    sparse = [batch.sparse(key, dtype) for key, dtype in zip(sparse_keys, sparse_types, strict=True)]
    return [*_transpose(sparse, 3), *batch.all_dense(dense_keys, Tdense, dense_shapes, defaults)]


def _transpose(rows: Sequence[Sequence[Tensor]], count: int) -> list[Tensor]:
    """Return the first tensors of all rows, then the second ones, ..."""
    return [row[column] for column in range(count) for row in rows]


class _Batch:
    """A batch of Examples, each as a mapping from feature names to features."""

    def __init__(self, serialized: Tensor, names: Tensor) -> None:
        check(names.size in (0, serialized.size), f"names must be empty or of size {serialized.size}, not {names.size}")
        self._names = names.reshape(-1).tolist() or [b""] * serialized.size
        self._rows = [_parse_features(data) for data in serialized.reshape(-1).tolist()]
        self._single = serialized.ndim == 0

    def sparse(self, key: bytes, dtype: DataType) -> tuple[Tensor, Tensor, Tensor]:
        features = [self._empty(dtype) if values is None else values for values in self._values(key, dtype)]
        lengths = np.array([values.size for values in features], np.int64)
        column = np.concatenate([np.arange(size, dtype=np.int64) for size in lengths] or [lengths])
        longest = lengths.max(initial=0)
        if self._single:
            return column[:, None], self._concatenate(features, dtype), np.array([longest], np.int64)
        row = np.repeat(np.arange(len(features), dtype=np.int64), lengths)
        return (
            np.stack([row, column], 1),
            self._concatenate(features, dtype),
            np.array([len(features), longest], np.int64),
        )

    def ragged(self, key: bytes, dtype: DataType, splits: DataType) -> tuple[Tensor, Tensor]:
        features = [self._empty(dtype) if values is None else values for values in self._values(key, dtype)]
        ends = [] if self._single else [0, *accumulate(values.size for values in features)]
        return self._concatenate(features, dtype), np.array(ends, DTYPES[splits].numpy)

    def all_dense(
        self, keys: Sequence[bytes], types: Sequence[DataType], shapes: Sequence[_Shape], defaults: Sequence[Tensor]
    ) -> list[Tensor]:
        fits = len(keys) == len(types) == len(shapes) == len(defaults)
        check(fits, "each of the dense keys needs a type, a shape and a default")
        return [self._dense(*arguments) for arguments in zip(keys, types, shapes, defaults, strict=True)]

    def _dense(self, key: bytes, dtype: DataType, shape: _Shape, default: Tensor) -> Tensor:
        check(shape is not None and None not in shape[1:], f'the shape of feature "{_feature_text(key)}" is unknown')
        sizes = tuple(size for size in shape or () if size is not None)
        variable = shape is not None and len(sizes) < len(shape)
        if variable:
            return self._pad_rows(key, dtype, sizes, default)
        fits = not default.size or default.shape == sizes
        check(
            fits,
            f'the default of "{_feature_text(key)}" must be of shape {show(sizes)}, not {show(default.shape)}',
        )
        rows = []
        for name, values in zip(self._names, self._values(key, dtype), strict=True):
            if values is None:
                message = (
                    f'feature "{_feature_text(key)}" is not in the example "{_feature_text(name)}", and has no default'
                )
                check(default.size or not prod(sizes), message)
                values = default.reshape(-1)
            message = (
                f'feature "{_feature_text(key)}" has {values.size} values in "{_feature_text(name)}", not {prod(sizes)}'
            )
            check(values.size == prod(sizes), message)
            rows.append(values)
        return self._concatenate(rows, dtype).reshape(sizes if self._single else (len(rows), *sizes))

    def _pad_rows(self, key: bytes, dtype: DataType, sizes: tuple[int, ...], default: Tensor) -> Tensor:
        """Return a dense tensor of shape [?, *sizes], padded to the longest example with the default."""
        check(default.size == 1, f'the default of "{_feature_text(key)}" must be one value, not {default.size}')
        features = [self._empty(dtype) if values is None else values for values in self._values(key, dtype)]
        stride = prod(sizes)
        check(
            stride > 0 and all(values.size % stride == 0 for values in features),
            f'feature "{_feature_text(key)}" has a number of values that is not a multiple of {stride}',
        )
        if self._single:
            return features[0].reshape(-1, *sizes)
        longest = max((values.size for values in features), default=0)
        filled = np.empty((len(features), longest), DTYPES[dtype].numpy)
        filled[:] = default.reshape(-1)[0]
        for row, values in zip(filled, features, strict=True):
            row[: values.size] = values
        return filled.reshape(len(features), longest // stride, *sizes)

    def _values(self, key: bytes, dtype: DataType) -> list[Tensor | None]:
        """Return the values of a feature in each example; None where it is missing."""
        name = key.decode("utf-8", "surrogateescape")
        field = _FEATURE_FIELDS.get(dtype)
        check(field is not None, f"features cannot be of type {dtype_name(dtype)}")
        values_of_rows: list[Tensor | None] = []
        for row in self._rows:
            feature = row.get(name)
            kind = feature.which_oneof("kind") if feature is not None else None
            if kind is None:
                values_of_rows.append(None)
                continue
            check(kind == field, f'feature "{_feature_text(key)}" is a {kind}, not {dtype_name(dtype)}')
            values = getattr(feature, kind).value
            is_text = kind == "bytes_list"
            values_of_rows.append(
                string_tensor(values, (len(values),)) if is_text else np.array(values, DTYPES[dtype].numpy)
            )
        return values_of_rows

    def _empty(self, dtype: DataType) -> Tensor:
        return np.zeros(0, DTYPES[dtype].numpy)

    def _concatenate(self, features: Sequence[Tensor], dtype: DataType) -> Tensor:
        return np.concatenate(features) if features else self._empty(dtype)


_FEATURE_FIELDS = {DataType.DT_STRING: "bytes_list", DataType.DT_FLOAT: "float_list", DataType.DT_INT64: "int64_list"}


def _parse_features(data: bytes) -> _Row:
    try:
        example = Example.from_bytes(data)
    except errors.Error as error:
        raise RunError(f"serialized is not an Example: {error}") from error
    return example.features.feature if example.features is not None else {}


def _feature_text(name: bytes) -> str:
    return escape(name.decode("utf-8", "replace"))
