"""A transform of one's own, in a list with others: replace Relu6 by Relu.

python examples/custom_transform.py tests/data/convnet.pb /tmp/changed.pb
"""

import sys

import tfmodel
from tfmodel.graph import replace_node, with_nodes
from tfmodel.messages import GraphDef


@tfmodel.graph_transform
def unlimited_relu(graph: GraphDef, *, to: str = "Relu") -> GraphDef:
    """Replace Relu6 by another activation. Nodes are shared with the graph that comes in, so changed ones are new."""
    return with_nodes(graph, [replace_node(node, op=to) if node.op == "Relu6" else node for node in graph.node])


def main(path: str, out: str) -> None:
    model = tfmodel.Model(path).transform("unlimited_relu(to=Relu) strip_unused_nodes")
    assert model.report is not None  # a model after a step has one
    print(model.report.to_text(verbose=False))
    model.save(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
