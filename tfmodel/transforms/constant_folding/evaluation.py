"""Find the constant nodes of a graph and compute their values.

    constants = Constants(dependencies, ops, rules, report)
    constants.controls[5]        # for the constant node at 5: the positions of the nodes that must run before it
    constants.values             # {(5, 0): array}: output 0 of the node at 5, which a nonconstant node uses

A node is constant if all its data inputs come from constant nodes and its op is deterministic. An op that reads only
the shape of a tensor is constant if the shape is known. Control inputs make no difference: a new constant gets the
control inputs of the node that it replaces, and of the nodes from which that node was computed. A node that cannot be
computed is not constant.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import prod
from typing import Any

import numpy as np

from pbwire import Error
from pbwire.errors import without

from ...analysis.shape_rules.table import elementwise_ops
from ...analysis.shapes import Shapes, infer_shapes
from ...errors import GraphError, RunError, TransformError
from ...graph import CONTROL_FLOW, GraphIndex, attr, const_tensor, describe
from ...kernels.runtime import KERNELS, bind
from ...kernels.runtime.binding import output_dtypes
from ...kernels.runtime.memory_limit import STRING_BYTES, bytes_needed, bytes_of, limit_memory
from ...messages import DataType, GraphDef, NodeDef, OpDef
from ...ops import is_stateful
from ...ops.traits import CONSTS, PLACEHOLDERS_WITHOUT_DEFAULT, SHAPE_OPS, SWITCH
from ...values.dtypes import DTYPES, dtype_of
from ...values.names import TensorName, is_control_input
from ...values.shape import Shape, broadcast
from ...values.tensors import to_ndarray
from ...values.terminal import escape
from ..framework.report import StepReport
from .cost_model import Effort
from .dependencies import Dependencies, Output

_NEVER = frozenset(
    {
        "ControlTrigger",  # its control inputs may come from a branch that is not taken
        "DecodeAndCropJpeg",  # files of pictures: pixels and bytes are not exactly those of TensorFlow
        "DecodeGif",
        "DecodeImage",
        "DecodeJpeg",
        "DeleteSessionTensor",
        "EncodeJpeg",
        "EncodeJpegVariableQuality",
        "EncodePng",
        "FakeParam",
        "GetSessionHandle",
        "GetSessionHandleV2",
        "GetSessionTensor",
        "_Arg",
        "_Recv",
        "_Retval",
        "_Send",
    }
).union(CONTROL_FLOW, PLACEHOLDERS_WITHOUT_DEFAULT)
_MAX_ITEM_SIZE = 16  # bytes of an element
_MAX_INTERMEDIATE = 1 << 28  # bytes of a value of unknown shape
_SCRATCH = 1 << 24  # bytes of temporary memory for a kernel
_MAX_SMALL = 1 << 16  # bytes of a result of `constant_values`
_NOTHING: frozenset[int] = frozenset()
_MAX_CONTROLS = 1 << 21  # positions in all sets of control inputs; in real graphs most sets are shared

TOO_LARGE = "its result is larger than {:,} bytes"


@dataclass(frozen=True, slots=True)
class Rules:
    """The user's limits. Shape ops with a known result are constant in any case.

    exclude_ops, exclude_nodes   ops and names of nodes that are not computed
    limit                        the maximum size of a result, in bytes
    shapes                       a function that returns the shapes of the graph, called when they are needed
    """

    exclude_ops: Collection[str]
    exclude_nodes: Container[str]
    limit: int
    shapes: Callable[[], Shapes]


class Constants:
    """The constant nodes.

    controls    by position of a constant node: the positions of nodes from which its replacement gets control inputs
    values      the values of constant tensors that nonconstant nodes use or that are declared outputs, in any order;
                outputs of Const nodes are not included
    shaped      by position of a node that is constant because shapes are known, in order: its number of outputs
    """

    def __init__(self, dependencies: Dependencies, ops: Mapping[str, OpDef], rules: Rules, report: StepReport) -> None:
        self.controls: dict[int, frozenset[int]] = {}
        self.shaped: dict[int, int] = {}
        self._dependencies = dependencies
        self._nodes = dependencies.index.nodes
        self._ops = ops
        self._rules = rules
        self._report = report
        self._values: dict[int, list[Any]] = {}
        self._taken: set[Output] = {tensor for tensor in dependencies.outputs if tensor[1] >= 0}
        self._users = dict(dependencies.users)
        self._controls_total = 0
        self._effort = Effort()
        for position in dependencies.producers_first:
            if self._is_constant(position):
                self.controls[position] = self._find_controls(position)
            else:
                self._taken.update(dependencies.tensors[position])
            self._release(position)
        self.values = {
            (position, port): self._values[position][port]
            for position, port in self._taken
            if position in self.controls and self._nodes[position].op not in CONSTS and self._has(position, port)
        }
        self._values.clear()

    @cached_property
    def _shapes(self) -> Shapes:
        return self._rules.shapes()

    # --- which nodes are constant ------------------------------------------------------------------------------------

    def _is_constant(self, position: int) -> bool:
        node = self._nodes[position]
        if node.op in CONSTS:
            return True
        if node.op in SHAPE_OPS and self._is_known_shape_op(position):
            return True
        if not all(source in self.controls for source, _ in self._dependencies.tensors[position]):
            return False
        if self._is_excluded(node):
            return False
        if node.op == "NoOp":
            return True
        try:
            problem = self._problem(node) or self._compute(position)
        except Error as error:  # from the kernel, the tensors, or attributes that are decoded now
            problem = escape(without(describe(node), error))
        if problem:
            self._report.refuse(node.name, problem)
        return not problem

    def _is_excluded(self, node: NodeDef) -> bool:
        """Return whether a node cannot be constant, so that the report need not mention it."""
        if node.op in self._rules.exclude_ops or node.name in self._rules.exclude_nodes or node.op in _NEVER:
            return True
        op = self._ops.get(node.op)
        return op is not None and is_stateful(op)

    def _problem(self, node: NodeDef) -> str:
        """Return why nodes with the op of this node cannot be computed; "" if they can."""
        if node.op in self._dependencies.index.functions:
            return "it calls a function"
        if node.op not in self._ops:
            return f"the op {escape(node.op)} is not known"
        if node.op not in KERNELS:
            return f"there is no kernel for {escape(node.op)}"
        if KERNELS[node.op].takes_runtime:
            return "it calls a function"
        return ""

    def _is_known_shape_op(self, position: int) -> bool:
        node, tensors = self._nodes[position], self._dependencies.tensors[position]
        try:
            shapes = [self._shapes.of(self._nodes[source])[port] for source, port in tensors]
            outputs = shape_op_outputs(node, shapes)
        except (Error, IndexError):  # an input refers to a missing output
            return False
        if outputs is None:
            return False
        if any(self._nodes[source].op in SWITCH for source, _ in tensors):
            # A constant here would have a value in both branches, and a control input cannot select one.
            self._report.refuse(node.name, "the shape is known, but not whether its branch of the conditional is taken")
            return False
        self._values[position] = outputs
        self.shaped[position] = len(outputs)
        return True

    # --- values ------------------------------------------------------------------------------------------------------

    def _compute(self, position: int) -> str:
        """Compute a node and hold its outputs; return "". Return the reason if that is not possible."""
        node = self._nodes[position]
        types = output_dtypes(node, self._ops[node.op])
        if None in types:
            return "the type of its result is not known"
        if not self._dependencies.users.get(position):
            return ""  # its outputs are not used
        inputs = [self._value(tensor) for tensor in self._dependencies.tensors[position]]
        if self._is_too_large(position, inputs, types):
            return TOO_LARGE.format(self._rules.limit)
        self._effort.add_node(node, inputs, self._first_shape(node, inputs))
        has_strings = DataType.DT_STRING in types
        with limit_memory(max(_SCRATCH, self._rules.limit)):
            outputs = bind(node, self._ops, types)(inputs)
        if has_strings and sum(map(_payload_bytes, outputs)) > self._rules.limit:
            return TOO_LARGE.format(self._rules.limit)
        self._effort.hold(outputs)
        self._values[position] = outputs
        return ""

    def _is_too_large(self, position: int, inputs: Sequence[Any], types: Sequence[DataType | None]) -> bool:
        """Return whether a result is too large, as far as this is known before the node is computed.

        If shape inference does not know the shape of a result, the inputs may determine the size. As in the original,
        an intermediate value, which does not become a constant, may be larger than the limit of the user.
        """
        node = self._nodes[position]
        max_bytes = prod(max(1, np.size(value)) for value in inputs) * _MAX_ITEM_SIZE
        if node.op in elementwise_ops() and max_bytes <= self._rules.limit:
            return False  # without shape inference
        is_unknown = False
        users = self._dependencies.taken
        for port, (shape, dtype) in enumerate(zip(self._shapes.of(node), types, strict=False)):
            if shape is None or None in shape or dtype not in DTYPES or (position, port) not in users:
                is_unknown |= shape is None or None in shape
                continue
            if prod(shape) * DTYPES[dtype].itemsize > self._rules.limit:  # type: ignore[arg-type]  # no None is left
                return True
        return is_unknown and bytes_needed(node, inputs, types) > max(_MAX_INTERMEDIATE, self._rules.limit)

    def _first_shape(self, node: NodeDef, inputs: Sequence[Any]) -> Shape | None:
        """Return the shape of the first output, as far as it is known."""
        if node.op in elementwise_ops():
            return _broadcast([np.shape(value) for value in inputs])  # without shape inference
        return next(iter(self._shapes.of(node)), None)

    def _value(self, tensor: Output) -> Any:
        """Return an output of a constant node."""
        position, port = tensor
        if position not in self._values and self._nodes[position].op in CONSTS:
            self._values[position] = bind(self._nodes[position], self._ops)([])
            self._effort.add_constants(self._values[position])
        if not self._has(position, port):
            raise RunError(f"{describe(self._nodes[position])} has no output {port}")
        return self._values[position][port]

    def _has(self, position: int, port: int) -> bool:
        return port < len(self._values.get(position, ()))

    def _release(self, position: int) -> None:
        """Release the inputs of a node that was visited if no other node needs them."""
        for source, _ in self._dependencies.tensors[position]:
            self._users[source] -= 1
            if self._users[source] or source not in self._values:
                continue
            values = self._values[source]
            for port, value in enumerate(values):
                if (source, port) not in self._taken:
                    values[port] = None
                    if self._nodes[source].op not in CONSTS and source not in self.shaped:
                        self._effort.drop(value)

    def _find_controls(self, position: int) -> frozenset[int]:
        """Return the sources of control inputs of a constant node, and of the nodes that it was computed from.

        Raises TransformError if the nodes of the graph have too many different sets of such sources.
        """
        controls = _NOTHING
        for source in self._dependencies.sources(position):
            source_controls = self.controls.get(source)
            if source_controls is None:
                source_controls = frozenset((source,))
            if not source_controls <= controls:
                controls = source_controls if controls <= source_controls else self._union(controls, source_controls)
        return controls

    def _union(self, controls: frozenset[int], more: frozenset[int]) -> frozenset[int]:
        self._controls_total += len(controls) + len(more)
        if self._controls_total > _MAX_CONTROLS:
            raise TransformError("constants have too many control inputs: run remove_control_dependencies first")
        return controls | more


def constant_values(
    graph: GraphDef, tensors: Iterable[TensorName], inputs: Iterable[TensorName], ops: Mapping[str, OpDef]
) -> dict[TensorName, Any]:
    """Return the values, as arrays, of those `tensors` that depend only on constants.

    `inputs` are fed, so tensors that depend on them are not constant. Only small values are computed.
    """
    index = GraphIndex(graph)
    constant = _positions_of_constants(index, {tensor.node for tensor in inputs}, ops)
    needed = list(dict.fromkeys(tensor for tensor in tensors if index.positions.get(tensor.node) in constant))
    dependencies = Dependencies(graph, (), needed)
    rules = Rules((), (), _MAX_SMALL, partial(infer_shapes, graph))
    computed = Constants(dependencies, ops, rules, StepReport("constant_values")).values
    values = {}
    for tensor in needed:
        position = index.position(tensor.node)
        try:
            if index.nodes[position].op in CONSTS:
                values[tensor] = to_ndarray(const_tensor(index.nodes[position]))
            elif (position, tensor.port) in computed:
                values[tensor] = computed[position, tensor.port]
        except Error:  # a Const without a value, or with one that is damaged
            continue
    return values


def _positions_of_constants(index: GraphIndex, fed: Collection[str], ops: Mapping[str, OpDef]) -> set[int]:
    """Return the positions of the nodes that may be constant: Const nodes, and nodes all of whose inputs may be."""
    constant: set[int] = set()
    for position in index.forward_order:
        node = index.nodes[position]
        if node.name in fed or (node.op not in CONSTS and (node.op in _NEVER or is_stateful(ops.get(node.op)))):
            continue
        pairs = zip(node.input, index.sources[position], strict=True)
        sources = [source for text, source in pairs if not is_control_input(text)]
        if node.op in CONSTS or (sources and constant.issuperset(sources)):
            constant.add(position)
    return constant


def _broadcast(shapes: Sequence[Shape]) -> Shape | None:
    """Return the shape of an element-wise result; if the shapes are incompatible, the longest of them."""
    result: Shape | None = ()
    try:
        for shape in shapes:
            result = broadcast(result, shape)
    except GraphError:
        return max(shapes, key=len, default=None)
    return result


def _payload_bytes(value: Any) -> int:
    """Return the bytes of a tensor without Python's overhead for strings."""
    is_text = isinstance(value, np.ndarray) and value.dtype == object
    return bytes_of(value) - (value.size * (STRING_BYTES - value.itemsize) if is_text else 0)


def shape_op_outputs(node: NodeDef, shapes: Sequence[Shape | None]) -> list[Any] | None:
    """Return the outputs of a shape op for inputs of these shapes; None if the shapes are not known well enough."""
    sizes = [shape for shape in shapes if shape is not None]
    if len(sizes) < len(shapes):
        return None
    if node.op == "Rank":
        return [np.array(len(shape), np.int32) for shape in sizes]
    dtype = attr(node, "out_type", DataType, DataType.DT_INT32)
    if dtype not in (DataType.DT_INT32, DataType.DT_INT64) or any(None in shape for shape in sizes):
        return None
    numbers: list[Any] = [prod(shape) if node.op == "Size" else shape for shape in sizes]
    numpy_type = dtype_of(dtype).numpy
    if any(np.max(number, initial=0) > np.iinfo(numpy_type).max for number in numbers):
        return None
    return [np.array(number, numpy_type) for number in numbers]
