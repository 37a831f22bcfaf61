"""Read repeated numbers: functions that decoders call for one value, and for a packed payload.

    read(data, pos, values) -> values, pos

appends to the list `values`, which may be None, and returns it with the position after what was read. `pos` is the
position after the tag. If the data are damaged, the functions raise what generated code raises.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct

from .. import varints
from ..descriptor import FIXED32, KINDS, ZIGZAG, Field
from ..packed import unpack_fixed, unpack_varints

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Reader = Callable[[bytes, int, list[Any] | None], tuple[list[Any], int]]

_AS_THEY_ARE = frozenset(KINDS) - ZIGZAG - {"bool"}  # one-byte varints of these kinds are the numbers


def list_reader(field: Field) -> Reader:
    """Return the reader of a packed payload. An open enum gets its members."""
    unpack = _unpacker(field)
    varint = varints.varint

    def read(data: bytes, pos: int, values: list[Any] | None) -> tuple[list[Any], int]:
        n = data[pos]
        pos += 1
        if n > 127:
            n, pos = varint(data, pos, n)
        end = pos + n
        unpacked = unpack(data[pos:end])
        if values is None:
            return unpacked, end
        values += unpacked  # in place: a list may come in many parts
        return values, end

    return read


def _unpacker(field: Field) -> Callable[[bytes], list[Any]]:
    kind, name = KINDS[field.kind], field.kind
    if kind.format:
        format = kind.format
        return lambda payload: unpack_fixed(format, payload)
    if name == "enum":
        get = field.type.__numbers__.get

        def members(payload: bytes) -> list[Any]:
            numbers = unpack_varints("enum", payload)
            return list(map(get, numbers, numbers))

        return members
    if name in _AS_THEY_ARE:
        return lambda payload: list(payload) if payload.isascii() else unpack_varints(name, payload)
    return lambda payload: unpack_varints(name, payload)


def number_reader(field: Field) -> Reader:
    """Return the reader of one value of a field that is packed as a rule. It is not a closed enum."""
    kind = KINDS[field.kind]
    if kind.format:
        unpack, size = Struct("<" + kind.format).unpack_from, 4 if kind.wire_type == FIXED32 else 8
        return lambda data, pos, values: (_appended(values, *unpack(data, pos)), pos + size)
    read_rest, convert = varints.MULTIBYTE[field.kind], _converter(field)

    def read(data: bytes, pos: int, values: list[Any] | None) -> tuple[list[Any], int]:
        n = data[pos]
        pos += 1
        if n > 127:
            n, pos = read_rest(data, pos, n)
        return _appended(values, convert(n)), pos

    return read


def _appended(values: list[Any] | None, value: Any) -> list[Any]:
    if values is None:
        return [value]
    values.append(value)
    return values


def _converter(field: Field) -> Callable[[int], Any]:
    """Return the function that makes a value of a varint."""
    if field.kind == "enum":
        get = field.type.__numbers__.get
        return lambda number: get(number, number)
    if field.kind == "bool":
        return bool
    return varints.from_zigzag if field.kind in ZIGZAG else int
