"""What kernels are asked to compute, family by family: each module here has a list `CASES`, or yields them.

    Case("Add", [f32(2, 3), f32(3)])
    Case("Conv2D", [f32(1, 5, 5, 2), f32(3, 3, 2, 4)], strides=[1, 1, 1, 1], padding=b"SAME")
    Case("Reshape", [f32(6), i32([2, 3])])

Attributes are given as kernels get them; those that say the types or the number of inputs follow from the inputs.
TensorFlow's answers are in tests/golden/kernels, made by `python -m tests.golden.kernels FAMILY`.
"""

from __future__ import annotations

import importlib
import pkgutil
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfmodel.dtypes import natural_dtype
from tfmodel.messages import AttrValue, DataType, NameAttrList, NodeDef, TensorProto, TensorShapeProto
from tfmodel.ops import OPS
from tfmodel.tensors import from_ndarray

__all__ = ["Case", "Typed", "bf16", "cases_of", "f32", "f64", "families", "i32", "i64", "numbers", "strings", "u8"]


@dataclass(frozen=True)
class Typed:
    """An array that stands for a type which NumPy does not have: bfloat16, quint8, ..."""

    array: np.ndarray[Any, Any]
    dtype: DataType


@dataclass(frozen=True)
class Case:
    """One node with its inputs. Floats may differ by `ulps`, or by `rtol` relative to the largest in the tensor.

    `note` tells cases apart that look the same. `only` are the outputs that are compared, all if it is empty.
    """

    op: str
    inputs: Sequence[Any]
    attributes: Mapping[str, Any]
    note: str = ""
    ulps: int = 4
    rtol: float = 0.0
    only: Sequence[int] = ()

    def __init__(
        self,
        op: str,
        inputs: Sequence[Any] = (),
        *,
        note: str = "",
        ulps: int = 4,
        rtol: float = 0.0,
        only: Sequence[int] = (),
        **attributes: Any,
    ) -> None:
        for name, value in locals().items():
            if name != "self":
                object.__setattr__(self, name, value)

    @property
    def arrays(self) -> list[np.ndarray[Any, Any]]:
        """The inputs one by one, as kernels get them: lists of tensors are spread out."""
        return [_array(each) for group in self.inputs for each in (group if isinstance(group, list) else [group])]

    @property
    def types(self) -> list[DataType]:
        """The types of these."""
        return [_type(each) for group in self.inputs for each in (group if isinstance(group, list) else [group])]

    @property
    def node(self) -> NodeDef:
        """The node, called "it", with the inputs i0, i1, ..."""
        op = OPS[self.op]
        found: dict[str, Any] = {}
        for argument, given in zip(op.input_arg, self.inputs, strict=True):
            group = given if isinstance(given, list) else [given]
            if argument.number_attr:
                found[argument.number_attr] = len(group)
            if argument.type_list_attr:
                found[argument.type_list_attr] = [_type(each) for each in group]
            if argument.type_attr and group:
                found[argument.type_attr] = _type(group[0])
        given_attributes = {**found, **self.attributes}
        kinds = {each.name: each.type for each in op.attr}
        attributes = {name: attribute(value, kinds.get(name, "")) for name, value in given_attributes.items()}
        inputs = [f"i{number}" for number in range(len(self.arrays))]
        return NodeDef(name="it", op=self.op, input=inputs, attr=attributes)

    def __str__(self) -> str:
        shapes = " ".join(f"{each.dtype.name}{list(each.shape)}".replace(" ", "") for each in self.arrays)
        named = " ".join(f"{name}={value}".replace(" ", "") for name, value in self.attributes.items())
        return " ".join(filter(None, (self.op, shapes, named, self.note)))

    @property
    def checksum(self) -> int:
        """Of the node and its inputs: an answer belongs to a case as it was when TensorFlow was asked."""
        sum_ = zlib.crc32(self.node.to_bytes(deterministic=True))
        for array in self.arrays:
            data = repr(array.tolist()).encode() if array.dtype == object else np.ascontiguousarray(array).tobytes()
            sum_ = zlib.crc32(repr(array.shape).encode() + data, sum_)
        return sum_


def families() -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def cases_of(family: str) -> list[Case]:
    cases: list[Case] = list(importlib.import_module(f"{__name__}.{family}").CASES)
    return cases


# --- arrays ----------------------------------------------------------------------------------------------------------

def numbers(shape: Sequence[int], dtype: Any = np.float32, low: float = -3, high: float = 3) -> np.ndarray[Any, Any]:
    """Numbers between two others, the same each time: by a formula, so that no version of NumPy makes others."""
    count = int(np.prod(shape, dtype=np.int64)) if len(shape) else 1
    mixed = (np.arange(count, dtype=np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    unit = (mixed >> np.uint64(40)).astype(np.float64) / 2.0**24
    values = low + unit * (high - low)
    if np.dtype(dtype).kind in "iu":
        values = np.floor(values)
    if np.dtype(dtype).kind == "b":
        return (unit > 0.5).reshape(shape)
    if np.dtype(dtype).kind == "c":
        return (values + 1j * values[::-1]).astype(dtype).reshape(shape)
    return values.astype(dtype).reshape(shape)


def f32(*shape: int) -> np.ndarray[Any, Any]:
    return numbers(shape)


def f64(*shape: int) -> np.ndarray[Any, Any]:
    return numbers(shape, np.float64)


def u8(*shape: int) -> np.ndarray[Any, Any]:
    return numbers(shape, np.uint8, 0, 256)


def i32(values: Any) -> np.ndarray[Any, Any]:
    return np.array(values, np.int32)


def i64(values: Any) -> np.ndarray[Any, Any]:
    return np.array(values, np.int64)


def bf16(array: Any) -> Typed:
    """Numbers as bfloat16: those that it can hold."""
    bits = np.asarray(array, np.float32).view(np.uint32) & np.uint32(0xFFFF0000)
    return Typed(bits.view(np.float32), DataType.DT_BFLOAT16)


def strings(values: Any) -> np.ndarray[Any, Any]:
    """Strings, as bytes or str, in any nesting of lists."""
    array = np.array(values, object)
    flat = [each.encode() if isinstance(each, str) else each for each in array.ravel().tolist()]
    result = np.empty(len(flat), object)
    result[:] = flat
    return result.reshape(array.shape)


def _array(value: Any) -> np.ndarray[Any, Any]:
    return value.array if isinstance(value, Typed) else np.asarray(value)


def _type(value: Any) -> DataType:
    if isinstance(value, Typed):
        return value.dtype
    array = np.asarray(value)
    row = natural_dtype(array.dtype)
    return DataType.DT_STRING if row is None else row.number


def attribute(value: Any, kind: str) -> AttrValue:
    """An attribute of the kind that an op declares, from what a kernel gets for it."""
    if kind.startswith("list("):
        inner = kind[5:-1]
        values = [getattr(attribute(each, inner), _FIELDS[inner]) for each in value]
        return AttrValue(list=AttrValue.ListValue(**{_FIELDS[inner]: values}))
    if kind == "shape" and not isinstance(value, TensorShapeProto):
        dims = [TensorShapeProto.Dim(size=-1 if size is None else size) for size in value or ()]
        value = TensorShapeProto(dim=dims, unknown_rank=value is None)
    if kind == "tensor" and not isinstance(value, TensorProto):
        value = from_ndarray(value)
    if kind == "func" and not isinstance(value, NameAttrList):
        value = NameAttrList(name=value)
    if kind == "string" and isinstance(value, str):
        value = value.encode()
    return AttrValue(**{_FIELDS[kind]: value})


_FIELDS = {"int": "i", "float": "f", "bool": "b", "string": "s", "type": "type", "shape": "shape", "tensor": "tensor",
           "func": "func"}
