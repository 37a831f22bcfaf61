"""Read a tree of nodes, from its last step through inputs to the layers.

A step is a node that scales and shifts each channel, such as a batch norm. Its inputs come from further steps, carriers
(nodes that scales pass through) and layers.

    FusedBatchNorm(BiasAdd(Conv2D(x, w), b), ...)   ->   Step(Step(Layer))
    FusedBatchNorm(ConcatV2(Conv2D(x, w), Conv2D(x, v), axis), ...)   ->   Step(Carrier([Layer, Layer]))

`Reader` looks only at ops. Values of constants are read later, by the property `channels` of a tree and the property
`affine` of a step. These properties raise Unfit if the values or shapes cannot be used.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from ...graph import ARGUMENT, GraphIndex, attr
from ...messages import DataType, NodeDef
from ..framework.patterns import MatchContext
from .channel_ops import ARITHMETIC, CARRIERS, LAYERS, Affine, Form, Unfit, affine, channel_axes, channel_axis, form
from .constants import Constants, data_sources, ending

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

MAX_DEPTH = 16


@dataclass
class Layer:
    """A node that is linear in its weights. `path` are the nodes through which it gets the weights, the Const last."""

    index: GraphIndex
    position: int
    path: tuple[int, ...]
    known: Constants

    @property
    def node(self) -> NodeDef:
        return self.index.nodes[self.position]

    @property
    def below(self) -> list[Tree]:
        return []

    @property
    def places(self) -> tuple[int, int]:
        """The positions of x and the weights among the inputs."""
        return LAYERS[self.node.op].x, LAYERS[self.node.op].weights

    @property
    def rank(self) -> int:
        return LAYERS[self.node.op].rank

    @cached_property
    def axis(self) -> int:
        axis = channel_axis(self.node, self.rank)
        if axis is None:
            raise Unfit(f"its {self.node.op} has an unusual layout")
        return axis

    @cached_property
    def weights(self) -> Array:
        array = self.known.contents(self.path[-1])
        if array.dtype.kind != "f" or array.ndim != self.rank or not array.size:
            required = f"floating-point numbers with {self.rank} dimensions, and not empty"
            raise Unfit(f"the weights of its {self.node.op} must be {required}")
        return array

    @cached_property
    def axes(self) -> tuple[int, ...]:
        return channel_axes(self.node)

    @cached_property
    def channels(self) -> int:
        product = 1
        for axis in self.axes:
            product *= self.weights.shape[axis]
        return product

    @cached_property
    def dtype(self) -> DataType:
        dtype = attr(self.node, "T", DataType)
        if dtype != attr(self.index.nodes[self.path[-1]], "dtype", DataType):
            raise Unfit(f"its {self.node.op} has another type than its weights")
        return dtype

    def check(self) -> None:
        """Check everything that may be wrong. Raises Unfit, GraphError or TensorError."""
        _ = self.dtype, self.axis, self.channels


@dataclass
class Step:
    """A node that multiplies input number `place` by a scale per channel and adds a shift.

    `constants` are the nodes that compute its other inputs.
    """

    index: GraphIndex
    position: int
    place: int
    tree: Tree
    constants: list[tuple[int, ...]]
    known: Constants

    @property
    def node(self) -> NodeDef:
        return self.index.nodes[self.position]

    @property
    def below(self) -> list[Tree]:
        return [self.tree]

    @property
    def rank(self) -> int:
        return self.tree.rank

    @property
    def axis(self) -> int:
        return self.tree.axis

    @property
    def channels(self) -> int:
        return self.tree.channels

    @cached_property
    def affine(self) -> Affine:
        values = [self.known.value(nodes[0], self.channels) for nodes in self.constants]
        return affine(self.node, self.place, values, self.rank, self.axis, self.channels)

    def check(self) -> None:
        """Check everything that may be wrong. Raises Unfit, GraphError or TensorError."""
        _ = self.affine


@dataclass
class Carrier:
    """A node, such as ConcatV2 or Pad, through which scales pass to its inputs.

    below       the trees of these inputs
    first       the number of the first of these inputs
    constants   the nodes that compute the other inputs, if these are constant
    shape       the position of the node that computes a Reshape's shape
    known       the constants of the graph
    """

    index: GraphIndex
    position: int
    first: int
    below: list[Tree]
    constants: list[tuple[int, ...]]
    shape: int
    known: Constants

    @property
    def node(self) -> NodeDef:
        return self.index.nodes[self.position]

    @property
    def passes_shift(self) -> bool:
        return CARRIERS[self.node.op].passes_shift

    @property
    def rank(self) -> int:
        return self._form.rank

    @property
    def axis(self) -> int:
        return self._form.axis

    @cached_property
    def channels(self) -> int:
        channels = [tree.channels for tree in self.below]
        if self._form.joins:
            return sum(channels)
        if len(set(channels)) > 1:
            raise Unfit(f"its {self.node.op} joins layers with different numbers of channels")
        return channels[0]

    @cached_property
    def _form(self) -> Form:
        below = Form(self.below[0].rank, self.below[0].axis)
        if any((tree.rank, tree.axis) != (below.rank, below.axis) for tree in self.below):
            raise Unfit(f"its {self.node.op} joins layers with different layouts")
        if self.node.op == "Reshape":
            return self._reshape(below)
        return form(self.node, [self.known.value(nodes[0]) for nodes in self.constants], below)

    def _reshape(self, below: Form) -> Form:
        """Return the rank and channel axis of a Reshape's output. It must keep the channels on the last axis."""
        end = ending(self.index, self.known, self.shape)
        if end is None:
            raise Unfit("the rank and the last size of its Reshape are not known")
        if below.axis != below.rank - 1 or end.last != self.below[0].channels:
            raise Unfit("its Reshape does not keep the channels on the last axis")
        return Form(end.rank, end.rank - 1)

    def check(self) -> None:
        """Check everything that may be wrong. Raises Unfit, GraphError or TensorError."""
        _ = self._form, self.channels

    def split_affine(self, step: Affine) -> Iterator[Affine]:
        """Yield the part of a scale and shift that passes to each of the trees."""
        start = 0
        for tree in self.below:
            yield step.channels(start, start + tree.channels) if self._form.joins else step
            start += tree.channels


Tree: TypeAlias = Layer | Step | Carrier


def parts(tree: Tree) -> Iterator[Tree]:
    """Yield a tree and all trees within it."""
    queue = [tree]
    while queue:
        yield (part := queue.pop())
        queue += part.below


class NoLayer(Exception):
    """Raised if a node does not lead back to layers; the message says why."""


class Reader:
    """Reads one tree in which only nodes with an op in `steps` are steps.

    `matched` are all its nodes, each before its inputs; `claimed` are those that a rewrite replaces. `problem` is the
    reason why a complete tree cannot be folded: part of it is used elsewhere, or declared as an input or output.
    """

    def __init__(self, context: MatchContext, constants: Constants, steps: Collection[str]) -> None:
        self._context = context
        self._index = context.index
        self._known = constants
        self._steps = steps
        self.claimed: dict[int, None] = {}
        self.matched: dict[int, None] = {}
        self.problem = ""

    def read(self, position: int, depth: int = 0) -> Tree:
        """Return the tree whose last node is at `position`. Raises NoLayer if its inputs do not lead to layers."""
        node = self._index.nodes[position]
        if position in self.claimed:
            raise NoLayer(f"its {node.op} is used elsewhere")
        if depth > MAX_DEPTH:
            raise NoLayer("too many nodes are between it and its layer")
        self.claimed[position] = self.matched[position] = None
        if node.op in LAYERS:
            return self._layer(position)
        return self._carrier(position, depth) if node.op in CARRIERS else self._step(position, depth)

    def _layer(self, position: int) -> Layer:
        node, sources = self._index.nodes[position], data_sources(self._index, position)
        op = LAYERS[node.op]
        if len(sources) <= max(op.x, op.weights):
            raise NoLayer(f"its {node.op} has too few inputs")
        if sources[op.x] >= 0:
            self.matched[sources[op.x]] = None
        weights = self._known.path(sources[op.weights])
        if weights is None:
            raise NoLayer(f"the weights of its {node.op} are not constant")
        self._add_constants([weights])
        return Layer(self._index, position, weights, self._known)

    def _step(self, position: int, depth: int) -> Step:
        node, sources = self._index.nodes[position], data_sources(self._index, position)
        forms = ARITHMETIC.get(node.op)
        if len(sources) != (2 if forms else 5):
            raise NoLayer(f"its {node.op} has a wrong number of inputs")
        constants = [self._known.expression(source) for source in sources]
        for place in range(2) if forms else range(1):
            others = [source for source in constants[:place] + constants[place + 1 :] if source is not None]
            if len(others) == len(sources) - 1 and constants[place] is None and not (forms and forms[place] is None):
                tree = self._read_input(sources[place], depth)
                self._add_constants(others)
                return Step(self._index, position, place, tree, others, self._known)
        raise NoLayer(f"its {node.op} must have constants as its other inputs")

    def _carrier(self, position: int, depth: int) -> Carrier:
        node, sources = self._index.nodes[position], data_sources(self._index, position)
        op = CARRIERS[node.op]
        places = range(len(sources))[op.carried]
        if not places or len(sources) != (op.inputs or len(sources)):
            raise NoLayer(f"its {node.op} has a wrong number of inputs")
        others = {place: self._known.expression(source) for place, source in enumerate(sources) if place not in places}
        if any(nodes is None and place != op.free for place, nodes in others.items()):
            raise NoLayer(f"its {node.op} must have constants as its other inputs")
        constants = [nodes for nodes in others.values() if nodes is not None]
        trees = [self._read_input(sources[place], depth) for place in places]
        self._add_constants(constants)
        shape = sources[1] if node.op == "Reshape" else ARGUMENT
        return Carrier(self._index, position, places.start, trees, constants, shape, self._known)

    def _read_input(self, position: int, depth: int) -> Tree:
        """Return the tree of an input, which must have no other consumer."""
        if position < 0:
            raise NoLayer("there is no layer before it")
        node = self._index.nodes[position]
        role = self._context.role(node.name)
        if node.op not in LAYERS and node.op not in CARRIERS and node.op not in self._steps:
            raise NoLayer(f"there is no layer before it, but a {node.op}")
        if role or not self._is_taken_once(position):
            self.problem = self.problem or f"its {node.op} is {role or 'used elsewhere'}"
            if node.op not in LAYERS:
                raise NoLayer(self.problem)
        return self.read(position, depth + 1)

    def _is_taken_once(self, position: int) -> bool:
        """Return whether a node has a single consumer, of its first output."""
        if self._index.takers[position] != 1:
            return False
        uses = self._index.uses(self._index.nodes[position].name)
        return all(use.tensor.is_control or use.tensor.port == 0 for use in uses)

    def _add_constants(self, expressions: list[tuple[int, ...]]) -> None:
        for nodes in expressions:
            self.matched.update(dict.fromkeys(nodes))
            self.claimed.update(dict.fromkeys(number for number in nodes if self._index.nodes[number].op == "Const"))
