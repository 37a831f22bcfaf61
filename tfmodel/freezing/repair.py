"""Repair graphs that were frozen by programs that replaced variables by values and left nodes that need variables.

TensorFlow 1.13 to 1.15 and many scripts freeze a graph by replacing each variable by a constant. They convert the nodes
that read a variable directly, and leave others that TensorFlow then refuses to load:

    Switch(Const)[T=resource]            a conditional that passes the handle on
    ReadVariableOp(Const)                a read behind such a Switch, or in a function
    PartitionedCall(Const)[Tin=resource] a function that takes the handle
    Assign(Const, x), AssignSub(...)     updates of moving averages and counters
    RefSwitch(Const, p)                  a conditional that passes a reference on

In such a graph, an input expects a handle or a reference, and is connected to a value. From each of these values, the
nodes are converted as if it were a variable that is frozen: see `variable_conversion`. So the Assign of a constant
gives the value that it assigns, a read behind it too, and an update whose result no node reads becomes a NoOp.

If no path leads from an assignment to a read, nor back, the graph does not say which of them runs first, and neither
did the model that was frozen. The read takes the value before the assignment, and a note says so.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice

from ..analysis.variables.handle_tracing import Source
from ..errors import GraphError
from ..graph import input_tensors, with_functions, with_nodes
from ..graph.error_text import quote
from ..graph.function_body import FunctionBodies
from ..graph.view import GraphView
from ..messages import DataType, GraphDef, OpDef
from ..ops.ports import REFERENCE_OFFSET
from ..source.model_source import ModelSource
from ..values.names import TensorName
from .variable_conversion import FunctionConverter, convert

_MAX_NAMES_SHOWN = 3


@dataclass(slots=True)
class Repair:
    """The repair of a graph.

    nodes       the names of the nodes that were changed; those of a function have its name in front
    unordered   sentences about values that one node reads and another one changes, in no defined order
    """

    nodes: list[str] = field(default_factory=list)
    unordered: list[str] = field(default_factory=list)

    def describe(self) -> str:
        """Return a note about the repair; "" if nothing was changed."""
        if not self.nodes:
            return ""
        names = _list_some(map(quote, self.nodes), len(self.nodes))
        what = "1 node that needs" if len(self.nodes) == 1 else f"{len(self.nodes):,} nodes that need"
        note = f"repaired: {what} variables, in a graph that was frozen without them ({names})"
        return "; ".join([note, *filter(None, [_list_some(self.unordered, len(self.unordered))])])


def _list_some(texts: Iterable[str], count: int) -> str:
    return ", ".join(islice(texts, _MAX_NAMES_SHOWN)) + ", ..." * (count > _MAX_NAMES_SHOWN)


def repair(body: GraphView, functions: FunctionBodies, outputs: Collection[TensorName] = ()) -> Repair:
    """Make the nodes that need variables, and get values, take these values; in place, and in their functions too.

    `outputs` are the tensors whose values count; without any, those that no node takes. Raises FreezeError for a node
    that cannot take a value.
    """
    repaired = Repair()
    for name in sorted(functions.reachable(body.nodes.values())):
        try:
            function = functions.body(name)
            inside, returns = GraphView(function), function.returns
        except GraphError:
            continue  # a fault of another kind
        arguments = function.message.signature.input_arg if function.message.signature is not None else ()
        part = _repair(inside, functions, returns, {argument.name: argument.type for argument in arguments})
        if part.nodes:
            functions.add(function.rebuild(inside.nodes.values()))
            repaired.nodes += [f"{name}/{node}" for node in part.nodes]
            repaired.unordered += [f"{sentence} in the function {quote(name)}" for sentence in part.unordered]
    part = _repair(body, functions, outputs or _ends(body), {})
    return Repair(repaired.nodes + part.nodes, repaired.unordered + part.unordered)


def _repair(
    body: GraphView,
    functions: FunctionBodies,
    outputs: Iterable[TensorName],
    arguments: Mapping[str, DataType],
) -> Repair:
    sources, misfits = _misfits(body, functions, arguments)
    unordered: dict[str, tuple[str, str]] = {}
    if sources:
        before = dict(body.nodes)
        convert_call = FunctionConverter(functions).convert_call
        convert(body, functions, sources, outputs=outputs, convert_call=convert_call, unordered=unordered)
        misfits |= {name: None for name, node in before.items() if body.nodes.get(name) is not node}
    sentences = [
        f"{quote(reader)} reads {quote(value)} and {quote(writer)} changes it in no defined order: the value "
        "before the change was taken"
        for value, (reader, writer) in unordered.items()
    ]
    return Repair([*misfits], sentences)


def _misfits(
    body: GraphView, functions: FunctionBodies, arguments: Mapping[str, DataType]
) -> tuple[dict[str, Source], dict[str, None]]:
    """Return the values that nodes take as variables, and the names of these nodes."""
    sources: dict[str, Source] = {}
    nodes: dict[str, None] = {}
    for node in body.nodes.values():
        for place, tensor in enumerate(input_tensors(node)):
            try:
                expected = functions.input_type(node, place)
                if expected is not DataType.DT_RESOURCE and (expected or 0) <= REFERENCE_OFFSET:
                    continue
                producer = body.nodes.get(tensor.node)
                actual = functions.output_type(producer, tensor.port) if producer else arguments.get(tensor.node)
            except GraphError:  # of an attribute
                continue
            if actual and _is_value(actual) and expected in (DataType.DT_RESOURCE, actual + REFERENCE_OFFSET):
                sources[str(tensor)] = Source(actual, is_value=True)
                nodes[node.name] = None
    return sources, nodes


def _is_value(dtype: DataType) -> bool:
    return dtype <= REFERENCE_OFFSET and dtype not in (DataType.DT_RESOURCE, DataType.DT_VARIANT)


def _ends(body: GraphView) -> list[TensorName]:
    """Return the first outputs of the nodes whose outputs no node takes."""
    taken = {tensor.node for tensor in body.consumers()}
    return [TensorName(name) for name in body.nodes if name not in taken]


def repaired_graph(
    graph: GraphDef, ops: Mapping[str, OpDef], outputs: Collection[TensorName] = (), needed: Iterable[str] | None = None
) -> tuple[GraphDef, Repair]:
    """Return a graph with its nodes and functions repaired, as `repair` does, and what was done.

    With `needed`, only these nodes are repaired, and those that they need.
    """
    body = GraphView(graph)
    if needed is not None:
        body.prune(name for name in needed if name in body.nodes)
    functions = FunctionBodies(graph.library, ops)
    before = functions.reachable(graph.node)
    repaired = repair(body, functions, outputs)
    if not repaired.nodes:
        return graph, repaired
    nodes = {**{node.name: node for node in graph.node}, **body.nodes}
    result = with_nodes(graph, nodes.values())
    if graph.library is not None:
        unused = before - functions.reachable(result.node)
        result = with_functions(result, [function for name, function in functions.items() if name not in unused])
    return result, repaired


def repair_source(source: ModelSource, tensors: Iterable[str]) -> tuple[ModelSource, str]:
    """Return a model in which what `tensors` need is repaired, and a note about it; "" if nothing is to be repaired."""
    outputs = [TensorName.parse(name) for name in tensors]
    graph, repaired = repaired_graph(source.graph, source.ops, outputs, [tensor.node for tensor in outputs])
    return (source.with_graph(graph), repaired.describe()) if repaired.nodes else (source, "")
