"""Keep only the nodes that the outputs need.

    image -> decode -> resize -> conv -> softmax        inputs resize, outputs softmax
                         \\                        ->
                          train                          resize (a Placeholder) -> conv -> softmax

The nodes that the outputs need, directly or indirectly, stay. The search follows tensors and control inputs, and stops
at declared inputs. All declared inputs stay, even unused ones. An input that is not a Placeholder becomes one, of the
given type and shape; a Placeholder stays as it is. The order of the nodes and the functions stay.

Unlike in the original, a new Placeholder without a given type or shape has those of the tensor that it replaces, as far
as they are known; in the original it is a float scalar, and consumers of another type are broken. An input stays as it
is, with all nodes that it needs, if an output other than its first is declared or needed: a Placeholder has one output.

Sizes may be -1 for unknown; arguments are checked even if no input needs a type or shape; a Placeholder loses control
inputs from removed nodes; and nodes that were colocated with a removed node stay together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..dtypes import dtype_of
from ..errors import GraphError, TransformError
from ..graph import UNKNOWN, GraphIndex, attr, describe, replace_node, with_nodes
from ..graph.error_text import quote
from ..messages import AttrValue, DataType, GraphDef, NodeDef, OpDef, TensorShapeProto
from ..names import TensorName
from ..ops import OPS, output_types
from ..shapes import Shapes, infer_shapes
from .framework.node_edits import restore_colocation
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
    """Remove the nodes that the outputs do not need; inputs become Placeholders.

    The Placeholders have the type `type` and the shape `shape`; without these arguments, the type and shape of the
    replaced tensor, as far as they are known. For single inputs, give `name`, `type_for_name` and `shape_for_name`,
    once each per input. An input that is a Placeholder stays as it is: giving it another type or shape by name is an
    error. Notes name arguments without effect.

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
        counts = f"{len(name)}, {len(type_for_name)} and {len(shape_for_name)}"
        raise TransformError(f"name, type_for_name and shape_for_name must be given equally often, not {counts} times")
    special = {
        TensorName.parse(text).node: (dtype, sizes)
        for text, dtype, sizes in zip(name, type_for_name, shape_for_name, strict=True)
    }
    if len(special) < len(name):
        report.notes.append("name has a node twice: its last type and shape are used")
    index = GraphIndex(graph)
    declared = {tensor.node for tensor in inputs}
    report.notes += missing_nodes("name", special, graph)
    for node_name in special:
        if node_name in index and node_name not in declared:
            report.notes.append(f"name: {quote(node_name)} is not a declared input: its type and shape are not used")
    needed, cut = _search(index, inputs, outputs)
    maker = _PlaceholderMaker(graph, ops, report)
    unused = {name for name, value in (("type", type), ("shape", shape)) if value is not None}
    nodes = [node for position, node in enumerate(graph.node) if position in needed]
    for place, node in enumerate(nodes):
        if node.name not in declared:
            continue
        if node.op == "Placeholder":
            if node.name in special:
                _check_unchanged(node, *special[node.name])
            else:
                unused -= (equal := _equal_parts(node, type, shape))
                if len(equal) < (type is not None) + (shape is not None):
                    report.refuse(node.name, "it is a Placeholder already and keeps its type and shape")
            nodes[place] = _without_removed_inputs(node, index, needed)
        elif index.positions[node.name] in cut:
            dtype, sizes = special.get(node.name, (type, shape))
            unused -= {"type", "shape"} if node.name not in special else set()
            nodes[place] = maker.placeholder(node, dtype, sizes)
        else:
            report.refuse(node.name, "an output other than its first is fed or needed, and a Placeholder has only one")
    if unused:
        names, other = " and ".join(sorted(unused, reverse=True)), "other " if special else ""
        are = "are" if len(unused) > 1 else "is"
        report.notes.append(f"{names} {are} not used: no {other}input becomes a Placeholder")
    report.fire(len(graph.node) - len(set(map(id, graph.node)).intersection(map(id, nodes))))
    return with_nodes(graph, restore_colocation(nodes, graph.node))


def _equal_parts(node: NodeDef, dtype: DataType | None, sizes: Shape | None) -> set[str]:
    """Return which of a type and a shape ("type", "shape") a Placeholder has."""
    has_type = dtype is not None and attr(node, "dtype", DataType, None) == dtype
    has_shape = sizes is not None and attr(node, "shape", TensorShapeProto, None) == _shape_proto(sizes)
    return {name for name, has in (("type", has_type), ("shape", has_shape)) if has}


def _check_unchanged(node: NodeDef, dtype: DataType, sizes: Shape) -> None:
    """Raise TransformError if a Placeholder, which is not changed, has another type or shape than the given ones."""
    if len(_equal_parts(node, dtype, sizes)) < 2:
        raise TransformError(
            f"{describe(node)} keeps its type and shape, as all Placeholders do: leave it out of name, "
            "type_for_name and shape_for_name"
        )


def _search(
    index: GraphIndex, inputs: Iterable[TensorName], outputs: Iterable[TensorName]
) -> tuple[set[int], set[int]]:
    """Return the positions of the needed nodes, and those of the inputs at which the search stopped.

    The search continues through an input if an output other than its first is declared or needed.
    """
    inputs = [tensor for tensor in inputs if tensor.node in index]
    cut = {index.positions[tensor.node] for tensor in inputs}
    needed = set(cut)
    queue: list[int] = []
    for tensor in (*inputs, *outputs):
        position = index.position(tensor.node)
        if position not in needed:
            needed.add(position)
            queue.append(position)
        elif tensor.port > 0 and position in cut:
            cut.discard(position)
            queue.append(position)
    while queue:
        position = queue.pop()
        for place, source in enumerate(index.sources[position]):
            if source not in needed:
                if source == UNKNOWN:
                    index.producers(index.nodes[position].name)  # raises the error that names the input
                needed.add(source)
                queue.append(source)
            elif source in cut and TensorName.parse(index.nodes[position].input[place]).port > 0:
                cut.discard(source)
                queue.append(source)
    return needed, cut


class _PlaceholderMaker:
    """Makes Placeholders with inferred types and shapes. Shapes are inferred on first use."""

    def __init__(self, graph: GraphDef, ops: Mapping[str, OpDef], report: StepReport) -> None:
        self._graph = graph
        self._ops = ops
        self._report = report
        self._shapes: Shapes | None = None

    def placeholder(self, node: NodeDef, dtype: DataType | None, sizes: Shape | None) -> NodeDef:
        """Return a Placeholder for the first output of a node, with the given type and shape if there are such."""
        attr = {"dtype": AttrValue(type=self._type(node) if dtype is None else dtype)}
        attr["shape"] = AttrValue(shape=self._shape(node) if sizes is None else _shape_proto(sizes))
        return NodeDef(name=node.name, op="Placeholder", attr=attr)

    def _type(self, node: NodeDef) -> DataType:
        """Return the type of the tensor, without reference; DT_FLOAT with a note, as in the original, if it is not
        known.
        """
        types = self._types(node)
        if types and types[0] is None:
            problem = f"the type of {quote(node.name)} is not known and assumed to be float"
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
            return TensorShapeProto()  # a node without outputs, which only has to run
        if self._shapes is None:
            self._shapes = infer_shapes(self._graph)
        shape = self._shapes[node.name]
        if shape is None:
            return TensorShapeProto(unknown_rank=True)
        return _shape_proto(-1 if size is None else size for size in shape)


def _shape_proto(sizes: Iterable[int]) -> TensorShapeProto:
    return TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in sizes])


def _without_removed_inputs(node: NodeDef, index: GraphIndex, needed: set[int]) -> NodeDef:
    """Return a Placeholder without control inputs from removed nodes."""
    remaining = [text for text in node.input if index.spellings[text] in needed]
    return node if len(remaining) == len(node.input) else replace_node(node, input=remaining)
