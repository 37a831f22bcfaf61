"""Parts of the training that remain in a deployed graph: random numbers, statistics of the batch, labels to feed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..graph import Functions
from ..graph.error_text import list_names
from ..graph.view import GraphView
from ..messages import GraphDef
from ..ops.traits import PLACEHOLDERS_WITHOUT_DEFAULT, RANDOM
from ..values.names import node_name
from ..values.terminal import count_of
from .batch_statistics import batch_norms


def random_note(graph: GraphDef, outputs: Iterable[str]) -> str:
    """Return a line about the nodes that make random numbers for `outputs`; "" without any."""
    view, functions = GraphView(graph, checked=False), Functions(graph.library)
    needed = view.with_ancestors(map(node_name, outputs))
    nodes = [node for name, node in view.nodes.items() if name in needed]
    bodies = [functions[name].node_def for name in sorted(functions.reachable(nodes))] if functions else []
    names = [node.name for body in (nodes, *bodies) for node in body if node.op in RANDOM]
    if not names:
        return ""
    return f"the outputs need random numbers, of {list_names(names)}: results differ from run to run"


def batch_note(graph: GraphDef, outputs: Iterable[str]) -> str:
    """Return a line about batch norms that `outputs` need and that use the statistics of the batch; "" without any."""
    view = GraphView(graph, checked=False)
    found = [norm.node for norm in batch_norms(view)]
    needed = view.with_ancestors(map(node_name, outputs)) if found else ()
    return describe_batch_norms([name for name in found if name in needed])


def describe_batch_norms(names: Sequence[str]) -> str:
    """Return a line about batch norms that use the statistics of the batch; "" without names."""
    if not names:
        return ""
    what, verb = count_of(len(names), "batch norm"), "computes" if len(names) == 1 else "compute"
    return (
        f"{what}, {list_names(names, 3)}, {verb} with the statistics of the batch: "
        "the results of one example depend on the others"
    )


def unfed_note(graph: GraphDef, inputs: Iterable[str], outputs: Iterable[str]) -> str:
    """Return a line about placeholders that `outputs` need and that are not among `inputs`; "" without any."""
    fed, view = {*map(node_name, inputs)}, GraphView(graph, checked=False)
    needed = view.with_ancestors(map(node_name, outputs), stop=fed) - fed
    names = [name for name, node in view.nodes.items() if name in needed and node.op in PLACEHOLDERS_WITHOUT_DEFAULT]
    if not names:
        return ""
    what, them = count_of(len(names), "input"), "it" if len(names) == 1 else "them"
    return f"the outputs need {what} more, {list_names(names)}, such as a label: feed {them}, or name other outputs"
