"""Give inputs another shape, and change the constants that depend on the old shape.

    x = Placeholder[shape=(1, 28, 28)]              x = Placeholder[shape=(8, 28, 28)]
    size = Const (1, 784)                    ->     y/shape = Const (8, 784)
    y = Reshape(x, size)                            y = Reshape(x, y/shape)

An unknown size that becomes known changes nothing else: the graph computes what it computed for inputs of that shape.
If a known size changes, or becomes unknown, the shapes of all tensors are inferred before and after, and nodes that
keep the old size in a constant get a new constant:

    Reshape                    the size of the axis that has the changed axis in it: [1, 784], [4 * 49, 512]
    Slice, StridedSlice        the end of a slice that took the whole axis
    Conv2DBackpropInput        the sizes of the result of a transposed convolution
    BroadcastTo, Tile, Fill, random numbers, and constants that repeat one value along the axis, such as the first state
                               of an RNN: if a node that takes them with the changed tensor needs the new size there

A size that becomes unknown is written as -1 in a Reshape or Slice, and as 2**31 - 1 in a StridedSlice. The other
constants in this list need known sizes.

The transform fails, and names the node, if

    shapes contradict each other
    the number of dimensions of a tensor changes
    a Reshape joins the axis with other axes, so that the new size has no place
    an axis of size 1 is removed, and is longer now
    a Merge of TensorFlow 1 has inputs of the old and of the new shape
    a constant needs a known size, but the size becomes unknown
    a function is called with a changed tensor: inline it first, with `inline_partitionedcall`

The transform does not find constants of other sizes that were computed from the old size, such as anchors for a picture
of 300 x 300. To find out whether there are any, run the result, as `optimize` and `--verify` do.

Differences from the original: the C++ tool has no such transform.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..analysis.shape_rules.table import elementwise_ops
from ..analysis.shapes import Shapes, infer_shapes
from ..errors import TransformError
from ..graph import GraphIndex, attr, describe, input_tensors, replace_node, with_nodes
from ..graph.error_text import with_node
from ..graph.view import GraphView
from ..messages import AttrValue, DataType, GraphDef, NodeDef, TensorProto, TensorShapeProto
from ..ops import OPS
from ..ops.ports import has_its_inputs
from ..ops.traits import MERGE, PLACEHOLDERS
from ..values.dtypes import dtype_of
from ..values.names import TensorName, node_name
from ..values.output_limit import require
from ..values.shape import Shape as KnownShape
from ..values.shape import shape_to_proto, shape_to_text
from ..values.tensors import to_ndarray
from .framework.node_edits import const_node
from .framework.parameters import Shape
from .framework.registry import graph_transform
from .framework.report import StepReport, missing_nodes
from .framework.size_operands import DATA, OPEN, OPERANDS, REPEATING, RULES, Case, Change, changed_axes

_OUTPUT_SHAPES = "_output_shapes"
_FACTORS = (7, 11, 13, 17)  # for sizes that become unknown: see `_with_probes`
_MAX_VISITS = 1_000_000
"""The maximum number of nodes whose shapes are inferred again, in all rounds together.

There are several rounds, since a constant that one round changes may decide shapes that the next round must fit."""
_MAX_NAMED = 3  # problems that an error shows


@graph_transform
def set_input_shape(
    graph: GraphDef,
    *,
    inputs: tuple[TensorName, ...] = (),
    outputs: tuple[TensorName, ...] = (),
    report: StepReport,
    name: tuple[str, ...] = (),
    shape: tuple[Shape, ...] = (),
    batch_size: int = 0,
) -> GraphDef:
    """Give the Placeholder `name` the shape `shape`; both may be repeated. Sizes may be -1 for unknown.

    `batch_size` is the new first size of all declared inputs whose first size is unknown. If all first sizes are known,
    they must be equal, and `batch_size` replaces all of them. Constants that depend on an old size are changed. If that
    is not possible, the transform fails and names the node.

    Example: set_input_shape(name=x, shape="8,28,28")

        x = Placeholder[dtype=float, shape=(1, 28, 28)]
        size = Const[dtype=int32, value=int32{1, 784}]
        y = Reshape(x, size)[T=float]

    becomes

        x = Placeholder[dtype=float, shape=(8, 28, 28)]
        y/shape = Const[dtype=int32, value=int32{8, 784}]
        y = Reshape(x, y/shape)[T=float]
    """
    if len(name) != len(shape):
        raise TransformError(f"name and shape must be given equally often, not {len(name)} and {len(shape)} times")
    if batch_size < 0:
        raise TransformError(f"batch_size must be positive, not {batch_size:,}")
    if not name and not batch_size:
        raise TransformError("there is nothing to set: give name and shape, or batch_size")
    index = GraphIndex(graph)
    before = infer_shapes(index)
    report.notes += missing_nodes("name", map(node_name, name), graph)
    sizes = {node_name(text): sizes for text, sizes in zip(name, shape, strict=True) if node_name(text) in index}
    if len({*map(node_name, name)}) < len(name):
        raise TransformError("name has an input twice")
    if batch_size:
        for tensor in _inputs_with_batch(inputs, index, before):
            old = sizes.get(tensor.node) or before[tensor] or ()
            sizes[tensor.node] = Shape((batch_size, *(-1 if size is None else size for size in old[1:])))
    for input_name, new_shape in sizes.items():
        _check(index[input_name], before.get(input_name), new_shape)
    report.changes_inputs = True
    keep = {tensor.node for tensor in (*inputs, *outputs)}
    fixed, probes = _with_probes(sizes, before)
    graph = _Resizing(graph, before, fixed, report).result(keep=keep)
    return _Opening(graph, infer_shapes(graph), probes, report).open(sizes, keep=keep) if probes else graph


def _with_probes(sizes: Mapping[str, Shape], before: Shapes) -> tuple[dict[str, Shape], dict[str, Shape]]:
    """Return new shapes with known sizes in place of those that become unknown, twice, by the names of inputs.

    The first shapes have the old sizes there. The second shapes, which are only for inputs with such sizes, have
    multiples of the old sizes, by a factor that depends on the axis. These show which constants depend on the sizes.
    """
    fixed, probes = {}, {}
    for name, shape in sizes.items():
        old = before.get(name) or (None,) * len(shape)
        opened = {axis: size for axis, size in enumerate(old) if size and shape[axis] == -1}
        fixed[name] = Shape(opened.get(axis, size) for axis, size in enumerate(shape))
        if opened:
            probes[name] = Shape(
                opened[axis] * _FACTORS[axis % len(_FACTORS)] if axis in opened else size
                for axis, size in enumerate(shape)
            )
    return fixed, probes


def _inputs_with_batch(inputs: Sequence[TensorName], index: GraphIndex, shapes: Shapes) -> list[TensorName]:
    """Return the declared inputs whose first size is the batch size.

    Raises TransformError if there are none, or if their first sizes are known and differ.
    """
    first_sizes = {
        tensor: shape[0] for tensor in inputs if (shape := shapes.get(tensor)) and index[tensor.node].op in PLACEHOLDERS
    }
    unknown = [tensor for tensor, size in first_sizes.items() if size is None]
    if unknown:
        return unknown
    if len({*first_sizes.values()}) > 1:
        text = ", ".join(f"{tensor}: {shape_to_text(shapes[tensor])}" for tensor in first_sizes)
        raise TransformError(f"the first sizes of the inputs differ ({text}): give name and shape, not batch_size")
    if not first_sizes:
        raise TransformError("batch_size: no declared input is a Placeholder with a first dimension")
    return list(first_sizes)


def _check(node: NodeDef, old: KnownShape | None, new: Shape) -> None:
    if node.op not in PLACEHOLDERS:
        raise TransformError(
            f"{describe(node)} is not a Placeholder: declare it as an input, and run strip_unused_nodes before"
        )
    if old is not None and len(old) != len(new):
        raise TransformError(
            f"{describe(node)} has the shape {shape_to_text(old)}, with {len(old)} dimensions: it cannot be "
            f"{shape_to_text(_known(new))}"
        )


def _known(shape: Shape) -> KnownShape:
    """Return a shape with None for unknown sizes."""
    return tuple(None if size < 0 else size for size in shape)


# --- changed constants -----------------------------------------------------------------------------------------------


class _Operand(NamedTuple):
    """The new sizes for a node that takes sizes as an input, and the old sizes."""

    node: NodeDef
    sizes: Sequence[int]
    old_sizes: Sequence[int]


_Edit: TypeAlias = "_Operand | NodeDef"


class _Resizing:
    """Changes the shapes of Placeholders, and then constants, in rounds, until no constant changes.

    operands   the names and contents of the new constants with sizes
    repeated   the changed constants that repeat a value
    """

    def __init__(self, graph: GraphDef, before: Shapes, sizes: Mapping[str, Shape], report: StepReport) -> None:
        self._graph = graph
        self._before = before
        self._report = report
        self._originals = {node.name: node for node in graph.node}
        self._body = GraphView(graph)
        for name, shape in sizes.items():
            node = _with_shape(self._body.nodes[name], shape)
            report.fire(node is not self._body.nodes[name])
            self._body.add(node)
        self._old_problems = {(node.name, text) for node, text in before.problems}
        self._after = before
        self._unused: set[str] = set()
        self.operands: list[tuple[str, _Operand]] = []
        self.repeated: list[NodeDef] = []

    def result(self, *, keep: Collection[str]) -> GraphDef:
        """Return the graph with the new shapes. Constants that are no longer used are removed, unless in `keep`."""
        if all(node is self._originals[name] for name, node in self._body.nodes.items()):
            return self._graph
        visits = 0
        while True:
            self._after = infer_shapes(self._present())
            if not self._edit_round():
                break
            visits += len(self._body.nodes)
            if visits > _MAX_VISITS:
                raise TransformError("too many constants depend on each other")
        self._check_result()
        used = {node_name(text) for node in self._body.nodes.values() for text in node.input} | {*keep}
        nodes = (node for node in self._body.nodes.values() if node.name in used or node.name not in self._unused)
        return with_nodes(self._graph, map(self._without_old_shapes, nodes))

    def _present(self) -> GraphDef:
        return self._body.graph()

    def _edit_round(self) -> bool:
        """Change the nodes that do not fit the new shapes, except nodes after a changed node.

        Return whether a node was changed.
        """
        graph = self._present()
        problems = {node.name for node, text in self._after.problems if (node.name, text) not in self._old_problems}
        changed: set[str] = set()
        for node in GraphIndex(graph).execution_order:
            if not changed.isdisjoint(map(node_name, node.input)):
                changed.add(node.name)
                continue
            edits = list(self._edits(node, has_problem=node.name in problems))
            for edit in edits:
                self._apply(edit)
            if edits:
                changed.add(node.name)
        return bool(changed)

    def _edits(self, node: NodeDef, *, has_problem: bool) -> Iterator[_Edit]:
        if node.name not in self._originals:
            return
        if not has_its_inputs(node, OPS.get(node.op)):
            return
        if node.op in RULES:
            yield from self._follow_data(node)
        elif has_problem or node.op in MERGE:
            yield from self._fit_inputs(node)

    def _follow_data(self, node: NodeDef) -> Iterator[_Edit]:
        """Yield the new sizes that a node must take, if its data has another shape than before."""
        data = input_tensors(node)[DATA.get(node.op, 0)]
        old_data, old_output, old = self._before.get(data), self._before.get(node.name), self._old_sizes(node)
        changes = changed_axes(old_data, self._after.get(data))
        if not changes or old_data is None or old_output is None or old is None:
            return
        sizes = RULES[node.op](Case(node, old_data, old_output, old, self._old_begin(node)), changes)
        if tuple(sizes) != old and self._has_old_sizes(node):
            yield _Operand(node, sizes, old)

    def _old_sizes(self, node: NodeDef) -> tuple[int, ...] | None:
        """Return the sizes that a node took before the change; None if they are not known."""
        value = self._value(self._before, self._originals[node.name], OPERANDS[node.op][0])
        return value if value is not None and None not in value else None

    def _has_old_sizes(self, node: NodeDef) -> bool:
        """Return whether the sizes that a node takes are still the old ones."""
        place = OPERANDS[node.op][0]
        return self._value(self._after, node, place) == self._value(self._before, self._originals[node.name], place)

    def _old_begin(self, node: NodeDef) -> tuple[int | None, ...]:
        """Return the positions at which a slice began before the change; empty if they are not known."""
        return self._value(self._before, self._originals[node.name], 1) or ()

    @staticmethod
    def _value(shapes: Shapes, node: NodeDef, place: int) -> tuple[Any, ...] | None:
        tensors = input_tensors(node)
        value = shapes.value(tensors[place]) if place < len(tensors) else None
        return value if isinstance(value, tuple) else None

    def _apply(self, edit: _Edit) -> None:
        self._report.fire()
        if isinstance(edit, NodeDef):
            self._body.add(edit)
            self.repeated.append(edit)
            return
        node, sizes, _ = edit
        place, role = OPERANDS[node.op]
        old = input_tensors(node)[place]
        name = self._body.fresh(f"{node.name}/{role}")
        self.operands.append((name, edit))
        producer = self._body.nodes[old.node]
        controls = producer.input if producer.op == "Const" else ()  # these keep the constant in its loop
        dtype = self._after.dtype(old) or DataType.DT_INT32
        constant = const_node(name, list(sizes), dtype, control_inputs=controls)
        nodes = list(self._body.nodes.values())
        nodes.insert(list(self._body.nodes).index(node.name), constant)
        self._body.replace_nodes(nodes)
        tensors = [TensorName(name) if i == place else tensor for i, tensor in enumerate(input_tensors(node))]
        self._body.change(node, inputs=tensors)
        if self._body.nodes[old.node].op == "Const":
            self._unused.add(old.node)

    # --- inputs that should have the new size ------------------------------------------------------------------------

    def _fit_inputs(self, node: NodeDef) -> Iterator[_Edit]:
        """Yield the edits that give inputs with the old size of an axis the new size, if another input has it."""
        tensors = [tensor for tensor in input_tensors(node) if tensor.node in self._body.nodes]
        changed = [(tensor, changed_axes(self._before.get(tensor), self._after.get(tensor))) for tensor in tensors]
        for tensor, changes in changed:
            shape = self._before.get(tensor)
            for change in changes:
                from_end = change.axis - len(shape or ())
                for other, own_changes in changed:
                    if not own_changes and other != tensor:
                        yield from self._resize(other, from_end, change)

    def _resize(self, tensor: TensorName, from_end: int, change: Change) -> Iterator[_Edit]:
        """Yield the edits that give an axis of a tensor its new size; nothing if that is not possible.

        `from_end` is the negative index of the axis.
        """
        shape = self._before.get(tensor)
        if shape is None or -from_end > len(shape) or shape[from_end] != change.old:
            return
        axis = from_end + len(shape)
        for node in self._sources(tensor, shape):
            if node.op == "Const":
                constant = _repeat(node, axis, change.new)
                if constant is not None:
                    yield constant
            elif node.op in REPEATING and (sizes := self._old_sizes(node)) is not None and self._has_old_sizes(node):
                new_sizes = list(sizes)
                new_sizes[axis] = REPEATING[node.op](sizes[axis], change)
                if tuple(new_sizes) != sizes:
                    yield _Operand(node, new_sizes, sizes)

    def _sources(self, tensor: TensorName, shape: KnownShape) -> Iterator[NodeDef]:
        """Yield the nodes that decide the shape of a tensor.

        The search goes back through elementwise ops and ops with one input, if an input has the same shape.
        """
        queue = [tensor.node]
        seen = {tensor.node}
        for name in queue:  # the loop appends to it
            node = self._body.nodes[name]
            sources = [source for source in input_tensors(node) if self._before.get(source) == shape]
            if sources and (node.op in elementwise_ops() or len(input_tensors(node)) == 1):
                queue += [source.node for source in sources if source.node not in seen]
                seen.update(source.node for source in sources)
            else:
                yield node

    # --- the result --------------------------------------------------------------------------------------------------

    def _check_result(self) -> None:
        """Raise TransformError for shapes that contradict each other, and for the problems that `_problem` finds."""
        problems = [
            with_node(node, text) for node, text in self._after.problems if (node.name, text) not in self._old_problems
        ]
        problems += [problem for node in self._body.nodes.values() if (problem := self._problem(node))]
        if problems:
            more = f"; and {len(problems) - _MAX_NAMED:,} more" if len(problems) > _MAX_NAMED else ""
            raise TransformError(f"the new shapes do not fit: {'; '.join(problems[:_MAX_NAMED])}{more}")

    def _problem(self, node: NodeDef) -> str:
        """Return why the new shapes are wrong at a node; "" if they are not."""
        tensors = [tensor for tensor in input_tensors(node) if tensor.node in self._body.nodes]
        changed = [tensor for tensor in tensors if changed_axes(self._before.get(tensor), self._after.get(tensor))]
        if changed and self._after.inside(node):
            return f"{describe(node)} calls a function, whose shapes are not changed: inline it before"
        if changed and node.op in MERGE and len(changed) < len(tensors):
            return f"{describe(node)} joins tensors of the old and of the new shape"
        old, new = self._before.get(node.name), self._after.get(node.name)
        if old is not None and new is not None and len(old) != len(new):
            return f"{describe(node)} has {len(new)} dimensions instead of {len(old)}"
        if node.op == "StridedSlice" and changed:
            return self._removed_axis(node, changed[0])
        return ""

    def _removed_axis(self, node: NodeDef, tensor: TensorName) -> str:
        """Return a problem if a StridedSlice takes one element of an axis that had only this element; "" if not."""
        removed = attr(node, "shrink_axis_mask", int, 0)
        is_simple = not attr(node, "ellipsis_mask", int, 0) and not attr(node, "new_axis_mask", int, 0)
        for change in changed_axes(self._before.get(tensor), self._after.get(tensor)):
            if change.old == 1 and is_simple and removed >> change.axis & 1 and tensor == input_tensors(node)[0]:
                return f"{describe(node)} takes the only element of an axis that has {change.new:,} now"
        return ""

    def _without_old_shapes(self, node: NodeDef) -> NodeDef:
        """Return a node without its attribute `_output_shapes` if the shape of an output has changed."""
        if _OUTPUT_SHAPES not in node.attr or self._before.of(node.name) == self._after.of(node.name):
            return node
        return replace_node(node, attr={key: value for key, value in node.attr.items() if key != _OUTPUT_SHAPES})


def _with_shape(node: NodeDef, shape: Shape) -> NodeDef:
    """Return a Placeholder with the shape `shape`; the node itself if it has this shape already."""
    sizes = shape_to_proto(shape)
    if attr(node, "shape", TensorShapeProto, None) == sizes:
        return node
    attrs = {key: value for key, value in node.attr.items() if key != _OUTPUT_SHAPES}
    return replace_node(node, attr={**attrs, "shape": AttrValue(shape=sizes)})


class _Opening(_Resizing):
    """Makes known sizes unknown.

    First these sizes get other known values. The constants that change with them depend on them, and are then replaced.
    """

    def open(self, sizes: Mapping[str, Shape], *, keep: Collection[str]) -> GraphDef:
        """Return the graph with the shapes `sizes`. Raises TransformError for a constant that needs a known size."""
        nodes = {node.name: node for node in self.result(keep=keep).node}
        for node in [*self.repeated, *(operand.node for _, operand in self.operands if operand.node.op not in OPEN)]:
            raise TransformError(f"{describe(node)} needs a known size")
        for name, operand in self.operands:
            pairs = zip(operand.sizes, operand.old_sizes, strict=True)
            opened = [OPEN[operand.node.op] if new != old else new for new, old in pairs]
            if operand.node.op == "Reshape" and opened.count(-1) > 1:
                raise TransformError(f"{describe(operand.node)} would have two unknown sizes")
            dtype = attr(nodes[name], "dtype", DataType, DataType.DT_INT32)
            nodes[name] = const_node(name, opened, dtype, control_inputs=nodes[name].input)
        for name, shape in sizes.items():
            nodes[name] = _with_shape(nodes[name], shape)
        return with_nodes(self._graph, nodes.values())


def _repeat(node: NodeDef, axis: int, size: int) -> NodeDef | None:
    """Return a Const with `size` elements along an axis; None if its value is empty or varies along this axis."""
    dtype = attr(node, "dtype", DataType, DataType.DT_INVALID)
    tensor = attr(node, "value", TensorProto, None)
    if tensor is None or dtype_of(dtype).numpy is None:
        return None
    array = to_ndarray(tensor)
    first = array.take([0], axis=axis) if array.size else None
    if first is None or not np.array_equal(np.broadcast_to(first, array.shape), array):
        return None
    require(first.nbytes * size, "a constant that is repeated")
    array = np.repeat(first, size, axis=axis)
    return const_node(node.name, array, dtype, control_inputs=node.input, device=node.device)
