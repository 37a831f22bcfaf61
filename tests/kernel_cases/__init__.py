"""Test cases of kernels by family: each module here has a list `CASES`, or yields them.

    Case("Add", [f32(2, 3), f32(3)])
    Case("Conv2D", [f32(1, 5, 5, 2), f32(3, 3, 2, 4)], strides=[1, 1, 1, 1], padding=b"SAME")
    Case("Reshape", [f32(6), i32([2, 3])])

Attributes are given as kernels get them; those that say the types or the number of inputs follow from the inputs.
TensorFlow's answers are in tests/golden/kernels with the inputs it was given, made by
`python -m tests.golden.kernels.answers FAMILY`: tests feed the recorded inputs.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfmodel.messages import AttrValue, DataType, NameAttrList, NodeDef, TensorProto, TensorShapeProto
from tfmodel.ops import OPS
from tfmodel.values.dtypes import natural_dtype
from tfmodel.values.tensors import from_ndarray

__all__ = [
    "Case",
    "Typed",
    "bf16",
    "cases_of",
    "f32",
    "f64",
    "families",
    "i32",
    "i64",
    "named_cases",
    "numbers",
    "strings",
    "u8",
]


@dataclass(frozen=True)
class Typed:
    """An array that stands for a type which NumPy does not have: bfloat16, quint8, ..."""

    array: np.ndarray[Any, Any]
    dtype: DataType


@dataclass(frozen=True)
class Case:
    """One node with its inputs. Floats may differ by `ulps`, or by `rtol` relative to the largest in the tensor.

    `note` says what is special about a case. `only` are the outputs that are compared, all if it is empty. With
    `eigen`, the outputs are eigenvalues in any order, and their vectors up to a factor of magnitude 1.
    """

    op: str
    inputs: Sequence[Any]
    attributes: Mapping[str, Any]
    note: str = ""
    ulps: int = 4
    rtol: float = 0.0
    only: Sequence[int] = ()
    eigen: bool = False

    def __init__(
        self,
        op: str,
        inputs: Sequence[Any] = (),
        *,
        note: str = "",
        ulps: int = 4,
        rtol: float = 0.0,
        only: Sequence[int] = (),
        eigen: bool = False,
        **attributes: Any,
    ) -> None:
        for name, value in locals().items():
            if name != "self":
                object.__setattr__(self, name, value)

    @property
    def arrays(self) -> list[np.ndarray[Any, Any]]:
        """The inputs one by one, as kernels get them: lists of tensors are spread out."""
        return [_array(value) for group in self.inputs for value in (group if isinstance(group, list) else [group])]

    @property
    def types(self) -> list[DataType]:
        """The types of these."""
        return [_type(value) for group in self.inputs for value in (group if isinstance(group, list) else [group])]

    @property
    def node(self) -> NodeDef:
        """The node, called "it", with the inputs i0, i1, ..."""
        op = OPS[self.op]
        attributes_of_inputs: dict[str, Any] = {}
        for argument, value in zip(op.input_arg, self.inputs, strict=True):
            group = value if isinstance(value, list) else [value]
            if argument.number_attr:
                attributes_of_inputs[argument.number_attr] = len(group)
            if argument.type_list_attr:
                attributes_of_inputs[argument.type_list_attr] = [_type(element) for element in group]
            if argument.type_attr and group:
                attributes_of_inputs[argument.type_attr] = _type(group[0])
        given_attributes = {**attributes_of_inputs, **self.attributes}
        kinds = {attr.name: attr.type for attr in op.attr}
        attributes = {name: attribute(value, kinds.get(name, "")) for name, value in given_attributes.items()}
        inputs = [f"i{number}" for number in range(len(self.arrays))]
        return NodeDef(name="it", op=self.op, input=inputs, attr=attributes)

    def __str__(self) -> str:
        """The op, the types and shapes of its inputs, the values of small inputs, the attributes and the note."""
        groups = (
            f"({' '.join(map(_shown, group))})" if isinstance(group, list) else _shown(group) for group in self.inputs
        )
        named = (f"{name}={_word(value)}" for name, value in self.attributes.items())
        return " ".join(filter(None, (self.op, *groups, *named, self.note)))


def families() -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def cases_of(family: str) -> list[Case]:
    cases: list[Case] = list(importlib.import_module(f"{__name__}.{family}").CASES)
    return cases


def named_cases(family: str) -> dict[str, Case]:
    """The cases of a family by name. Cases of the same description are numbered: "... #2" is the second one.

    Names do not depend on floats that another CPU or another NumPy may compute differently.
    """
    counts: Counter[str] = Counter()
    named: dict[str, Case] = {}
    for case in cases_of(family):
        name = str(case)
        counts[name] += 1
        named[f"{name} #{counts[name]}" if counts[name] > 1 else name] = case
    return named


_LONGEST = 40
"""Letters of an input in the name of a case; a longer one is described by its type and shape alone."""


def _shown(value: Any) -> str:
    array = _array(value)
    shape = ",".join(map(str, array.shape))
    described = f"{_type(value).name[3:].lower()}[{shape}]"
    if not array.size or not _is_short(array):
        return described
    values = _word(
        array.ravel().tolist() if array.dtype.kind in "iubO" else [f"{number:g}" for number in array.ravel()]
    )
    return f"{described}={values}" if len(values) <= _LONGEST else described


def _is_short(array: np.ndarray[Any, Any]) -> bool:
    """Return whether an array goes into a name: no floats but a few that were written as such, like 0.25 and -inf."""
    if array.dtype.kind in "iubO":
        return True
    if array.dtype.kind != "f" or array.size > 4:
        return False
    return all(not np.isfinite(number) or array.dtype.type(f"{number:.3g}") == number for number in array.ravel())


def _word(value: Any) -> str:
    """A value as part of a name: the same in every version of Python and NumPy."""
    match value:
        case DataType():
            return value.name[3:].lower()
        case bytes():
            return value.decode("utf-8", "backslashreplace").encode("unicode_escape").decode()
        case list() | tuple():
            return f"[{','.join(map(_word, value))}]"
        case np.ndarray():
            return _shown(value)
        case np.generic():
            return _word(value.item())
        case None:
            return "unknown"
    return str(value)


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
    flat = [text.encode() if isinstance(text, str) else text for text in array.ravel().tolist()]
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
        values = [getattr(attribute(element, inner), _FIELDS[inner]) for element in value]
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


_FIELDS = {
    "int": "i",
    "float": "f",
    "bool": "b",
    "string": "s",
    "type": "type",
    "shape": "shape",
    "tensor": "tensor",
    "func": "func",
}
