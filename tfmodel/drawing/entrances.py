"""The entrances of a model: what each signature computes, and the parts of a graph without signatures.

    for entrance in entrances(source):
        entrance.name, entrance.graph, entrance.inputs, entrance.outputs

An entrance is a graph of its own. It begins at its inputs, whatever computes these in the model, and ends with a node
for each output; both are labelled as the author of the model named them:

    serving_default_x = Placeholder                           x = Placeholder
    y = StatefulPartitionedCall(serving_default_x, w, f=f)    Mul = Mul(x, w)
    f(a, b) -> (c): Mul = Mul(a, b), c = Identity(Mul)        c = Identity(Mul), output_0 = Identity(c)

The calls of functions are replaced by the nodes of the functions, which are in the scope of the call: loops and
conditionals stay calls. Nodes that have an effect, such as updates of variables, are there even if no output needs
them. Nodes that only order others are left out, so that no order of reads hides what is computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from ..analysis.choice import choose_if_readable
from ..analysis.endpoints.auxiliary_nodes import GRADIENTS, TRAINING
from ..analysis.facts import Facts
from ..errors import GraphError
from ..files.decoding import tags_of
from ..graph.edit import replace_node
from ..graph.function_body import FunctionBodies
from ..graph.inlined_calls import EffectfulFunction
from ..messages import AttrValue, DataType, GraphDef, NodeDef
from ..ops import output_types
from ..ops.traits import CALLS, PLACEHOLDERS
from ..source.model_source import ModelSource
from ..source.signature_defs import NamedTensor, list_signatures
from ..values.names import TakenNames, TensorName, is_control_input, node_name
from ..values.shape import shape_to_proto
from .opened_calls import CallOpener, among, ancestors, computing

Kind: TypeAlias = Literal["signature", "callable", "inference", "training"]

MAX_NODES = 50_000
"""The maximum number of nodes of all entrances of a page. Further entrances are left out."""

MAX_ENTRANCES = 100


LESS = 0.95
"""The largest share of the nodes that a part has: the picture of more would be that of the whole graph."""


class Place(NamedTuple):
    """A node of the model: the name of its function, "" for the graph, and its own."""

    function: str
    node: str


@dataclass(frozen=True, slots=True)
class Entrance:
    """A graph to show.

    kind        "signature"; "callable" for a function of a model without signatures; "inference" for what computes the
                likely outputs of a graph without both; or "training" for what updates the variables
    name        the name of the signature or function
    tags        the tags of the MetaGraph, unless it is the one that the model was opened with
    graph       the nodes, with the library of the model
    inputs      the names of the nodes of `graph` that are fed; `outputs` are those of the results
    labels      the names of the author for inputs and outputs, by node
    origins     where the nodes come from in the model that was opened; nodes of other MetaGraphs have none
    """

    kind: Kind
    name: str
    tags: str
    graph: GraphDef
    inputs: Sequence[str]
    outputs: Sequence[str]
    labels: Mapping[str, str]
    origins: Mapping[str, Place]


def entrances(source: ModelSource) -> list[Entrance]:
    """Return the entrances of a model, the main one first. What is damaged, or larger than MAX_NODES, is left out."""
    found: list[Entrance] = []
    left = MAX_NODES
    for entrance in _all_entrances(source):
        left -= len(entrance.graph.node)
        if left < 0 or len(found) == MAX_ENTRANCES:
            break
        found.append(entrance)
    return found


def _all_entrances(source: ModelSource) -> Iterator[Entrance]:
    yield from _of_meta_graph(source, "")
    for other in source.other_meta_graphs():
        tags = ",".join(tags_of(other.meta)) if other.meta is not None else ""
        yield from _of_meta_graph(other.keeping_facts(), tags or "(no tags)")


def _of_meta_graph(source: ModelSource, tags: str) -> Iterator[Entrance]:
    called = source.with_functions()
    called = called if called is source else called.keeping_facts()
    signatures = list_signatures(called.meta) if called.meta is not None else []
    kind: Kind = "callable" if called.calls_functions else "signature"
    part = _Part(called, source, is_own=not tags)
    has_any = False
    for signature in signatures:
        if (entrance := part.between(kind, signature.name, tags, signature.inputs, signature.outputs)) is not None:
            has_any = True
            yield entrance
    if not has_any:
        choice = choose_if_readable(source, Facts.of(source))
        ends = [
            [NamedTensor(tensor.removesuffix(":0"), tensor, "", None) for tensor in tensors]
            for _, tensors, _ in choice.sides
        ]
        if (entrance := part.between("inference", "", tags, *ends)) is not None and part.is_less(entrance):
            yield entrance
    if (entrance := part.training(tags)) is not None:
        yield entrance


class _Part:
    """Makes the entrances of a MetaGraph, or of a graph.

    source     with its signatures; nodes that it has more than `original` have no origin
    is_own     whether it is the MetaGraph that the model was opened with
    """

    def __init__(self, source: ModelSource, original: ModelSource, *, is_own: bool) -> None:
        self._source = source
        self._facts = Facts.of(source)
        self._is_own = is_own
        self._originals = len(original.graph.node)
        self._bodies = FunctionBodies(source.graph.library, source.ops)
        self._functions: dict[str, EffectfulFunction | None] = {}

    def is_less(self, entrance: Entrance) -> bool:
        """Return whether an entrance has other nodes than the graph: fewer, or those of functions."""
        own = sum(place.function == "" for place in entrance.origins.values())
        return own < LESS * self._originals or own < len(entrance.origins)

    def between(
        self, kind: Kind, name: str, tags: str, inputs: Sequence[NamedTensor], outputs: Sequence[NamedTensor]
    ) -> Entrance | None:
        """Return what computes outputs from inputs; None if the graph is damaged there."""
        try:
            is_same = kind == "inference" and self._is_whole(outputs)
            return self._between(kind, name, tags, inputs, outputs) if outputs and not is_same else None
        except GraphError:
            return None

    def _is_whole(self, outputs: Sequence[NamedTensor]) -> bool:
        """Return whether outputs need nearly all nodes, and no functions: an entrance would look like the graph."""
        index = self._facts.index
        if any(node.op in CALLS or node.op in index.functions for node in index.nodes):
            return False
        ends = [index.position(TensorName.parse(tensor.tensor).node) for tensor in outputs]
        return len(ancestors(index.sources, ends)) >= LESS * self._originals

    def _between(
        self, kind: Kind, name: str, tags: str, inputs: Sequence[NamedTensor], outputs: Sequence[NamedTensor]
    ) -> Entrance:
        index = self._facts.index
        taken = index.taken_names()
        build = _Building(self._facts, taken)
        for tensor in inputs:
            build.add_input(tensor)
        results = [TensorName.parse(tensor.tensor) for tensor in outputs]
        for result in results:
            index.position(result.node)  # raises
        nodes = [*build.placeholders.values(), *build.nodes_for(results)]
        opener = CallOpener(nodes, self._bodies, self._source.ops, self._functions)
        opened = opener.opened()
        tensors = [opener.resolve(build.fed.get(result.numbered, str(result))) for result in results]
        fed = [*build.labels]
        kept = computing(opened, {*fed}, map(node_name, tensors), opener.effects, self._source.ops)
        ends = [build.result(tensor, text) for tensor, text in zip(outputs, tensors, strict=True)]
        graph = GraphDef(node=[*kept, *ends], versions=self._source.graph.versions)
        graph.library = self._source.graph.library
        origins = self._origins(kept, opener, build) if self._is_own else {}
        return Entrance(kind, name, tags, graph, fed, [node.name for node in ends], build.labels, origins)

    def _origins(self, nodes: Iterable[NodeDef], opener: CallOpener, build: _Building) -> dict[str, Place]:
        inside = {
            new: Place(call.function.name, old) for call in opener.calls.values() for old, new in call.names.items()
        }
        positions = self._facts.index.positions
        origins = {}
        for node in nodes:
            name = build.fed_nodes.get(node.name, node.name)
            if node.name in inside:
                origins[node.name] = inside[node.name]
            elif positions.get(name, self._originals) < self._originals:
                origins[node.name] = Place("", name)
        return origins

    def training(self, tags: str) -> Entrance | None:
        """Return the nodes of a graph that update its variables, with all that they need; None without such nodes."""
        index, marks = self._facts.index, self._facts.marks
        if not any(mark == GRADIENTS for mark in marks):
            return None
        starts = [position for position, mark in enumerate(marks) if mark in (TRAINING, GRADIENTS)]
        reached = ancestors(index.sources, starts)
        nodes = [among(index.nodes[position], reached, index, position) for position in sorted(reached)]
        graph = GraphDef(node=nodes, versions=self._source.graph.versions, library=self._source.graph.library)
        inputs = [node.name for node in nodes if node.op in PLACEHOLDERS]
        origins = {node.name: Place("", node.name) for node in nodes} if self._is_own else {}
        return Entrance("training", "", tags, graph, inputs, [], {}, origins)


class _Building:
    """The inputs and results of an entrance.

    fed            the references to the nodes of inputs, by the tensors of the model that are fed
    fed_nodes      the nodes of the model that these tensors are of, by the nodes of inputs
    placeholders   the nodes of inputs, by name
    """

    def __init__(self, facts: Facts, taken: TakenNames) -> None:
        self._facts, self._taken = facts, taken
        self.fed: dict[str, str] = {}
        self.fed_nodes: dict[str, str] = {}
        self.placeholders: dict[str, NodeDef] = {}
        self.labels: dict[str, str] = {}

    def add_input(self, given: NamedTensor) -> None:
        """Add the node of an input. Raises GraphError for an unknown tensor."""
        tensor = TensorName.parse(given.tensor)
        node = self._facts.index[tensor.node]
        name = self._taken.fresh(f"{tensor.node.rpartition('/')[2]}_input")
        if node.op in PLACEHOLDERS:
            placeholder = replace_node(node, name=name, input=[])
        else:
            shape = self._facts.shapes.get(tensor)
            attrs = {} if (dtype := self._dtype(tensor)) is None else {"dtype": AttrValue(type=dtype)}
            attrs |= {} if shape is None else {"shape": AttrValue(shape=shape_to_proto(shape))}
            placeholder = NodeDef(name=name, op="Placeholder", device=node.device, attr=attrs)
        self.fed.setdefault(tensor.numbered, name)
        self.fed_nodes[name] = tensor.node
        self.placeholders[name] = placeholder
        self.labels[name] = given.name

    def _dtype(self, tensor: TensorName) -> DataType | None:
        node = self._facts.index[tensor.node]
        op = self._facts.ops.get(node.op)
        try:
            return output_types(node, op)[max(tensor.port, 0)] if op is not None else None
        except (GraphError, IndexError):
            return None

    def nodes_for(self, results: Iterable[TensorName]) -> list[NodeDef]:
        """Return the nodes that compute tensors from the inputs, in the order of the graph, reading the inputs."""
        index = self._facts.index
        fed_positions = {index.positions[node] for node in self.fed_nodes.values()}
        pending = [index.positions[result.node] for result in results if result.numbered not in self.fed]
        nodes: dict[int, NodeDef] = {}
        while pending:
            position = pending.pop()
            if position in nodes:
                continue
            node, sources = index.nodes[position], index.sources[position]
            inputs = []
            for text, source in zip(node.input, sources, strict=True):
                if source in fed_positions:
                    if is_control_input(text):
                        continue
                    text = self.fed.get(TensorName.parse(text).numbered, text)
                    source = -1 if text in self.placeholders else source
                inputs.append(text)
                if source >= 0:
                    pending.append(source)
            nodes[position] = node if inputs == node.input else replace_node(node, input=inputs)
        return [nodes[position] for position in sorted(nodes)]

    def result(self, named: NamedTensor, text: str) -> NodeDef:
        """Return the node of a result."""
        name = self._taken.fresh(f"{node_name(text).rpartition('/')[2]}_output")
        self.labels[name] = named.name
        dtype = self._dtype(TensorName.parse(named.tensor))
        attrs = {} if dtype is None else {"T": AttrValue(type=dtype)}
        return NodeDef(name=name, op="Identity", input=[text], attr=attrs)
