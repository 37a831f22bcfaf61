"""What constants hold, in double precision; and what small computations with them give.

Unless constants have been folded before, the scale of a batch norm is computed from its parts each time:

    Mul(Rsqrt(Add(variance, epsilon)), gamma)

Everything between is in double precision, so that the result is rounded once, when it becomes part of the weights.

What is known of a shape that is computed while a model runs: how many sizes it has, and the last of them.

    Const {-1, 50, 8}                                    3 sizes, the last is 8
    ConcatV2(GatherV2(Shape(x), {0, 1}), {8}, 0)         likewise: a Dense layer of Keras on sequences
    Pack(strided_slice, 50, 8)                           likewise

A Reshape to it keeps the last axis if that has 8 elements before: rows stay rows, whatever the other sizes are.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import GraphError
from ...graph import GraphIndex, const_tensor, describe
from ...messages import NodeDef
from ...names import is_control_input

__all__ = ["FEW", "Constants", "Ending", "ending", "tensors"]


if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]


MOST_NODES = 24  # of a computation
FEW = 1 << 12  # elements: of what says how something is carried, and what anybody may look at in any case

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
    """Which nodes of a graph are constant, and what they give. None is that may be `fed`."""

    def __init__(self, index: GraphIndex, fed: Collection[str] = ()) -> None:
        self._index = index
        self._fed = fed
        self._expressions: dict[int, tuple[int, ...] | None] = {}
        self._shared: dict[int, Array] = {}

    def expression(self, position: int) -> tuple[int, ...] | None:
        """The nodes of the computation that ends in a node, that one first; None if not all starts with constants."""
        if position not in self._expressions:
            self._expressions[position] = self._expression(position)
        return self._expressions[position]

    def _expression(self, position: int) -> tuple[int, ...] | None:
        found: dict[int, None] = {}
        queue = [position]
        while queue:
            at = queue.pop()
            if at in found:
                continue
            op = self._index.nodes[at].op if at >= 0 else ""
            if len(found) == MOST_NODES or (op != "Const" and op not in OPS) or self._index.nodes[at].name in self._fed:
                return None
            found[at] = None
            if op != "Const":
                queue += tensors(self._index, at)[::-1]
        return tuple(found)

    def is_computed(self, position: int) -> bool:
        """Whether what a node gives is always computed, and never fed in its place."""
        return self._index.nodes[position].name not in self._fed

    def path(self, position: int) -> tuple[int, ...] | None:
        """The nodes by way of which a node gives what a Const holds: Identities, and the Const at the end."""
        found = self.expression(position)
        if found is None or any(self._index.nodes[each].op != "Identity" for each in found[:-1]):
            return None
        return found

    def contents(self, position: int) -> Array:
        """What a Const holds, read-only and as it is; looked at once, even if many take it."""
        from ...tensors import to_ndarray

        if position in self._shared:
            return self._shared[position]
        array = to_ndarray(const_tensor(self._index.nodes[position]))
        if self._index.takers[position] > 1:
            self._shared[position] = array
        return array

    def value(self, position: int, most: int = FEW) -> Array:
        """What a node gives that has an `expression`, in double precision.

        Raises GraphError for what is no number, and for more than `most` of them; TensorError for a damaged tensor.
        """
        return self._value(position, max(most, FEW), {})

    def _value(self, position: int, most: int, known: dict[int, Array]) -> Array:
        if position not in known:
            node = self._index.nodes[position]
            if node.op == "Const":
                known[position] = _numbers(node, self.contents(position), most)
            else:
                given = [self._value(source, most, known) for source in tensors(self._index, position)]
                known[position] = _computed(node, given, most)
        return known[position]


def tensors(index: GraphIndex, position: int) -> list[int]:
    """Where the inputs of a node come from, but for control inputs."""
    sources = index.sources[position]
    return [
        source for text, source in zip(index.nodes[position].input, sources, strict=True) if not is_control_input(text)
    ]


def _numbers(node: NodeDef, array: Array, most: int) -> Array:
    if array.dtype.kind not in "fiu":
        raise GraphError(f"{describe(node)} does not hold numbers")
    if array.size > most:
        raise GraphError(f"{describe(node)} holds more than a number for each channel")
    return array.astype("f8")


def _computed(node: NodeDef, given: list[Array], most: int) -> Array:
    import numpy as np

    try:
        if math.prod(np.broadcast_shapes(*(each.shape for each in given))) > most:
            raise GraphError(f"what {describe(node)} gives is more than a number for each channel")
        with np.errstate(all="ignore"):
            return np.asarray(OPS[node.op](*given))
    except (TypeError, ValueError) as error:  # another number of inputs, and shapes that do not fit
        raise GraphError(f"{describe(node)} cannot be computed: {error}") from error


MOST_SIZES = 255  # TensorFlow has no tensors of more axes


class Ending(NamedTuple):
    """How many sizes a shape has, and the last of them."""

    sizes: int
    last: float


def ending(index: GraphIndex, constants: Constants, position: int) -> Ending | None:
    """What is known of the shape that a node gives; None if it is not both. Raises GraphError for damaged constants."""
    if constants.expression(position) is not None:
        shape = constants.value(position)
        return Ending(shape.size, shape[-1]) if shape.ndim == 1 and shape.size else None
    if position < 0 or not constants.is_computed(position):
        return None
    if len(index.sources[position]) > MOST_SIZES:
        return None
    given = tensors(index, position)
    if index.nodes[position].op == "Pack" and given:
        last = given[-1]
        if constants.expression(last) is None or (size := constants.value(last)).ndim:
            return None
        return Ending(len(given), size.item())
    if index.nodes[position].op == "ConcatV2" and len(given) > 1:
        *pieces, last, _ = given
        end = ending(index, constants, last) if constants.expression(last) is not None else None
        counts = [_count(index, constants, piece) for piece in pieces]
        return None if end is None or None in counts else Ending(end.sizes + sum(filter(None, counts)), end.last)
    return None


def _count(index: GraphIndex, constants: Constants, position: int) -> int | None:
    """How many sizes a part of a shape has."""
    if position >= 0 and index.nodes[position].op in ("Gather", "GatherV2") and constants.is_computed(position):
        position = [*tensors(index, position), -1, -1][1]  # one for each index
    if constants.expression(position) is None:
        return None
    part = constants.value(position)
    return part.size if part.ndim == 1 else None
