"""Values of constants in double precision, small computations with them, and inference of computed shapes.

Unless constants have been folded before, the scale of a batch norm is computed from its parts in the graph:

    Mul(Rsqrt(Add(variance, epsilon)), gamma)

All intermediate values are in double precision, so that the result is rounded once, when it becomes part of the
weights.

`ending` returns the rank and the last size of a shape that is computed while the model runs:

    Const {-1, 50, 8}                                    3 sizes, the last is 8
    ConcatV2(GatherV2(Shape(x), {0, 1}), {8}, 0)         likewise: a Dense layer of Keras on sequences
    Pack(strided_slice, 50, 8)                           likewise

A Reshape to such a shape keeps the last axis if it had 8 elements before, whatever the other sizes are.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...errors import GraphError
from ...graph import GraphIndex, describe
from ...messages import NodeDef
from ...values.names import is_control_input
from ..framework.constants import REAL_NUMBERS, read_constant

if TYPE_CHECKING:
    Array = np.ndarray[Any, Any]


MAX_NODES = 24  # of a computation from constants
MAX_SMALL = 1 << 12  # elements that are always read, for example the constants of carriers

OPS: dict[str, Callable[..., Any]] = {
    "Identity": lambda x: x,
    "Neg": operator.neg,
    "Sqrt": lambda x: x**0.5,
    "Rsqrt": lambda x: 1 / x**0.5,
    "Reciprocal": lambda x: 1 / x,
    "Inv": lambda x: 1 / x,
    "Square": lambda x: x * x,
    "Add": operator.add,
    "AddV2": operator.add,
    "Sub": operator.sub,
    "Mul": operator.mul,
    "Div": operator.truediv,
    "RealDiv": operator.truediv,
}


class Constants:
    """The constant nodes of a graph and their values. Nodes that may be `fed` are not constant."""

    def __init__(self, index: GraphIndex, fed: Collection[str] = ()) -> None:
        self._index = index
        self._fed = fed
        self._expressions: dict[int, tuple[int, ...] | None] = {}
        self._shared: dict[int, Array] = {}

    def expression(self, position: int) -> tuple[int, ...] | None:
        """Return the positions of the nodes that compute the output of a node from constants, the node itself first.

        None if something else is needed to compute it, or more than a few nodes.
        """
        if position not in self._expressions:
            self._expressions[position] = self._expression(position)
        return self._expressions[position]

    def _expression(self, position: int) -> tuple[int, ...] | None:
        nodes: dict[int, None] = {}
        queue = [position]
        while queue:
            current = queue.pop()
            if current in nodes:
                continue
            op = self._index.nodes[current].op if current >= 0 else ""
            if (
                len(nodes) == MAX_NODES
                or (op != "Const" and op not in OPS)
                or self._index.nodes[current].name in self._fed
            ):
                return None
            nodes[current] = None
            if op != "Const":
                queue += data_sources(self._index, current)[::-1]
        return tuple(nodes)

    def is_computed(self, position: int) -> bool:
        """Return whether the output of a node is always computed, and never fed."""
        return self._index.nodes[position].name not in self._fed

    def path(self, position: int) -> tuple[int, ...] | None:
        """Return the nodes from a node to the Const whose value it passes on: Identities, and the Const at the end.

        None if the node does not pass on the value of a Const.
        """
        nodes = self.expression(position)
        if nodes is None or any(self._index.nodes[number].op != "Identity" for number in nodes[:-1]):
            return None
        return nodes

    def contents(self, position: int) -> Array:
        """Return the numbers of a Const, read-only and in its own type. It is decoded once, even if it has many users.

        Raises GraphError if it does not hold numbers, and TensorError if its value is damaged.
        """
        if position in self._shared:
            return self._shared[position]
        array = read_constant(self._index.nodes[position], REAL_NUMBERS)
        if self._index.takers[position] > 1:
            self._shared[position] = array
        return array

    def value(self, position: int, max_elements: int = MAX_SMALL) -> Array:
        """Return the value of a node with an `expression`, in double precision.

        Raises GraphError if the value is not numeric or has more than `max_elements` elements, and TensorError if a
        constant is damaged.
        """
        return self._value(position, max(max_elements, MAX_SMALL), {})

    def _value(self, position: int, max_elements: int, known: dict[int, Array]) -> Array:
        if position not in known:
            node = self._index.nodes[position]
            if node.op == "Const":
                known[position] = _numbers(node, self.contents(position), max_elements)
            else:
                inputs = [self._value(source, max_elements, known) for source in data_sources(self._index, position)]
                known[position] = _compute(node, inputs, max_elements)
        return known[position]


def data_sources(index: GraphIndex, position: int) -> list[int]:
    """Return the sources of the data inputs of a node."""
    sources = index.sources[position]
    return [
        source for text, source in zip(index.nodes[position].input, sources, strict=True) if not is_control_input(text)
    ]


def _numbers(node: NodeDef, array: Array, max_elements: int) -> Array:
    if array.size > max_elements:
        raise GraphError(f"{describe(node)} holds more than one number per channel")
    return array.astype("f8")


def _compute(node: NodeDef, inputs: list[Array], max_elements: int) -> Array:
    try:
        if math.prod(np.broadcast_shapes(*(array.shape for array in inputs))) > max_elements:
            raise GraphError(f"the output of {describe(node)} has more than one number per channel")
        with np.errstate(all="ignore"):
            return np.asarray(OPS[node.op](*inputs))
    except (TypeError, ValueError) as error:  # a wrong number of inputs, or incompatible shapes
        raise GraphError(f"{describe(node)} cannot be computed: {error}") from error


MAX_RANK = 255  # of a tensor in TensorFlow


class Ending(NamedTuple):
    """The number of sizes in a shape, which is the rank of tensors with this shape, and the last size."""

    rank: int
    last: float


def ending(index: GraphIndex, constants: Constants, position: int) -> Ending | None:
    """Return the rank and last size of the shape that a node computes; None if they are not known.

    Raises GraphError for damaged constants.
    """
    if constants.expression(position) is not None:
        shape = constants.value(position)
        return Ending(shape.size, shape[-1]) if shape.ndim == 1 and shape.size else None
    if position < 0 or not constants.is_computed(position):
        return None
    if len(index.sources[position]) > MAX_RANK:
        return None
    sources = data_sources(index, position)
    if index.nodes[position].op == "Pack" and sources:
        last = sources[-1]
        if constants.expression(last) is None or (size := constants.value(last)).ndim:
            return None
        return Ending(len(sources), size.item())
    if index.nodes[position].op == "ConcatV2" and len(sources) > 1:
        *pieces, last, _ = sources
        end = ending(index, constants, last) if constants.expression(last) is not None else None
        counts = [_count(index, constants, piece) for piece in pieces]
        return None if end is None or None in counts else Ending(end.rank + sum(filter(None, counts)), end.last)
    return None


def _count(index: GraphIndex, constants: Constants, position: int) -> int | None:
    """Return the number of sizes in a part of a shape; None if it is not known."""
    if position >= 0 and index.nodes[position].op in ("Gather", "GatherV2") and constants.is_computed(position):
        position = [*data_sources(index, position), -1, -1][1]  # the part has a size for each of the indices
    if constants.expression(position) is None:
        return None
    part = constants.value(position)
    return part.size if part.ndim == 1 else None
