"""Only what the outputs need.

    image -> decode -> resize -> conv -> softmax        inputs resize, outputs softmax
                         \\                        ->
                          train                          resize (a Placeholder) -> conv -> softmax

Nodes stay that the outputs need, directly or not, by tensors or control inputs; nobody looks behind declared inputs.
All of those stay, even if nothing needs them. One that is no Placeholder becomes one, of the type and shape that are
given; one that is stays as it is. The order of the nodes stays, and the functions.

Unlike in the original, a Placeholder whose type or shape is not given has those that the node's tensor had, as far as
they can be known: there it holds one float, and what takes something else is broken. An input of which another output
than the first is declared or needed stays as it is, with all that it needs: a Placeholder has one output.

Sizes may be -1 for not known; arguments are looked at even if no input needs a type or shape; a Placeholder does not
keep control inputs from nodes that go; and nodes that had to be on one device with a node that goes stay together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..dtypes import dtype_of
from ..errors import GraphError, TransformError
from ..graph import UNKNOWN, GraphIndex, attr, describe, replace_node, with_nodes
from ..graph.error_text import quoted
from ..messages import AttrValue, DataType, GraphDef, NodeDef, OpDef, TensorShapeProto
from ..names import TensorName
from ..ops import OPS, output_types
from ..shapes import Shapes, infer_shapes
from .framework.node_edits import with_kept_colocation
from .framework.parameters import Shape
from .framework.registry import graph_transform
from .framework.report import StepReport, missing_nodes

__all__ = ["strip_unused_nodes"]


@graph_transform
def strip_unused_nodes(
    graph: GraphDef,
    *,
    inputs: tuple[TensorName, ...] = (),
    outputs: tuple[TensorName, ...] = (),
    ops: Mapping[str, OpDef] = OPS,
    report: StepReport,
    type: DataType | None = None,
    shape: Shape | None = None,
    name: tuple[str, ...] = (),
    type_for_name: tuple[DataType, ...] = (),
    shape_for_name: tuple[Shape, ...] = (),
) -> GraphDef:
    """Remove what the outputs do not need; inputs become Placeholders.

    They have the type `type` and the shape `shape`; where these are not given, those that the tensor has, as far as
    that can be known. For others, give `name`, `type_for_name` and `shape_for_name`, one of each for each input. A
    Placeholder stays as it is: to give it another type or shape by name is an error. Notes tell of what is not used.

    Example: strip_unused_nodes(shape="-1,2") with inputs image and outputs y

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
        TensorName.parse(each).node: (dtype, sizes)
        for each, dtype, sizes in zip(name, type_for_name, shape_for_name, strict=True)
    }
    if len(special) < len(name):
        report.notes.append("name has a node twice: the last type and shape that are given for it count")
    index = GraphIndex(graph)
    declared = {tensor.node for tensor in inputs}
    report.notes += missing_nodes("name", special, graph)
    for each in special:
        if each in index and each not in declared:
            report.notes.append(f"name: {quoted(each)} is no declared input, so its type and shape are not used")
    needed, ends = _needed(index, inputs, outputs)
    known = _Known(graph, ops, report)
    wanted = {name for name, value in (("type", type), ("shape", shape)) if value is not None}
    nodes = [node for position, node in enumerate(graph.node) if position in needed]
    for place, node in enumerate(nodes):
        if node.name not in declared:
            continue
        if node.op == "Placeholder":
            if node.name in special:
                _check_same(node, *special[node.name])
            else:
                wanted -= (same := _same(node, type, shape))
                if len(same) < (type is not None) + (shape is not None):
                    report.refuse(node.name, "it is a Placeholder already, which keeps its type and shape")
            nodes[place] = _without_strangers(node, index, needed)
        elif index.positions[node.name] in ends:
            dtype, sizes = special.get(node.name, (type, shape))
            wanted -= {"type", "shape"} if node.name not in special else set()
            nodes[place] = known.placeholder(node, dtype, sizes)
        else:
            report.refuse(node.name, "not only its first output is fed or needed, and a Placeholder has no other")
    if wanted:
        which, other = " and ".join(sorted(wanted, reverse=True)), "other " if special else ""
        are = "are" if len(wanted) > 1 else "is"
        report.notes.append(f"{which} {are} not used: no {other}input becomes a Placeholder")
    report.fire(len(graph.node) - len(set(map(id, graph.node)).intersection(map(id, nodes))))
    return with_nodes(graph, with_kept_colocation(nodes, graph.node))


def _same(node: NodeDef, dtype: DataType | None, sizes: Shape | None) -> set[str]:
    """What of a type and a shape a Placeholder has."""
    has_type = dtype is not None and attr(node, "dtype", DataType, None) == dtype
    has_shape = sizes is not None and attr(node, "shape", TensorShapeProto, None) == _proto(sizes)
    return {name for name, has in (("type", has_type), ("shape", has_shape)) if has}


def _check_same(node: NodeDef, dtype: DataType, sizes: Shape) -> None:
    """Raise TransformError if a Placeholder, which stays as it is, has another type or shape than is given for it."""
    if len(_same(node, dtype, sizes)) < 2:
        raise TransformError(
            f"{describe(node)} keeps its type and shape, as a Placeholder: leave it out of name, "
            "type_for_name and shape_for_name"
        )


def _needed(
    index: GraphIndex, inputs: Iterable[TensorName], outputs: Iterable[TensorName]
) -> tuple[set[int], set[int]]:
    """The positions of the inputs, and of what leads from them to the outputs; and those of the inputs behind which
    nobody looks: of the others, a second output is declared or needed."""
    inputs = [tensor for tensor in inputs if tensor.node in index]
    ends = {index.positions[tensor.node] for tensor in inputs}
    needed = set(ends)
    queue: list[int] = []
    for tensor in (*inputs, *outputs):
        position = index.position(tensor.node)
        if position not in needed:
            needed.add(position)
            queue.append(position)
        elif tensor.port > 0 and position in ends:
            ends.discard(position)
            queue.append(position)
    while queue:
        position = queue.pop()
        for place, source in enumerate(index.sources[position]):
            if source not in needed:
                if source == UNKNOWN:
                    index.producers(index.nodes[position].name)  # raises the error that tells which
                needed.add(source)
                queue.append(source)
            elif source in ends and TensorName.parse(index.nodes[position].input[place]).port > 0:
                ends.discard(source)
                queue.append(source)
    return needed, ends


class _Known:
    """What is known of tensors that are fed. Nothing is inferred before it is asked for."""

    def __init__(self, graph: GraphDef, ops: Mapping[str, OpDef], report: StepReport) -> None:
        self._graph = graph
        self._ops = ops
        self._report = report
        self._shapes: Shapes | None = None

    def placeholder(self, node: NodeDef, dtype: DataType | None, sizes: Shape | None) -> NodeDef:
        """What is fed in place of the first output of a node, with the type and shape that are given."""
        attr = {"dtype": AttrValue(type=self._type(node) if dtype is None else dtype)}
        attr["shape"] = AttrValue(shape=self._shape(node) if sizes is None else _proto(sizes))
        return NodeDef(name=node.name, op="Placeholder", attr=attr)

    def _type(self, node: NodeDef) -> DataType:
        """The type of the tensor, which is no reference any more; DT_FLOAT, as in the original, if it is not known."""
        types = self._types(node)
        if types and types[0] is None:
            problem = f"the type of {quoted(node.name)} is not known, and taken to be float"
            self._report.notes.append(f"{problem}: give type, or name, type_for_name and shape_for_name")
        return DataType.DT_FLOAT if not types or types[0] is None else dtype_of(types[0]).number

    def _types(self, node: NodeDef) -> Sequence[DataType | None]:
        op = self._ops.get(node.op)
        try:
            return [None] if op is None else output_types(node, op)
        except GraphError:
            return [None]

    def _shape(self, node: NodeDef) -> TensorShapeProto:
        if not self._types(node):
            return TensorShapeProto()  # it only has to run
        if self._shapes is None:
            self._shapes = infer_shapes(self._graph)
        shape = self._shapes[node.name]
        if shape is None:
            return TensorShapeProto(unknown_rank=True)
        return _proto(-1 if size is None else size for size in shape)


def _proto(sizes: Iterable[int]) -> TensorShapeProto:
    return TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in sizes])


def _without_strangers(node: NodeDef, index: GraphIndex, needed: set[int]) -> NodeDef:
    """A Placeholder that waits for nothing that goes."""
    kept = [text for text in node.input if index.spellings[text] in needed]
    return node if len(kept) == len(node.input) else replace_node(node, input=kept)
