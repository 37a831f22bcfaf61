"""Short texts of dtypes, shapes, tensors and attributes, for views with one line per node.

    float32[3,3,64,128]   strides=[1,2,2,1]   [0.5, 1.0]

Only the values that are shown are read, without NumPy.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any

from pbwire.descriptor import Field
from pbwire.text.literals import escape_bytes, escape_string
from pbwire.text.scalars import bool_text, double_text, enum_text, float_text

from ..messages import DataType
from .dtypes import DTYPES, dtype_name
from .terminal import escape

if TYPE_CHECKING:
    from ..messages import AttrValue, TensorProto, TensorShapeProto

MAX_STRING = 40  # characters
MAX_ELEMENTS = 8  # of a tensor or list

_WORD = re.compile(rb"[\w./:-]{1,40}")


def shape_text(shape: TensorShapeProto | None) -> str:
    """Return `[?,224,224,3]`; `[]` for a scalar; empty if the rank is unknown."""
    if shape is None or shape.unknown_rank:
        return ""
    return f"[{','.join('?' if dim.size < 0 else str(dim.size) for dim in shape.dim)}]"


# --- tensors ---------------------------------------------------------------------------------------------------------

# The format characters of the struct module for stored elements.
_STRUCT_FORMATS = {
    "<f2": "e",
    "<f4": "f",
    "<f8": "d",
    "<i2": "h",
    "<i4": "i",
    "<i8": "q",
    "<u2": "H",
    "<u4": "I",
    "<u8": "Q",
    "|b1": "?",
    "|i1": "b",
    "|u1": "B",
}


def tensor_text(tensor: TensorProto) -> str:
    """Return dtype and shape: `float32[3,3,64,128]`."""
    return f"{dtype_name(tensor.dtype)}{shape_text(tensor.tensor_shape) or '[]'}"


def values_text(tensor: TensorProto) -> str:
    """Return the elements if they are few or all the same, otherwise empty: `[1, 0]`, `0.5`, `all 0.0`."""
    dims = tensor.tensor_shape.dim if tensor.tensor_shape else []
    count = prod(dim.size for dim in dims)
    row = DTYPES.get(int(tensor.dtype))
    if row is None or count < 0 or (row.codec and row.name != "bfloat16"):
        return ""
    struct_format = _STRUCT_FORMATS.get(row.stored)
    if not struct_format and row.name != "string":
        return ""
    if count == 0:
        return "[]"
    dtype = row.name
    listed = getattr(tensor, row.field)
    format_element = _element_formatter(dtype)
    if tensor.tensor_content:
        if (
            not struct_format
            or count > MAX_ELEMENTS
            or len(tensor.tensor_content) != count * struct.calcsize(struct_format)
        ):
            return ""
        values = list(struct.unpack(f"<{count}{struct_format}", tensor.tensor_content))
        if dtype == "float16":
            format_element = str
    elif len(listed) <= 1:
        value = format_element(listed[0]) if listed else {"string": '""', "bool": "false"}.get(dtype, "0")
        return f"all {value}" if count > 1 else f"[{value}]" if dims else value
    elif count > MAX_ELEMENTS:
        return ""
    else:
        values = (listed + listed[-1:] * count)[:count]
    return f"[{', '.join(map(format_element, values))}]" if dims else format_element(values[0])


def _element_formatter(dtype: str) -> Callable[[Any], str]:
    if dtype == "float32":
        return float_text
    if dtype == "float16":
        return lambda bits: str(struct.unpack("<e", struct.pack("<H", bits & 0xFFFF))[0])
    if dtype == "bfloat16":
        return lambda bits: f"{struct.unpack('<f', struct.pack('<I', (bits & 0xFFFF) << 16))[0]:.4g}"
    if dtype == "bool":
        return lambda value: "true" if value else "false"
    return _quote if dtype == "string" else str


def _quote(value: bytes) -> str:
    return f'"{escape_bytes(bytes(value[:MAX_STRING]))}"' + "..." * (len(value) > MAX_STRING)


def scalar_text(value: Any, field: Field, *, bare: bool = False, longest: int | None = None) -> str:
    """Return a scalar in text format.

    With `bare`, strings have no quotes; with `longest`, they are cut to this length.
    """
    if field.kind not in ("string", "bytes"):
        return _FORMATTERS[field.kind](value, field) if field.kind in _FORMATTERS else str(value)
    visible = value if longest is None else value[:longest]
    if field.kind == "bytes":
        text = escape_bytes(bytes(visible))
    else:
        text = escape(visible) if bare else escape_string(visible)
    return text if bare else f'"{text}"'


_FORMATTERS: dict[str, Callable[[Any, Field], str]] = {
    "bool": lambda value, field: bool_text(value),
    "double": lambda value, field: double_text(value),
    "enum": lambda value, field: enum_text(value, field.type),
    "float": lambda value, field: float_text(value),
}


# --- attributes ------------------------------------------------------------------------------------------------------


def attr_text(attr: AttrValue) -> str:
    """Return the value of an attribute: `SAME`, `[1,2,2,1]`, `float32`, `@a_function`, `$T` for a placeholder."""
    kind = attr.which_oneof("value")
    if kind is None:
        return "nothing"
    return _list_text(attr.list) if kind == "list" else _one_text(kind, getattr(attr, kind))


def _one_text(kind: str, value: Any) -> str:
    match kind:
        case "s":
            return value.decode() if _WORD.fullmatch(value) else _quote(value)
        case "f":
            return float_text(value)
        case "b":
            return "true" if value else "false"
        case "type":
            return dtype_name(value)
        case "shape":
            return shape_text(value) or "[...]"
        case "tensor":
            return f"{tensor_text(value)} {values_text(value)}".rstrip()
        case "func":
            return f"@{value.name}"
        case "placeholder":
            return f"${value}"
        case _:
            return str(value)


def _list_text(values: Any) -> str:
    for field, elements in values.ListFields():
        text = ",".join(_one_text(field.name, element) for element in elements[:MAX_ELEMENTS])
        return f"[{text}{f',... {len(elements):,} in all' if len(elements) > MAX_ELEMENTS else ''}]"
    return "[]"


# Usual values of attributes, which are not shown. A true flag is shown by its name alone.
_USUAL = {
    "data_format": ("NHWC",),
    "use_cudnn_on_gpu": ("true",),
    "validate_shape": ("true",),
    "use_locking": ("true", "false"),
    "N": None,  # the number of inputs, which are shown
    "Tin": None,  # their types
    "config_proto": None,
    "config": None,
}


def _is_usual(name: str, attr: AttrValue) -> bool:
    """Return whether an attribute is internal, empty, zero, false, or has its usual value."""
    if name.startswith("_"):
        return True
    if name in _USUAL:
        usual = _USUAL[name]
        return usual is None or attr_text(attr) in usual
    kind = attr.which_oneof("value")
    if kind in ("s", "i", "f", "b"):
        return not getattr(attr, kind)
    if kind == "type":
        return (name.startswith("T") or name == "Index") and attr.type == DataType.DT_INT32
    if kind == "shape":
        return not shape_text(attr.shape)
    if kind == "list":
        assert attr.list is not None
        return not attr.list.ListFields() or (name == "dilations" and set(attr.list.i) == {1})
    return False


def attributes_text(attrs: dict[str, AttrValue], *, without: frozenset[str] = frozenset()) -> str:
    """Return the attributes with unusual values: `padding=SAME strides=[1,2,2,1] transpose_b`.

    Those named in `without` are left out.
    """
    parts = []
    for name in sorted(attrs):
        if name not in without and not _is_usual(name, attrs[name]):
            parts.append(name if attrs[name].b else f"{name}={attr_text(attrs[name])}")
    return " ".join(parts)
