"""Inputs that are fed codes.

x = Placeholder[dtype=float]   ->   x = Placeholder[dtype=quint8]
                                    x_eightbit/dequantize = Dequantize(x, x_eightbit/min, x_eightbit/max)
"""

from __future__ import annotations

from collections.abc import Collection

from ...graph import attr, changed, with_nodes
from ...graph.edit import TakenNames
from ...messages import AttrValue, DataType, GraphDef, NodeDef
from ..framework.constants import const_node
from ..framework.renaming import rename_inputs
from ..framework.report import StepReport
from .nodes import dequantize

__all__ = ["quantize_placeholders"]


def quantize_placeholders(
    graph: GraphDef, low: float, high: float, *, declared: Collection[str], report: StepReport
) -> GraphDef:
    """Let all float Placeholders take codes of that range, but for those that are `declared` as outputs."""
    taken = TakenNames(node.name for node in graph.node)
    nodes: list[NodeDef] = []
    renames: dict[str, str] = {}
    for node in graph.node:
        if node.op != "Placeholder" or attr(node, "dtype", DataType) != DataType.DT_FLOAT:
            nodes.append(node)
            continue
        if node.name in declared:
            report.refuse(node.name, "it is declared as an output, which is not to become codes")
            nodes.append(node)
            continue
        names = [taken.fresh(f"{node.name}_eightbit/{part}") for part in ("min", "max", "dequantize")]
        nodes += [
            changed(node, attr={**node.attr, "dtype": AttrValue(type=DataType.DT_QUINT8)}),
            const_node(names[0], low, DataType.DT_FLOAT),
            const_node(names[1], high, DataType.DT_FLOAT),
            dequantize(names[2], [node.name, *names[:2]]),
        ]
        renames[node.name] = names[2]
        report.fire()
    return with_nodes(graph, rename_inputs(nodes, renames, ignore=set(renames.values()))) if renames else graph
