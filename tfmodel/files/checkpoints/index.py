"""The index of a checkpoint, decoded without reading a tensor: its messages, keys of slices, and the object graph.

Both formats begin with a record under the empty key. With the prefix P:

    V2, P.index     the header under the empty key, then an entry for every tensor under its name. If a tensor is
                    stored in slices, each slice also has an entry, under an encoded key: see `encode_slice_key`.
    V1, P itself    a table of contents under the empty key. All other records are slices of tensors, which this module
                    does not read.

The key of a slice consists of the name of the tensor and, for every dimension, a start and a length. Encoded keys sort
bytewise in the order of their values. They start with a zero byte, unlike names.

    number   the count of bytes, then those bytes, most significant first; zero has no bytes
    string   its bytes, 00 written as 00 ff (and ff, which UTF-8 never has, as ff 00), then 00 01
    signed   as many leading one bits as there are bytes, a zero bit, then the value; for a negative number n, all bits
             of the encoding of -n-1 are inverted
    key      number 0, string name, number rank, then signed start and signed length of each dimension; a length of -1
             means the whole dimension

A checkpoint of TensorFlow 2 contains an object graph, and names a tensor by its path from the root object, through
attributes, list positions and keys:

    key         model/layers/0/kernel/.ATTRIBUTES/VARIABLE_VALUE        as stored in the checkpoint
    name        model/layers/0/kernel                                   the readable form
    full name   dense/kernel                                            the name of the variable in TF1

The names of optimizer slots consist of the optimizer, the slot, and the variable:

    key         model/layers/0/kernel/.OPTIMIZER_SLOT/optimizer/m/.ATTRIBUTES/VARIABLE_VALUE
    name        optimizer/m/model/layers/0/kernel
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias, TypeVar

from pbwire.errors import DecodeError, is_visible
from pbwire.raw import walk
from pbwire.table import Message
from pbwire.wire import Buffer, WireType

from ...errors import CheckpointError
from ...messages import (
    BundleEntryProto,
    BundleHeaderProto,
    SavedSliceMeta,
    SavedTensorSliceMeta,
    SavedTensorSlices,
    TrackableObjectGraph,
)
from .table_file import Record, TableFile

M = TypeVar("M", bound=Message)

_SHOWN = 100  # characters of a key or name, in an error


@dataclass(frozen=True, slots=True)
class BundleIndex:
    """The index of a V2 checkpoint. Both dicts keep the order of the file."""

    header: BundleHeaderProto
    entries: dict[str, BundleEntryProto]
    slices: dict[SliceKey, BundleEntryProto]
    """The entries of slices. A tensor that is stored in slices lists them in `slices` of its own entry."""


@dataclass(frozen=True, slots=True)
class SlicesIndex:
    """The table of contents of a V1 checkpoint file. One file may have only some of the slices of a tensor."""

    meta: SavedTensorSliceMeta

    @property
    def entries(self) -> dict[str, SavedSliceMeta]:
        return {tensor.name: tensor for tensor in self.meta.tensor}


Index: TypeAlias = BundleIndex | SlicesIndex


def read_index(data: Buffer, *, checksums: bool = True) -> Index:
    """Decode the table file `data`. Raises CheckpointError if it is damaged or not a checkpoint."""
    records = iter(TableFile(data, checksums=checksums))
    first = next(records, None)
    if first is None or first.key != b"":
        raise CheckpointError("not a checkpoint: the table has no record under the empty key")
    if begins_slices(first):
        slices = decode_record(SavedTensorSlices, first, "the table of contents")
        return SlicesIndex(slices.meta or SavedTensorSliceMeta())
    return _bundle(decode_record(BundleHeaderProto, first, "the header"), records)


def begins_slices(first: Record) -> bool:
    """Return whether the first record is a V1 table of contents, in which field 1 is a message.

    In a V2 header, field 1 is a number. Raises CheckpointError if the record is damaged.
    """
    try:
        return any(field.number == 1 and field.wire_type == WireType.LENGTH for field in walk(first.value))
    except DecodeError as error:
        raise CheckpointError(
            f"damaged index: in the first record, which begins at byte {first.offset:,}: {error}"
        ) from error


def _bundle(header: BundleHeaderProto, records: Iterator[Record]) -> BundleIndex:
    index = BundleIndex(header, {}, {})
    for record in records:
        try:
            key = decode_slice_key(record.key) if record.key[0] == 0 else record.key.decode()
        except ValueError as error:
            text = repr(record.key[:_SHOWN])[1:]
            what = f"is not UTF-8: {error}" if record.key[0] else f"is not the key of a slice: {error}"
            raise CheckpointError(f"damaged index: the key {text} at byte {record.offset:,} {what}") from error
        entry = decode_record(BundleEntryProto, record, f"the entry {_quote(str(key))}")
        if isinstance(key, SliceKey):
            index.slices[key] = entry
        else:
            index.entries[key] = entry
    return index


def decode_record(cls: type[M], record: Record, what: str) -> M:
    """Decode the message of a record. Raises CheckpointError, which calls the message `what`, if that fails."""
    try:
        return cls.from_bytes(bytes(record.value))
    except DecodeError as error:
        raise CheckpointError(f"damaged index: in {what}, which begins at byte {record.offset:,}: {error}") from error


def _quote(name: str) -> str:
    return f'"{name[:_SHOWN]}"' if is_visible(name) else ascii(name[:_SHOWN])


_STRING = re.compile(rb"((?:[^\x00\xff]|\x00\xff|(?!))*+)\x00\x01")


class SliceKey(NamedTuple):
    """A tensor name and the extents of a slice.

    `str()` gives the form used in graphs: `weights[0,5:-]`. "-" is a whole dimension.
    """

    name: str
    extents: tuple[tuple[int, int], ...]

    def __str__(self) -> str:
        parts = ("-" if length == -1 else f"{start},{length}" for start, length in self.extents)
        return f"{self.name}[{':'.join(parts)}]"


def encode_slice_key(name: str, extents: Sequence[tuple[int, int]]) -> bytes:
    """Return the key of a slice. The slice of a whole tensor has the extent (0, -1) for every dimension."""
    escaped = name.encode().replace(b"\0", b"\0\xff")
    numbers = [_encode_signed(number) for extent in extents for number in extent]
    return b"".join([_number(0), escaped, b"\0\1", _number(len(extents)), *numbers])


def decode_slice_key(key: bytes) -> SliceKey:
    """Decode a key of `encode_slice_key`. Raises ValueError if `key` is not a valid key in canonical form."""
    text = _STRING.match(key, 1)
    if text is None or key[0] != 0:
        raise ValueError("it does not begin with a zero and a name")
    name = text[1].replace(b"\0\xff", b"\0").decode()
    pos = text.end()
    size = key[pos] if pos < len(key) else 9
    rank, pos = int.from_bytes(key[pos + 1 : pos + 1 + size]), pos + 1 + size
    if size > 8 or 2 * rank > len(key) - pos:  # every number has at least one byte
        raise ValueError("it ends before its last dimension")
    numbers = []
    for _ in range(2 * rank):
        value, pos = _read_signed(key, pos)
        numbers.append(value)
    result = SliceKey(name, tuple(zip(numbers[::2], numbers[1::2], strict=True)))
    if encode_slice_key(*result) != key:
        raise ValueError("its numbers are not in their shortest form, or more follows them")
    return result


def _number(value: int) -> bytes:
    size = (value.bit_length() + 7) // 8
    return bytes([size]) + value.to_bytes(size)


def _encode_signed(value: int) -> bytes:
    magnitude = value if value >= 0 else ~value
    size = max(1, magnitude.bit_length() // 7 + 1)
    ones = ((1 << size) - 1) << (7 * size)  # `size` bits at the top of 8 * size
    mask = (1 << 8 * size) - 1
    return ((value & mask) ^ ones).to_bytes(size)


def _read_signed(key: bytes, pos: int) -> tuple[int, int]:
    head = int.from_bytes(key[pos : pos + 2].ljust(2, b"\0"))
    negative = not head & 0x8000
    if negative:
        head ^= 0xFFFF
    size = 16 - (head ^ 0xFFFF).bit_length()  # leading ones
    if size > 10 or pos + size > len(key):
        raise ValueError("one of its numbers does not end")
    bits = int.from_bytes(key[pos : pos + size]) ^ ((1 << size) - 1) << 7 * size
    value = bits - (1 << 8 * size if negative else 0)
    if not -(2**63) <= value < 2**63:
        raise ValueError("one of its numbers has more than 64 bits")
    return value, pos + size


OBJECT_GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"

_ATTRIBUTES, _SLOT, _VALUE = "/.ATTRIBUTES/", "/.OPTIMIZER_SLOT/", "VARIABLE_VALUE"
_ESCAPE = re.compile(r"\.([.S])")


class ObjectGraph:
    """Names of the tensors of a TF2 checkpoint.

    message     the TrackableObjectGraph itself: the references between objects
    names       keys by name
    full_names  keys by full name, for tensors that have one; if several share it, the key of the first
    """

    def __init__(self, data: bytes) -> None:
        try:
            self.message = TrackableObjectGraph.from_bytes(data)
        except DecodeError as error:
            raise CheckpointError(f"its object graph is damaged: {error}") from error
        self.names: dict[str, str] = {}
        self.full_names: dict[str, str] = {}
        self._name_of: dict[str, str] = {}
        for attribute in self._attributes():
            key = attribute.checkpoint_key
            if key in self._name_of:
                continue
            name = readable_name(key)
            if name in self.names:  # another key differs only in the parts that names omit
                name = key
            if self.names.setdefault(name, key) == key:
                self._name_of[key] = name
            if attribute.full_name:
                self.full_names.setdefault(attribute.full_name, key)

    def name_of(self, key: str) -> str:
        """Return the name of the tensor under a key; the key itself if the object graph does not contain it."""
        return self._name_of.get(key, key)

    def key_of(self, name: str) -> str | None:
        """Return the key of a tensor, given its name or its full name; None if it is unknown."""
        return self.names[name] if name in self.names else self.full_names.get(name)

    def _attributes(self) -> Iterator[TrackableObjectGraph.TrackableObject.SerializedTensor]:
        for node in self.message.nodes:
            yield from node.attributes


def readable_name(key: str) -> str:
    """Return the readable name for a key of an object graph: without the constant parts, and unescaped.

    A key of another form is returned unchanged.
    """
    path, separator, attribute = key.rpartition(_ATTRIBUTES)
    if not separator:
        return key
    variable, is_slot, owner = path.partition(_SLOT)
    if is_slot:
        path = f"{owner}/{variable}"
    name = "/".join(_unescape(part) for part in path.split("/"))
    return name if attribute == _VALUE else f"{name}/{_unescape(attribute)}"


def _unescape(part: str) -> str:
    return _ESCAPE.sub(lambda match: "/" if match[1] == "S" else ".", part)
