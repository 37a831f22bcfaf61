"""Convert plain Python values, and text of the command line, to attributes of the type that an op declares.

    attribute_value([1, 2, 2, 1], declared)     # for list(int): an AttrValue with a list of integers
    attribute_value("float32", declared)        # for type
    attribute_value([None, 224, 224, 3], declared)   # for shape

    int, float, bool    a number, a bool
    string              a str or bytes
    type                a DataType, the name of a type ("float32", "DT_FLOAT"), a NumPy type
    shape               a list of sizes, None or -1 for unknown; None for an unknown rank; a TensorShapeProto
    tensor              an array, or what NumPy makes one of; a TensorProto
    func                the name of a function; a NameAttrList
    list(...)           an iterable of these

An AttrValue is taken as it is. Every value is checked against the declaration: allowed values, minimum, length.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from operator import index
from typing import Any

from ..errors import GraphError
from ..graph.error_text import guess, quote
from ..messages import AttrValue, DataType, NameAttrList, OpDef, TensorProto, TensorShapeProto
from ..ops.declared_attributes import MEMBERS, value_problem
from ..values.dtypes import DTYPES, dtype_named, natural_dtype
from ..values.shape import shape_to_proto


def attribute_value(value: Any, declared: OpDef.AttrDef, where: str, *, in_function: bool = False) -> AttrValue:
    """Return the AttrValue of a Python value for a declared attribute.

    `where` is the node in errors, such as 'Conv2D "c"'. Raises GraphError for a value that the attribute cannot have.
    """
    if isinstance(value, AttrValue):
        result = value
    else:
        kind = declared.type.removeprefix("list(").removesuffix(")")
        convert = _CONVERTERS.get(kind)
        if convert is None:
            raise GraphError(f"{where}: the attribute {quote(declared.name)} has the unknown type {declared.type}")
        try:
            if kind == declared.type:
                result = AttrValue(**{MEMBERS[kind]: convert(value)})
            else:
                elements: dict[str, Any] = {MEMBERS[kind]: _elements(value, convert)}
                result = AttrValue(list=AttrValue.ListValue(**elements))
        except (TypeError, ValueError) as error:
            problem = str(error) or f"got {value!r}"
            raise GraphError(f"{where}: the attribute {quote(declared.name)} is {declared.type}: {problem}") from None
    problem = value_problem(result, declared, in_function=in_function)
    if problem:
        raise GraphError(f"{where}: its attribute {quote(declared.name)} {problem}")
    return result


def free_attribute_value(value: Any, name: str, where: str) -> AttrValue:
    """Return the AttrValue of an attribute that no op declares, such as "_note": its type is that of the value.

    Raises GraphError for a value of another type than bool, int, float, str, bytes, or a list of one of these.
    """
    if isinstance(value, AttrValue):
        return value
    for types, member in _FREE:
        if isinstance(value, types):
            single: dict[str, Any] = {member: value.encode() if isinstance(value, str) else value}
            return AttrValue(**single)
        if isinstance(value, (list, tuple)) and value and all(isinstance(item, types) for item in value):
            items: dict[str, Any] = {member: [item.encode() if isinstance(item, str) else item for item in value]}
            return AttrValue(list=AttrValue.ListValue(**items))
    raise GraphError(f"{where}: {quote(name)} is not declared, so it takes a bool, a number, a string or a list of one")


_FREE: tuple[tuple[Any, str], ...] = ((bool, "b"), (int, "i"), (float, "f"), ((str, bytes), "s"))


def _elements(value: Any, convert: Callable[[Any], Any]) -> list[Any]:
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise TypeError(f"expected a list, got {value!r}")
    return [convert(item) for item in value]


# --- one value -------------------------------------------------------------------------------------------------------


def _to_int(value: Any) -> int:
    if isinstance(value, bool):
        raise TypeError(f"expected an integer, got {value}")
    number = index(value)
    if not -(1 << 63) <= number < 1 << 63:
        raise ValueError(f"{number:,} is out of the range of int64")
    return number


def _to_float(value: Any) -> float:
    if isinstance(value, (str, bytes, bool)):
        raise TypeError(f"expected a number, got {value!r}")
    return float(value)


def _to_bool(value: Any) -> bool:
    if value.__class__.__name__ in ("bool_", "bool"):
        return bool(value)
    raise TypeError(f"expected True or False, got {value!r}")


def _to_bytes(value: Any) -> bytes:
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, bytes):
        return value
    raise TypeError(f"expected a string, got {value!r}")


def to_type(value: Any) -> DataType:
    if isinstance(value, DataType):
        return value
    if isinstance(value, str):
        row = dtype_named(value)
        dtype = row.number if row is not None else DataType.__members__.get(value)
        dtype = dtype or DataType.__members__.get(f"DT_{value.upper()}")
        if dtype is None:
            raise ValueError(f"{quote(value)} is not the name of a type{guess(value, _TYPE_NAMES)}")
        return dtype
    if isinstance(value, int):
        return DataType(value)
    import numpy as np  # names and members do not need it

    row = natural_dtype(np.dtype(value))
    if row is None:
        raise ValueError(f"tensors have no type {value!r}")
    return row.number


_TYPE_NAMES = [row.name for row in DTYPES.values()]


def _to_shape(value: Any) -> TensorShapeProto:
    if value is None:
        return TensorShapeProto(unknown_rank=True)
    if isinstance(value, TensorShapeProto):
        return value
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise TypeError(f"expected a list of sizes, or None, got {value!r}")
    sizes = [None if size is None else _to_int(size) for size in value]
    if any(size is not None and size < -1 for size in sizes):
        raise ValueError(f"a size is -1 or more: {value!r}")
    return shape_to_proto(sizes)


def _to_tensor(value: Any) -> TensorProto:
    if isinstance(value, TensorProto):
        return value
    from ..values.tensors import from_ndarray  # imports numpy

    return from_ndarray(value)


def _to_function(value: Any) -> NameAttrList:
    if isinstance(value, NameAttrList):
        return value
    if isinstance(value, str):
        return NameAttrList(name=value)
    raise TypeError(f"expected the name of a function, got {value!r}")


_CONVERTERS: dict[str, Callable[[Any], Any]] = {
    "bool": _to_bool,
    "float": _to_float,
    "func": _to_function,
    "int": _to_int,
    "shape": _to_shape,
    "string": _to_bytes,
    "tensor": _to_tensor,
    "type": to_type,
}


# --- text ------------------------------------------------------------------------------------------------------------


def parse_attribute(text: str, declared: OpDef.AttrDef | None) -> Any:
    """Return the Python value of an attribute on the command line, for the type that the op declares.

    Strings and names of types and functions are written without quotes; shapes as [?,224,224,3], or "unknown"; lists as
    [a,b]; tensors and undeclared attributes as JSON. Raises ValueError for text of another form.
    """
    if declared is None:
        return _json(text) if _is_json(text) else text
    kind = declared.type.removeprefix("list(").removesuffix(")")
    parse = _PARSERS[kind]
    if kind == declared.type:
        return parse(text)
    if kind in ("shape", "tensor"):
        return _json(text.replace("?", "-1"))
    if not (text.startswith("[") and text.endswith("]")):
        raise ValueError(f"expected a list in brackets, such as [a,b], not {quote(text)}")
    inner = text[1:-1].strip()
    return [parse(item.strip()) for item in inner.split(",")] if inner else []


def _parse_bool(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise ValueError(f"expected true or false, not {quote(text)}")
    return text.lower() == "true"


def _parse_int(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"expected an integer, not {quote(text)}") from None


def _parse_float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"expected a number, not {quote(text)}") from None


def _parse_shape(text: str) -> list[int] | None:
    if text == "unknown":
        return None
    inner = text.removeprefix("[").removesuffix("]").strip()
    return [-1 if size.strip() == "?" else _parse_int(size) for size in inner.split(",")] if inner else []


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError(f"expected JSON, such as [[1, 2], [3, 4]], not {quote(text)}") from None


def _is_json(text: str) -> bool:
    try:
        _json(text)
    except ValueError:
        return False
    return True


_PARSERS: dict[str, Callable[[str], Any]] = {
    "bool": _parse_bool,
    "float": _parse_float,
    "func": str,
    "int": _parse_int,
    "shape": _parse_shape,
    "string": str,
    "tensor": _json,
    "type": str,
}
