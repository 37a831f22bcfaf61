"""Kernels that decode tensors from strings: raw bytes, TensorProtos, CSV.

DecodeRaw([b"\\1\\0", b"\\2\\0"], out_type=DT_INT16)            [[1], [2]]
DecodeCSV(["1,a", "2,b"], [0], [""])                            [1, 2], [b"a", b"b"]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from pbwire import errors

from ...errors import RunError
from ...messages import DataType, TensorProto
from ...values.dtypes import DTYPES, dtype_name, dtype_of
from ...values.shape import shape_to_proto
from ...values.tensors import from_ndarray, to_ndarray
from ..runtime.argument_checks import check, read_scalar, zeros
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
