"""Lookup tables: the LabelEncoder of ONNX's domain for machine learning, which holds keys and values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ....messages import DataType
from ....values.dtypes import dtype_of
from ..conversion.call import FLOAT, STRING, Call
from ..conversion.model import Array, Attribute, Value
from ..conversion.registry import converter
from ..conversion.scope import INT64
from ..writer import ML_DOMAIN

_SUFFIXES = {INT64: "int64s", STRING: "strings", FLOAT: "floats"}
_DEFAULTS = {INT64: "default_int64", STRING: "default_string", FLOAT: "default_float"}


@converter("HashTable", "HashTableV2")
def _table(call: Call) -> Value:
    """A value that stands for the table, and that no node takes."""
    return Value(call.output_dtype(), (), call.node.name)


@converter("LookupTableFind", "LookupTableFindV2")
def _find(call: Call) -> Value:
    """Values by keys, and the default for others."""
    keys, values = _contents(call)
    default = call.required(2, "the default of its table")
    return encoded(call, call.input(1), keys, values, default.ravel()[0], call.output_dtype())


@converter("LookupTableSize", "LookupTableSizeV2")
def _size(call: Call) -> Value:
    return call.const(len(_contents(call)[0]))


def _contents(call: Call) -> tuple[Array, Array]:
    tables, table = call.body.tables, call.body.index.get(call.home(0).name)
    if tables is None or table is None:
        call.refuse("its table is not known")
    return tables.contents(table)


def encoded(call: Call, x: Value, keys: Array, values: Array, default: object, dtype: DataType) -> Value:
    """Return the value of each key among the elements of a tensor, and the default for others."""
    key_type, value_type = _encoded_type(call, x.dtype), _encoded_type(call, dtype)
    attributes: dict[str, Attribute] = {
        f"keys_{_SUFFIXES[key_type]}": _listed(call, keys, key_type),
        f"values_{_SUFFIXES[value_type]}": _listed(call, values, value_type),
        _DEFAULTS[value_type]: _listed(call, [default], value_type)[0],
    }
    x = call.cast(x, key_type)
    (result,) = call.several("LabelEncoder", x, types=[value_type], domain=ML_DOMAIN, more=attributes)
    result.shape = x.shape
    return call.cast(result, dtype)


def _encoded_type(call: Call, dtype: DataType) -> DataType:
    """Return the type of LabelEncoder that holds one of TensorFlow's."""
    if dtype in (STRING, FLOAT):
        return dtype
    if dtype_of(dtype).numpy.kind in "iub":
        return INT64
    call.refuse(f"tables of ONNX have no {dtype_of(dtype).name}")


def _listed(call: Call, elements: Iterable[Any], dtype: DataType) -> list[Any]:
    """Return elements as an attribute holds them."""
    if dtype == INT64:
        return [int(each) for each in elements]
    if dtype == FLOAT:
        return [float(each) for each in elements]
    try:
        return [each.decode() for each in elements]
    except UnicodeDecodeError:
        call.refuse("its table has bytes that are not UTF-8")
