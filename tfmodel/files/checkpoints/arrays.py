"""Decoding of stored bytes and of V1 records to NumPy arrays; checks and intersections of slices.

The values of a V1 slice are decoded from the bytes of its record without an intermediate list of Python numbers. A
record is a SavedTensorSlices whose TensorProto holds every element in one repeated field, such as float_val. Packed
fixed-width numbers, as all writers produce, become an array that is a view of the record.

The slices of a tensor must cover each of its elements exactly once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from pbwire.descriptor import Field, table_of
from pbwire.errors import DecodeError
from pbwire.raw import Record, walk
from pbwire.wire import Buffer, WireType

from ...errors import CheckpointError
from ...messages import DataType, TensorProto
from ...values.dtypes import Dtype
from .entries import Region, index_of
from .strings import ByteOrder

_Array = npt.NDArray[Any]


def array_of_bytes(
    data: Buffer, dtype: Dtype, shape: tuple[int, ...], order: ByteOrder = "little", *, is_decoded: bool = True
) -> _Array:
    """Return stored elements as a read-only array of that shape, in the type that users get.

    The array is a view of `data` if NumPy has the type and the byte order is the machine's, and always without
    `is_decoded`, which gives the stored elements. Raises CheckpointError if NumPy does not support the shape.
    """
    storage = dtype.storage if order == "little" else dtype.storage.newbyteorder(">")
    flat = np.frombuffer(data, storage) if len(data) else np.empty(0, storage)
    if not is_decoded:
        return _finish_array(flat, shape)
    if not storage.isnative:
        flat = flat.astype(storage.newbyteorder("="))
    return _finish_array(dtype.decode(flat), shape)


def array_of_objects(elements: Sequence[Any], shape: tuple[int, ...]) -> _Array:
    """Return a read-only object array of bytes or messages."""
    array = np.empty(len(elements), object)
    for position, element in enumerate(elements):
        array[position] = element
    return _finish_array(array, shape)


def empty(dtype: Dtype, shape: tuple[int, ...]) -> _Array:
    """Return an uninitialized array, in the type that users get.

    Raises CheckpointError if NumPy does not support the shape.
    """
    return _finish_array(np.empty(prod(shape), dtype.numpy.newbyteorder("=")), shape, writeable=True)


def _finish_array(array: _Array, shape: tuple[int, ...], *, writeable: bool = False) -> _Array:
    try:
        shaped = array.reshape(shape)
    except ValueError as error:  # too many dimensions, or huge ones beside a dimension of size 0
        raise CheckpointError(f"NumPy has no arrays of shape {list(shape)[:70]}") from error
    shaped.flags.writeable = writeable
    return shaped


_DATA, _TENSOR = 2, 3  # fields of SavedTensorSlices and SavedSlice
_MESSAGE = (WireType.LENGTH,)
_FIXED = {"float": WireType.FIXED32, "double": WireType.FIXED64}
_FIELDS = {field.name: field for field in table_of(TensorProto).fields}
_LONGEST = 10  # bytes of a 64-bit varint
_PIECE = 1 << 20  # bytes that are decoded at a time; decoding needs many times as much memory


def slice_values(value: memoryview, dtype: Dtype, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """Return the values of a V1 record, in the type that users get.

    Raises CheckpointError if the record is damaged or does not have the values of that shape.
    """
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


def _check_count(stored: int, needed: int) -> None:
    if stored != needed:
        raise CheckpointError(f"it has {stored:,} values, its shape needs {needed:,}")


def _pieces(value: memoryview, field: Field) -> list[memoryview]:
    """Return the payload of each occurrence of the field. Concatenated, the payloads hold all values of the field."""
    parts = [value]
    for outer in (_DATA, _TENSOR):  # if a message field occurs several times, its occurrences are merged
        parts = [part[record.start : record.end] for part in parts for record in _having(part, outer, _MESSAGE)]
    allowed = _MESSAGE if field.kind == "bytes" else (WireType.LENGTH, _FIXED.get(field.kind, WireType.VARINT))
    return [part[record.start : record.end] for part in parts for record in _having(part, field.number, allowed)]


def _having(part: memoryview, number: int, wire_types: tuple[WireType, ...]) -> Iterator[Record]:
    for record in walk(part):
        if record.depth == 0 and record.number == number and record.wire_type in wire_types:
            yield record


def _numbers(payload: memoryview, dtype: Dtype, count: int) -> npt.NDArray[Any]:
    """Decode `count` varints to stored elements. Raises CheckpointError if there are more or fewer."""
    data = np.frombuffer(payload, np.uint8) if len(payload) else np.empty(0, np.uint8)
    _check_count(int(np.count_nonzero(data < 128)), count)
    if len(data) and data[-1] > 127:
        raise CheckpointError("its last value is cut off")
    numbers = np.empty(count, dtype.storage)
    done = pos = 0
    while pos < len(data):
        piece = data[pos : pos + _PIECE]
        ends = np.flatnonzero(piece < 128)
        values = _narrow(_varints(piece, ends), dtype)
        numbers[done : done + len(values)] = values
        done, pos = done + len(values), pos + int(ends[-1]) + 1
    return numbers


def _varints(data: npt.NDArray[np.uint8], ends: npt.NDArray[np.intp]) -> npt.NDArray[Any]:
    """Decode the varints whose last bytes are at the positions `ends`."""
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


def _narrow(values: npt.NDArray[Any], dtype: Dtype) -> npt.NDArray[Any]:
    """Convert 64-bit numbers to stored elements. Numbers in half_val are the bits of a float."""
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


def check_tiling(shape: tuple[int, ...], regions: Sequence[Region]) -> None:
    """Raise CheckpointError unless the regions cover each element of a tensor of that shape exactly once.

    The caller has checked that the regions lie inside the tensor, that together they have as many elements as it, and
    that the files are large enough for all of them. If regions are cut along several axes, the check needs a byte for
    each element.
    """
    if 0 in shape:
        return
    cut = [axis for axis, size in enumerate(shape) if any(sizes[axis] != size for _, sizes in regions)]
    if len(cut) > 1:
        _check_mask(shape, regions)
        return
    axis = cut[0] if cut else 0
    spans = sorted((start[axis], start[axis] + sizes[axis]) for start, sizes in regions) if shape else [(0, 1)]
    covered = 0
    for start, end in spans:
        if start == end:
            continue
        if start < covered:
            raise CheckpointError(
                f"its parts overlap: {start:,} to {min(end, covered):,} along axis {axis} comes twice"
            )
        if start > covered:
            raise CheckpointError(f"no part has {covered:,} to {start:,} along axis {axis}")
        covered = end
    if shape and covered != shape[axis]:
        raise CheckpointError(f"no part has {covered:,} to {shape[axis]:,} along axis {axis}")


def _check_mask(shape: tuple[int, ...], regions: Sequence[Region]) -> None:
    covered: Any = np.zeros(shape, bool)
    for start, sizes in regions:
        part = covered[index_of((start, sizes))]
        if part.any():
            raise CheckpointError(
                f"its parts overlap: the one of shape {list(sizes)} at {list(start)} has elements of another"
            )
        part[...] = True
    if not covered.all():
        missing = np.unravel_index(int(covered.argmin()), shape)
        raise CheckpointError(f"no part has the element {[int(index) for index in missing]}")


def common(a: Region, b: Region) -> tuple[Region, Region] | None:
    """Return the intersection of two regions, relative to each of them; None if it is empty."""
    start = [max(pair) for pair in zip(a[0], b[0], strict=True)]
    end = [min(x + n, y + m) for x, n, y, m in zip(*a, *b, strict=True)]
    sizes = tuple(stop - begin for begin, stop in zip(start, end, strict=True))
    if any(size <= 0 for size in sizes):
        return None

    def relative_to(region: Region) -> Region:
        return tuple(position - origin for position, origin in zip(start, region[0], strict=True)), sizes

    return relative_to(a), relative_to(b)


def assemble_blocks(
    shape: tuple[int, ...], regions: Sequence[Region], parts: Sequence[_Array], size: int
) -> Iterator[_Array]:
    """Yield the elements of a tensor of one dimension or more in order, in flat arrays of about `size` elements.

    `parts` are the arrays of its regions, which cover each element exactly once.
    """
    axis = next(axis for axis in range(len(shape)) if axis == len(shape) - 1 or prod(shape[axis + 1 :]) <= size)
    rows = max(1, size // max(1, prod(shape[axis + 1 :])))
    # Blocks come in the order of the first axis: a part is needed from its first row there until its last.
    waiting = sorted(zip(regions, parts, strict=True), key=lambda pair: pair[0][0], reverse=True)
    active: list[tuple[Region, _Array]] = []
    for outer in np.ndindex(shape[:axis]):
        for begin in range(0, shape[axis], rows):
            start = (*outer, begin, *(0 for _ in shape[axis + 1 :]))
            sizes = (*(1 for _ in outer), min(rows, shape[axis] - begin), *shape[axis + 1 :])
            while waiting and waiting[-1][0][0][0] < start[0] + sizes[0]:
                active.append(waiting.pop())
            active = [((first, extent), part) for (first, extent), part in active if first[0] + extent[0] > start[0]]
            block = np.empty(sizes, parts[0].dtype.newbyteorder("="))
            for region, part in active:
                if shared := common(region, (start, sizes)):
                    inside, outside = shared
                    block[index_of(outside)] = part[index_of(inside)]
            yield block.reshape(-1)
