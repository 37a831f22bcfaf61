"""Lookup tables, such as vocabularies.

    HashTableV2              filled once, by InitializeTableV2 or from a file
    MutableHashTableV2       LookupTableInsertV2, LookupTableRemoveV2, ...
    LookupTableFindV2        the values of keys, with a default for missing keys

A table is its own handle, also for the handles of TensorFlow 1, references to strings. Vector keys are stored as
tuples. Tables are exported in insertion order; the order in TensorFlow changes between versions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from ...dtypes import DTYPES, dtype_name
from ...errors import RunError
from ...messages import DataType, NodeDef
from ..runtime.argument_checks import check, read_scalar, show
from ..runtime.registry import Runtime, Tensor, kernel
from ..string.formatting import parsed

__all__ = ["Table"]

_Shape = tuple[int, ...]


@dataclass(eq=False, slots=True)
class Table:
    """Keys and values as Python has them.

    `fixed` tables are filled once, and `filled` says whether they are; `reserved` keys must not be used.
    """

    key_dtype: DataType
    value_dtype: DataType
    key_shape: _Shape = ()
    value_shape: _Shape = ()
    fixed: bool = False
    filled: bool = False
    reserved: frozenset[Any] = frozenset()
    entries: dict[Any, Any] = field(default_factory=dict)

    def keys_of(self, keys: Tensor) -> list[Any]:
        """Return the keys in a tensor. Raises RunError for keys of another type or shape."""
        self._check_type(keys, self.key_dtype, "keys")
        rank = len(self.key_shape)
        check(
            not rank or keys.shape[-rank:] == self.key_shape,
            f"keys must end in {show(self.key_shape)}, and are {show(keys.shape)}",
        )
        found = _rows(keys, self.key_shape)
        check(self.reserved.isdisjoint(found), "the empty_key and the deleted_key of a table must not be looked up")
        return found

    def insert(self, keys: Tensor, values: Tensor) -> None:
        self._check_type(values, self.value_dtype, "values")
        lead = self._lead(keys)
        wanted = (*lead, *self.value_shape)
        check(values.shape == wanted, f"the values must be of shape {show(wanted)}, not {show(values.shape)}")
        self.entries.update(zip(self.keys_of(keys), _rows(values, self.value_shape), strict=True))

    def fill(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        """Fill the table. Raises RunError for a key with two values, or if the table already has another size."""
        entries: dict[Any, Any] = {}
        for key, value in pairs:
            first = entries.setdefault(key, value)
            if first is not value and first != value:  # NaN is not equal to itself
                raise RunError(f"the table would have two values for the key {key!r}: {entries[key]!r} and {value!r}")
        if self.filled:
            check(len(entries) == len(self.entries), "the table is initialised already, with other data")
            return
        self.entries, self.filled = entries, True

    def find(self, keys: Tensor, default: Tensor) -> Tensor:
        self.check_filled()
        self._check_type(default, self.value_dtype, "default_value")
        found, lead = self.keys_of(keys), self._lead(keys)
        shape = (*lead, *self.value_shape)
        get = self.entries.get
        if default.shape == self.value_shape:
            other = _rows(default, self.value_shape)[0]
            values = [get(key, other) for key in found]
        else:
            fitting = f"{show(self.value_shape)} or {show(shape)}"
            check(default.shape == shape, f"default_value must be of shape {fitting}, not {show(default.shape)}")
            values = [get(key, other) for key, other in zip(found, _rows(default, self.value_shape), strict=True)]
        return _tensor(values, self.value_dtype, lead, self.value_shape)

    def check_filled(self) -> None:
        check(self.filled or not self.fixed, "the table is not initialised")

    def check_mutable(self) -> None:
        check(not self.fixed, "the table is filled once, and is not changed")

    def _lead(self, keys: Tensor) -> _Shape:
        return keys.shape[: keys.ndim - len(self.key_shape)]

    def _check_type(self, tensor: Tensor, dtype: DataType, name: str) -> None:
        row = DTYPES.get(dtype)
        check(
            row is not None and tensor.dtype == row.numpy,
            f"the {name} of the table are {dtype_name(dtype)}, not {tensor.dtype}",
        )


def _rows(tensor: Tensor, shape: _Shape) -> list[Any]:
    """Return the rows of a tensor as Python values: numbers, bytes, or tuples of these."""
    if not shape:
        flat: list[Any] = tensor.reshape(-1).tolist()
        return flat
    lead = tensor.shape[: tensor.ndim - len(shape)]
    return list(map(tuple, tensor.reshape(prod(lead), prod(shape)).tolist()))


def _tensor(rows: Sequence[Any], dtype: DataType, lead: Sequence[int], shape: _Shape) -> Tensor:
    flat = [each for row in rows for each in row] if shape else rows
    found = np.empty(len(flat), DTYPES[dtype].numpy)
    found[:] = flat
    return found.reshape((*lead, *shape))


# --- making ----------------------------------------------------------------------------------------------------------


def _kept(node: NodeDef, container: bytes, name: bytes, runtime: Runtime, make: Callable[[], Table]) -> Table:
    """Return the table of a node. Nodes that share a table must declare the same types."""
    wanted = make()
    found = runtime.resource(("table", container, name or node.name.encode()), lambda: wanted)
    same = (found.key_dtype, found.value_dtype) == (wanted.key_dtype, wanted.value_dtype)
    check(same, f"it shares a table from {dtype_name(found.key_dtype)} to {dtype_name(found.value_dtype)}")
    return found


@kernel("HashTable", "HashTableV2")
def hash_table(
    node: NodeDef,
    *,
    key_dtype: DataType,
    value_dtype: DataType,
    container: bytes,
    shared_name: bytes,
    runtime: Runtime,
) -> Table:
    return _kept(node, container, shared_name, runtime, lambda: Table(key_dtype, value_dtype, fixed=True))


@kernel("AnonymousHashTable")
def anonymous_hash_table(*, key_dtype: DataType, value_dtype: DataType) -> Table:
    return Table(key_dtype, value_dtype, fixed=True)


@kernel("MutableHashTable", "MutableHashTableV2", "MutableHashTableOfTensors", "MutableHashTableOfTensorsV2")
def mutable_hash_table(
    node: NodeDef,
    *,
    key_dtype: DataType,
    value_dtype: DataType,
    container: bytes,
    shared_name: bytes,
    runtime: Runtime,
    value_shape: tuple[int | None, ...] | None = (),
) -> Table:
    shape = _known(value_shape)
    return _kept(node, container, shared_name, runtime, lambda: Table(key_dtype, value_dtype, value_shape=shape))


@kernel("AnonymousMutableHashTable", "AnonymousMutableHashTableOfTensors")
def anonymous_mutable_hash_table(
    *, key_dtype: DataType, value_dtype: DataType, value_shape: tuple[int | None, ...] | None = ()
) -> Table:
    return Table(key_dtype, value_dtype, value_shape=_known(value_shape))


@kernel("MutableDenseHashTable", "MutableDenseHashTableV2", "AnonymousMutableDenseHashTable")
def mutable_dense_hash_table(
    node: NodeDef,
    empty_key: Tensor,
    deleted_key: Tensor | None = None,
    *,
    key_dtype: DataType,
    value_dtype: DataType,
    value_shape: tuple[int | None, ...] | None,
    runtime: Runtime,
    container: bytes = b"",
    shared_name: bytes = b"",
) -> Table:
    check(deleted_key is None or deleted_key.shape == empty_key.shape, "empty_key and deleted_key must be of one shape")
    keys = [_rows(each, each.shape)[0] for each in (empty_key, deleted_key) if each is not None]
    check(len(set(keys)) == len(keys), "empty_key and deleted_key must not be the same")

    def make() -> Table:
        return Table(key_dtype, value_dtype, empty_key.shape, _known(value_shape), reserved=frozenset(keys))

    return make() if node.op.startswith("Anonymous") else _kept(node, container, shared_name, runtime, make)


def _known(shape: tuple[int | None, ...] | None) -> _Shape:
    sizes = tuple(size for size in shape or () if size is not None)
    check(shape is not None and len(sizes) == len(shape), "its value_shape must be known")
    return sizes


# --- filling ---------------------------------------------------------------------------------------------------------


@kernel("InitializeTable", "InitializeTableV2")
def initialize_table(handle: Any, keys: Tensor, values: Tensor) -> tuple[()]:
    table = _table(handle)
    check(table.fixed, "the table is not one that is initialised")
    check(
        keys.ndim == 1 and keys.shape == values.shape,
        f"keys and values must be vectors of one size, not {show(keys.shape)} and {show(values.shape)}",
    )
    probe = Table(table.key_dtype, table.value_dtype)
    probe.insert(keys, values)
    table.fill(zip(_rows(keys, ()), _rows(values, ()), strict=True))
    return ()


@kernel("InitializeTableFromTextFile", "InitializeTableFromTextFileV2")
def initialize_table_from_text_file(
    handle: Any,
    filename: Tensor,
    *,
    key_index: int,
    value_index: int,
    vocab_size: int,
    delimiter: bytes,
    runtime: Runtime,
    offset: int = 0,
) -> tuple[()]:
    table = _table(handle)
    check(table.fixed, "the table is not one that is initialised")
    check(len(delimiter) == 1, "its delimiter must be one character")
    name: bytes = read_scalar(filename, "filename")
    text = runtime.read_file(name).replace(b"\r", b"")
    lines = text.split(b"\n")
    if not lines[-1]:
        lines.pop()
    check(b"" not in lines, f"line {lines.index(b'') if b'' in lines else 0} of the file is empty")
    if vocab_size >= 0:
        check(len(lines) >= vocab_size, f"vocab_size is {vocab_size}, and the file has {len(lines)} lines")
        lines = lines[:vocab_size]
    table.fill(
        zip(
            _column(lines, key_index, table.key_dtype, delimiter, offset),
            _column(lines, value_index, table.value_dtype, delimiter, offset),
            strict=True,
        )
    )
    return ()


_LINE, _NUMBER = -2, -1


def _column(lines: Sequence[bytes], index: int, dtype: DataType, delimiter: bytes, offset: int) -> Iterable[Any]:
    """Return one column of all lines: the line itself, its number, or a part between delimiters."""
    if index == _NUMBER:
        check(dtype == DataType.DT_INT64, f"line numbers are int64, not {dtype_name(dtype)}")
        return range(offset, offset + len(lines))
    if index == _LINE:
        check(dtype == DataType.DT_STRING, f"whole lines are strings, not {dtype_name(dtype)}")
        return lines
    check(index >= 0, f"there is no column {index}")
    parts = [line.split(delimiter) for line in lines]
    short = next((number for number, row in enumerate(parts) if len(row) <= index), None)
    check(short is None, f"line {short} of the file has no column {index}")
    found = [row[index] for row in parts]
    return found if dtype == DataType.DT_STRING else [parsed(each, dtype) for each in found]


# --- using -----------------------------------------------------------------------------------------------------------


@kernel("LookupTableFind", "LookupTableFindV2")
def lookup_table_find(handle: Any, keys: Tensor, default_value: Tensor) -> Tensor:
    return _table(handle).find(keys, default_value)


@kernel("LookupTableInsert", "LookupTableInsertV2")
def lookup_table_insert(handle: Any, keys: Tensor, values: Tensor) -> tuple[()]:
    _table(handle).check_mutable()
    _table(handle).insert(keys, values)
    return ()


@kernel("LookupTableRemoveV2")
def lookup_table_remove(handle: Any, keys: Tensor) -> tuple[()]:
    table = _table(handle)
    table.check_mutable()
    for key in table.keys_of(keys):
        table.entries.pop(key, None)
    return ()


@kernel("LookupTableSize", "LookupTableSizeV2")
def lookup_table_size(handle: Any) -> Tensor:
    return np.array(len(_table(handle).entries), np.int64)


@kernel("LookupTableExport", "LookupTableExportV2")
def lookup_table_export(handle: Any) -> tuple[Tensor, Tensor]:
    table = _table(handle)
    table.check_filled()
    lead = (len(table.entries),)
    keys = _tensor(list(table.entries), table.key_dtype, lead, table.key_shape)
    return keys, _tensor(list(table.entries.values()), table.value_dtype, lead, table.value_shape)


@kernel("LookupTableImport", "LookupTableImportV2")
def lookup_table_import(handle: Any, keys: Tensor, values: Tensor) -> tuple[()]:
    """Replace the contents of the table."""
    table = _table(handle)
    if table.fixed:
        return initialize_table(handle, keys, values)
    lead = keys.shape[:1]
    kept = np.ones(lead, bool)
    if table.reserved:  # a dense table saves all its buckets, [n,1], the empty ones with a key that says so
        keys, values = keys.reshape(*lead, *table.key_shape), values.reshape(*lead, *table.value_shape)
        kept[:] = [key not in table.reserved for key in _rows(keys, table.key_shape)]
    before, table.entries = table.entries, {}
    try:
        table.insert(keys[kept], values[kept])
    except RunError:
        table.entries = before
        raise
    return ()


def _table(handle: Any) -> Table:
    if not isinstance(handle, Table):
        raise RunError("its first input is no table")
    return handle
