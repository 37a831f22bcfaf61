"""Checkpoint entries: the dtype and shape of a tensor, and the location of its bytes.

The module also creates the errors about damaged checkpoints of both versions, and checks the declared version.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping
from math import prod
from typing import NamedTuple, NoReturn, TypeAlias

from pbwire.errors import DecodeError

from ...errors import CheckpointError, with_name
from ...messages import BundleEntryProto, DataType, TensorShapeProto, TensorSliceProto, VersionDef
from ...values.terminal import escape
from .index import SliceKey, encode_slice_key

Extents: TypeAlias = "tuple[tuple[int, int], ...]"  # start and length of every dimension; (0, -1) is all of it

_SHOWN = 200  # characters of a name, in an error
_MOST_DIMENSIONS, _MOST_ELEMENTS = 254, 2**63 - 1  # TensorFlow has no tensors with more
_DTYPE, _SHAPE, _SHARD, _OFFSET, _SIZE, _CRC = 0x08, 0x12, 0x18, 0x20, 0x28, 0x35  # tags of a BundleEntryProto


class Slice(NamedTuple):
    """A part of a tensor: its extents, its shape, and the location of its bytes as in an `Entry`."""

    extents: Extents
    shape: tuple[int, ...]
    shard: int
    offset: int | None
    size: int | None
    crc32c: int | None

    @property
    def start(self) -> tuple[int, ...]:
        return tuple(start for start, _ in self.extents)


class Entry(NamedTuple):
    """A tensor of a checkpoint.

    shard    number of the file that holds its bytes; None if it is stored in slices
    offset   position of its bytes in that file; None if it is stored in slices, or in a V1 checkpoint
    size     number of its bytes in the files; None in a V1 checkpoint
    crc32c   its checksum as stored in the index, masked; None if it is stored in slices, or in a V1 checkpoint
    slices   its slices; empty if it is not stored in slices
    """

    dtype: DataType
    shape: tuple[int, ...]
    shard: int | None
    offset: int | None
    size: int | None
    crc32c: int | None
    slices: tuple[Slice, ...] = ()


class _Items(ItemsView[str, Entry]):
    _mapping: BundleEntries

    def __iter__(self) -> Iterator[tuple[str, Entry]]:
        return self._mapping.decoded()


def quote(name: str) -> str:
    """Return a tensor's name, quoted for an error message."""
    return f'"{escape(name[:_SHOWN])}{"..." * (len(name) > _SHOWN)}"'


class BundleEntries(Mapping[str, Entry]):
    """The entries of a V2 checkpoint, each decoded on access: a model may have tens of thousands.

    `records` are the records of the index by name, `parts` those of slices by their keys. `file` is the name of the
    index in errors. Locations are not checked against the data files; the reader of the bytes does that.
    """

    def __init__(self, records: dict[str, bytes], parts: dict[bytes, bytes], file: str) -> None:
        self._records = records
        self._parts = parts
        self._file = file
        self._known: dict[bytes, tuple[DataType, tuple[int, ...]]] = {}  # type and shape, by their encoding

    def __getitem__(self, name: str) -> Entry:
        _, entry = next(self.decoded(((name, self._records[name]),)))
        return entry

    def __iter__(self) -> Iterator[str]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)

    def __contains__(self, name: object) -> bool:
        return name in self._records

    def __repr__(self) -> str:
        return f"<{len(self):,} entries of {self._file}>"

    def items(self) -> ItemsView[str, Entry]:
        return _Items(self)

    def decoded(self, records: Iterable[tuple[str, bytes]] | None = None) -> Iterator[tuple[str, Entry]]:
        """Yield names and entries of `records`, by default of all records. Raises CheckpointError for a damaged one.

        Entries in the usual encoding and without slices are decoded inline: this loop determines the time to list a
        model, and the general decoder takes four times as long.
        """
        known_of, learned, new = self._known.get, self._read_type_and_shape, tuple.__new__
        for name, value in self._records.items() if records is None else records:
            try:
                pos = 4 + value[3]
                head = value[:pos]  # type and shape, the same for many tensors
                dtype, shape = known_of(head) or learned(head)
                shard = offset = size = 0
                if value[pos] == _SHARD and value[pos + 1] < 128:
                    shard, pos = value[pos + 1], pos + 2
                if value[pos] == _OFFSET:
                    offset, pos = value[pos + 1], pos + 2
                    if offset > 127:
                        offset, pos = _read_varint(value, pos, offset)
                if value[pos] == _SIZE:
                    size, pos = value[pos + 1], pos + 2
                    if size > 127:
                        size, pos = _read_varint(value, pos, size)
                if value[pos] != _CRC or len(value) != pos + 5:
                    raise IndexError
            except (IndexError, DecodeError, CheckpointError):
                yield name, self._decode_any(name, value)  # raises CheckpointError if it is damaged
            else:
                crc = int.from_bytes(value[pos + 1 :], "little")
                yield name, new(Entry, (dtype, shape, shard, offset, size, crc, ()))

    def sizes(self) -> Iterator[int]:
        """Yield the size of each tensor in bytes. Damaged entries are skipped."""
        records = iter(self._records.items())
        going = True
        while going:
            try:
                yield from (max(0, entry.size or 0) for _, entry in self.decoded(records))
                going = False
            except CheckpointError:
                pass  # skip it

    def _read_type_and_shape(self, head: bytes) -> tuple[DataType, tuple[int, ...]]:
        """Decode type and shape; raises IndexError unless the bytes are exactly a type followed by a shape."""
        if head[0] != _DTYPE or head[2] != _SHAPE or head[1] | head[3] > 127 or len(head) != 4 + head[3]:
            raise IndexError
        message = BundleEntryProto.from_bytes(head)
        self._known[head] = known = (message.dtype, shape_of(message.shape))
        return known

    def _decode_any(self, name: str, value: bytes) -> Entry:
        try:
            return self._decode_message(name, value)
        except CheckpointError as error:
            raise CheckpointError(with_name(self._file, f"the entry {quote(name)}: {error}")) from error

    def _decode_message(self, name: str, value: bytes) -> Entry:
        message = _message(value)
        shape = shape_of(message.shape)
        if not message.slices:
            return Entry(message.dtype, shape, message.shard_id, message.offset, message.size, message.crc32c)
        slices = tuple(self._part(name, message, shape, extents_of(part)) for part in message.slices)
        return Entry(message.dtype, shape, None, None, sum(part.size or 0 for part in slices), None, slices)

    def _part(self, name: str, tensor: BundleEntryProto, shape: tuple[int, ...], extents: Extents) -> Slice:
        key = SliceKey(name, extents)
        value = self._parts.get(encode_slice_key(name, extents))
        if value is None:
            raise CheckpointError(f"its part {_slice_text(key)} is missing")
        try:
            message = _message(value)
            _, part_shape = region_of(extents, shape)
            if message.dtype != tensor.dtype or shape_of(message.shape) != part_shape:
                raise CheckpointError("its type or shape does not fit the whole")
        except CheckpointError as error:
            raise CheckpointError(f"its part {_slice_text(key)}: {error}") from error
        return Slice(extents, part_shape, message.shard_id, message.offset, message.size, message.crc32c)


def _slice_text(key: SliceKey) -> str:
    return escape(str(key)[-_SHOWN:])


def _message(value: bytes) -> BundleEntryProto:
    try:
        return BundleEntryProto.from_bytes(value)
    except DecodeError as error:
        raise CheckpointError(f"damaged: {error}") from error


def _read_varint(value: bytes, pos: int, number: int) -> tuple[int, int]:
    """Return the varint whose first byte is `number`, just before `pos`, and the position after the varint.

    Raises IndexError if the varint is truncated, or longer than any varint that a writer produces in an index.
    """
    number, shift = number & 127, 7
    while (byte := value[pos]) > 127:
        number |= (byte & 127) << shift
        shift += 7
        pos += 1
    if shift > 56:  # more than nine bytes: the number may be negative
        raise IndexError
    return number | byte << shift, pos + 1


def shape_of(shape: TensorShapeProto | None) -> tuple[int, ...]:
    """Return the sizes of a tensor's dimensions. Raises CheckpointError for an invalid shape."""
    if shape is None:
        return ()
    sizes = tuple([dimension.size for dimension in shape.dim])
    if shape.unknown_rank or (sizes and min(sizes) < 0):
        raise CheckpointError(
            "its shape is not known" if shape.unknown_rank else f"its shape {list(sizes[:16])} has a negative size"
        )
    if len(sizes) > _MOST_DIMENSIONS:
        raise CheckpointError(f"its shape has {len(sizes):,} dimensions, more than {_MOST_DIMENSIONS}")
    if prod(sizes) > _MOST_ELEMENTS:
        raise CheckpointError(f"its shape {list(sizes[:16])} has more elements than a tensor can have")
    return sizes


def extents_of(part: TensorSliceProto) -> Extents:
    """Return the extents as stored in the key of a slice, with (0, -1) for a whole dimension."""
    every = (0, -1)
    return tuple(
        [every if extent.length in (None, -1) else (extent.start, extent.length or 0) for extent in part.extent]
    )


Region: TypeAlias = "tuple[tuple[int, ...], tuple[int, ...]]"
"""A part of a tensor: its start, and its shape."""


def region_of(extents: Extents, shape: tuple[int, ...]) -> Region:
    """Return the start and the shape of a slice. Raises CheckpointError if it does not fit a tensor of that shape."""
    if len(extents) != len(shape):
        raise CheckpointError(f"it has {len(extents)} dimensions, the tensor has {len(shape)}")
    starts, sizes = [], []
    for (start, length), size in zip(extents, shape, strict=True):
        if length == -1:
            start, length = 0, size
        if start < 0 or length < 0 or start + length > size:
            raise CheckpointError(f"its {length:,} elements from {start:,} are not inside of a dimension of {size:,}")
        starts.append(start)
        sizes.append(length)
    return tuple(starts), tuple(sizes)


def index_of(region: Region) -> tuple[slice, ...]:
    """Return the index that selects a region of an array."""
    return tuple(slice(begin, begin + size) for begin, size in zip(*region, strict=True))


_VERSION = 1  # the VersionDef of all checkpoints so far, in both formats

Damaged: TypeAlias = Callable[[CheckpointError], object]
"""A callback for damage after which reading continues."""


def fail(error: CheckpointError) -> NoReturn:
    raise error


def in_file(file: str, error: CheckpointError) -> CheckpointError:
    """Return an error whose message begins with the file, and whose cause is `error`."""
    problem = CheckpointError(with_name(file, error))
    problem.__cause__ = error
    return problem


def about(file: str, name: str, error: Exception, offset: int | None = None) -> CheckpointError:
    """Return an error whose message begins with the file, the tensor and, if known, the position in the file."""
    place = "" if offset is None else f" at byte {offset:,}"
    return CheckpointError(with_name(file, f"tensor {quote(name)}{place}: {error}"))


def check_version(version: VersionDef | None) -> None:
    """Raise CheckpointError if the declared version is invalid or requires another reader."""
    if version is None:
        return
    if version.producer < 0 or version.min_consumer > _VERSION or _VERSION in version.bad_consumers:
        needed = f"version {version.producer:,}, for readers of version {version.min_consumer:,} and later"
        raise CheckpointError(f"unknown format: {needed}")
