"""What part of a graph looks like: patterns are values, made of what a node is and what its inputs are.

    PATTERN = Op("Mul",
                 Op("Conv2D|MatMul", Anything(), Op("Const", as_="weights"), as_="layer"),
                 Op("Const", as_="scale"),
                 commutative=True)

The outermost node, from which all others are reached by way of inputs, is the head of a match.

    Op("A|B")              a node of the op A or B, whatever its inputs are
    Op("A", p, q)          one with two inputs, control inputs not counted, that are like p and q
    Anything()             any node
    as_="x"                what the rewrite calls the node; a name that comes twice means one node
    commutative=True       of two inputs: in this order or the other one; as written comes first
    port=0                 the input refers to this output of the node; without, any will do

Patterns look at nodes, not at what a rewrite may do with them: whether a node is used elsewhere, or is declared as an
output, the rewrite asks its `Match`.

One place of a graph that looks like a pattern, with all that a rewrite asks of it.

def rewrite(match: Match) -> Iterable[NodeDef] | Refusal:
    if not match.only_consumer("pad"):
        return Refusal("the padding is used elsewhere")
    return [match["weights"], replace_node(match.head, input=[match["pad"].input[0], "weights"])]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from ...errors import GraphError
from ...graph import GraphIndex, const_tensor, describe
from ...graph.control_flow import outside
from ...graph.edit import TakenNames
from ...messages import DataType, NodeDef
from ...names import TensorName, control_input, control_inputs, is_control_input, node_name
from .new_constants import const_node

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Anything", "Bindings", "Match", "Op", "Pattern", "Surroundings", "bindings"]


@dataclass(frozen=True, init=False, slots=True)
class Op:
    """A node of one of some ops: see the module."""

    ops: frozenset[str]
    inputs: tuple[Pattern, ...]
    as_: str
    commutative: bool
    port: int | None

    def __init__(
        self, ops: str, *inputs: Pattern, as_: str = "", commutative: bool = False, port: int | None = None
    ) -> None:
        if commutative and len(inputs) != 2:
            raise ValueError(f"a pattern is commutative if it has two inputs, this one has {len(inputs)}")
        object.__setattr__(self, "ops", frozenset(ops.split("|")))
        object.__setattr__(self, "inputs", inputs)
        object.__setattr__(self, "as_", as_)
        object.__setattr__(self, "commutative", commutative)
        object.__setattr__(self, "port", port)


@dataclass(frozen=True, slots=True)
class Anything:
    """A node of any op, which is no part of what a rewrite replaces: several matches may share it."""

    as_: str = ""
    port: int | None = None


Pattern: TypeAlias = Op | Anything


@dataclass(frozen=True, slots=True)
class Bindings:
    """Which nodes a pattern was found to mean, by position in the graph.

    `claimed` are those of an `Op`, the head first, then its inputs from left to right, then theirs; `touched` are those
    and the ones of `Anything`. `names` are the nodes that have a name in the pattern.
    """

    names: Mapping[str, int] = field(default_factory=dict)
    claimed: tuple[int, ...] = ()
    touched: tuple[int, ...] = ()


def bindings(pattern: Op, index: GraphIndex, head: int) -> Bindings | None:
    """What a pattern means with its head at a position; None if there is no match."""
    found = next(_match([(pattern, head)], index, {}, (), ()), None)
    if found is None:
        return None
    names, claimed, touched = found
    return Bindings(names, tuple(dict.fromkeys(claimed)), tuple(dict.fromkeys(touched)))


_Found: TypeAlias = tuple[dict[str, int], tuple[int, ...], tuple[int, ...]]


def _match(
    queue: list[tuple[Pattern, int]],
    index: GraphIndex,
    names: dict[str, int],
    claimed: tuple[int, ...],
    touched: tuple[int, ...],
) -> Iterator[_Found]:
    """All ways in which the patterns of a queue, each with a position, can be met; breadth first."""
    if not queue:
        yield names, claimed, touched
        return
    (pattern, position), *rest = queue
    if pattern.as_:
        if names.get(pattern.as_, position) != position:
            return
        names = {**names, pattern.as_: position}
    touched = (*touched, position)
    if isinstance(pattern, Anything):
        yield from _match(rest, index, names, claimed, touched)
        return
    node = index.nodes[position]
    if node.op not in pattern.ops:
        return
    claimed = (*claimed, position)
    if not pattern.inputs:
        yield from _match(rest, index, names, claimed, touched)
        return
    given = _tensors(node, index.sources[position])
    if given is None or len(given) != len(pattern.inputs):
        return
    orders = [pattern.inputs, pattern.inputs[::-1]] if pattern.commutative else [pattern.inputs]
    for inputs in orders:
        if all(_is_port(text, each.port) for each, (text, _) in zip(inputs, given, strict=True)):
            deeper = [(each, source) for each, (_, source) in zip(inputs, given, strict=True)]
            yield from _match([*rest, *deeper], index, names, claimed, touched)


def _tensors(node: NodeDef, sources: list[int]) -> list[tuple[str, int]] | None:
    """The inputs of a node but for control inputs, and where they come from; None if one comes from no node."""
    tensors = [(text, source) for text, source in zip(node.input, sources, strict=True) if not is_control_input(text)]
    return None if any(source < 0 for _, source in tensors) else tensors


def _is_port(text: str, port: int | None) -> bool:
    return port is None or TensorName.parse(text).port == port


class Surroundings:
    """The graph around matches: its index, what is declared as an output or an input, and which names are taken."""

    def __init__(self, index: GraphIndex, tensors: Iterable[TensorName], inputs: Iterable[TensorName] = ()) -> None:
        self.index = index
        inputs = tuple(inputs)
        self.tensors = frozenset((*tensors, *inputs))
        """What is declared; of a node that only has to run, its control output."""
        self.fed = frozenset(tensor.node for tensor in inputs)
        """The names of the nodes that may be fed: what they hold or compute tells nothing."""
        self.declared = frozenset(tensor.node for tensor in self.tensors)
        """The names of the nodes."""

    def role(self, name: str) -> str:
        """What a node is declared as: "an input" or "an output"; "" if it is not."""
        return "an input" if name in self.fed else "an output" if name in self.declared else ""

    @cached_property
    def ports(self) -> dict[str, set[int]]:
        """By the name of a declared node: which outputs of it are declared."""
        found: dict[str, set[int]] = {}
        for tensor in self.tensors:
            found.setdefault(tensor.node, set()).add(tensor.port)
        return found

    @cached_property
    def taken(self) -> TakenNames:
        """The names of all nodes, and those that rewrites made up."""
        return TakenNames((*self.index.positions, *self.index.arguments))


class Match:
    """The nodes that a pattern means in one place. `match["name"]` is the one that it calls so."""

    def __init__(self, around: Surroundings, bindings: Bindings) -> None:
        self._around = around
        self._bindings = bindings

    def __getitem__(self, name: str) -> NodeDef:
        return self._node(self._bindings.names[name])

    def __contains__(self, name: str) -> bool:
        return name in self._bindings.names

    def _node(self, position: int) -> NodeDef:
        return self._around.index.nodes[position]

    @property
    def head(self) -> NodeDef:
        """The node that all others are inputs of, or inputs of inputs."""
        return self._node(self._bindings.claimed[0])

    @property
    def nodes(self) -> list[NodeDef]:
        """All nodes of the match, each once: the head, then its inputs from left to right, then theirs.

        To return them is to leave everything as it is.
        """
        return [self._node(position) for position in self._bindings.touched]

    # --- what is around it -------------------------------------------------------------------------------------------

    @property
    def inputs(self) -> list[NodeDef]:
        """The nodes of the match that take something from outside of it."""
        sources, touched = self._around.index.sources, frozenset(self._bindings.touched)
        return [self._node(each) for each in self._bindings.touched if not touched.issuperset(sources[each])]

    @property
    def outputs(self) -> list[NodeDef]:
        """The nodes of the match that somebody outside of it uses, or that are declared."""
        return [self._node(each) for each in self._bindings.touched if self.is_used_elsewhere(each)]

    @cached_property
    def _claimed(self) -> frozenset[int]:
        return frozenset(self._bindings.claimed)

    def is_used_elsewhere(self, position: int) -> bool:
        """Whether the node at a position is used by one that is not replaced, or declared as an output or input."""
        return self._is_declared(position) or not self._claimed.issuperset(self._around.index.targets[position])

    def only_consumer(self, name: str) -> bool:
        """Whether nobody but the match uses the node that the pattern calls `name`, nor is it declared."""
        return not self.is_used_elsewhere(self._bindings.names[name])

    def is_output(self, name: str) -> bool:
        """Whether that node is declared as an output of the graph, or as an input."""
        return self._is_declared(self._bindings.names[name])

    def _is_declared(self, position: int) -> bool:
        return self._node(position).name in self._around.declared

    def ports_used(self, name: str) -> set[int]:
        """The outputs of that node that any node refers to; control inputs refer to none."""
        uses = self._around.index.uses(self[name].name)
        return {use.tensor.port for use in uses if not use.tensor.is_control}

    def consumers(self, name: str) -> list[NodeDef]:
        """The nodes that take something of that node, or wait for it, each once; those of the match too."""
        return [self._node(each) for each in dict.fromkeys(self._around.index.targets[self._bindings.names[name]])]

    def control_inputs(self, *names: str) -> list[str]:
        """The control inputs of some nodes, each once, as nodes spell them: for the node that takes their place.

        Those from nodes of the match itself are left out.
        """
        inside = {node.name for node in self.nodes}
        found = (text for name in names for text in control_inputs(self[name]) if node_name(text) not in inside)
        return list(dict.fromkeys(found))

    def producer(self, text: str) -> NodeDef | None:
        """The node that an input refers to; None if there is none of that name."""
        return self._around.index.get(TensorName.parse(text).node)

    def fresh_name(self, base: str) -> str:
        """A name for a new node: `base`, or one that starts so if that is taken."""
        return self._around.taken.fresh(base)

    # --- constants ---------------------------------------------------------------------------------------------------

    def array(self, name: str) -> np.ndarray[Any, Any]:
        """The value of the Const that the pattern calls `name`, read-only.

        Raises GraphError if it has none, or if it may be fed with another one, TensorError if that is damaged.
        """
        from ...tensors import to_ndarray

        if self[name].name in self._around.fed:
            raise GraphError(f"{describe(self[name])} is declared as an input: it may be fed")
        return to_ndarray(const_tensor(self[name]))

    def constant(self, name: str, values: Any, dtype: DataType) -> NodeDef:
        """A new Const, as `const_node` makes it, in the frame that the match runs in.

        Its name is `name`, or one that starts so if that is taken. In a loop it waits for something that the match
        waits for, too: a constant without inputs would be outside.
        """
        return const_node(self.fresh_name(name), values, dtype, control_inputs=self._anchor())

    def _anchor(self) -> list[str]:
        index = self._around.index
        frame = index.frame(self.head.name)
        if frame is None:
            return []
        for position in self._bindings.claimed:
            node = self._node(position)
            for text, source in zip(node.input, index.sources[position], strict=True):
                if source < 0 or source in self._claimed:
                    continue
                if outside(index.node_frames[source], index.control_flow.get(source, "")) is frame:
                    return [control_input(TensorName.parse(text).node)]
        raise GraphError(f"{describe(self.head)}: nothing that it waits for is in its loop")
