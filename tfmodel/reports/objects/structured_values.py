"""Nested Python values in a SavedModel: the arguments and results of its functions.

    value = decode_structure(function.canonicalized_input_signature)
    format_structure(value)    # ((float32[?,4] "x", {"k": int32[]}), {"training": False})

A StructuredValue becomes None, a bool, int, float, str, list, tuple or dict, or one of the records below.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, TypeAlias

from ...errors import ModelError
from ...messages import StructuredValue, TensorProto, TypeSpecProto
from ...values.dtypes import dtype_name
from ...values.formatting import tensor_text, values_text
from ...values.shape import Shape, shape_of_proto
from ...values.terminal import escape

MAX_DEPTH = 100
"""The maximum number of containers around a value."""


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """A tensor that a function takes or returns. `name` is that of its placeholder; it may be empty.

    minimum, maximum    the bounds of its values; None for a spec without bounds
    """

    dtype: str
    shape: Shape | None
    name: str = ""
    minimum: TensorValue | None = None
    maximum: TensorValue | None = None


@dataclass(frozen=True, slots=True)
class TypeSpec:
    """A value that consists of several tensors, such as a RaggedTensor. `state` depends on the class."""

    class_name: str
    state: Structure
    components: int


@dataclass(frozen=True, slots=True)
class NamedTuple:
    """A named tuple. `class_name` is that of its Python class; names of fields may repeat in a hostile file."""

    class_name: str
    fields: tuple[tuple[str, Structure], ...]

    def __getitem__(self, name: str) -> Structure:
        """Return a field. Raises KeyError for an unknown name."""
        return dict(self.fields)[name]


@dataclass(frozen=True, slots=True)
class TensorShape:
    """A tf.TensorShape; `shape` is None for an unknown rank."""

    shape: Shape | None


@dataclass(frozen=True, slots=True)
class Dtype:
    """A tf.DType."""

    name: str


@dataclass(frozen=True, slots=True)
class TensorValue:
    """A tensor with its values, or a NumPy array. `to_ndarray(value.message)` gives the array."""

    message: TensorProto


Structure: TypeAlias = (
    "bool | int | float | str | list[Any] | tuple[Any, ...] | dict[str, Any] | TensorSpec | TypeSpec | NamedTuple"
    " | TensorShape | Dtype | TensorValue | None"
)


# --- decoding --------------------------------------------------------------------------------------------------------


def decode_structure(value: StructuredValue | None, *, depth: int = 0) -> Structure:
    """Return the Python value that a message describes; None for a message without a value.

    Raises ModelError for containers that are nested deeper than 100 levels.
    """
    if depth > MAX_DEPTH:
        raise ModelError(f"an argument of a function is nested deeper than {MAX_DEPTH} levels")
    kind = value.which_oneof("kind") if value is not None else None
    if kind is None:
        return None
    content = getattr(value, kind)
    match kind:
        case "float64_value" | "int64_value" | "string_value" | "bool_value":
            return content  # type: ignore[no-any-return]  # a scalar
        case "tensor_shape_value":
            return TensorShape(shape_of_proto(content))
        case "tensor_dtype_value":
            return Dtype(dtype_name(content))
        case "tensor_spec_value":
            return TensorSpec(dtype_name(content.dtype), shape_of_proto(content.shape), content.name)
        case "bounded_tensor_spec_value":
            bounds = [None if bound is None else TensorValue(bound) for bound in (content.minimum, content.maximum)]
            return TensorSpec(dtype_name(content.dtype), shape_of_proto(content.shape), content.name, *bounds)
        case "type_spec_value":
            return TypeSpec(
                _class_name(content), decode_structure(content.type_state, depth=depth + 1), content.num_flat_components
            )
        case "list_value":
            return [decode_structure(item, depth=depth + 1) for item in content.values]
        case "tuple_value":
            return tuple(decode_structure(item, depth=depth + 1) for item in content.values)
        case "dict_value":
            return {key: decode_structure(content.fields[key], depth=depth + 1) for key in sorted(content.fields)}
        case "named_tuple_value":
            fields = [(pair.key, decode_structure(pair.value, depth=depth + 1)) for pair in content.values]
            return NamedTuple(content.name, tuple(fields))
        case "tensor_value" | "numpy_value":
            return TensorValue(content)
    return None  # NoneValue


def _class_name(spec: TypeSpecProto) -> str:
    """Return the class that TensorFlow makes: "RaggedTensorSpec" for RAGGED_TENSOR_SPEC, whatever the file calls it.

    Only for REGISTERED_TYPE_SPEC, TensorFlow looks up the name in the file.
    """
    if spec.type_spec_class == TypeSpecProto.TypeSpecClass.REGISTERED_TYPE_SPEC and spec.type_spec_class_name:
        return spec.type_spec_class_name
    name = getattr(spec.type_spec_class, "name", f"class_{spec.type_spec_class}")
    return "".join(word.capitalize() for word in name.removeprefix("DATA_").split("_"))  # tf.data.DatasetSpec


def tensor_specs(value: Structure) -> Iterator[TensorSpec]:
    """Yield the specs of tensors in a value, in order; not those that are part of a TypeSpec."""
    match value:
        case TensorSpec():
            yield value
        case list() | tuple():
            for item in value:
                yield from tensor_specs(item)
        case dict():
            for item in value.values():
                yield from tensor_specs(item)
        case NamedTuple():
            for _, item in value.fields:
                yield from tensor_specs(item)


# --- text ------------------------------------------------------------------------------------------------------------


def format_structure(value: Structure, *, names: bool = True) -> str:
    """Return a value as text, similar to Python: `(float32[?,4] "x", {"k": 3}, None)`. It is safe to print.

    `names=False` leaves out the names of specs.
    """
    match value:
        case str():
            return _quote(value)
        case TensorSpec():
            return format_spec(value, without_name=not names)
        case TypeSpec():
            state = format_structure(value.state, names=names)
            return f"{escape(value.class_name)}{state if isinstance(value.state, tuple) else f'({state})'}"
        case NamedTuple():
            fields = [f"{escape(name)}={format_structure(item, names=names)}" for name, item in value.fields]
            return f"{escape(value.class_name)}({', '.join(fields)})"
        case TensorShape():
            return shape_to_text(value.shape)
        case Dtype():
            return value.name
        case TensorValue():
            return f"{tensor_text(value.message)} {values_text(value.message)}".rstrip()
        case list() | tuple():
            text = ", ".join(format_structure(item, names=names) for item in value)
            return f"[{text}]" if isinstance(value, list) else f"({text}{',' if len(value) == 1 else ''})"
        case dict():
            items = [f"{_quote(key)}: {format_structure(item, names=names)}" for key, item in value.items()]
            return f"{{{', '.join(items)}}}"
    return str(value)


def _quote(text: str) -> str:
    return '"' + escape(text.replace("\\", "\\\\").replace('"', '\\"')) + '"'


def format_spec(spec: TensorSpec, *, without_name: bool = False) -> str:
    """Return the text of a spec: `float32[?,4] "x"`, and the bounds if there are any."""
    name = f" {_quote(spec.name)}" if spec.name and not without_name else ""
    bounds = ""
    if spec.minimum is not None or spec.maximum is not None:
        low, high = ("?" if bound is None else values_text(bound.message) for bound in (spec.minimum, spec.maximum))
        bounds = f" from {low or '...'} to {high or '...'}"
    return f"{spec.dtype}{shape_to_text(spec.shape)}{bounds}{name}"


def shape_to_text(shape: Shape | None) -> str:
    """Return `[?,224,224,3]`; `[...]` for an unknown rank."""
    return "[...]" if shape is None else f"[{','.join('?' if size is None else str(size) for size in shape)}]"


# --- JSON ------------------------------------------------------------------------------------------------------------


def structure_to_json(value: Structure) -> Any:
    """Return a value as data for JSON: literals and lists as they are, all other values as an object with a "type"."""
    match value:
        case float():
            return value if isfinite(value) else {"type": "float", "value": str(value)}
        case TensorSpec():
            spec = {"type": "TensorSpec", "dtype": value.dtype, "shape": _sizes(value.shape), "name": value.name}
            if value.minimum is not None or value.maximum is not None:
                spec |= {"minimum": structure_to_json(value.minimum), "maximum": structure_to_json(value.maximum)}
            return spec
        case TypeSpec():
            state = structure_to_json(value.state)
            return {"type": "TypeSpec", "class": value.class_name, "components": value.components, "state": state}
        case NamedTuple():
            fields = [{"name": name, "value": structure_to_json(item)} for name, item in value.fields]
            return {"type": "named tuple", "class": value.class_name, "fields": fields}
        case TensorShape():
            return {"type": "TensorShape", "shape": _sizes(value.shape)}
        case Dtype():
            return {"type": "DType", "name": value.name}
        case TensorValue():
            shape = _sizes(shape_of_proto(value.message.tensor_shape))
            text = values_text(value.message)
            return {"type": "tensor", "dtype": dtype_name(value.message.dtype), "shape": shape, "values": text}
        case list():
            return [structure_to_json(item) for item in value]
        case tuple():
            return {"type": "tuple", "items": [structure_to_json(item) for item in value]}
        case dict():
            return {"type": "dict", "items": _json_items(value)}
    return value


def _json_items(items: Mapping[str, Structure]) -> dict[str, Any]:
    return {key: structure_to_json(item) for key, item in items.items()}


def _sizes(shape: Shape | None) -> list[int | None] | None:
    return None if shape is None else list(shape)
