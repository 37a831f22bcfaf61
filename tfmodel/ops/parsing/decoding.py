"""Decode tensors from strings: raw bytes, serialized TensorProtos, lines of comma-separated values.

DecodeRaw([b"\\1\\0", b"\\2\\0"], out_type=DT_INT16)            [[1], [2]]
DecodeCSV(["1,a", "2,b"], [0], [""])                            [1, 2], [b"a", b"b"]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from pbwire import errors

from ...dtypes import DTYPES, dtype_name
from ...errors import RunError
from ...messages import DataType, TensorProto, TensorShapeProto
from ...tensors import from_ndarray, to_ndarray
from ..runtime.argument_checks import check, read_scalar
from ..runtime.arrays import zeros
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
