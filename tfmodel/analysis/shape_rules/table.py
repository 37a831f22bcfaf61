"""Shape rules: the table of rules by op, `Call`, the argument of a rule, and helpers for rules of several groups.

    def _matmul(call: Call) -> Result:
        a, b = with_rank(call.shape(0), 2), with_rank(call.shape(1), 2)
        ...
        return a[0], b[1]

    RULES: dict[str, Rule] = {"MatMul": _matmul}

A rule returns the shape of the first output (None if unknown), a `Tensor` if it knows more than the shape, or a list
(or a `Repeated`) with one of these for each output. It raises GraphError for inputs that the op refuses. Rules are in
the modules of this package that are named after groups of ops. Their tables `ELEMENTWISE` hold the rules of ops whose
outputs are no larger than the broadcast shape of their inputs.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import ModuleType
from typing import Any, TypeAlias, TypeVar, overload

from ...errors import GraphError
from ...graph import attr
from ...messages import NodeDef, TensorShapeProto
from ...values.shape import (
    SCALAR,
    Dim,
    Shape,
    broadcast,
    count_elements,
    merge_shapes,
    shape_of_proto,
    shape_to_text,
    with_rank,
)
from .partial_tensors import MAX_KNOWN_ELEMENTS, Repeated, Tensor, Value

Result: TypeAlias = "Shape | Tensor | Repeated | list[Shape | Tensor | None] | None"
Rule: TypeAlias = "Callable[[Call], Result]"
RunFunction: TypeAlias = "Callable[[str, list[Tensor]], Sequence[Tensor]]"
"""Infers the outputs of a function from its name and its arguments."""

K = TypeVar("K")
D = TypeVar("D")
_REQUIRED: Any = object()


class Call:
    """A node and its inputs, without control inputs.

    `producer` is the version of the graph; `run` infers the outputs of a function.
    """

    __slots__ = ("inputs", "node", "producer", "run")

    def __init__(self, node: NodeDef, inputs: list[Tensor], producer: int, run: RunFunction) -> None:
        self.node = node
        self.inputs = inputs
        self.producer = producer
        self.run = run

    # --- inputs ------------------------------------------------------------------------------------------------------

    def tensor(self, index: int) -> Tensor:
        try:
            return self.inputs[index]
        except IndexError:
            raise GraphError(f"it has {len(self.inputs)} inputs; input {index} is missing") from None

    def shape(self, index: int) -> Shape | None:
        return self.tensor(index).shape

    @property
    def shapes(self) -> list[Shape | None]:
        return [tensor.shape for tensor in self.inputs]

    def held_shape(self, index: int = 0) -> Shape | None:
        """Return the shape of the variable or of the elements behind a handle; None if it is unknown."""
        handle = self.tensor(index).handle
        return handle[0] if handle else None

    def value(self, index: int) -> Value | None:
        """Return the elements of an input, with None for unknown ones; None if nothing is known about them."""
        return self.tensor(index).value

    def integers(self, index: int) -> tuple[int | None, ...] | None:
        """Return the elements of an input as `value` does. Raises GraphError if one is not an integer."""
        value = self.value(index)
        return None if value is None else tuple(None if element is None else _to_int(element) for element in value)

    def numbers(self, index: int) -> tuple[int, ...] | None:
        """Return the elements of an input if all are known. Raises GraphError if one is not an integer."""
        value = self.value(index)
        return None if value is None or None in value else tuple(_to_int(element) for element in value)

    def number(self, index: int) -> int | None:
        """Return the element of an input that has one; None if it is unknown. Raises GraphError for a float."""
        value = self.value(index)
        return None if value is None or len(value) != 1 or value[0] is None else _to_int(value[0])

    def sizes(self, index: int) -> Shape | None:
        """Return the shape whose sizes are the elements of an input; -1 is an unknown size.

        If only the number of elements is known, only the rank of the shape is known. Raises GraphError if an element is
        not an integer, and for a scalar other than -1.
        """
        value, shape = self.value(index), self.shape(index)
        if shape == ():
            if value is not None and value != (-1,):
                raise GraphError(f"a shape is a vector, not {value[0]}")
            return None  # in TensorFlow, the scalar -1 is an unknown rank
        if value is None:
            rank = shape[0] if shape is not None and len(shape) == 1 else None
            return None if rank is None or rank > MAX_KNOWN_ELEMENTS else (None,) * rank
        return tuple(None if size is None or size == -1 else _to_int(size) for size in value)

    # --- attributes --------------------------------------------------------------------------------------------------

    @overload
    def attr(self, name: str, kind: type[K]) -> K: ...
    @overload
    def attr(self, name: str, kind: type[K], default: D) -> K | D: ...
    def attr(self, name: str, kind: Any, default: Any = _REQUIRED) -> Any:
        """Return an attribute of the node: see `tfmodel.graph.attr`."""
        if default is _REQUIRED:
            return attr(self.node, name, kind)
        return attr(self.node, name, kind, default)

    def shape_attr(self, name: str) -> Shape | None:
        """Return an attribute that is a shape, or an unknown shape. Raises GraphError for a shape that is invalid."""
        proto = self.attr(name, TensorShapeProto, None)
        if proto is not None and not proto.unknown_rank and any(dim.size < -1 for dim in proto.dim):
            raise GraphError(f"its attribute {name} has a size of {min(dim.size for dim in proto.dim):,}")
        shape = shape_of_proto(proto)
        count_elements(shape)
        return shape

    def count(self, name: str, default: int = 1) -> int:
        """Return an attribute that is a number of outputs. Raises GraphError for an impossible number."""
        count: int = self.attr(name, int, default)
        if not 0 <= count < 1 << 31:
            raise GraphError(f"it cannot have {count:,} outputs")
        return count


def share_rule(ops: str, rule: Rule) -> dict[str, Rule]:
    """Return a table with one rule for several ops, whose names are separated by blanks."""
    return dict.fromkeys(ops.split(), rule)


def _to_int(element: object) -> int:
    if not isinstance(element, int):
        raise GraphError(f"{element} is not an integer")
    return element


# --- the table -------------------------------------------------------------------------------------------------------


def import_shape_rules() -> list[ModuleType]:
    """Import and return the modules with shape rules, those with a table `RULES`."""
    path = importlib.import_module(__package__).__path__
    modules = [importlib.import_module(f"{__package__}.{module.name}") for module in pkgutil.iter_modules(path)]
    return [module for module in modules if hasattr(module, "RULES")]


@cache
def shape_rules() -> Mapping[str, Rule]:
    """Return the shape rules of all groups by op: the tables `RULES` of their modules."""
    return {op: rule for module in import_shape_rules() for op, rule in module.RULES.items()}


@cache
def elementwise_ops() -> frozenset[str]:
    """Return the ops of all tables `ELEMENTWISE`, whose outputs are no larger than the broadcast inputs."""
    return frozenset(op for module in import_shape_rules() for op in getattr(module, "ELEMENTWISE", ()))


# --- rules and arithmetic for several groups -------------------------------------------------------------------------


def same_shape(call: Call) -> Result:
    """Return the shape of the first input."""
    return call.shape(0)


def first_input(call: Call) -> Result:
    """Return the first input itself: its shape, and its elements if they are known."""
    return call.tensor(0)


def merge_inputs(call: Call) -> Result:
    """Return the shape that all inputs share."""
    shape = call.shape(0)
    for input_shape in call.shapes[1:]:
        shape = merge_shapes(shape, input_shape)
    return shape


def broadcast_inputs(call: Call) -> Result:
    return broadcast(call.shape(0), call.shape(1))


def scalar(call: Call) -> Result:
    return SCALAR


def divide_dim(size: Dim, divisor: Dim) -> Dim:
    """Return size / divisor. Raises GraphError if it is not an integer, or if the divisor is not positive."""
    if size is None or divisor is None:
        return None
    if divisor < 1 or size % divisor:
        raise GraphError(f"{size:,} cannot be divided by {divisor:,}")
    return size // divisor


def read_pairs(call: Call, index: int) -> list[Shape] | None:
    """Return the rows of an input of two columns, such as the paddings of each dimension; None if they are unknown."""
    shape, value = with_rank(call.shape(index), 2), call.integers(index)
    if shape[1] not in (None, 2):
        raise GraphError(f"input {index} must be a matrix of two columns, not {shape_to_text(shape)}")
    if value is None:
        return None
    return [value[start : start + 2] for start in range(0, len(value), 2)]


def subtract_dim(size: Dim, amount: Dim) -> Dim:
    return None if size is None or amount is None else size - amount


def window_count(size: Dim, kernel: Dim, stride: int, padding: str, dilation: int = 1, extra: int = 0) -> Dim:
    """Return the number of windows of `kernel` elements in a dimension, with `extra` elements of explicit padding."""
    if stride < 1 or dilation < 1:
        raise GraphError(f"stride and dilation must be positive, not {stride} and {dilation}")
    if size is None:
        return None
    if padding == "SAME":
        return -(-size // stride)
    if padding not in ("VALID", "EXPLICIT"):
        raise GraphError(f'unknown padding "{padding}"')
    if kernel is None:
        return None
    span = (kernel - 1) * dilation + 1
    if size + extra < span:
        raise GraphError(f"a window of {span} does not fit into {size + extra}")
    return (size + extra - span) // stride + 1
