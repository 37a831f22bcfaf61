"""Find the last steps after layers, and fold all steps into the layers.

`tree` explains steps, layers, carriers and trees. A tree ends at the last of consecutive steps that can be folded, and
all of its steps are folded together, as one scale and one shift. The nodes between layer and last step must have no
other consumers. A tree is replaced by these nodes:

    Conv2D                          with scaled weights, under its own name
    BiasAdd                         after the Conv2D, or after the Pad behind it, if there is a shift. It adds a new
                                    constant <node>_bn_offset, where <node> is the node before it. Its name is
                                    <node>/biasadd, or <concat>_bn_in<k> directly before input k of a concatenation
    BatchToSpaceND, Pad, ConcatV2   as they are

The last of these nodes has the name of the last step. It gets the control inputs of the steps and of the nodes that
their constants are computed from.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...errors import GraphError, TensorError
from ...graph import attr, const_tensor, replace_node
from ...messages import AttrValue, DataType, GraphDef, NodeDef
from ...values.dtypes import dtype_of
from ...values.names import TensorName, control_inputs
from ...values.output_limit import require
from ..framework.node_edits import owned_tensor
from ..framework.patterns import Bindings, Match, MatchContext
from ..framework.replacing import Rewrite, replace_subgraphs
from ..framework.report import Refusal, StepReport
from .channel_ops import ARITHMETIC, CARRIERS, SCALES, Affine, Unfit, has_underflow, scale_channels
from .constants import Constants, data_sources
from .tree import MAX_DEPTH, Carrier, Layer, NoLayer, Reader, Step, Tree, parts


def fold(
    graph: GraphDef,
    steps: Collection[str],
    is_last: Callable[[Step], bool],
    *,
    reported: Collection[str] = (),
    inputs: Iterable[TensorName],
    outputs: Iterable[TensorName],
    report: StepReport,
) -> GraphDef:
    """Fold nodes with the ops `steps` into the layers before them.

    `is_last` returns whether folding makes sense if a step is the last one of its tree. `inputs` may be fed.

    If there is no layer before a step with an op in `reported`, the report says why. For a Mul or RealDiv it does so
    only if an Add, Sub or BiasAdd follows and both have several numbers, as in an unfused batch norm.
    """

    def finder(context: MatchContext) -> _Finder:
        return _Finder(context, steps, is_last, reported)

    return replace_subgraphs(graph, steps, finder, report=report, keep=outputs, inputs=inputs)


class _Read(NamedTuple):
    """The result of reading a tree: see `Reader`.

    `problem` is the reason why there is no tree, or why the tree cannot be folded.
    """

    tree: Step | None
    problem: str
    claimed: tuple[int, ...] = ()
    matched: tuple[int, ...] = ()


class _Finder:
    """Finds trees by their last steps.

    A call with the position of a step returns a rewrite or a refusal of the tree that ends there, or None.
    """

    def __init__(
        self,
        context: MatchContext,
        steps: Collection[str],
        is_last: Callable[[Step], bool],
        reported: Collection[str],
    ) -> None:
        self._context = context
        self._index = context.index
        self._constants = Constants(context.index, context.feedable)
        self._steps = steps
        self._is_last = is_last
        self._reported = reported
        self._reads: dict[int, _Read] = {}

    def __call__(self, head: int) -> tuple[Bindings, Rewrite] | None:
        read = self._read(head)
        if read.tree is None:
            return self._refuse([head], [head], read.problem) if self._is_reported(head) else None
        if not self._is_last(read.tree) or any(map(self._can_be_last, self._followers(head))):
            return None
        problem = read.problem or self._problem(read.tree)
        if problem:
            return self._refuse(read.claimed, read.matched, problem)
        return self._bindings(read.claimed, read.matched), make_rewrite(self._context, read.tree)

    def _read(self, head: int) -> _Read:
        """Return the tree whose last step is at `head`. Each tree is read once."""
        if head not in self._reads:
            reader = Reader(self._context, self._constants, self._steps)
            try:
                tree = reader.read(head)
            except NoLayer as reason:
                self._reads[head] = _Read(None, str(reason))
            else:
                assert isinstance(tree, Step)  # heads are steps
                self._reads[head] = _Read(tree, reader.problem, tuple(reader.claimed), tuple(reader.matched))
        return self._reads[head]

    def _bindings(self, claimed: Iterable[int], matched: Iterable[int]) -> Bindings:
        names = {self._index.nodes[number].name: number for number in matched}
        return Bindings(names, tuple(claimed), tuple(matched))

    def _refuse(self, claimed: Iterable[int], matched: Iterable[int], problem: str) -> tuple[Bindings, Rewrite]:
        return self._bindings(claimed, matched), lambda match: Refusal(problem)

    def _is_reported(self, head: int) -> bool:
        """Return whether the report says why there is no layer before a step."""
        op = self._index.nodes[head].op
        return op in self._reported and (op not in SCALES or (self._has_several(head) and self._is_added_to(head)))

    def _is_added_to(self, head: int) -> bool:
        user = self._user(head)
        return user >= 0 and self._index.nodes[user].op in ARITHMETIC.keys() - SCALES and self._has_several(user)

    def _has_several(self, position: int) -> bool:
        """Return whether a step has a constant with several numbers."""
        expressions = map(self._constants.expression, data_sources(self._index, position))
        nodes = [self._index.nodes[number] for number in chain.from_iterable(filter(None, expressions))]
        return any(map(_holds_several, nodes))

    def _followers(self, position: int) -> Iterator[int]:
        """Yield the steps that follow a step. Each is the only consumer of the step before, directly or through
        carriers.
        """
        for _ in range(MAX_DEPTH):
            position = self._user(position)
            op = self._index.nodes[position].op if position >= 0 else ""
            if op in self._steps:
                yield position
            elif op not in CARRIERS:
                return

    def _user(self, position: int) -> int:
        """Return the only consumer of a node; -1 if there are several or none, or if the node is declared."""
        name = self._index.nodes[position].name
        if name in self._context.declared or self._index.takers[position] != 1:
            return -1
        [user] = [use.node.name for use in self._index.uses(name) if not use.tensor.is_control]
        return self._index.position(user)

    def _can_be_last(self, position: int) -> bool:
        """Return whether a step can be the last one."""
        tree, problem, *_ = self._read(position)
        return tree is not None and self._is_last(tree) and not (problem or self._problem(tree))

    def _problem(self, tree: Step) -> str:
        """Return why a tree cannot be folded; "" if it can."""
        name = tree.node.name
        ports = {use.tensor.port for use in self._index.uses(name)}
        if max(ports | self._context.ports.get(name, set()), default=0) > 0:
            return "outputs other than the first are used"
        try:
            for part in parts(tree):
                part.check()
        except (Unfit, GraphError, TensorError) as error:
            return str(error)
        return ""


def _holds_several(node: NodeDef) -> bool:
    """Return whether a node is a Const with several numbers."""
    try:
        shape = const_tensor(node).tensor_shape if node.op == "Const" else None
    except GraphError:
        return False
    return shape is not None and any(dim.size > 1 for dim in shape.dim)


if TYPE_CHECKING:
    Array = np.ndarray[Any, Any]


MAX_CONTROLS = 64  # the maximum number of inputs of shared weights and of the nodes that pass them on: see _weights


def make_rewrite(context: MatchContext, tree: Step) -> Rewrite:
    """Return the rewrite of a match that was read as a tree."""
    return partial(_rewrite, context, tree)


def _rewrite(context: MatchContext, tree: Step, match: Match) -> list[NodeDef] | Refusal:
    writer = _Writer(context, match)
    try:
        writer.write(tree, Affine(), top=tree.node.name)
    except Unfit as error:
        return Refusal(str(error))
    *nodes, last = writer.nodes
    known = frozenset(last.input)
    controls = [text for text in match.control_inputs(*_folded_names(tree)) if text not in known]
    return [*nodes, replace_node(last, input=[*last.input, *controls]) if controls else last]


def _folded_names(tree: Tree) -> Iterable[str]:
    """Yield the names of the steps and of the nodes that their constants are computed from."""
    for part in parts(tree):
        if isinstance(part, Step):
            yield part.node.name
            for nodes in part.constants:
                yield from (part.index.nodes[number].name for number in nodes)


@contextmanager
def _in_range(what: str) -> Iterator[None]:
    """Turn an overflow of the weights' type into a reason not to fold."""
    try:
        with np.errstate(over="raise"):
            yield
    except (FloatingPointError, ValueError):
        raise Unfit(f"{what} would be too large for their type") from None


class _Writer:
    """Writes the nodes that replace a tree, into the list `nodes`."""

    def __init__(self, context: MatchContext, match: Match) -> None:
        self._context = context
        self._match = match
        self.nodes: list[NodeDef] = []

    def write(self, tree: Tree, effect: Affine, *, top: str = "", bias: str = "") -> str:
        """Write the nodes of a tree, scaled and shifted by `effect`, and return the name of the last node.

        The last node gets the name `top`, if given. Without `top`, an old node keeps its name, and a new BiasAdd is
        called `bias`, if given, or <node>/biasadd, where <node> is the node before it.
        """
        if isinstance(tree, Step):
            return self.write(tree.tree, effect.after(tree.affine), top=top, bias=bias)
        inner = top if effect.shift is None or (isinstance(tree, Carrier) and tree.passes_shift) else ""
        if isinstance(tree, Layer):
            node = self._layer(tree, effect.scale)
        elif tree.passes_shift:
            return self._emit(self._carrier(tree, effect), inner)
        else:
            node = self._carrier(tree, Affine(effect.scale))
        before = self._emit(node, inner)
        return before if effect.shift is None else self._add_shift(tree, before, effect.shift, top, bias)

    def _emit(self, node: NodeDef, name: str) -> str:
        self.nodes.append(replace_node(node, name=name) if name and name != node.name else node)
        return self.nodes[-1].name

    def _layer(self, layer: Layer, scale: Array | None) -> NodeDef:
        """Return the layer with scaled weights; the weights and the matched node of its input are emitted before."""
        node, index = layer.node, layer.index
        weights = index.nodes[layer.path[-1]] if scale is None else self._weights(layer, scale)
        self.nodes.append(weights)
        x_place, weights_place = layer.places
        x = index.sources[layer.position][x_place]
        if x >= 0:
            self.nodes.append(index.nodes[x])
        if weights.name == index.nodes[layer.path[-1]].name:
            return node
        inputs = list(node.input)
        inputs[weights_place] = weights.name
        return replace_node(node, input=inputs)

    def _weights(self, layer: Layer, scale: Array) -> NodeDef:
        """Return the Const of scaled weights. It replaces the old one, or is a copy if the old one has other users."""
        old = layer.index.nodes[layer.path[-1]]
        is_shared = any(self._is_shared(layer, number) for number in layer.path)
        if is_shared and sum(len(layer.index.nodes[number].input) for number in layer.path) > MAX_CONTROLS:
            raise Unfit(f"its weights have more than {MAX_CONTROLS} control inputs, which a copy would have too")
        dtype = attr(old, "dtype", DataType)
        require(layer.weights.nbytes, "a copy of shared weights" if is_shared else "the scaled weights")
        with _in_range("the weights"):
            array = scale_channels(layer.weights, layer.axes, scale)
            tensor = owned_tensor(dtype_of(dtype).encode(array), dtype)
        if has_underflow(layer.weights, layer.axes, scale, array):
            raise Unfit("the weights would be too small for their type")
        attributes = {"dtype": AttrValue(type=dtype), "value": AttrValue(tensor=tensor)}
        new = NodeDef(name=old.name, op="Const", attr=attributes)
        if is_shared:
            new.name = self._context.fresh(old.name)
            controls = [text for number in layer.path for text in control_inputs(layer.index.nodes[number])]
            new.input = list(dict.fromkeys(controls))
        else:
            new.input = control_inputs(old)
        return new

    def _is_shared(self, layer: Layer, position: int) -> bool:
        """Return whether a node has another consumer or is declared; control inputs from it do not count."""
        return layer.index.takers[position] > 1 or layer.index.nodes[position].name in self._context.declared

    def _carrier(self, carrier: Carrier, effect: Affine) -> NodeDef:
        node, inputs = carrier.node, list(carrier.node.input)
        for number, (tree, share) in enumerate(zip(carrier.below, carrier.split_affine(effect), strict=True)):
            bias = f"{node.name}_bn_in{number}" if len(carrier.below) > 1 else ""
            inputs[carrier.first + number] = self.write(tree, share, bias=bias)
        constants = [carrier.index.nodes[nodes[0]] for nodes in carrier.constants]
        self.nodes += [constant for constant in constants if constant.op == "Const"]
        return replace_node(node, input=inputs)

    def _add_shift(self, tree: Tree, before: str, shift: Array, top: str, bias: str) -> str:
        layer = next(part for part in parts(tree) if isinstance(part, Layer))
        with _in_range("the numbers to add"):
            offset = self._match.constant(f"{before}_bn_offset", shift.astype(layer.weights.dtype), layer.dtype)
        attributes = {"T": layer.node.attr["T"]} | self._layout(tree, layer)
        name = top or self._context.fresh(bias or f"{before}/biasadd")
        self.nodes += [offset, NodeDef(name=name, op="BiasAdd", input=[before, offset.name], attr=attributes)]
        return name

    def _layout(self, tree: Tree, layer: Layer) -> dict[str, AttrValue]:
        """Return the attribute data_format of a BiasAdd after a tree."""
        if tree.rank > 1 and tree.axis == tree.rank - 1:
            return {"data_format": AttrValue(s=b"NHWC")} if "data_format" in layer.node.attr else {}
        if tree.rank > 2 and tree.axis == 1:
            return {"data_format": AttrValue(s=b"NCHW")}
        raise Unfit("a BiasAdd cannot have the channels on this axis")
