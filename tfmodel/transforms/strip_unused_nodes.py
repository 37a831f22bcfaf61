"""Only what the outputs need.

    image -> decode -> resize -> conv -> softmax        inputs resize, outputs softmax
                         \\                        ->
                          train                          resize (a Placeholder) -> conv -> softmax

Nodes stay that the outputs need, directly or not, by tensors or control inputs; nobody looks behind declared inputs.
All of those stay, even if nothing needs them. One that is no Placeholder becomes one, of the type and shape that are
given; one that is stays as it is. The order of the nodes stays, and the functions.

Unlike in the original, sizes may be -1 for not known; arguments are looked at even if no input needs a type or shape; a
Placeholder does not keep control inputs from nodes that go; and nodes that had to be on one device with a node that
goes stay together.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..errors import TransformError
from ..graph import UNKNOWN, GraphIndex, changed, with_nodes
from ..messages import AttrValue, DataType, GraphDef, NodeDef, TensorShapeProto
from ..names import TensorName
from .framework.keeping import with_kept_colocation
from .framework.parameters import Shape
from .framework.registry import graph_transform
from .framework.report import StepReport

__all__ = ["strip_unused_nodes"]


@graph_transform
def strip_unused_nodes(
    graph: GraphDef,
    *,
    inputs: tuple[TensorName, ...] = (),
    outputs: tuple[TensorName, ...] = (),
    report: StepReport,
    type: DataType = DataType.DT_FLOAT,
    shape: Shape = Shape(),  # noqa: B008  a tuple does not change
    name: tuple[str, ...] = (),
    type_for_name: tuple[DataType, ...] = (),
    shape_for_name: tuple[Shape, ...] = (),
) -> GraphDef:
    """Remove what the outputs do not need; inputs become Placeholders.

    They have the type `type` and the shape `shape`, which is that of a single number if it is not given. For others,
    give `name`, `type_for_name` and `shape_for_name`, one of each for each input. A Placeholder stays as it is.

    Example: strip_unused_nodes(type=float, shape="-1,2") with inputs image and outputs y

        file = Placeholder[dtype=string]
        image = DecodeRaw(file)[out_type=float]
        y = Relu(image)[T=float]
        loss = Sum(y, axis)[T=float]
        axis = Const[dtype=int32]

    becomes

        image = Placeholder[dtype=float, shape=(-1, 2)]
        y = Relu(image)[T=float]
    """
    if not len(name) == len(type_for_name) == len(shape_for_name):
        given = f"{len(name)}, {len(type_for_name)} and {len(shape_for_name)}"
        raise TransformError(f"give as many name, type_for_name and shape_for_name: there are {given}")
    special = {
        TensorName.parse(each).node: _Fed(dtype, sizes)
        for each, dtype, sizes in zip(name, type_for_name, shape_for_name, strict=True)
    }
    index = GraphIndex(graph)
    declared = {tensor.node for tensor in inputs}
    for each in special.keys() - declared:
        report.refuse(each, "it is no declared input, so its type and shape are not used")
    needed = _needed(index, declared, (tensor.node for tensor in outputs))
    usual = _Fed(type, shape)
    nodes = [node for position, node in enumerate(graph.node) if position in needed]
    for place, node in enumerate(nodes):
        if node.name in declared:
            nodes[place] = _as_input(node, special.get(node.name, usual), index, needed)
    report.fire(len(graph.node) - len(set(map(id, graph.node)).intersection(map(id, nodes))))
    return with_nodes(graph, with_kept_colocation(nodes, graph.node))


def _needed(index: GraphIndex, inputs: set[str], outputs: Iterable[str]) -> set[int]:
    """The positions of the inputs, and of what leads from them to the outputs."""
    needed = {index.positions[name] for name in inputs if name in index}
    queue = []
    for name in outputs:
        position = index.position(name)
        if position not in needed:
            needed.add(position)
            queue.append(position)
    while queue:
        position = queue.pop()
        for source in index.sources[position]:
            if source == UNKNOWN:
                index.producers(index.nodes[position].name)  # raises the error that tells which
            if source not in needed:
                needed.add(source)
                queue.append(source)
    return needed


@dataclass(frozen=True, slots=True)
class _Fed:
    """What is fed in place of an input."""

    dtype: DataType
    sizes: Shape

    def placeholder(self, name: str) -> NodeDef:
        shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in self.sizes])
        return NodeDef(
            name=name, op="Placeholder", attr={"dtype": AttrValue(type=self.dtype), "shape": AttrValue(shape=shape)}
        )


def _as_input(node: NodeDef, fed: _Fed, index: GraphIndex, needed: set[int]) -> NodeDef:
    if node.op != "Placeholder":
        return fed.placeholder(node.name)
    kept = [text for text in node.input if index.spellings[text] in needed]
    return node if len(kept) == len(node.input) else changed(node, input=kept)
