"""Patterns that describe part of a graph, and the matches that rewrites work on.

    PATTERN = Op("Mul",
                 Op("Conv2D|MatMul", Anything(), Op("Const", as_="weights"), as_="layer"),
                 Op("Const", as_="scale"),
                 commutative=True)

The outermost node, which reaches all others through its inputs, is the head of a match.

    Op("A|B")              a node with op A or B and any inputs
    Op("*", p, q)          a node of any op with two inputs that match p and q; "*" may be an alternative too: "A|*"
    Op("A", p, q)          a node with two inputs (not counting control inputs) that match p and q
    Anything()             any node; unlike Op("*"), a rewrite does not replace it
    as_="x"                the name of the node for the rewrite; the same name twice means the same node
    commutative=True       two inputs in either order; the order as written is tried first
    port=0                 the input refers to this output of the node; without `port`, it may refer to any output

A pattern only looks at nodes. A rewrite asks its `Match` whether a node is used elsewhere, or declared as an output.
This rewrite removes the multiplication:

    def rewrite(match: Match) -> Iterable[NodeDef] | Refusal:
        if not match.only_consumer("layer"):
            return Refusal("the layer is used elsewhere")
        return [match["weights"], replace_node(match["layer"], name=match.head.name)]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from ...analysis.shapes import infer_shapes
from ...errors import GraphError
from ...graph import GraphIndex, describe
from ...graph.control_flow import frame_of_outputs
from ...graph.view import GraphView
from ...messages import DataType, NodeDef
from ...ops.traits import PLACEHOLDERS
from ...values.names import TensorName, control_input, control_inputs, is_control_input, node_name
from ...values.shape import Shape
from .constants import Kind, read_constant
from .node_edits import const_node

if TYPE_CHECKING:
    import numpy as np

    from ...analysis.shapes import Shapes

ANY_OP = "*"
"""The alternative of an `Op` that stands for all ops."""


@dataclass(frozen=True, init=False, slots=True)
class Op:
    """A pattern for a node with one of some ops: see the module docstring."""

    ops: frozenset[str]
    inputs: tuple[Pattern, ...]
    as_: str
    commutative: bool
    port: int | None

    def __init__(
        self, ops: str, *inputs: Pattern, as_: str = "", commutative: bool = False, port: int | None = None
    ) -> None:
        if commutative and len(inputs) != 2:
            raise ValueError(f"a commutative pattern must have two inputs, got {len(inputs)}")
        object.__setattr__(self, "ops", frozenset(ops.split("|")))
        object.__setattr__(self, "inputs", inputs)
        object.__setattr__(self, "as_", as_)
        object.__setattr__(self, "commutative", commutative)
        object.__setattr__(self, "port", port)


@dataclass(frozen=True, slots=True)
class Anything:
    """A pattern for a node of any op. A rewrite does not replace the node, so several matches may share it."""

    as_: str = ""
    port: int | None = None


Pattern: TypeAlias = Op | Anything


@dataclass(frozen=True, slots=True)
class Bindings:
    """The nodes that a pattern matched, by position in the graph.

    names     the nodes that have a name in the pattern, by this name
    claimed   the nodes matched by an `Op`: the head first, then its inputs from left to right, then their inputs
    matched   the claimed nodes and the nodes matched by `Anything`, in the same order
    """

    names: Mapping[str, int] = field(default_factory=dict)
    claimed: tuple[int, ...] = ()
    matched: tuple[int, ...] = ()


def match_pattern(pattern: Op, index: GraphIndex, head: int) -> Bindings | None:
    """Match a pattern with the node at position `head` as its head; return None if it does not match."""
    first = next(_match([(pattern, head)], index, {}, (), ()), None)
    if first is None:
        return None
    names, claimed, matched = first
    return Bindings(names, tuple(dict.fromkeys(claimed)), tuple(dict.fromkeys(matched)))


_PartialMatch: TypeAlias = tuple[dict[str, int], tuple[int, ...], tuple[int, ...]]


def _match(
    queue: list[tuple[Pattern, int]],
    index: GraphIndex,
    names: dict[str, int],
    claimed: tuple[int, ...],
    matched: tuple[int, ...],
) -> Iterator[_PartialMatch]:
    """Yield all ways to match the patterns of a queue with the nodes at their positions, breadth first.

    `names`, `claimed` and `matched` are the nodes matched so far: see `Bindings`.
    """
    if not queue:
        yield names, claimed, matched
        return
    (pattern, position), *others = queue
    if pattern.as_:
        if names.get(pattern.as_, position) != position:
            return
        names = {**names, pattern.as_: position}
    matched = (*matched, position)
    if isinstance(pattern, Anything):
        yield from _match(others, index, names, claimed, matched)
        return
    node = index.nodes[position]
    if node.op not in pattern.ops and ANY_OP not in pattern.ops:
        return
    claimed = (*claimed, position)
    if not pattern.inputs:
        yield from _match(others, index, names, claimed, matched)
        return
    tensors = _tensors(node, index.sources[position])
    if tensors is None or len(tensors) != len(pattern.inputs):
        return
    orders = [pattern.inputs, pattern.inputs[::-1]] if pattern.commutative else [pattern.inputs]
    for inputs in orders:
        if all(_has_port(text, inner.port) for inner, (text, _) in zip(inputs, tensors, strict=True)):
            inner_queue = [(inner, source) for inner, (_, source) in zip(inputs, tensors, strict=True)]
            yield from _match([*others, *inner_queue], index, names, claimed, matched)


def _tensors(node: NodeDef, sources: list[int]) -> list[tuple[str, int]] | None:
    """Return the data inputs of a node, each with its source; None if a source does not exist."""
    tensors = [(text, source) for text, source in zip(node.input, sources, strict=True) if not is_control_input(text)]
    return None if any(source < 0 for _, source in tensors) else tensors


def _has_port(text: str, port: int | None) -> bool:
    return port is None or TensorName.parse(text).port == port


class MatchContext:
    """The graph around matches: its index, declared outputs and inputs, and the names in use."""

    def __init__(self, view: GraphView) -> None:
        self.index = view.index
        self.fresh = view.fresh
        self.declared = view.declared
        """The names of all declared nodes. A node that only has to run is declared by its control output."""
        self.feedable = frozenset(tensor.node for tensor in view.inputs)
        """The names of the declared inputs. They may be fed, so their values in the graph are not known."""
        self._tensors = (*view.outputs, *view.inputs)

    def role(self, name: str) -> str:
        """Return how a node is declared: "an input", "an output", or "" if it is not declared."""
        return "an input" if name in self.feedable else "an output" if name in self.declared else ""

    @cached_property
    def shapes(self) -> Shapes:
        """The inferred shapes. Those of arguments of a function are unknown, and so are those of nodes that may be fed,
        except for Placeholders.
        """
        fed = (self.index[name] for name in self.feedable if name in self.index)
        return infer_shapes(self.index, {node.name: None for node in fed if node.op not in PLACEHOLDERS})

    @cached_property
    def ports(self) -> dict[str, set[int]]:
        """The declared outputs of each declared node, by its name."""
        ports: dict[str, set[int]] = {}
        for tensor in self._tensors:
            ports.setdefault(tensor.node, set()).add(tensor.port)
        return ports


class Match:
    """The nodes that a pattern matched once. `match["name"]` is the node with that name in the pattern."""

    def __init__(self, context: MatchContext, bindings: Bindings) -> None:
        self._context = context
        self._bindings = bindings

    def __getitem__(self, name: str) -> NodeDef:
        return self._node(self._bindings.names[name])

    def __contains__(self, name: str) -> bool:
        return name in self._bindings.names

    def _node(self, position: int) -> NodeDef:
        return self._context.index.nodes[position]

    @property
    def head(self) -> NodeDef:
        """The outermost node, which reaches all others through its inputs."""
        return self._node(self._bindings.claimed[0])

    @property
    def nodes(self) -> list[NodeDef]:
        """All nodes of the match, without repetition: the head, then its inputs from left to right, then their inputs.

        A rewrite that returns these nodes changes nothing.
        """
        return [self._node(position) for position in self._bindings.matched]

    # --- uses ------------------------------------------------------------------------------------------------------

    @property
    def inputs(self) -> list[NodeDef]:
        """The nodes of the match that have an input from outside it."""
        sources, matched = self._context.index.sources, frozenset(self._bindings.matched)
        positions = self._bindings.matched
        return [self._node(position) for position in positions if not matched.issuperset(sources[position])]

    @property
    def outputs(self) -> list[NodeDef]:
        """The nodes of the match that are declared, or used by a node outside it."""
        return [self._node(position) for position in self._bindings.matched if self.is_used_elsewhere(position)]

    @cached_property
    def _claimed(self) -> frozenset[int]:
        return frozenset(self._bindings.claimed)

    def is_used_elsewhere(self, position: int) -> bool:
        """Return whether the node at a position is declared as output or input, or used by a node that remains."""
        return self._is_declared(position) or not self._claimed.issuperset(self._context.index.targets[position])

    def only_consumer(self, name: str) -> bool:
        """Return whether the named node is used only within the match, and is not declared."""
        return not self.is_used_elsewhere(self._bindings.names[name])

    def is_declared(self, name: str) -> bool:
        """Return whether the named node is declared as an output or an input of the graph."""
        return self._is_declared(self._bindings.names[name])

    def _is_declared(self, position: int) -> bool:
        return self._node(position).name in self._context.declared

    def ports_used(self, name: str) -> set[int]:
        """Return the numbers of those outputs of the named node that are used as data inputs."""
        uses = self._context.index.uses(self[name].name)
        return {use.tensor.port for use in uses if not use.tensor.is_control}

    def consumers(self, name: str) -> list[NodeDef]:
        """Return the nodes that have an input or control input from the named node, without repetition.

        Nodes of the match are included.
        """
        targets = self._context.index.targets[self._bindings.names[name]]
        return [self._node(position) for position in dict.fromkeys(targets)]

    def control_inputs(self, *names: str) -> list[str]:
        """Return the control inputs of the named nodes, without repetition, for a node that replaces them.

        Control inputs from nodes of the match itself are left out.
        """
        inside = {node.name for node in self.nodes}
        controls = (text for name in names for text in control_inputs(self[name]) if node_name(text) not in inside)
        return list(dict.fromkeys(controls))

    def producer(self, text: str) -> NodeDef | None:
        """Return the node that an input refers to; None if the graph has no node of that name."""
        return self._context.index.get(TensorName.parse(text).node)

    def fresh_name(self, base: str) -> str:
        """Return a name for a new node: `base`, or a name that begins with `base` if that is taken."""
        return self._context.fresh(base)

    def shape(self, text: str) -> Shape | None:
        """Return the shape of a tensor, None if it is not known."""
        return self._context.shapes.get(text)

    # --- constants ---------------------------------------------------------------------------------------------------

    def has_value(self, name: str) -> bool:
        """Return whether the named node is a Const with a value, which is not fed."""
        node = self[name]
        return node.op == "Const" and "value" in node.attr and node.name not in self._context.feedable

    def array(self, name: str, kind: Kind | None = None) -> np.ndarray[Any, Any]:
        """Return the value of the named Const, read-only. `kind` are the types that it may have: see `constants`.

        Raises GraphError if the node has no value, or one of another type, or if it is a declared input, which may be
        fed; TensorError if the value is damaged.
        """
        if self[name].name in self._context.feedable:
            raise GraphError(f"{describe(self[name])} is declared as an input, which may be fed")
        return read_constant(self[name], kind)

    def constant(self, name: str, values: Any, dtype: DataType) -> NodeDef:
        """Return a new Const, made by `const_node`, in the frame of the match.

        Its name is `name`, or if that is taken, a name that begins with it. In a loop the Const gets a control input
        from a node whose output the match takes: without inputs it would be outside the loop. Raises GraphError if the
        match has no input from within the loop.
        """
        return const_node(self.fresh_name(name), values, dtype, control_inputs=self._anchor())

    def _anchor(self) -> list[str]:
        index = self._context.index
        frame = index.frame(self.head.name)
        if frame is None:
            return []
        for position in self._bindings.claimed:
            node = self._node(position)
            for text, source in zip(node.input, index.sources[position], strict=True):
                if source < 0 or source in self._claimed:
                    continue
                if frame_of_outputs(index.node_frames[source], index.control_flow.get(source, "")) is frame:
                    return [control_input(TensorName.parse(text).node)]
        raise GraphError(f"{describe(self.head)}: it has no input from within its loop")
