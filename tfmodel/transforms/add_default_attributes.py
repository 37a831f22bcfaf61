"""Write out the attributes that nodes leave out.

    Conv2D(x, w)[T=float]   ->   Conv2D(x, w)[T=float, data_format="NHWC", dilations=[1, 1, 1, 1], ...]

Present attributes stay, whether the op declares them or not; attributes without a default are not added.

Unlike in the original, nodes in functions are changed too, and a node whose op is not known is left alone; there it is
an error.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..graph.error_text import quote
from ..messages import GraphDef, NodeDef, OpDef
from .framework.node_edits import DefaultAttributes, map_nodes
from .framework.registry import graph_transform
from .framework.report import StepReport

__all__ = ["add_default_attributes"]


@graph_transform
def add_default_attributes(graph: GraphDef, *, ops: Mapping[str, OpDef], report: StepReport) -> GraphDef:
    """Add the attributes that nodes leave out because they have the default of their op.

    Tools that read attributes, and other transforms, then need not know the defaults. Nodes in functions are changed
    too. A node whose op is not known is left alone.

    Example: add_default_attributes

        x = Placeholder[dtype=float, shape=(2, 3)]
        w = Placeholder[dtype=float, shape=(3, 4)]
        y = MatMul(x, w)[T=float, transpose_b=true]

    becomes

        x = Placeholder[dtype=float, shape=(2, 3)]
        w = Placeholder[dtype=float, shape=(3, 4)]
        y = MatMul(x, w)[T=float, transpose_a=false, transpose_b=true]
    """
    add_defaults = DefaultAttributes(ops)

    def complete(node: NodeDef) -> NodeDef:
        if node.op not in ops:
            report.refuse(node.name, f"the op {quote(node.op)} is not known")
        return add_defaults(node)

    return map_nodes(graph, complete, report)
