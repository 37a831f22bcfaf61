"""From the last step down to the layers, by way of inputs: a tree of what is there.

    FusedBatchNorm(BiasAdd(Conv2D(x, w), b), ...)   ->   Step(Step(Layer))
    FusedBatchNorm(ConcatV2(Conv2D(x, w), Conv2D(x, v), axis), ...)   ->   Step(Carrier([Layer, Layer]))

Reading looks at ops only. What constants hold is looked at when a tree is asked how many channels it has, and a step
what it does: that is where it shows that something does not fit, which raises Unfit.
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
from .constants import Constants, ending, tensors

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

__all__ = ["Carrier", "Layer", "NoLayer", "Reader", "Step", "Tree", "parts"]

DEEPEST = 16


@dataclass
class Layer:
    """A node that is linear in weights, and the nodes by way of which it gets them, the Const last."""

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
        """Which inputs x and the weights are."""
        return LAYERS[self.node.op].x, LAYERS[self.node.op].weights

    @property
    def rank(self) -> int:
        return LAYERS[self.node.op].rank

    @cached_property
    def axis(self) -> int:
        found = channel_axis(self.node, self.rank)
        if found is None:
            raise Unfit(f"its {self.node.op} has an unusual layout")
        return found

    @cached_property
    def weights(self) -> Array:
        array = self.known.contents(self.path[-1])
        if array.dtype.kind != "f" or array.ndim != self.rank or not array.size:
            raise Unfit(f"the weights of its {self.node.op} are not of floating type and {self.rank} axes")
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
        found = attr(self.node, "T", DataType)
        if found != attr(self.index.nodes[self.path[-1]], "dtype", DataType):
            raise Unfit(f"its {self.node.op} is not of the type of its weights")
        return found

    def check(self) -> None:
        """Look at all that may be wrong."""
        _ = self.dtype, self.axis, self.channels


@dataclass
class Step:
    """A node that multiplies and adds numbers for each channel to input `place`, and the nodes of its constants."""

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
        """Look at all that may be wrong."""
        _ = self.affine


@dataclass
class Carrier:
    """A node that lets scales pass to the trees that are its inputs from `first` on; constants say how.

    `shape` is the node that says which shape a Reshape gives, and `known` what it is asked of.
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
        channels = [each.channels for each in self.below]
        if self._form.joins:
            return sum(channels)
        if len(set(channels)) > 1:
            raise Unfit(f"its {self.node.op} joins layers of several widths")
        return channels[0]

    @cached_property
    def _form(self) -> Form:
        given = Form(self.below[0].rank, self.below[0].axis)
        if any((each.rank, each.axis) != (given.rank, given.axis) for each in self.below):
            raise Unfit(f"its {self.node.op} joins layers of several layouts")
        if self.node.op == "Reshape":
            return self._reshaped(given)
        return form(self.node, [self.known.value(nodes[0]) for nodes in self.constants], given)

    def _reshaped(self, given: Form) -> Form:
        """What a Reshape gives keeps the channels if these come last, and are as many as there are behind it."""
        end = ending(self.index, self.known, self.shape)
        if end is None:
            raise Unfit("nobody knows how many axes its Reshape gives, and the size of the last one")
        if given.axis != given.rank - 1 or end.last != self.below[0].channels:
            raise Unfit("its Reshape does not keep the channels on the last axis")
        return Form(end.sizes, end.sizes - 1)

    def check(self) -> None:
        """Look at all that may be wrong."""
        _ = self._form, self.channels

    def shares(self, whole: Affine) -> Iterator[Affine]:
        """What of a scale and a shift passes to each of the trees."""
        start = 0
        for tree in self.below:
            yield whole.channels(start, start + tree.channels) if self._form.joins else whole
            start += tree.channels


Tree: TypeAlias = Layer | Step | Carrier


def parts(tree: Tree) -> Iterator[Tree]:
    """A tree, and all within it."""
    queue = [tree]
    while queue:
        yield (at := queue.pop())
        queue += at.below


class NoLayer(Exception):
    """Why something is not the last step behind layers."""


class Reader:
    """Reads one tree. Steps are of some ops only.

    `matched` are all nodes of it, each before its inputs; `claimed` those that a rewrite replaces. `problem` says why
    it must stay as it is, though it is a tree: somebody else uses a part of it.
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
        """The tree that ends in a node. Raises NoLayer if something else than layers is beneath it."""
        node = self._index.nodes[position]
        if position in self.claimed:
            raise NoLayer(f"its {node.op} is used elsewhere")
        if depth > DEEPEST:
            raise NoLayer("too many nodes are between it and its layer")
        self.claimed[position] = self.matched[position] = None
        if node.op in LAYERS:
            return self._layer(position)
        return self._carrier(position, depth) if node.op in CARRIERS else self._step(position, depth)

    def _layer(self, position: int) -> Layer:
        node, given = self._index.nodes[position], tensors(self._index, position)
        op = LAYERS[node.op]
        if len(given) <= max(op.x, op.weights):
            raise NoLayer(f"its {node.op} has too few inputs")
        if given[op.x] >= 0:
            self.matched[given[op.x]] = None
        weights = self._known.path(given[op.weights])
        if weights is None:
            raise NoLayer(f"the weights of its {node.op} are not constant")
        self._touch_constants([weights])
        return Layer(self._index, position, weights, self._known)

    def _step(self, position: int, depth: int) -> Step:
        node, given = self._index.nodes[position], tensors(self._index, position)
        forms = ARITHMETIC.get(node.op)
        if len(given) != (2 if forms else 5):
            raise NoLayer(f"its {node.op} has another number of inputs")
        constants = [self._known.expression(each) for each in given]
        for place in range(2) if forms else range(1):
            others = [each for each in constants[:place] + constants[place + 1 :] if each is not None]
            if len(others) == len(given) - 1 and constants[place] is None and not (forms and forms[place] is None):
                tree = self._carried(given[place], depth)
                self._touch_constants(others)
                return Step(self._index, position, place, tree, others, self._known)
        raise NoLayer(f"the numbers of its {node.op} are not constant")

    def _carrier(self, position: int, depth: int) -> Carrier:
        node, given = self._index.nodes[position], tensors(self._index, position)
        op = CARRIERS[node.op]
        places = range(len(given))[op.carried]
        if not places or len(given) != (op.inputs or len(given)):
            raise NoLayer(f"its {node.op} has another number of inputs")
        others = {place: self._known.expression(each) for place, each in enumerate(given) if place not in places}
        if any(nodes is None and place != op.free for place, nodes in others.items()):
            raise NoLayer(f"the numbers of its {node.op} are not constant")
        constants = [nodes for nodes in others.values() if nodes is not None]
        trees = [self._carried(given[place], depth) for place in places]
        self._touch_constants(constants)
        shape = given[1] if node.op == "Reshape" else ARGUMENT
        return Carrier(self._index, position, places.start, trees, constants, shape, self._known)

    def _carried(self, position: int, depth: int) -> Tree:
        """The tree that a node takes, which must be for that node only."""
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
        """Whether there is one who takes something of a node, and it is its first output."""
        if self._index.takers[position] != 1:
            return False
        uses = self._index.uses(self._index.nodes[position].name)
        return all(use.tensor.is_control or use.tensor.port == 0 for use in uses)

    def _touch_constants(self, found: list[tuple[int, ...]]) -> None:
        for nodes in found:
            self.matched.update(dict.fromkeys(nodes))
            self.claimed.update(dict.fromkeys(each for each in nodes if self._index.nodes[each].op == "Const"))
