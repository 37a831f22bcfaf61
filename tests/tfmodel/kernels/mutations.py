"""Nodes with mistakes: the cases of kernels, with inputs and attributes replaced at random, the same each time.

    for mutant in mutants(case, random, 10):
        evaluate(mutant.node, mutant.arrays)

Inputs get other values, shapes and types; some are missing or too many. Attributes get values at the extremes, and of
kinds that the op does not declare.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from tests.kernel_cases import Case
from tfmodel.messages import AttrValue, DataType, NameAttrList, NodeDef, TensorProto, TensorShapeProto
from tfmodel.ops import OPS
from tfmodel.values.dtypes import DTYPES

__all__ = ["WORDS_OF_PYTHON", "Mutant", "mutants", "retyped"]

WORDS_OF_PYTHON = (
    "<locals>", "positional argument", "keyword argument", "object has no attribute", "unsupported operand",
    "'NoneType'", "Traceback", "numpy.", "not subscriptable", "not iterable", "not callable", "ufunc", "AttributeError",
    "TypeError", "KeyError", "IndexError", "ValueError", "<class", "a bug in tfmodel", "index out of range",
    "invalid literal", "too many values to unpack", "not enough values to unpack", "could not be broadcast", "dtype('",
)  # fmt: skip
"""Words of Python and NumPy that say nothing to the user of a command."""

_SHAPES = ((), (0,), (1,), (2,), (3,), (2, 2), (1, 3), (2, 0), (2, 3, 1), (1, 2, 2, 1), (2,) * 5, (1,) * 9)
_FLOATS = (0.0, 1.0, -1.0, float("nan"), float("inf"), -float("inf"), 1e30, 0.5)
_STRINGS = (b"", b"a", b"abc", b"1", b"\xff", b"a,b;c")
_KINDS = ("f4", "i4", "O", "?", "c8", "i8")
_OTHER_KINDS = [
    AttrValue(i=1),
    AttrValue(s=b"x"),
    AttrValue(f=1.0),
    AttrValue(b=True),
    AttrValue(type=DataType.DT_STRING),
    AttrValue(list=AttrValue.ListValue()),
    AttrValue(list=AttrValue.ListValue(i=[1, 2])),
    AttrValue(),
    AttrValue(shape=TensorShapeProto()),
    AttrValue(tensor=TensorProto()),
    AttrValue(func=NameAttrList(name="f")),
    AttrValue(placeholder="T"),
]
_HUGE = TensorShapeProto(dim=[TensorShapeProto.Dim(size=1 << 62)] * 3)
_VALUES: dict[str, list[AttrValue]] = {
    "int": [AttrValue(i=number) for number in (-1, 0, 1, 2, 5, 1 << 31, (1 << 63) - 1, -(1 << 63))],
    "float": [AttrValue(f=number) for number in (0.0, -1.0, float("nan"), float("inf"), 1e-30)],
    "bool": [AttrValue(b=True), AttrValue(b=False)],
    "string": [AttrValue(s=text) for text in (b"", b"SAME", b"VALID", b"NHWC", b"NCHW", b"\xff", b"x->")],
    "type": [AttrValue(type=DataType(number)) for number in (1, 2, 3, 4, 7, 8, 9, 10, 14, 19, 20, 21, 11)],
    "shape": [AttrValue(shape=shape) for shape in (TensorShapeProto(), TensorShapeProto(unknown_rank=True), _HUGE)],
}


@dataclass(frozen=True)
class Mutant:
    """A node with mistakes, and its inputs with their types."""

    node: NodeDef
    arrays: list[Any]

    def __str__(self) -> str:
        inputs = [f"{array.dtype}{list(array.shape)} {array.reshape(-1)[:3].tolist()}" for array in self.arrays]
        return f"{self.node} of {inputs}"


def mutants(case: Case, random: Random, count: int) -> Iterator[Mutant]:
    """Yield some nodes with one to three mistakes each."""
    for _ in range(count):
        node = NodeDef.from_bytes(case.node.to_bytes())
        arrays = [array.copy() for array in case.arrays]
        for _ in range(random.choice([1, 1, 1, 2, 3])):
            _mutate(node, arrays, random)
        node.input = [f"i{number}" for number in range(len(arrays))]
        yield Mutant(node, arrays)


def retyped(case: Case) -> Iterator[Mutant]:
    """Yield a node in every other type that its op declares, one attribute at a time, with inputs of that type."""
    op, given = OPS[case.op], case.node
    for attribute in op.attr:
        present = given.attr.get(attribute.name, attribute.default_value)
        if attribute.type != "type" or present is None:
            continue
        declared = attribute.allowed_values.list.type if attribute.allowed_values is not None else _TYPES
        for dtype in declared:
            if dtype == present.type or dtype not in DTYPES:
                continue
            node = NodeDef.from_bytes(given.to_bytes())
            node.attr[attribute.name] = AttrValue(type=dtype)
            arrays = []
            for argument, group in zip(op.input_arg, case.inputs, strict=True):
                parts = Case(case.op, [group]).arrays
                arrays += [_cast(part, dtype) for part in parts] if argument.type_attr == attribute.name else parts
            yield Mutant(node, arrays)


_TYPES = [DataType(number) for number in (1, 2, 3, 7, 8, 10, 14, 18, 20, 21)]
"""Types for an op that declares none."""


def _cast(array: Any, dtype: DataType) -> Any:
    kind = DTYPES[dtype].numpy
    if kind.kind == "O":
        return np.full(array.shape, b"1", object)
    numeric = np.ones(array.shape) if array.dtype.kind == "O" else array
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of imaginary parts that are lost
        return numeric.astype(kind)


def _mutate(node: NodeDef, arrays: list[Any], random: Random) -> None:
    place, choice = random.randrange(len(arrays)) if arrays else 0, random.random()
    declared = OPS[node.op].attr
    if choice < 0.2 and declared:
        row = random.choice(declared)
        kinds = row.type.removeprefix("list(").removesuffix(")")
        values = _VALUES.get(kinds, _OTHER_KINDS) if random.random() < 0.85 else _OTHER_KINDS
        node.attr[row.name] = random.choice(values) if row.type == kinds else _list(random.sample(values, 2))
    elif choice < 0.25 and declared:
        node.attr.pop(random.choice(declared).name, None)
    elif choice < 0.3:
        arrays.insert(place, np.ones(2, np.float32))
    elif arrays and choice < 0.35:
        arrays.pop(place)
    elif arrays:
        kind = arrays[place].dtype if choice < 0.85 else np.dtype(random.choice(_KINDS))
        arrays[place] = _array(kind, random)


def _list(values: list[AttrValue]) -> AttrValue:
    """Join values of one kind, or of several, as a list."""
    lists = AttrValue.ListValue()
    for value in values:
        member = value.which_oneof("value")
        if member in ("i", "f", "b", "s", "type", "shape"):
            getattr(lists, member).append(getattr(value, member))
    return AttrValue(list=lists)


def _array(dtype: np.dtype[Any], random: Random) -> Any:
    array = np.empty(random.choice(_SHAPES), dtype)
    if dtype.kind == "O":
        array[...] = random.choice(_STRINGS)
    elif dtype.kind in "iu":
        limits = np.iinfo(dtype)
        array[...] = random.choice([0, 1, 2, 3, 7, 100, limits.max, limits.min])
    else:
        with np.errstate(over="ignore"):  # of half precision
            array[...] = random.choice(_FLOATS) if dtype.kind in "fc" else random.random() < 0.5
    return array
