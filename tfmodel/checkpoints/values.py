"""The values of a V1 slice, read from the bytes of its record without a list of Python numbers in between.

A record is a SavedTensorSlices whose TensorProto has one repeated field, float_val or whatever its type calls for, and
in it every element. Fixed-width numbers that are packed, as writers do, become an array that looks into the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from pbwire.descriptor import Field, table_of
from pbwire.errors import DecodeError
from pbwire.raw import Record, walk
from pbwire.wire import WireType

from ..dtypes import Dtype
from ..errors import CheckpointError
from ..messages import DataType, TensorProto
from .arrays import array_of_bytes, array_of_objects

__all__ = ["slice_values"]

_DATA, _TENSOR = 2, 3  # fields of SavedTensorSlices and SavedSlice
_MESSAGE = (WireType.LENGTH,)
_FIXED = {"float": WireType.FIXED32, "double": WireType.FIXED64}
_FIELDS = {field.name: field for field in table_of(TensorProto).fields}
_LONGEST = 10  # bytes of a varint
_PIECE = 1 << 20  # bytes decoded at a time, which takes many times as much memory


def slice_values(value: memoryview, dtype: Dtype, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """The array that a record holds, as users get it. Raises CheckpointError."""
    count = prod(shape)
    field = _FIELDS[dtype.field]
    try:
        pieces = _pieces(value, field)
    except DecodeError as error:
        raise CheckpointError(f"damaged: {error}") from error
    if dtype.is_object:
        if dtype.number != DataType.DT_STRING:
            raise CheckpointError(f"there are no tensors of type {dtype.name} in V1 checkpoints")
        _check_count(len(pieces), count)
        return array_of_objects([bytes(piece) for piece in pieces], shape)
    payload = pieces[0] if len(pieces) == 1 else memoryview(b"".join(pieces))
    if field.kind not in _FIXED and field.kind != "bytes":
        return array_of_bytes(_numbers(payload, dtype, count).tobytes(), dtype, shape)
    if len(payload) != count * dtype.itemsize:
        raise CheckpointError(f"its values have {len(payload):,} bytes, its shape needs {count * dtype.itemsize:,}")
    return array_of_bytes(payload, dtype, shape)


def _check_count(there: int, needed: int) -> None:
    if there != needed:
        raise CheckpointError(f"it has {there:,} values, its shape needs {needed:,}")


def _pieces(value: memoryview, field: Field) -> list[memoryview]:
    """What the field has in each of its occurrences. Packed or not, behind one another they are all its values."""
    parts = [value]
    for outer in (_DATA, _TENSOR):  # a message that comes twice is one message
        parts = [part[record.start : record.end] for part in parts for record in _having(part, outer, _MESSAGE)]
    allowed = _MESSAGE if field.kind == "bytes" else (WireType.LENGTH, _FIXED.get(field.kind, WireType.VARINT))
    return [part[record.start : record.end] for part in parts for record in _having(part, field.number, allowed)]


def _having(part: memoryview, number: int, wire_types: tuple[WireType, ...]) -> Iterator[Record]:
    for record in walk(part):
        if record.depth == 0 and record.number == number and record.wire_type in wire_types:
            yield record


def _numbers(payload: memoryview, dtype: Dtype, count: int) -> npt.NDArray[Any]:
    """Varints as the stored elements that they stand for."""
    data = np.frombuffer(payload, np.uint8) if len(payload) else np.empty(0, np.uint8)
    _check_count(int(np.count_nonzero(data < 128)), count)
    if len(data) and data[-1] > 127:
        raise CheckpointError("its last value is cut off")
    numbers = np.empty(count, dtype.storage)
    done = pos = 0
    while pos < len(data):
        piece = data[pos : pos + _PIECE]
        ends = np.flatnonzero(piece < 128)
        values = _narrowed(_varints(piece, ends), dtype)
        numbers[done : done + len(values)] = values
        done, pos = done + len(values), pos + int(ends[-1]) + 1
    return numbers


def _varints(data: npt.NDArray[np.uint8], ends: npt.NDArray[np.intp]) -> npt.NDArray[Any]:
    """The varints that end at these places."""
    lengths = np.diff(ends, prepend=-1)
    longest = int(lengths.max()) if len(ends) else len(data)
    if longest > _LONGEST or (longest == _LONGEST and (data[ends[lengths == _LONGEST]] > 1).any()):
        raise CheckpointError("one of its values has more than 64 bits")
    starts = ends - lengths + 1
    values: npt.NDArray[Any] = (data[starts] & 127).astype(np.uint64)
    for position in range(1, longest):
        more = np.flatnonzero(lengths > position)
        values[more] |= (data[starts[more] + position] & 127).astype(np.uint64) << np.uint64(7 * position)
    return values


def _narrowed(values: npt.NDArray[Any], dtype: Dtype) -> npt.NDArray[Any]:
    """The stored elements that numbers of 64 bits stand for. Those of half_val are the bits of a float."""
    storage = dtype.storage
    wide = values.view(np.int64)
    if dtype.field == "bool_val":
        return np.asarray(values != 0)
    if dtype.field == "half_val":
        narrow = wide.astype(np.uint16)
    else:
        narrow = wide.astype(storage)
    if (narrow.astype(np.int64) != wide).any():
        raise CheckpointError(f"one of its values does not fit into {dtype.name}")
    viewed: npt.NDArray[Any] = narrow.view(storage)
    return viewed
