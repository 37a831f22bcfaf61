"""Decode tensors from strings: raw bytes, TensorProtos, CSV, and tf.Example messages.

Decode tensors from strings: raw bytes, serialized TensorProtos, lines of comma-separated values.

DecodeRaw([b"\\1\\0", b"\\2\\0"], out_type=DT_INT16)            [[1], [2]]
DecodeCSV(["1,a", "2,b"], [0], [""])                            [1, 2], [b"a", b"b"]

Parse serialized tf.Example messages into tensors.

    dense      one tensor [batch, *shape]; a shape with an unknown first size is padded to the longest
    sparse     indices [n, 2], values [n], shape [batch, longest]
    ragged     values [n], row_splits [batch + 1]

A single Example has no batch dimension: dense is [*shape], sparse has indices [n, 1], ragged no splits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from math import prod

import numpy as np

from pbwire import errors

from ...dtypes import DTYPES, dtype_name
from ...errors import RunError
from ...io.terminal import printable
from ...messages import DataType, Example, Feature, TensorProto, TensorShapeProto
from ...tensors import from_ndarray, to_ndarray
from ..runtime.argument_checks import check, read_scalar, show, zeros
from ..runtime.memory_limit import claim
from ..runtime.registry import Tensor, kernel
from ..string.formatting import parsed
from ..string.strings import texts

__all__: list[str] = []


_MOST_FILLED = 1 << 28  # bytes that a few values may fill


# --- bytes -----------------------------------------------------------------------------------------------------------


@kernel("DecodeRaw")
def decode_raw(x: Tensor, *, out_type: DataType, little_endian: bool = True) -> Tensor:
    rows = x.reshape(-1).tolist()
    size = len(rows[0]) if rows else 0
    claim(size * len(rows))
    check(all(len(row) == size for row in rows), "its strings are not all of the same length")
    return _raw(np.frombuffer(b"".join(rows), np.uint8), size, x.shape, out_type, little_endian)


@kernel("DecodePaddedRaw")
def decode_padded_raw(x: Tensor, fixed_length: Tensor, *, out_type: DataType, little_endian: bool = True) -> Tensor:
    """Decode strings that are truncated or zero-padded to a fixed length."""
    size: int = read_scalar(fixed_length, "fixed_length")
    check(size > 0, f"fixed_length must be greater than zero, and is {size}")
    data = zeros((x.size, size), np.dtype(np.uint8))
    for row, each in zip(data, x.reshape(-1).tolist(), strict=True):
        row[: len(each)] = np.frombuffer(each[:size], np.uint8)
    return _raw(data.reshape(-1), size, x.shape, out_type, little_endian)


def _raw(data: Tensor, size: int, shape: Sequence[int], out_type: DataType, little_endian: bool) -> Tensor:
    """Return the bytes of strings of one size as numbers."""
    row = DTYPES[out_type]
    check(row.itemsize > 0 and not row.is_object, f"strings are not read as {dtype_name(out_type)}")
    check(size % row.itemsize == 0, f"strings of {size} bytes are no {row.name}, of {row.itemsize} bytes each")
    if row.kind == "b":
        return np.asarray(data != 0).reshape(*shape, size)
    parts = 2 if row.kind == "c" else 1
    stored = np.dtype(row.storage)
    if not little_endian:
        data = data.reshape(-1, stored.itemsize // parts)[:, ::-1].reshape(-1)
    found: Tensor = row.decode(np.ascontiguousarray(data).view(stored))
    return found.reshape(*shape, size // row.itemsize)


@kernel("ParseTensor")
def parse_tensor(serialized: Tensor, *, out_type: DataType) -> Tensor:
    data = read_scalar(serialized, "serialized")
    try:
        tensor = TensorProto.from_bytes(data)
        check(tensor.dtype == out_type, f"it is a {dtype_name(tensor.dtype)}, and {dtype_name(out_type)} is wanted")
        return to_ndarray(tensor, max_fill=_MOST_FILLED)
    except errors.Error as error:
        raise RunError(f"serialized is no tensor: {error}") from error


@kernel("SerializeTensor")
def serialize_tensor(x: Tensor, *, T: DataType) -> Tensor:
    row = DTYPES[T]
    claim(sum(map(len, x.reshape(-1).tolist())) if T == DataType.DT_STRING else x.nbytes)
    if row.is_object:
        tensor = from_ndarray(x, T)
    else:
        content = np.ascontiguousarray(row.encode(x)).tobytes()
        shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in x.shape])
        tensor = TensorProto(dtype=T, tensor_shape=shape, tensor_content=content)
    return texts([tensor.to_bytes()], ())


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
    check(all(each.ndim <= 1 and each.size <= 1 for each in defaults), "record_defaults must have one value or none")
    check(select_cols == sorted(set(select_cols)) and all(at >= 0 for at in select_cols), "select_cols must rise")
    check(not select_cols or len(select_cols) == len(defaults), "select_cols must be as many as record_defaults")
    columns: list[list[object]] = [[] for _ in defaults]
    for number, record in enumerate(records.reshape(-1).tolist()):
        fields = list(_fields(record, field_delim, use_quote_delim))
        if select_cols:
            fields = [fields[at] for at in select_cols if at < len(fields)]
        check(len(fields) == len(defaults), f"record {number} has {len(fields)} fields, not {len(defaults)}")
        for place, (text, default, dtype) in enumerate(zip(fields, defaults, OUT_TYPE, strict=True)):
            column = columns[place]
            if text and text != na_value:
                column.append(text if dtype == DataType.DT_STRING else parsed(text, dtype))
            else:
                check(default.size, f"record {number} has no value for field {place}")
                column.append(default.reshape(-1)[0])
    return [_column(column, dtype, records.shape) for column, dtype in zip(columns, OUT_TYPE, strict=True)]


def _column(values: Sequence[object], dtype: DataType, shape: Sequence[int]) -> Tensor:
    found = np.empty(len(values), DTYPES[dtype].numpy)
    found[:] = values
    return found.reshape(shape)


def _fields(record: bytes, delimiter: bytes, quotes: bool) -> Iterator[bytes]:
    """Return the fields of a line. Quoted fields may contain delimiters, line ends and doubled quotes."""
    at, size = 0, len(record)
    while at < size:
        if record[at : at + 1] in b"\r\n":
            at += 1
        elif quotes and record[at : at + 1] == b'"':
            field, at = _quoted(record, at + 1, delimiter)
            yield field
        else:
            end = record.find(delimiter, at)
            end = size if end < 0 else end
            field = record[at:end]
            fits = b"\n" not in field and b"\r" not in field and not (quotes and b'"' in field)
            check(fits, "fields without quotes around them cannot have quotes or line ends inside")
            yield field
            at = end + 1
    if record.endswith(delimiter):
        yield b""


def _quoted(record: bytes, at: int, delimiter: bytes) -> tuple[bytes, int]:
    """Return a field, read from after its opening quote, and the position of the next field."""
    field = b""
    while True:
        end = record.find(b'"', at)
        check(end >= 0, "a quoted field must end with a quote, and a delimiter or the end behind it")
        field += record[at:end]
        behind = record[end + 1 : end + 2]
        if behind == delimiter or not behind:
            return field, end + 2
        check(behind == b'"', "a quote inside of a quoted field must be doubled")
        field, at = field + b'"', end + 2


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
    keys = [read_scalar(each, "a key") for each in tensors[: Nsparse + Ndense]]
    batch = _Batch(serialized, names)
    sparse = [batch.sparse(key, dtype) for key, dtype in zip(keys, sparse_types, strict=False)]
    dense = batch.all_dense(keys[Nsparse:], Tdense, dense_shapes, tensors[Nsparse + Ndense :])
    return [*_transposed(sparse, 3), *dense]


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
    check(len(sparse_types) == sparse_keys.size, "there must be a type for each of sparse_keys")
    fits = len(ragged_value_types) == ragged_keys.size == len(ragged_split_types)
    check(fits, "there must be two types for each of ragged_keys")
    batch = _Batch(serialized, names)
    sparse = [batch.sparse(key, dtype) for key, dtype in zip(sparse_keys.tolist(), sparse_types, strict=True)]
    types = zip(ragged_value_types, ragged_split_types, strict=True)
    ragged = [batch.ragged(key, *each) for key, each in zip(ragged_keys.tolist(), types, strict=True)]
    dense = batch.all_dense(dense_keys.tolist(), Tdense, dense_shapes, defaults)
    return [*_transposed(sparse, 3), *dense, *_transposed(ragged, 2)]


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
    return [*_transposed(sparse, 3), *batch.all_dense(dense_keys, Tdense, dense_shapes, defaults)]


def _transposed(rows: Sequence[Sequence[Tensor]], count: int) -> list[Tensor]:
    """Return the first tensors of all rows, then the second ones, ..."""
    return [row[place] for place in range(count) for row in rows]


class _Batch:
    """A batch of Examples, each as a mapping from feature names to features."""

    def __init__(self, serialized: Tensor, names: Tensor) -> None:
        check(names.size in (0, serialized.size), f"there are {names.size} names of {serialized.size} examples")
        self._names = names.reshape(-1).tolist() or [b""] * serialized.size
        self._rows = [_features(data) for data in serialized.reshape(-1).tolist()]
        self._single = serialized.ndim == 0

    def sparse(self, key: bytes, dtype: DataType) -> tuple[Tensor, Tensor, Tensor]:
        found = [self._none(dtype) if each is None else each for each in self._values(key, dtype)]
        lengths = np.array([each.size for each in found], np.int64)
        column = np.concatenate([np.arange(size, dtype=np.int64) for size in lengths] or [lengths])
        longest = lengths.max(initial=0)
        if self._single:
            return column[:, None], self._joined(found, dtype), np.array([longest], np.int64)
        row = np.repeat(np.arange(len(found), dtype=np.int64), lengths)
        return np.stack([row, column], 1), self._joined(found, dtype), np.array([len(found), longest], np.int64)

    def ragged(self, key: bytes, dtype: DataType, splits: DataType) -> tuple[Tensor, Tensor]:
        found = [self._none(dtype) if each is None else each for each in self._values(key, dtype)]
        ends = [] if self._single else [0, *accumulate(each.size for each in found)]
        return self._joined(found, dtype), np.array(ends, DTYPES[splits].numpy)

    def all_dense(
        self, keys: Sequence[bytes], types: Sequence[DataType], shapes: Sequence[_Shape], defaults: Sequence[Tensor]
    ) -> list[Tensor]:
        fits = len(keys) == len(types) == len(shapes) == len(defaults)
        check(fits, "there must be a type, a shape and a default for each of the dense keys")
        return [self._dense(*each) for each in zip(keys, types, shapes, defaults, strict=True)]

    def _dense(self, key: bytes, dtype: DataType, shape: _Shape, default: Tensor) -> Tensor:
        check(shape is not None and None not in shape[1:], f'the shape of feature "{_shown(key)}" is not known')
        sizes = tuple(size for size in shape or () if size is not None)
        variable = shape is not None and len(sizes) < len(shape)
        if variable:
            return self._filled_up(key, dtype, sizes, default)
        fits = not default.size or default.shape == sizes
        check(
            fits,
            f'the default of "{_shown(key)}" must be of shape {show(sizes)}, not {show(default.shape)}',
        )
        found = []
        for name, values in zip(self._names, self._values(key, dtype), strict=True):
            if values is None:
                words = f'feature "{_shown(key)}" is not in the example "{_shown(name)}", and has no default'
                check(default.size or not prod(sizes), words)
                values = default.reshape(-1)
            words = f'feature "{_shown(key)}" has {values.size} values in "{_shown(name)}", not {prod(sizes)}'
            check(values.size == prod(sizes), words)
            found.append(values)
        return self._joined(found, dtype).reshape(sizes if self._single else (len(found), *sizes))

    def _filled_up(self, key: bytes, dtype: DataType, sizes: tuple[int, ...], default: Tensor) -> Tensor:
        """Return a dense tensor of shape [?, *sizes], padded to the longest example with the default."""
        check(default.size == 1, f'the default of "{_shown(key)}" must be one value, not {default.size}')
        found = [self._none(dtype) if each is None else each for each in self._values(key, dtype)]
        stride = prod(sizes)
        check(
            stride > 0 and all(each.size % stride == 0 for each in found),
            f'feature "{_shown(key)}" has a number of values that is not a multiple of {stride}',
        )
        if self._single:
            return found[0].reshape(-1, *sizes)
        longest = max((each.size for each in found), default=0)
        filled = np.empty((len(found), longest), DTYPES[dtype].numpy)
        filled[:] = default.reshape(-1)[0]
        for row, each in zip(filled, found, strict=True):
            row[: each.size] = each
        return filled.reshape(len(found), longest // stride, *sizes)

    def _values(self, key: bytes, dtype: DataType) -> list[Tensor | None]:
        """Return the values of a feature in each example; None where it is missing."""
        name = key.decode("utf-8", "surrogateescape")
        field = _FIELDS.get(dtype)
        check(field is not None, f"features are not of type {dtype_name(dtype)}")
        found: list[Tensor | None] = []
        for row in self._rows:
            feature = row.get(name)
            held = feature.which_oneof("kind") if feature is not None else None
            if held is None:
                found.append(None)
                continue
            check(held == field, f'feature "{_shown(key)}" is a {held}, and {dtype_name(dtype)} is wanted')
            values = getattr(feature, held).value
            is_text = held == "bytes_list"
            found.append(texts(values, (len(values),)) if is_text else np.array(values, DTYPES[dtype].numpy))
        return found

    def _none(self, dtype: DataType) -> Tensor:
        return np.zeros(0, DTYPES[dtype].numpy)

    def _joined(self, found: Sequence[Tensor], dtype: DataType) -> Tensor:
        return np.concatenate(found) if found else self._none(dtype)


_FIELDS = {DataType.DT_STRING: "bytes_list", DataType.DT_FLOAT: "float_list", DataType.DT_INT64: "int64_list"}


def _features(data: bytes) -> _Row:
    try:
        example = Example.from_bytes(data)
    except errors.Error as error:
        raise RunError(f"serialized is no Example: {error}") from error
    return example.features.feature if example.features is not None else {}


def _shown(name: bytes) -> str:
    return printable(name.decode("utf-8", "replace"))
