"""The number of dimensions of inputs that do not declare it: the only one with which the shapes of the graph fit.

Old graphs write no shape for a Placeholder, or an empty one that means an unknown shape, and ONNX wants inputs with a
number of dimensions. Most graphs leave one choice: MatMul takes matrices, a permutation has an entry for each axis.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...analysis.shapes import infer_shapes
from ...graph import GraphIndex, with_nodes
from ...graph.edit import replace_node
from ...messages import AttrValue, GraphDef
from ...values.names import TensorName
from ...values.shape import shape_to_proto

_MAX_RANK = 6


def with_input_ranks(graph: GraphDef, inputs: Iterable[str]) -> GraphDef:
    """Return the graph with shapes of unknown sizes for those inputs that can have one number of dimensions only."""
    index = GraphIndex(graph)
    shapes = infer_shapes(index)
    problems = len(shapes.problems)
    new = {}
    for name in inputs:
        if shapes.get(name) is not None:
            continue
        tried = ((None,) * rank for rank in range(_MAX_RANK + 1))
        fitting = [
            shape for shape in tried if len(infer_shapes(index, {name: shape}, like=shapes).problems) <= problems
        ]
        if len(fitting) == 1:
            node = index[TensorName.parse(name).node]
            attributes = {**node.attr, "shape": AttrValue(shape=shape_to_proto(fitting[0]))}
            attributes.pop("_output_shapes", None)
            new[node.name] = replace_node(node, attr=attributes)
    return with_nodes(graph, [new.get(node.name, node) for node in graph.node]) if new else graph
