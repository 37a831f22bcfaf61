"""Where nodes run: `set_device` and `remove_device`. Colocation (`_class`) stays as it is."""

from __future__ import annotations

from ..graph import replace_node
from ..messages import GraphDef, NodeDef
from .framework.node_edits import map_nodes
from .framework.registry import graph_transform
from .framework.report import StepReport

__all__ = ["remove_device", "set_device"]


@graph_transform
def set_device(graph: GraphDef, *, report: StepReport, device: str = "", if_default: bool = False) -> GraphDef:
    """Give all nodes a device, or with `if_default` those that have none.

    With `if_default` alone, nothing changes. Unlike the original, nodes in functions get it too.

    Example: set_device(device="/device:GPU:0", if_default=true)

        x = Placeholder[dtype=float] @ /device:CPU:0
        y = Relu(x)[T=float]

    becomes

        x = Placeholder[dtype=float] @ /device:CPU:0
        y = Relu(x)[T=float] @ /device:GPU:0
    """
    if if_default and not device:
        report.notes.append("no node changes: there is no device to give to those that have none")

    def place(node: NodeDef) -> NodeDef:
        stays = node.device == device or (if_default and node.device)
        return node if stays else replace_node(node, device=device)

    return map_nodes(graph, place, report)


@graph_transform
def remove_device(graph: GraphDef, *, report: StepReport) -> GraphDef:
    """Let all nodes run wherever they can.

    Unlike the original, nodes in functions too.

    Example: remove_device

        x = Placeholder[dtype=float]
        y = Relu(x)[T=float] @ /device:GPU:0

    becomes

        x = Placeholder[dtype=float]
        y = Relu(x)[T=float]
    """
    return map_nodes(graph, lambda node: replace_node(node, device="") if node.device else node, report)
