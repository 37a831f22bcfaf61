"""Keep only the nodes that the outputs need.

    image -> decode -> resize -> conv -> softmax        inputs resize, outputs softmax
                         \\                        ->
                          train                          resize (a Placeholder) -> conv -> softmax

The nodes that the outputs need, directly or indirectly, stay. The search follows tensors and control inputs, and stops
at declared inputs. All declared inputs stay, even unused ones. An input that is not a Placeholder becomes one, of the
given type and shape; a Placeholder stays as it is. The nodes keep their order, and all functions stay.

A Placeholder has one output. If a node has several outputs, each output that is declared as an input becomes a
Placeholder: IteratorGetNext:3 becomes IteratorGetNext/3. The report maps the old names to the new ones. The node itself
stays only if another of its outputs is needed.

Differences from the original:

    A new Placeholder without a given type or shape has the type and shape of the tensor that it replaces, as far as
    they are known. In the original it is a float scalar, and consumers of another type are broken.
    In the original, an input always takes the place of the whole node, and consumers of its other outputs are broken.
    The nodes that fill lookup tables which the outputs read stay, and so do NoOps that only run these. In the original
    they are removed, and the tables are empty. A line of the report names the nodes to run first.
    Sizes may be -1 for unknown. Arguments are checked even if no input needs a type or shape.
    A Placeholder loses control inputs from removed nodes. Nodes that were colocated with a removed node stay together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from ..analysis.shapes import Shapes, infer_shapes
from ..errors import GraphError, TransformError
from ..graph import UNKNOWN, GraphIndex, attr, describe, replace_node, with_nodes
from ..graph.error_text import quote
from ..messages import AttrValue, DataType, GraphDef, NodeDef, OpDef, TensorShapeProto
from ..ops import OPS, output_types
from ..values.dtypes import dtype_of
from ..values.names import TakenNames, TensorName, control_input
from ..values.shape import shape_to_proto
from .framework.node_edits import rename_inputs, restore_colocation
from .framework.parameters import Shape
from .framework.registry import graph_transform
from .framework.report import StepReport, missing_nodes


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

    The Placeholders have the type `type` and the shape `shape`. Without these arguments, they have the type and shape
    of the tensor that they replace, as far as these are known. For single inputs, give `name`, `type_for_name` and
    `shape_for_name`, once each per input. An input that is a Placeholder stays as it is: giving it another type or
    shape by name is an error. Notes name arguments without effect.

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
    special = _types_and_shapes(name, type_for_name, shape_for_name, report)
    index = GraphIndex(graph)
    declared: dict[int, list[int]] = {}
    for tensor in sorted(map(_tensor, inputs)):
        if tensor.node in index:
            declared.setdefault(index.positions[tensor.node], []).append(tensor.port)
    report.notes += missing_nodes("name", (tensor.node for tensor in special), graph)
    for tensor in special.keys() - set(map(_tensor, inputs)):
        if tensor.node in index:
            problem = "is not a declared input: its type and shape are not used"
            report.notes.append(f"name: {quote(str(tensor))} {problem}")
    needed = _search(index, declared, outputs)
    maker = _PlaceholderMaker(index, ops, report)
    unused = {name for name, value in (("type", type), ("shape", shape)) if value is not None}
    nodes: list[NodeDef] = []
    for position, node in enumerate(graph.node):
        if position in declared and node.op == "Placeholder":
            if (tensor := TensorName(node.name)) in special:
                _check_unchanged(node, *special[tensor])
            else:
                unused -= (equal := _equal_parts(node, type, shape))
                if len(equal) < (type is not None) + (shape is not None):
                    report.refuse(node.name, "it is a Placeholder already and keeps its type and shape")
            nodes.append(_without_removed_inputs(node, index, needed | declared.keys()))
            continue
        if position in needed:
            nodes.append(node)
        for port in declared.get(position, ()):
            tensor = TensorName(node.name, port)
            unused -= {"type", "shape"} if tensor not in special else set()
            name_of_input = maker.name(tensor, is_free=position not in needed)
            nodes.append(maker.placeholder(name_of_input, tensor, *special.get(tensor, (type, shape))))
    if unused:
        names, are = " and ".join(sorted(unused, reverse=True)), "are" if len(unused) > 1 else "is"
        report.notes.append(f"{names} {are} not used: no {'other ' * bool(special)}input becomes a Placeholder")
    nodes = rename_inputs(nodes, _references(maker.renames, {node.name for node in nodes})) if maker.renames else nodes
    report.renames |= maker.renames
    report.fire(len(graph.node) - len(set(map(id, graph.node)).intersection(map(id, nodes))))
    return with_nodes(graph, restore_colocation(nodes, graph.node))


def _types_and_shapes(
    names: Sequence[str], dtypes: Sequence[DataType], shapes: Sequence[Shape], report: StepReport
) -> dict[TensorName, tuple[DataType, Shape]]:
    """Return the types and shapes that the arguments give to single inputs."""
    if not len(names) == len(dtypes) == len(shapes):
        counts = f"{len(names)}, {len(dtypes)} and {len(shapes)}"
        raise TransformError(f"name, type_for_name and shape_for_name must be given equally often, not {counts} times")
    result = {
        _tensor(TensorName.parse(text)): (dtype, sizes)
        for text, dtype, sizes in zip(names, dtypes, shapes, strict=True)
    }
    if len(result) < len(names):
        report.notes.append("name has a tensor twice: its last type and shape are used")
    return result


def _tensor(tensor: TensorName) -> TensorName:
    """Return the declared tensor; for a control input, output 0 of the node."""
    return tensor._replace(port=max(tensor.port, 0))


def _equal_parts(node: NodeDef, dtype: DataType | None, sizes: Shape | None) -> set[str]:
    """Return "type" if a Placeholder has the type `dtype`, and "shape" if it has the shape `sizes`."""
    has_type = dtype is not None and attr(node, "dtype", DataType, None) == dtype
    has_shape = sizes is not None and attr(node, "shape", TensorShapeProto, None) == shape_to_proto(sizes)
    return {name for name, has in (("type", has_type), ("shape", has_shape)) if has}


def _check_unchanged(node: NodeDef, dtype: DataType, sizes: Shape) -> None:
    """Raise TransformError if a Placeholder, which is not changed, has another type or shape than the given ones."""
    if len(_equal_parts(node, dtype, sizes)) < 2:
        raise TransformError(
            f"{describe(node)} keeps its type and shape, as all Placeholders do: leave it out of name, "
            "type_for_name and shape_for_name"
        )


def _search(index: GraphIndex, declared: Mapping[int, Sequence[int]], outputs: Iterable[TensorName]) -> set[int]:
    """Return the positions of the nodes that the outputs need.

    `declared` are the ports of the inputs, by the positions of their nodes. The search does not follow these ports, so
    a node with a declared port is needed only if another of its outputs is needed.
    """
    needed: set[int] = set()
    queue: list[int] = []

    def visit(position: int, tensor: TensorName) -> None:
        is_fed = position in declared and (tensor.is_control or tensor.port in declared[position])
        if not is_fed and position not in needed:
            needed.add(position)
            queue.append(position)

    for tensor in outputs:
        visit(index.position(tensor.node), tensor)
    while queue:
        position = queue.pop()
        for place, source in enumerate(index.sources[position]):
            if source in needed:
                continue
            if source == UNKNOWN:
                index.producers(index.nodes[position].name)  # raises the error that names the input
            visit(source, TensorName.parse(index.nodes[position].input[place]))
    return needed


def _references(renames: Mapping[TensorName, TensorName], names: set[str]) -> dict[str, str]:
    """Return the new references by the old ones: references to renamed inputs, and control inputs from removed nodes.

    `names` are the names of the remaining nodes.
    """
    references = {str(old): str(new) for old, new in renames.items()}
    for old, new in renames.items():
        if old.node not in names:  # control inputs now come from the Placeholder of the node's first renamed tensor
            references.setdefault(control_input(old.node), control_input(new.node))
    return references


class _PlaceholderMaker:
    """Makes Placeholders with inferred types and shapes. Shapes are inferred on first use.

    renames    the tensors whose Placeholder has another name than their node
    """

    def __init__(self, index: GraphIndex, ops: Mapping[str, OpDef], report: StepReport) -> None:
        self.renames: dict[TensorName, TensorName] = {}
        self._index = index
        self._ops = ops
        self._report = report
        self._shapes: Shapes | None = None

    @cached_property
    def _taken(self) -> TakenNames:
        return self._index.taken_names()

    def name(self, tensor: TensorName, *, is_free: bool) -> str:
        """Return the name of the Placeholder of a tensor: for output 0 the name of the node, if this `is_free`."""
        if is_free and tensor.port == 0:
            return tensor.node
        name = self._taken.fresh(f"{tensor.node}/{tensor.port}")
        self.renames[tensor] = TensorName(name)
        return name

    def placeholder(self, name: str, tensor: TensorName, dtype: DataType | None, sizes: Shape | None) -> NodeDef:
        """Return a Placeholder for a tensor. Its type and shape are those of the tensor if they are None here."""
        attr = {"dtype": AttrValue(type=self._type(tensor) if dtype is None else dtype)}
        attr["shape"] = AttrValue(shape=self._shape(tensor) if sizes is None else shape_to_proto(sizes))
        return NodeDef(name=name, op="Placeholder", attr=attr)

    def _type(self, tensor: TensorName) -> DataType:
        """Return the type of a tensor; for a reference type, the type that it refers to.

        If the type is not known, return DT_FLOAT, as in the original, and add a note.
        """
        types = self._types(tensor)
        if not types:
            return DataType.DT_FLOAT  # a node without outputs, which only has to run
        dtype = types[tensor.port] if tensor.port < len(types) else None
        if dtype is None:
            problem = f"the type of {quote(str(tensor))} is not known and assumed to be float"
            self._report.notes.append(f"{problem}: give type, or name, type_for_name and shape_for_name")
        return DataType.DT_FLOAT if dtype is None else dtype_of(dtype).number

    def _types(self, tensor: TensorName) -> Sequence[DataType | None]:
        node = self._index[tensor.node]
        op = self._ops.get(node.op)
        try:
            return [None] if op is None else output_types(node, op)
        except GraphError:
            return [None]

    def _shape(self, tensor: TensorName) -> TensorShapeProto:
        if not self._types(tensor):
            return TensorShapeProto()  # a node without outputs, which only has to run
        if self._shapes is None:
            self._shapes = infer_shapes(self._index)
        shape = self._shapes.get(tensor)
        if shape is None:
            return TensorShapeProto(unknown_rank=True)
        return shape_to_proto(-1 if size is None else size for size in shape)


def _without_removed_inputs(node: NodeDef, index: GraphIndex, kept: set[int]) -> NodeDef:
    """Return a Placeholder without control inputs from removed nodes. `kept` are the positions of the other nodes."""
    remaining = [text for text in node.input if index.spellings[text] in kept]
    return node if len(remaining) == len(node.input) else replace_node(node, input=remaining)
