"""Simple, slow readers of files, for targets to compare results with.

    records(data)                  # [(b"", header), (b"dense/kernel", entry), ...], of a table file
    elements(tensor, 6)            # [b"\\0\\0\\x80?", ...], of a TensorProto whose shape has six elements

They check nothing, because they read accepted inputs only. Other inputs may raise any exception.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from tests.tfmodel.files.checkpoints.tables import trailer
from tfmodel.messages import BundleHeaderProto, TensorProto
from tfmodel.values.dtypes import dtype_of

__all__ = ["elements", "header", "records", "snappy", "strings", "varint", "varints"]

FOOTER, MAGIC = 48, 8


def varint(data: bytes, pos: int) -> tuple[int, int]:
    """Return the varint at a position, and its end."""
    value = shift = 0
    while data[pos] > 127:
        value += data[pos] % 128 << shift
        shift, pos = shift + 7, pos + 1
    return (value + (data[pos] << shift)) % (1 << 64), pos + 1


def varints(data: bytes, pos: int, count: int) -> tuple[list[int], int]:
    """Return several varints, and their end."""
    values = []
    for _ in range(count):
        value, pos = varint(data, pos)
        values.append(value)
    return values, pos


# --- tables ------------------------------------------------------------------------------------------------------


def snappy(elements: bytes) -> bytes | None:
    """Return the decompressed bytes of Snappy elements, by the format's description; None if they are invalid."""
    out, pos = bytearray(), 0
    while pos < len(elements):
        tag, pos = elements[pos], pos + 1
        kind, length = tag % 4, tag // 4 + 1
        size = (max(0, length - 60), 1, 2, 4)[kind]
        if pos + size > len(elements):
            return None
        number, pos = int.from_bytes(elements[pos : pos + size], "little"), pos + size
        if kind == 0:
            length = number + 1 if size else length
            if pos + length > len(elements):
                return None
            out += elements[pos : pos + length]
            pos += length
            continue
        if kind == 1:
            length, number = tag // 4 % 8 + 4, tag // 32 * 256 + number
        if not 0 < number <= len(out):
            return None
        start = len(out) - number
        out += (out[start : start + length] * (1 if number >= length else length))[:length]
    return bytes(out)


def records(data: bytes, *, checked: bool = True) -> list[tuple[bytes, bytes]]:
    """Return all keys and values of a table file, in order. `checked`: verify the checksums of its blocks."""
    (_, _, offset, size), _ = varints(data[-FOOTER:-MAGIC], 0, 4)
    entries = []
    for _, handle in _block(data, offset, size, checked):
        (offset, size), _ = varints(handle, 0, 2)
        entries += _block(data, offset, size, checked)
    return entries


def _block(data: bytes, offset: int, size: int, checked: bool) -> list[tuple[bytes, bytes]]:
    content, behind = data[offset : offset + size], data[offset + size : offset + size + 5]
    if checked:
        assert behind == trailer(content, behind[0]), "a block was read whose checksum is wrong"
    if behind[0] == 1:
        content = snappy(content[varint(content, 0)[1] :]) or b""
    end = len(content) - 4 * (int.from_bytes(content[-4:], "little") + 1)
    key, pos, block_records = b"", 0, []
    while pos < end:
        (shared, unshared, length), pos = varints(content, pos, 3)
        key, pos = key[:shared] + content[pos : pos + unshared], pos + unshared
        block_records.append((key, content[pos : pos + length]))
        pos += length
    return block_records


# --- tensors -----------------------------------------------------------------------------------------------------


def elements(tensor: TensorProto, count: int) -> list[bytes] | None:
    """Return the stored bytes of each element; None for types whose arrays have another representation."""
    row = dtype_of(tensor.dtype)
    if row.codec or (row.is_object and tensor.tensor_content):
        return None
    if tensor.tensor_content:
        content = tensor.tensor_content
        if row.kind == "b":
            content = bytes(byte != 0 for byte in content)
        return [content[at : at + row.itemsize] for at in range(0, len(content), row.itemsize)]
    values: Sequence[Any] = getattr(tensor, row.field)
    if row.is_object:
        stored = [bytes(value) for value in values] or [b""]
    elif row.kind == "f" and row.field != "half_val":
        stored = [struct.pack(f"<{'fd'[row.itemsize == 8]}", value) for value in values]
    elif row.kind == "c":
        form = f"<2{'fd'[row.itemsize == 16]}"
        stored = [struct.pack(form, *values[at : at + 2]) for at in range(0, len(values), 2)]
    else:
        stored = [(value % (1 << 8 * row.itemsize)).to_bytes(row.itemsize, "little") for value in values]
    stored = stored or [bytes(row.itemsize)]
    return (stored + stored[-1:] * (count - len(stored)))[:count]


def header(index_records: list[tuple[bytes, bytes]]) -> BundleHeaderProto:
    """Return the header of an index of version 2."""
    return BundleHeaderProto.from_bytes(index_records[0][1])


def strings(data: bytes, count: int) -> list[bytes]:
    """Return the strings of a tensor in a data file, which has their lengths, a checksum of these, and their bytes."""
    lengths, pos = varints(data, 0, count)
    pos += 4
    values = []
    for length in lengths:
        values.append(data[pos : pos + length])
        pos += length
    return values
