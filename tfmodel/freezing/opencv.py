"""The pair of files from which OpenCV reads a network: `cv2.dnn.readNet("net.pb", "net.pbtxt")`.

OpenCV takes the values of constants from the binary file, and everything else from the text. It adds the constants of
both files, so that a text with constants is refused.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import ModelError
from ..graph.edit import replace_node
from ..graph.error_text import quote
from ..messages import GraphDef, NodeDef
from ..ops.traits import CONSTS, VARIABLES
from ..values.names import is_control_input, strip_control_mark

_SHOWN = 3


def without_constants(graph: GraphDef) -> GraphDef:
    """Return a graph for the text of the pair: all nodes except constants, without attributes for the runtime.

    Raises ModelError for a graph with variables, or without constants.
    """
    variables = [node.name for node in graph.node if node.op in VARIABLES]
    if variables:
        names = ", ".join(map(quote, variables[:_SHOWN]))
        raise ModelError(f"OpenCV takes frozen graphs, and this one has variables ({names}): optimize it first")
    constants = {node.name for node in graph.node if node.op in CONSTS}
    text = GraphDef(versions=graph.versions, library=graph.library)
    text.node = [*_nodes(graph.node, constants)]
    return text


def _nodes(nodes: Iterable[NodeDef], constants: set[str]) -> Iterable[NodeDef]:
    for node in nodes:
        if node.name not in constants:
            attr = {name: value for name, value in node.attr.items() if not name.startswith("_")}
            kept = [
                text for text in node.input if not is_control_input(text) or strip_control_mark(text) not in constants
            ]
            yield replace_node(node, attr=attr, input=kept)
