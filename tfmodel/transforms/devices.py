"""Set or remove the devices of nodes: `set_device` and `remove_device`. Colocation (`_class`) stays as it is."""

from __future__ import annotations

from ..graph import replace_node
from ..messages import GraphDef, NodeDef
from .framework.node_edits import map_nodes
from .framework.registry import graph_transform
from .framework.report import StepReport

__all__ = ["remove_device", "set_device"]


@graph_transform
def set_device(graph: GraphDef, *, report: StepReport, device: str = "", if_default: bool = False) -> GraphDef:
    """Set the device of all nodes, or with `if_default` of those without a device.

    With `if_default` and no `device`, nothing changes. Unlike in the original, nodes in functions are changed too.

    Example: set_device(device="/device:GPU:0", if_default=true)

        x = Placeholder[dtype=float] @ /device:CPU:0
        y = Relu(x)[T=float]

    becomes

        x = Placeholder[dtype=float] @ /device:CPU:0
        y = Relu(x)[T=float] @ /device:GPU:0
    """
    if if_default and not device:
        report.notes.append("no node changes: if_default needs a device")

    def place(node: NodeDef) -> NodeDef:
        is_unchanged = node.device == device or (if_default and node.device)
        return node if is_unchanged else replace_node(node, device=device)

    return map_nodes(graph, place, report)


@graph_transform
def remove_device(graph: GraphDef, *, report: StepReport) -> GraphDef:
    """Remove the devices of all nodes, so that they can run anywhere.

    Unlike in the original, nodes in functions are changed too.

    Example: remove_device

        x = Placeholder[dtype=float]
        y = Relu(x)[T=float] @ /device:GPU:0

    becomes

        x = Placeholder[dtype=float]
        y = Relu(x)[T=float]
    """
    return map_nodes(graph, lambda node: replace_node(node, device="") if node.device else node, report)
