"""Whether TensorFlow would load a graph: its structure, ops, attributes, constants and shapes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from itertools import chain
from math import prod

from pbwire.errors import DecodeError

from ...analysis.facts import Facts
from ...analysis.shapes import IN_CYCLE, Shapes
from ...errors import GraphError, TensorError
from ...graph import GraphIndex, colocation_faults, describe
from ...graph.attributes import const_tensor
from ...graph.error_text import Guesses, quote, with_node
from ...messages import GraphDef, NodeDef, OpDef
from ...ops import OPS
from ...ops.declared_attributes import attribute_problems, colocation_problem, ignored_attributes
from ...ops.definitions import listed_ops
from ...ops.ports import input_types
from ...ops.traits import CONSTS
from ...source.model_source import ModelSource
from ...values.names import data_inputs
from ...values.tensor_header import content_problem, has_values, read_header
from .kinds import Level
from .report import Finding


def graph_faults(facts: Facts) -> Iterator[Finding]:
    """Yield the faults of names, references, types, loops and functions: see `tfmodel.graph.validate`."""
    for fault in chain(facts.faults, colocation_faults(facts.index)):
        yield Finding("broken", fault.kind, fault.message, fault.node, fault.function)


def version_faults(graph: GraphDef) -> Iterator[Finding]:
    """Yield the faults of the versions of a graph: no version of TensorFlow accepts such a graph."""
    versions = graph.versions
    if versions is None:
        return
    if versions.min_consumer > versions.producer:
        problem = f"which is later than the version {versions.producer:,} that wrote it"
        yield Finding("broken", "version", f"the graph needs version {versions.min_consumer:,}, {problem}")
    if versions.producer in versions.bad_consumers:
        yield Finding("broken", "version", f"the graph excludes the version that wrote it, {versions.producer:,}")


def declaration_faults(
    source: ModelSource, bodies: Mapping[str, GraphIndex], ops: Mapping[str, OpDef]
) -> Iterator[Finding]:
    """Yield the faults of nodes that contradict the declarations of their ops. `bodies` has the graph as "".

    `ops` are the ops of TensorFlow, of the caller and the functions: a model cannot vouch for other ops.
    """
    versions = source.graph.versions
    producer = versions.producer if versions is not None else 0
    guess = Guesses()
    own = _own_attributes(source)
    others: dict[str, int] = {}
    for function, body in bodies.items():
        if function in OPS:
            yield Finding("broken", "function", "this is the name of an op of TensorFlow", "", function)
        for node in body.nodes:
            op = ops.get(node.op)
            if op is None:
                problem = f"its op is unknown to TensorFlow 2.12: a library must define it{guess(node.op, ops)}"
                yield Finding("broken", "op", f"{describe(node)}: {problem}", node.name, function)
                continue
            if node.op not in OPS and node.op not in bodies:
                others[node.op] = others.get(node.op, 0) + 1
            for kind, problem in _node_problems(node, op, producer, bool(function), own.get(node.op, ())):
                level: Level = "note" if kind == "ignored" else "broken"
                kind = "attribute" if kind == "ignored" else kind
                yield Finding(level, kind, f"{describe(node)}: {problem}", node.name, function)
    for name, count in others.items():
        nodes = f"{count:,} {'node' if count == 1 else 'nodes'}"
        yield Finding("note", "op", f"{nodes} of the op {quote(name)}: it is not of TensorFlow, and was not checked")


def _node_problems(
    node: NodeDef, op: OpDef, producer: int, in_function: bool, own: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Yield the kind of each fault of a node, and a sentence. TensorFlow accepts those of the kind "ignored"."""
    if op.deprecation is not None and 0 < op.deprecation.version <= producer:
        removed, written = op.deprecation.version, f"and the graph has version {producer:,}"
        yield "op", f"its op was removed in version {removed:,} of graphs, {written}"
    try:
        for problem in attribute_problems(node, op, in_function=in_function):
            yield "attribute", problem
        if problem := colocation_problem(node):
            yield "attribute", problem
        for problem in ignored_attributes(node, op, extra=own):
            yield "ignored", problem
    except DecodeError as error:
        yield "attribute", str(error)
        return
    with suppress(GraphError):  # an attribute with a fault of its own
        expected, actual = len(input_types(node, op)), len(data_inputs(node))
        if expected != actual:
            yield "inputs", f"it has {actual:,} {'input' if actual == 1 else 'inputs'}, and its op has {expected:,}"
    if node.op in CONSTS and "value" in node.attr:
        try:
            if problem := content_problem(const_tensor(node)):
                yield "constant", problem
        except (GraphError, TensorError, DecodeError) as error:
            yield "constant", str(error)


def constants_without_values(bodies: Mapping[str, GraphIndex]) -> Iterator[Finding]:
    """Yield a note if no constant of the graph has values, apart from scalars.

    A constant without values is one of zeros, so such a graph is valid; but a graph of zeros only is the topology of a
    model whose weights are in other files.
    """
    count = 0
    for body in bodies.values():
        for node in body.nodes:
            if node.op not in CONSTS:
                continue
            try:
                tensor = const_tensor(node)
                if prod(read_header(tensor).shape) < 2:
                    continue
                if has_values(tensor):
                    return
            except (GraphError, TensorError, DecodeError):  # reported with the node
                return
            count += 1
    if count > 1:
        problem = f"none of its {count:,} constants has values, so they are zeros, shapes and axes too"
        advice = "in a TensorFlow.js model they are in other files: give the folder with its model.json"
        yield Finding("note", "constant", f"{problem}; {advice}")


def _own_attributes(source: ModelSource) -> Mapping[str, Collection[str]]:
    """Return the attributes that the model itself declares for TensorFlow's ops, by op: a later version has them."""
    return {op.name: [row.name for row in op.attr] for op in listed_ops(source.meta) if op.name in OPS}


def shape_faults(shapes: Shapes) -> Iterator[Finding]:
    """Yield the contradictions that shape inference finds: such a node always fails."""
    seen = set()
    for node, problem in shapes.problems:
        if problem != IN_CYCLE and id(node) not in seen:
            seen.add(id(node))
            yield Finding("broken", "shape", with_node(node, problem), node.name)
