"""Kernels of lookup tables, such as vocabularies.

    HashTableV2              filled once, by InitializeTableV2 or from a file
    MutableHashTableV2       LookupTableInsertV2, LookupTableRemoveV2, ...
    LookupTableFindV2        the values of keys, with a default for missing keys

A table is its own handle, also in TensorFlow 1, where handles are references to strings. Vector keys are stored as
tuples. Tables are exported in insertion order; the order in TensorFlow changes between versions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from ...errors import RunError
from ...messages import DataType, NodeDef
from ...values.dtypes import DTYPES, dtype_name
from ..runtime.argument_checks import check, read_scalar, show
from ..runtime.memory_limit import ENTRY_BYTES, bytes_of, claim, hold
from ..runtime.registry import Runtime, Tensor, kernel
from ..string.formatting import parse_number

_Shape = tuple[int, ...]


@dataclass(eq=False, slots=True)
class Table:
    """Keys and values, as Python objects.

    fixed       the table is filled only once, by an initializer
    filled      whether it is filled
    reserved    keys that must not be used
    """

    key_dtype: DataType
    value_dtype: DataType
    key_shape: _Shape = ()
    value_shape: _Shape = ()
    fixed: bool = False
    filled: bool = False
    reserved: frozenset[Any] = frozenset()
    entries: dict[Any, Any] = field(default_factory=dict)

    def read_keys(self, keys: Tensor) -> list[Any]:
        """Return the keys in a tensor. Raises RunError for keys of another type or shape."""
        self._check_type(keys, self.key_dtype, "keys")
        rank = len(self.key_shape)
        check(
            not rank or keys.shape[-rank:] == self.key_shape,
            f"the last dimensions of keys must be {show(self.key_shape)}, but keys are {show(keys.shape)}",
        )
        keys_ = _read_rows(keys, self.key_shape)
        check(self.reserved.isdisjoint(keys_), "the empty_key and the deleted_key of a table must not be looked up")
        return keys_

    def insert(self, keys: Tensor, values: Tensor) -> None:
        self._check_type(values, self.value_dtype, "values")
        outer_shape = self._outer_shape(keys)
        expected = (*outer_shape, *self.value_shape)
        check(values.shape == expected, f"the values must be of shape {show(expected)}, not {show(values.shape)}")
        hold(_bytes_of_entries(keys) + _bytes_of_entries(values))
        self.entries.update(zip(self.read_keys(keys), _read_rows(values, self.value_shape), strict=True))

    def fill(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        """Fill the table. Raises RunError for a key with two values, or if the table already has another size."""
        entries: dict[Any, Any] = {}
        for key, value in pairs:
            first = entries.setdefault(key, value)
            if first is not value and first != value:  # NaN is not equal to itself
                raise RunError(f"the table would have two values for the key {key!r}: {entries[key]!r} and {value!r}")
        if self.filled:
            check(len(entries) == len(self.entries), "the table is already initialized, with other data")
            return
        self.entries, self.filled = entries, True

    def find(self, keys: Tensor, default: Tensor) -> Tensor:
        self.check_filled()
        self._check_type(default, self.value_dtype, "default_value")
        claim(_bytes_of_entries(keys) + prod(self._outer_shape(keys)) * ENTRY_BYTES * max(1, prod(self.value_shape)))
        python_keys, outer_shape = self.read_keys(keys), self._outer_shape(keys)
        shape = (*outer_shape, *self.value_shape)
        get = self.entries.get
        if default.shape == self.value_shape:
            default_value = _read_rows(default, self.value_shape)[0]
            values = [get(key, default_value) for key in python_keys]
        else:
            allowed = f"{show(self.value_shape)} or {show(shape)}"
            check(default.shape == shape, f"default_value must be of shape {allowed}, not {show(default.shape)}")
            values = [
                get(key, default_value)
                for key, default_value in zip(python_keys, _read_rows(default, self.value_shape), strict=True)
            ]
        return _to_tensor(values, self.value_dtype, outer_shape, self.value_shape)

    def check_filled(self) -> None:
        check(self.filled or not self.fixed, "the table is not initialized")

    def check_mutable(self) -> None:
        check(not self.fixed, "the table cannot be changed after its initialization")

    def _outer_shape(self, keys: Tensor) -> _Shape:
        return keys.shape[: keys.ndim - len(self.key_shape)]

    def _check_type(self, tensor: Tensor, dtype: DataType, name: str) -> None:
        row = DTYPES.get(dtype)
        check(
            row is not None and tensor.dtype == row.numpy,
            f"the {name} of the table are {dtype_name(dtype)}, not {tensor.dtype}",
        )


def _bytes_of_entries(tensor: Tensor) -> int:
    """Return the memory that the elements of a tensor take in a table, as Python objects."""
    return ENTRY_BYTES // 2 * tensor.size + (bytes_of(tensor) if tensor.dtype == object else 0)


def _read_rows(tensor: Tensor, shape: _Shape) -> list[Any]:
    """Return the rows of a tensor as Python values: numbers, bytes, or tuples of these."""
    if not shape:
        flat: list[Any] = tensor.reshape(-1).tolist()
        return flat
    outer_shape = tensor.shape[: tensor.ndim - len(shape)]
    return list(map(tuple, tensor.reshape(prod(outer_shape), prod(shape)).tolist()))


def _to_tensor(rows: Sequence[Any], dtype: DataType, outer_shape: Sequence[int], shape: _Shape) -> Tensor:
    flat = [value for row in rows for value in row] if shape else rows
    array = np.empty(len(flat), DTYPES[dtype].numpy)
    array[:] = flat
    return array.reshape((*outer_shape, *shape))


# --- creation --------------------------------------------------------------------------------------------------------


def _shared_table(node: NodeDef, container: bytes, name: bytes, runtime: Runtime, make: Callable[[], Table]) -> Table:
    """Return the table of a node. Nodes that share a table must declare the same types."""
    new_table = make()
    table = runtime.resource(("table", container, name or node.name.encode()), lambda: new_table)
    same = (table.key_dtype, table.value_dtype) == (new_table.key_dtype, new_table.value_dtype)
    check(same, f"the table that it shares maps {dtype_name(table.key_dtype)} to {dtype_name(table.value_dtype)}")
    return table


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
    return _shared_table(node, container, shared_name, runtime, lambda: Table(key_dtype, value_dtype, fixed=True))


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
    shape = _known_shape(value_shape)
    return _shared_table(
        node, container, shared_name, runtime, lambda: Table(key_dtype, value_dtype, value_shape=shape)
    )


@kernel("AnonymousMutableHashTable", "AnonymousMutableHashTableOfTensors")
def anonymous_mutable_hash_table(
    *, key_dtype: DataType, value_dtype: DataType, value_shape: tuple[int | None, ...] | None = ()
) -> Table:
    return Table(key_dtype, value_dtype, value_shape=_known_shape(value_shape))


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
    keys = [
        _read_rows(key_tensor, key_tensor.shape)[0] for key_tensor in (empty_key, deleted_key) if key_tensor is not None
    ]
    check(len(set(keys)) == len(keys), "empty_key and deleted_key must not be the same")

    def make() -> Table:
        return Table(key_dtype, value_dtype, empty_key.shape, _known_shape(value_shape), reserved=frozenset(keys))

    return make() if node.op.startswith("Anonymous") else _shared_table(node, container, shared_name, runtime, make)


def _known_shape(shape: tuple[int | None, ...] | None) -> _Shape:
    sizes = tuple(size for size in shape or () if size is not None)
    check(shape is not None and len(sizes) == len(shape), "its value_shape must be known")
    return sizes


# --- initialization --------------------------------------------------------------------------------------------------


@kernel("InitializeTable", "InitializeTableV2")
def initialize_table(handle: Any, keys: Tensor, values: Tensor) -> tuple[()]:
    table = _table(handle)
    check(table.fixed, "a mutable table cannot be initialized")
    check(
        keys.ndim == 1 and keys.shape == values.shape,
        f"keys and values must be vectors of one size, not {show(keys.shape)} and {show(values.shape)}",
    )
    contents = Table(table.key_dtype, table.value_dtype)
    claim(2 * (_bytes_of_entries(keys) + _bytes_of_entries(values)))
    contents.insert(keys, values)
    table.fill(zip(_read_rows(keys, ()), _read_rows(values, ()), strict=True))
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
    check(table.fixed, "a mutable table cannot be initialized")
    check(len(delimiter) == 1, "its delimiter must be one character")
    name: bytes = read_scalar(filename, "filename")
    text = runtime.read_file(name).replace(b"\r", b"")
    hold(len(text) + 2 * ENTRY_BYTES * (text.count(b"\n") + 1))
    lines = text.split(b"\n")
    if not lines[-1]:
        lines.pop()
    check(b"" not in lines, f"line {lines.index(b'') if b'' in lines else 0} of the file is empty")
    if vocab_size >= 0:
        check(len(lines) >= vocab_size, f"vocab_size is {vocab_size}, and the file has {len(lines)} lines")
        lines = lines[:vocab_size]
    table.fill(
        zip(
            _read_column(lines, key_index, table.key_dtype, delimiter, offset),
            _read_column(lines, value_index, table.value_dtype, delimiter, offset),
            strict=True,
        )
    )
    return ()


_LINE, _NUMBER = -2, -1


def _read_column(lines: Sequence[bytes], index: int, dtype: DataType, delimiter: bytes, offset: int) -> Iterable[Any]:
    """Return one column of all lines: the line itself, its number, or a part between delimiters."""
    if index == _NUMBER:
        check(dtype == DataType.DT_INT64, f"line numbers are int64, not {dtype_name(dtype)}")
        return range(offset, offset + len(lines))
    if index == _LINE:
        check(dtype == DataType.DT_STRING, f"whole lines are strings, not {dtype_name(dtype)}")
        return lines
    check(index >= 0, f"column indices must be -2 or more, not {index}")
    parts = [line.split(delimiter) for line in lines]
    short = next((number for number, row in enumerate(parts) if len(row) <= index), None)
    check(short is None, f"line {short} of the file has no column {index}")
    values = [row[index] for row in parts]
    return values if dtype == DataType.DT_STRING else [parse_number(value, dtype) for value in values]


# --- lookup and changes ----------------------------------------------------------------------------------------------


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
    claim(_bytes_of_entries(keys))
    for key in table.read_keys(keys):
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
    claim(ENTRY_BYTES * len(table.entries) * max(1, prod(table.key_shape)) * max(1, prod(table.value_shape)))
    keys = _to_tensor(list(table.entries), table.key_dtype, lead, table.key_shape)
    return keys, _to_tensor(list(table.entries.values()), table.value_dtype, lead, table.value_shape)


@kernel("LookupTableImport", "LookupTableImportV2")
def lookup_table_import(handle: Any, keys: Tensor, values: Tensor) -> tuple[()]:
    """Replace the contents of the table."""
    table = _table(handle)
    if table.fixed:
        return initialize_table(handle, keys, values)
    outer_shape = keys.shape[:1]
    is_used = np.ones(outer_shape, bool)
    if table.reserved:  # a dense table saves all its buckets, [n,1], the unused ones with reserved keys
        keys, values = keys.reshape(*outer_shape, *table.key_shape), values.reshape(*outer_shape, *table.value_shape)
        is_used[:] = [key not in table.reserved for key in _read_rows(keys, table.key_shape)]
    claim(2 * (_bytes_of_entries(keys) + _bytes_of_entries(values)))
    old_entries, table.entries = table.entries, {}
    try:
        table.insert(keys[is_used], values[is_used])
    except RunError:
        table.entries = old_entries
        raise
    return ()


def _table(handle: Any) -> Table:
    if not isinstance(handle, Table):
        raise RunError("its first input is not a table")
    return handle
