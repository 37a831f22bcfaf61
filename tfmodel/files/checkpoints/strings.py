"""Strings and variants in version 2 checkpoints: tensors whose elements have variable sizes.

Variants are messages. They are stored as

    strings    all lengths as varints, a checksum of the lengths, all strings
    variants   for each element, its length as a varint, the message, and a checksum of everything before it

Checksums cover the lengths as fixed-width numbers, not as varints: four bytes, or eight if the length needs more, and
always eight for variants. They also cover the checksums that are stored between the data. On a big-endian machine only
these numbers and the stored checksums are big-endian.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from pbwire.errors import DecodeError
from pbwire.varints import write_varint
from pbwire.wire import read_varint

from ...errors import CheckpointError
from ...messages import VariantTensorDataProto
from ..access.crc32c import crc32c, mask, unmask

ByteOrder: TypeAlias = Literal["little", "big"]

_VARINT = 10  # bytes at most
_CRC = 4


def read_strings(data: memoryview, count: int, order: ByteOrder, *, checked: bool) -> tuple[list[bytes], int]:
    """Return `count` strings and the CRC over everything, for the caller to compare; 0 unless `checked`.

    With `checked`, the checksum of the lengths is verified. Raises CheckpointError if the data is damaged.
    """
    if count == 0 and not data:
        return [], 0
    if count > len(data):
        raise CheckpointError(f"{len(data):,} bytes are too few for {count:,} strings")
    lengths, pos = _lengths(data, count)
    if sum(lengths) != len(data) - pos - _CRC:
        raise CheckpointError(f"its strings have {sum(lengths):,} bytes, {len(data) - pos - _CRC:,} are there")
    crc = 0
    if checked:
        crc = crc32c(_fixed_width(lengths, order))
        _check(data, pos, crc, order, "the lengths of its strings have")
        crc = crc32c(data[pos:], crc)
    strings = []
    pos += _CRC
    for length in lengths:
        strings.append(bytes(data[pos : pos + length]))
        pos += length
    return strings, crc


def encode_strings(strings: Sequence[bytes]) -> tuple[list[bytes], int]:
    """Return the encoding of strings, in pieces, and the CRC over all of it."""
    lengths = [len(string) for string in strings]
    crc = crc32c(_fixed_width(lengths, "little"))
    pieces = [b"".join(map(write_varint, lengths)), mask(crc).to_bytes(_CRC, "little"), b"".join(strings)]
    return pieces, crc32c(pieces[2], crc32c(pieces[1], crc))


def read_variants(data: memoryview, count: int, *, checked: bool) -> tuple[list[VariantTensorDataProto], int]:
    """Return `count` variants and the CRC over everything, for the caller to compare; 0 unless `checked`.

    With `checked`, the checksums after the variants are verified. Only little-endian data is supported, as in
    TensorFlow. Raises CheckpointError if the data is damaged.
    """
    if count * (1 + _CRC) > len(data):
        raise CheckpointError(f"{len(data):,} bytes are too few for {count:,} variants")
    variants, pos, crc = [], 0, 0
    for number in range(count):
        length, pos = _length(data, pos, len(data))
        if length > len(data) - pos - _CRC:
            raise CheckpointError(f"variant {number:,} has {length:,} bytes, {len(data) - pos:,} are left")
        message = data[pos : pos + length]
        pos += length
        if checked:
            crc = crc32c(message, crc32c(length.to_bytes(8, "little"), crc))
            _check(data, pos, crc, "little", f"all up to variant {number:,} has")
            crc = crc32c(data[pos : pos + _CRC], crc)
        pos += _CRC
        try:
            variants.append(VariantTensorDataProto.from_bytes(bytes(message)))
        except DecodeError as error:
            raise CheckpointError(f"variant {number:,}: {error}") from error
    if pos != len(data):
        raise CheckpointError(f"{len(data) - pos:,} bytes follow its last variant")
    return variants, crc


def _check(data: memoryview, pos: int, crc: int, order: ByteOrder, what: str) -> None:
    stored = unmask(int.from_bytes(data[pos : pos + _CRC], order))
    if stored != crc:
        raise CheckpointError(f"{what} CRC {crc:08x}, not the {stored:08x} stored after that")


def _lengths(data: memoryview, count: int) -> tuple[list[int], int]:
    head = bytes(data[: min(_VARINT * count, len(data))])
    lengths, pos = list(head[:count]), count
    if max(lengths, default=0) > 127:  # some lengths take more than one byte
        lengths, pos = [], 0
        for _ in range(count):
            length, pos = _length(head, pos, len(head))
            lengths.append(length)
    if pos + _CRC > len(data):
        raise CheckpointError("it ends before its strings begin")
    return lengths, pos


def _length(data: bytes | memoryview, pos: int, end: int) -> tuple[int, int]:
    try:
        return read_varint(data, pos, end)
    except DecodeError as error:
        raise CheckpointError("the length of an element cannot be read") from error


def _fixed_width(lengths: Sequence[int], order: ByteOrder) -> bytes:
    return b"".join([length.to_bytes(4 if length < 1 << 32 else 8, order) for length in lengths])
