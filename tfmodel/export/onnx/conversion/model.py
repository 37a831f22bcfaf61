"""An ONNX graph in memory: values, the nodes that compute them, and graphs inside of nodes.

    graph = OnnxGraph()
    x = Value(DataType.DT_FLOAT, (None, 3), name="x")
    y = graph.add("Relu", [x], dtype=x.dtype, shape=x.shape)

Nodes refer to values, not to names: names are given at the end, by `naming`. A value with `data` is an initializer; one
without `data` and `producer` is an input. The graphs of a node (the branches of an If, the body of a Loop) see the
values of the graphs around them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy.typing as npt

from ....messages import DataType
from ....values.shape import Shape

Array: TypeAlias = "npt.NDArray[Any]"
Order: TypeAlias = "tuple[int, ...]"
Attribute: TypeAlias = "int | float | str | Sequence[int] | Sequence[float] | Sequence[str] | Array | OnnxGraph"
Attributes: TypeAlias = "Mapping[str, Attribute]"


@dataclass(eq=False, slots=True)
class Value:
    """A tensor of an ONNX graph.

    dtype       the type of its elements, by TensorFlow's numbers
    shape       None if the rank is unknown; None for an unknown size
    name        the name that it should get; "" for a name made from that of its node
    data        the elements, if it is an initializer
    producer    the node that computes it
    order       the axis of TensorFlow's tensor that each axis is; None for the same axes
    default     the elements of an input that is not fed; None if it must be
    listed      whether it stands for a TensorArray or a TensorList: its elements, joined along a new first axis
    """

    dtype: DataType
    shape: Shape | None = None
    name: str = ""
    data: Array | None = field(default=None, repr=False)
    producer: OnnxNode | None = field(default=None, repr=False)
    order: Order | None = None
    listed: bool = False
    default: Array | None = field(default=None, repr=False)

    @property
    def rank(self) -> int | None:
        return None if self.shape is None else len(self.shape)


@dataclass(eq=False, slots=True)
class OnnxNode:
    """A node: an operator with its inputs (None for an optional one that is left out), outputs and attributes.

    scope    the name of the TensorFlow node that it was made for
    """

    op: str
    inputs: list[Value | None]
    outputs: list[Value]
    attributes: dict[str, Attribute] = field(default_factory=dict)
    domain: str = ""
    scope: str = ""

    @property
    def graphs(self) -> list[OnnxGraph]:
        """The graphs among the attributes."""
        return [value for value in self.attributes.values() if isinstance(value, OnnxGraph)]


@dataclass(eq=False, slots=True)
class OnnxGraph:
    """Nodes in the order of their execution, with the inputs and outputs of the graph."""

    nodes: list[OnnxNode] = field(default_factory=list)
    inputs: list[Value] = field(default_factory=list)
    outputs: list[Value] = field(default_factory=list)

    def add(
        self,
        op: str,
        inputs: Sequence[Value | None],
        *,
        types: Sequence[DataType],
        attributes: Mapping[str, Attribute] | None = None,
        domain: str = "",
        scope: str = "",
    ) -> list[Value]:
        """Append a node and return its outputs, one for each of `types`."""
        node = OnnxNode(op, list(inputs), [], dict(attributes or {}), domain, scope)
        node.outputs = [Value(dtype, producer=node) for dtype in types]
        self.nodes.append(node)
        return node.outputs

    def walk(self) -> Iterator[OnnxGraph]:
        """Yield this graph and all graphs inside of its nodes, outer ones first."""
        pending = [self]
        while pending:
            graph = pending.pop()
            yield graph
            pending += (inner for node in reversed(graph.nodes) for inner in reversed(node.graphs))

    def count(self) -> int:
        """Return the number of nodes, those in inner graphs included."""
        return sum(len(graph.nodes) for graph in self.walk())


class Initializers:
    """Makes initializers, one for all equal arrays."""

    def __init__(self) -> None:
        self._made: dict[tuple[Any, ...], Value] = {}

    def value(self, array: Array, dtype: DataType, name: str = "") -> Value:
        """Return the initializer with these elements; `name` is used if it is new."""
        key: tuple[Any, ...] = (dtype, array.shape, _fingerprint(array))
        if key not in self._made:
            self._made[key] = Value(dtype, array.shape, name, array)
        return self._made[key]


_COMPARED = 1 << 12  # bytes of arrays that are compared by content


def _fingerprint(array: Array) -> object:
    """Return what equal arrays share. Large ones are equal if they are views of the same memory."""
    if array.dtype == object:
        return tuple(array.ravel().tolist())
    if array.nbytes <= _COMPARED:
        return array.tobytes()
    return array.__array_interface__["data"][0], array.strides
