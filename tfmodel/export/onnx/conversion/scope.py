"""The values of TensorFlow's tensors while a graph is converted, in each form that was asked for.

A tensor has one form when it is made, its home; further forms are made on demand and kept:

    order    convolutions compute with the channels in second place, TensorFlow has them in the last one. What follows a
             convolution keeps its order of axes as long as it can, and a Transpose of TensorFlow is nothing but another
             order, so that few tensors are transposed
    int64    TensorFlow computes sizes in int32, and ONNX takes them as int64. What is computed from sizes stays int64
             until int32 is asked for

The body of a loop and the branches of a conditional have scopes of their own: they see the values of the scopes around
them. A form is made where the tensor is, so what is the same in all rounds of a loop is made once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ....messages import DataType
from ....values.dtypes import dtype_of
from .model import Array, Attributes, Initializers, OnnxGraph, Order, Value
from .sizes import Sizes, same_number
from .types import ONNX_TYPES

INT32, INT64 = DataType.DT_INT32, DataType.DT_INT64


def to_first(rank: int) -> Order:
    """Return the order that has the channels in second place instead of the last one."""
    return (0, rank - 1, *range(1, rank - 1))


def plain(order: Sequence[int] | None) -> Order | None:
    """Return an order; None if it is that of TensorFlow."""
    return None if order is None or [*order] == [*range(len(order))] else (*order,)


def inverse(order: Sequence[int]) -> list[int]:
    """Return where each axis of TensorFlow is."""
    return [order.index(axis) for axis in range(len(order))]


def without(order: Order | None, axes: Sequence[int]) -> Order | None:
    """Return the order of a tensor whose axes `axes` are removed; the others are counted anew."""
    if order is None:
        return None
    remaining = sorted(axis for axis in order if axis not in axes)
    return plain([remaining.index(axis) for axis in order if axis not in axes])


def with_axis(order: Order | None, axis: int) -> tuple[Order | None, int]:
    """Return the order of a tensor that gets a new axis, and the place of the axis.

    The channels stay in second place if they are there.
    """
    if order is None:
        return None, axis
    counted = [old + (old >= axis) for old in order]
    wanted = to_first(len(order) + 1)
    if counted == [each for each in wanted if each != axis]:
        return wanted, wanted.index(axis)
    place = next((place for place, old in enumerate(counted) if old == axis + 1), len(counted))
    return plain([*counted[:place], axis, *counted[place:]]), place


def permuted(shape: Sequence[Any], order: Sequence[int] | None) -> tuple[Any, ...]:
    return tuple(shape) if order is None else tuple(shape[axis] for axis in order)


class Tensor:
    """A tensor of TensorFlow: its type there, its home, its forms, and the scope that makes them."""

    __slots__ = ("dtype", "forms", "home", "scope")

    def __init__(self, dtype: DataType, home: Value, scope: Scope) -> None:
        self.dtype = dtype
        self.home = home
        self.scope = scope
        self.forms: dict[tuple[Order | None, DataType], Value] = {(home.order, home.dtype): home}


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
        self._sizes: Sizes = parent._sizes if parent is not None else Sizes()
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
        self._tensors[tensor] = Tensor(dtype, value, self)

    def share(self, tensor: str, source: str, other: Scope | None = None) -> None:
        """Let a tensor be the same as another one, which may be of a scope around this one. Raises KeyError."""
        self._tensors[tensor] = (other or self)._required(source)

    def __contains__(self, tensor: str) -> bool:
        return self._find(tensor) is not None

    def home(self, tensor: str) -> Value:
        """Return the value that a tensor was made as. Raises KeyError."""
        return self._required(tensor).home

    def value(self, tensor: str, *, order: Order | None = None, dtype: DataType | None = None) -> Value:
        """Return a form of a tensor, made on demand. The default type is that of TensorFlow. Raises KeyError."""
        found = self._required(tensor)
        form = (plain(order), found.dtype if dtype is None else dtype)
        if form not in found.forms:
            found.forms[form] = found.scope._made(found, *form)
        return found.forms[form]

    def _required(self, tensor: str) -> Tensor:
        found = self._find(tensor)
        if found is None:
            raise KeyError(tensor)
        return found

    def _find(self, tensor: str) -> Tensor | None:
        return next((scope._tensors[tensor] for scope in self.around() if tensor in scope._tensors), None)

    def same_numbers(self, one: Value, other: Value) -> bool:
        """Return whether two numbers are always equal; see `sizes`."""
        if one is other:
            return True
        self._sizes.follow([scope.graph for scope in self.around()][::-1])
        return same_number(self._sizes.number(one), self._sizes.number(other))

    def around(self) -> Iterator[Scope]:
        """Yield this scope and those around it, inner ones first."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def _made(self, tensor: Tensor, order: Order | None, dtype: DataType) -> Value:
        value = tensor.home
        if value.order != order:
            value = tensor.forms.get((order, value.dtype)) or self.ordered(value, order)
            tensor.forms[order, value.dtype] = value
        return self.cast(value, dtype)

    def ordered(self, value: Value, order: Order | None) -> Value:
        """Return a value with its axes in another order, None for that of TensorFlow."""
        old = value.order or tuple(range(len(order or ())))
        new = order or tuple(range(len(old)))
        return self.transposed(value, [old.index(axis) for axis in new], order=order)

    def transposed(self, value: Value, axes: Sequence[int], *, order: Order | None = None) -> Value:
        """Return a value with other places of its axes, as the form of a tensor in `order`."""
        axes = list(axes)
        if value.data is not None:
            made = self.constant(value.data.transpose(axes), value.dtype)
            return made if order is None else Value(made.dtype, made.shape, value.name, made.data, order=order)
        (result,) = self.add("Transpose", value, types=[value.dtype], attributes={"perm": axes}, scope=_scope(value))
        result.shape = None if value.shape is None else permuted(value.shape, axes)
        result.order = order
        return result

    def cast(self, value: Value, dtype: DataType) -> Value:
        """Return a value with its elements converted, as Cast does in TensorFlow."""
        if value.dtype == dtype:
            return value
        if value.data is not None and value.order is None and dtype_of(dtype).kind in "iufb":
            return self.constant(value.data.astype(dtype_of(dtype).numpy), dtype)
        (result,) = self.add("Cast", value, types=[dtype], attributes={"to": ONNX_TYPES[dtype]}, scope=_scope(value))
        result.shape, result.order = value.shape, value.order
        return result


def _scope(value: Value) -> str:
    return value.producer.scope if value.producer is not None else value.name


def _as_array(array: Any, dtype: DataType) -> Array:
    made: Array = np.asarray(array, dtype_of(dtype).numpy)
    return made
