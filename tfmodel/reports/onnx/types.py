"""The types of values in ONNX models, and the facts of their tensors, without reading the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from pbwire.errors import DecodeError
from pbwire.lazy.undecoded_maps import without_field

from ...values.dtypes.onnx import ONNX_DTYPES, onnx_dtype_name

Size: TypeAlias = "int | str | None"
"""A dimension: its size, the name of an open size, or None if nothing is known."""

_MAX_ELEMENTS = 1 << 62  # more than any file has; the product of hostile sizes would be too long to print
_MIN_DATA_TO_SKIP = 1 << 12  # bytes; decoding smaller data costs less than skipping them
_MAX_DEPTH = 8  # of types in types that are spelled
_EXTERNAL = 1  # TensorProto.DataLocation.EXTERNAL
_MAX_BYTES_IN_DIGITS = 18  # digits of an offset or a length


@dataclass(frozen=True, slots=True)
class OnnxValue:
    """An input or an output.

    type     as text: "float32[batch,224,224,3]", "float32" for an unknown rank, "sequence(int64[])"; "" if not given
    dtype    the element type of a tensor; empty for other types
    shape    of a tensor: sizes, names of open sizes, or None for each dimension; None for an unknown rank
    """

    name: str
    type: str
    dtype: str = ""
    shape: Sequence[Size] | None = None


def value_of(info: Any) -> OnnxValue:
    """Return the value that a ValueInfoProto describes."""
    tensor = info.type.tensor_type if info.type is not None else None
    if tensor is None:
        return OnnxValue(info.name or "", type_text(info.type))
    return OnnxValue(info.name or "", type_text(info.type), onnx_dtype_name(tensor.elem_type), shape_of(tensor.shape))


def shape_of(shape: Any) -> list[Size] | None:
    """Return the dimensions of a TensorShapeProto; None for an unknown rank."""
    return None if shape is None else [dim.dim_value if dim.dim_param is None else dim.dim_param for dim in shape.dim]


def type_text(type_: Any, depth: int = 0) -> str:
    """Return a TypeProto as text: "float32[batch,?]", "map(int64, float32[])"; empty without a type."""
    kind = type_.which_oneof("value") if type_ is not None else None
    if kind is None:
        return ""
    value = getattr(type_, kind)
    name = kind.removesuffix("_type")
    if depth == _MAX_DEPTH:
        return "..."
    if name in ("tensor", "sparse_tensor"):
        text = onnx_dtype_name(value.elem_type) + sizes_text(shape_of(value.shape))
        return text if name == "tensor" else f"sparse({text})"
    if name == "map":
        return f"map({onnx_dtype_name(value.key_type)}, {type_text(value.value_type, depth + 1)})"
    if name == "opaque":
        return f"opaque({'.'.join(filter(None, (value.domain, value.name)))})"
    return f"{name}({type_text(value.elem_type, depth + 1)})"


def sizes_text(shape: Sequence[Size] | None) -> str:
    """Return "[batch,?,3]"; "[]" for a scalar; empty for an unknown rank."""
    return "" if shape is None else f"[{','.join('?' if size is None else str(size) for size in shape)}]"


# --- tensors ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TensorFacts:
    """The facts of a TensorProto.

    size        bytes of the elements: as they are stored, or as the type and the shape say for data in another file
    location    the name of the other file, as the model has it; None for data in the model
    offset      of the data in this file
    problem     what is wrong with the tensor; else empty
    """

    name: str
    dtype: str
    shape: Sequence[int]
    elements: int = 0
    size: int = 0
    location: str | None = None
    offset: int = 0
    problem: str = ""


def tensor_facts(tensor: Any) -> TensorFacts:
    """Return the facts of a tensor. Its `raw_data` is not decoded if the message is lazy."""
    message, content = _without_data(tensor)
    name, dtype, shape = message.name or "", onnx_dtype_name(message.data_type), list(message.dims)
    row = ONNX_DTYPES.get(message.data_type or 0)
    elements = _count(shape)
    if row is None or elements is None:
        problem = f"its type is {dtype}" if row is None else f"its shape is {_some(shape)}"
        return TensorFacts(name, dtype, (), problem=problem)
    size = -(-elements * row.bits // 8)
    if message.data_location == _EXTERNAL:
        return _external_facts(message, TensorFacts(name, dtype, shape, elements, size))
    if content or message.raw_data is not None:
        content = content or len(message.raw_data)
        problem = f"it needs {size:,} bytes in raw_data, which has {content:,}" if content != size else ""
        return TensorFacts(name, dtype, shape, elements, content, problem=problem)
    stored = getattr(message, row.field)
    needed = -(-elements * row.values // row.shared)
    problem = f"it needs {needed:,} values in {row.field}, which has {len(stored):,}" if len(stored) != needed else ""
    size = size if row.bits else sum(map(len, stored))
    return TensorFacts(name, dtype, shape, elements, size, problem=problem)


def _count(shape: Sequence[int]) -> int | None:
    """Return the number of elements; None for negative sizes and for more elements than any file has."""
    if min(shape, default=0) < 0:
        return None
    elements = 0 if 0 in shape else 1
    for size in shape if elements else ():
        elements *= size
        if elements > _MAX_ELEMENTS:
            return None
    return elements


def _some(shape: Sequence[int]) -> str:
    return sizes_text([*shape[:_MAX_DEPTH], *["..."] * (len(shape) > _MAX_DEPTH)])


def _external_facts(tensor: Any, facts: TensorFacts) -> TensorFacts:
    entries = {entry.key: entry.value or "" for entry in tensor.external_data}
    numbers: dict[str, int] = {}
    problem = "" if entries.get("location") else "its data are in another file, which has no name"
    for key in ("offset", "length"):
        text = entries.get(key, "")
        if text.isascii() and text.isdecimal() and len(text) <= _MAX_BYTES_IN_DIGITS:
            numbers[key] = int(text)
        elif text:
            problem = problem or f"the {key} of its data is not a number of bytes"
    length = numbers.get("length", facts.size)
    if length != facts.size and not problem:
        problem = f"it needs {facts.size:,} bytes, and the length of its data is {length:,}"
    return TensorFacts(
        facts.name,
        facts.dtype,
        facts.shape,
        facts.elements,
        length,
        entries.get("location", ""),
        numbers.get("offset", 0),
        problem,
    )


def _without_data(tensor: Any) -> tuple[Any, int]:
    """Return the message without its `raw_data`, and their size; the message and 0 if it is decoded or small."""
    cut = without_field(tensor, "raw_data", _MIN_DATA_TO_SKIP)
    if cut is not None:
        try:
            return type(tensor).from_bytes(cut.other_fields, max_depth=cut.depth), len(cut.value)
        except DecodeError:
            pass  # raised again when the message is decoded, with the path to the field
    return tensor, 0
