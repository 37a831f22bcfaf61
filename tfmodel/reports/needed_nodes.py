"""The nodes that a run of a model needs: its outputs and its initialization depend on them, also in functions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ..analysis.choice import choose_if_readable
from ..analysis.facts import Facts
from ..graph import Functions, GraphIndex
from ..messages import FunctionDef, GraphDef, NodeDef
from ..source.loading import init_ops
from ..source.model_source import ModelSource
from ..values.names import TensorName, node_name


def nodes_needed(graph: GraphDef, needed: Iterable[bool | int]) -> Iterator[tuple[str, NodeDef]]:
    """Yield the nodes marked as `needed`, and the needed nodes of the functions that they call, directly or not.

    Each node comes with the name of its function, "" for the graph.
    """
    functions = Functions(graph.library)
    called: dict[str, None] = {}
    for node, flag in zip(graph.node, needed, strict=True):
        if flag:
            called.update(dict.fromkeys(functions.called_by(node)))
            yield "", node
    queue = list(called)
    for name in queue:
        function = functions.get(name)
        for node in _nodes_that_results_need(function) if function is not None else ():
            new = [callee for callee in functions.called_by(node) if callee not in called]
            called.update(dict.fromkeys(new))
            queue += dict.fromkeys(new)
            yield name, node


def _nodes_that_results_need(function: FunctionDef) -> list[NodeDef]:
    """Return the nodes on which the results and control outputs of a function depend."""
    nodes: Mapping[str, NodeDef] = {node.name: node for node in function.node_def}
    needed_nodes: dict[str, NodeDef] = {}
    queue = [TensorName.parse(text).node for text in (*function.ret.values(), *function.control_ret.values())]
    while queue:
        name = queue.pop()
        if name in nodes and name not in needed_nodes:
            needed_nodes[name] = nodes[name]
            queue += [TensorName.parse(text).node for text in nodes[name].input]
    return list(needed_nodes.values())


def nodes_to_run(source: ModelSource, index: GraphIndex, outputs: Iterable[str], inputs: Iterable[str]) -> bytearray:
    """Return for each node whether the outputs or the initialization need it if the inputs are fed.

    Without outputs, all nodes are needed.
    """
    results, feeds = [*map(node_name, outputs)], {*map(node_name, inputs)}
    if not results:
        return bytearray(b"\1" * len(index))
    reached = bytearray(len(index))
    stack = [index.positions[name] for name in (*results, *init_ops(source.meta)) if name in index.positions]
    while stack:
        position = stack.pop()
        if not reached[position] and index.nodes[position].name not in feeds:
            reached[position] = True
            stack += [source for source in index.sources[position] if source >= 0]
    return reached


def needed_for_outputs(source: ModelSource) -> bytearray:
    """Return for each node whether the outputs of a model need it: those of its signature, or the likely ones."""
    facts = Facts.of(source)
    choice = choose_if_readable(source, facts)
    return nodes_to_run(source, facts.index, choice.outputs, choice.inputs)
