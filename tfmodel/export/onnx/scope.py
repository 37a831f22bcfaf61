"""The values of TensorFlow's tensors while a graph is converted, in each form that somebody asked for.

A tensor has one form when it is made, its home; further forms are made on demand and kept:

    channels first    convolutions compute with the channels in second place, TensorFlow has them in the last one. What
                      follows a convolution keeps its layout as long as it can, so that few tensors are transposed
    int64             TensorFlow computes sizes in int32, and ONNX takes them as int64. What is computed from sizes
                      stays int64 until somebody needs int32

The body of a loop and the branches of a conditional have scopes of their own: they see the values of the scopes around
them, and forms that are made inside stay inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...messages import DataType
from ...values.dtypes import dtype_of
from .model import Array, Attributes, Initializers, OnnxGraph, Value

Form = tuple[bool, DataType]
"""Whether the channels are in second place, and the type."""

INT32, INT64 = DataType.DT_INT32, DataType.DT_INT64


def to_first(rank: int) -> list[int]:
    """Return the permutation that moves the channels from the last place to the second."""
    return [0, rank - 1, *range(1, rank - 1)]


def to_last(rank: int) -> list[int]:
    """Return the permutation that moves the channels from the second place to the last."""
    return [0, *range(2, rank), 1]


def permuted(shape: Sequence[Any], order: Sequence[int]) -> tuple[Any, ...]:
    return tuple(shape[axis] for axis in order)


class Tensor:
    """A tensor of TensorFlow: its type there, its home, and its forms in one scope."""

    __slots__ = ("dtype", "forms", "home")

    def __init__(self, dtype: DataType, home: Value) -> None:
        self.dtype = dtype
        self.home = home
        self.forms: dict[Form, Value] = {(home.first, home.dtype): home}


class Scope:
    """The tensors of a graph or of a body, and the ONNX graph that they are computed in.

    branch_of    for a branch of a conditional of TensorFlow 1: the key of its condition
    outside      the scope around the innermost loop; None outside of loops
    """

    def __init__(self, parent: Scope | None = None, graph: OnnxGraph | None = None) -> None:
        self.graph = OnnxGraph() if graph is None else graph
        self.parent = parent
        self.branch_of = ""
        self.outside: Scope | None = parent.outside if parent is not None else None
        self.initializers: Initializers = parent.initializers if parent is not None else Initializers()
        self._tensors: dict[str, Tensor] = {}

    # --- values ------------------------------------------------------------------------------------------------------

    def add(
        self,
        op: str,
        *inputs: Value | None,
        types: Sequence[DataType],
        scope: str = "",
        domain: str = "",
        attributes: Attributes | None = None,
    ) -> list[Value]:
        return self.graph.add(op, inputs, types=types, attributes=attributes, domain=domain, scope=scope)

    def constant(self, array: Any, dtype: DataType, name: str = "") -> Value:
        """Return an initializer with these elements."""
        return self.initializers.value(_as_array(array, dtype), dtype, name)

    # --- tensors -----------------------------------------------------------------------------------------------------

    def bind(self, tensor: str, value: Value, dtype: DataType) -> None:
        """Let `value` be the home of a tensor that has this type in TensorFlow."""
        self._tensors[tensor] = Tensor(dtype, value)

    def alias(self, tensor: str, source: str) -> None:
        """Let a tensor be the same as another one of the same type. Raises KeyError."""
        if source in self._tensors:
            self._tensors[tensor] = self._tensors[source]
        else:
            self._tensors[tensor] = self._own(self._required(source))

    def share(self, tensor: str, source: str, other: Scope) -> None:
        """Let a tensor be the same as one of another scope, whose graph is around this one. Raises KeyError."""
        self._tensors[tensor] = self._own(other._required(source))

    def _required(self, tensor: str) -> Tensor:
        found = self._find(tensor)
        if found is None:
            raise KeyError(tensor)
        return found

    @staticmethod
    def _own(tensor: Tensor) -> Tensor:
        """Return a copy, so that the forms that are made here stay here."""
        own = Tensor(tensor.dtype, tensor.home)
        own.forms = dict(tensor.forms)
        return own

    def __contains__(self, tensor: str) -> bool:
        return self._find(tensor) is not None

    def home(self, tensor: str) -> Value:
        """Return the value that a tensor was made as. Raises KeyError."""
        return self._required(tensor).home

    def value(self, tensor: str, *, first: bool = False, dtype: DataType | None = None) -> Value:
        """Return a form of a tensor, made on demand. The default type is that of TensorFlow. Raises KeyError."""
        found = self._required(tensor)
        form = (first, found.dtype if dtype is None else dtype)
        if form in found.forms:
            return found.forms[form]
        if tensor not in self._tensors:  # of an outer scope: what is made here stays here
            self._tensors[tensor] = found = self._own(found)
        value = found.forms[form] = self._made(found, form)
        return value

    def _find(self, tensor: str) -> Tensor | None:
        scope: Scope | None = self
        while scope is not None:
            if tensor in scope._tensors:
                return scope._tensors[tensor]
            scope = scope.parent
        return None

    def _made(self, tensor: Tensor, form: Form) -> Value:
        first, dtype = form
        value = tensor.home
        if value.first != first:
            value = tensor.forms.get((first, value.dtype)) or self.moved(value, first=first)
            tensor.forms[first, value.dtype] = value
        return value if value.dtype == dtype else self.cast(value, dtype)

    def moved(self, value: Value, *, first: bool) -> Value:
        """Return a value with the channels in second (`first`) or in the last place."""
        assert value.shape is not None
        return self.transposed(value, (to_first if first else to_last)(len(value.shape)), first=first)

    def transposed(self, value: Value, order: Sequence[int], *, first: bool = False) -> Value:
        """Return a value with its axes in another order."""
        order = list(order)
        if value.data is not None:
            return self._moved_constant(value, value.data.transpose(order), first=first)
        (result,) = self.add("Transpose", value, types=[value.dtype], attributes={"perm": order}, scope=_scope(value))
        result.shape = None if value.shape is None else permuted(value.shape, order)
        result.first = first
        return result

    def _moved_constant(self, value: Value, array: Array, *, first: bool) -> Value:
        result = self.constant(array, value.dtype)
        if first:  # an initializer is shared, and its layout is that of one use
            result = Value(result.dtype, result.shape, value.name, result.data, first=True)
        return result

    def cast(self, value: Value, dtype: DataType) -> Value:
        """Return a value with its elements converted, as Cast does in TensorFlow."""
        if value.dtype == dtype:
            return value
        if value.data is not None and dtype_of(dtype).kind in "iufb":
            result = self.constant(value.data.astype(dtype_of(dtype).numpy), dtype)
        else:
            (result,) = self.add("Cast", value, types=[dtype], attributes={"to": onnx_type(dtype)}, scope=_scope(value))
        result.shape, result.first = value.shape, value.first
        return result


def _scope(value: Value) -> str:
    return value.producer.scope if value.producer is not None else value.name


def _as_array(array: Any, dtype: DataType) -> Array:
    made: Array = np.asarray(array, dtype_of(dtype).numpy)
    return made


ONNX_TYPES = {
    DataType.DT_FLOAT: 1,
    DataType.DT_UINT8: 2,
    DataType.DT_QUINT8: 2,
    DataType.DT_INT8: 3,
    DataType.DT_QINT8: 3,
    DataType.DT_UINT16: 4,
    DataType.DT_QUINT16: 4,
    DataType.DT_INT16: 5,
    DataType.DT_QINT16: 5,
    DataType.DT_INT32: 6,
    DataType.DT_QINT32: 6,
    DataType.DT_INT64: 7,
    DataType.DT_STRING: 8,
    DataType.DT_BOOL: 9,
    DataType.DT_HALF: 10,
    DataType.DT_DOUBLE: 11,
    DataType.DT_UINT32: 12,
    DataType.DT_UINT64: 13,
    DataType.DT_BFLOAT16: 16,
}
"""The numbers that ONNX has for types. Complex numbers, handles and variants have no operators there."""


def onnx_type(dtype: DataType) -> int:
    """Return ONNX's number of a type. Raises KeyError for a type that no operator takes."""
    return ONNX_TYPES[dtype]
