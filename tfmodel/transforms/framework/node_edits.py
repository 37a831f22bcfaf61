"""Edits that transforms share: change nodes one by one, redirect inputs, keep colocation.

    map_nodes(graph, change, report)                    # `change` returns a new node, or the node itself
    rename_inputs(graph.node, {"old:*": "new"})         # the counterpart of RenameNodeInputs
    restore_colocation(nodes, graph.node)               # after nodes were removed

The key of a rename selects references; its value replaces them:

    n:*  -> m       every reference to n. Tensors keep their port, and control inputs keep their ^
    n    -> m:1     output 0 of n, also spelled n:0
    n:1  -> m       output 1 of n; in the body of a function, n:out:0
    ^n   -> ^m      control inputs

The result of a rename is renamed again, so {"a": "b", "b": "c"} turns a into c. A rename of the whole node (n:*) takes
precedence over a rename of one of its outputs. Unlike in the original, a rename may lead from one output of a node to
another output of this node: only a reference that leads back to itself is a cycle.

`const_node` makes a Const whose elements are in `tensor_content`, as the C++ tool does:

    const_node("scale", 0.5, DataType.DT_FLOAT)                                # a scalar
    const_node("paddings", [[0, 0]] * 4, DataType.DT_INT32)                    # int32[4,2]
    const_node("weights", array, DataType.DT_FLOAT, control_inputs=["^merge"])

`tensors.from_ndarray`, like the rest of TensorFlow, puts single elements, strings and bools into the field of their
type instead.

The functions that make tensors count the bytes of the elements, and raise GraphError if a transform makes too many: see
`tfmodel.values.output_limit`. Its `require` checks the number of bytes before an array is made.

`DefaultAttributes` writes out the attributes that nodes leave out because they have the default of their op:

    complete = DefaultAttributes(ops)
    complete(node)             # the node with all attributes; the node itself if none is missing
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from pbwire.lazy.messages import Content, Deferred, undecoded_message
from pbwire.varints import write_varint

from ...errors import GraphError, TensorError, TransformError
from ...graph import (
    CONTROL_FLOW,
    ColocationRenames,
    GraphIndex,
    colocated_with,
    colocation_groups,
    describe,
    replace_node,
    with_nodes,
)
from ...graph.edit import map_functions
from ...messages import AttrValue, DataType, FunctionDef, GraphDef, NodeDef, OpDef, TensorProto
from ...ops import defaults
from ...ops.traits import SWITCH
from ...values.dtypes import Dtype, dtype_of
from ...values.names import TensorName, control_input, is_plain_name, node_name, strip_control_mark, with_node_name
from ...values.output_limit import claim
from ...values.shape import shape_to_proto
from ...values.terminal import escape
from .report import StepReport


def map_nodes(
    graph: GraphDef, change: Callable[[NodeDef], NodeDef], report: StepReport, *, functions: bool = True
) -> GraphDef:
    """Return the graph with `change` applied to each node, and count the changed nodes in `report`.

    `change` returns a new node, or the node itself if it stays. With `functions`, nodes in the bodies of functions are
    changed too; those for which `change` raises GraphError or TensorError stay and are reported as refused, since calls
    may decide the attributes of a node.
    """
    nodes = [change(node) for node in graph.node]
    report.fire(sum(new is not old for new, old in zip(nodes, graph.node, strict=True)))
    result = with_nodes(graph, nodes)
    if not functions:
        return result
    return map_functions(result, lambda function: _map_function(function, change, report))


def _map_function(function: FunctionDef, change: Callable[[NodeDef], NodeDef], report: StepReport) -> FunctionDef:
    nodes = []
    for node in function.node_def:
        try:
            nodes.append(change(node))
        except (GraphError, TensorError) as error:
            report.refuse(node.name, str(error))
            nodes.append(node)
    changes = sum(new is not old for new, old in zip(nodes, function.node_def, strict=True))
    report.fire(changes)
    return with_nodes(function, nodes) if changes else function


_ALL = ":*"


def rename_inputs(
    nodes: Iterable[NodeDef], renames: Mapping[str, str], *, ignore: Collection[str] = ()
) -> list[NodeDef]:
    """Return the nodes with renamed inputs. Names of nodes stay, and so do the inputs of nodes named in `ignore`.

    Nodes whose inputs stay are returned as they are. Raises TransformError for a cycle, and for a rename of a whole
    node (n:*) to something other than a node.
    """
    resolved = _ResolvedReferences(renames)
    result = []
    for node in nodes:
        inputs = node.input
        if inputs and not (ignore and node.name in ignore):
            new = [resolved[text] for text in inputs]
            if new != inputs:
                node = replace_node(node, input=new)
        result.append(node)
    return result


class _ResolvedReferences(dict[str, str]):
    """Cache of the final reference for each spelling."""

    def __init__(self, renames: Mapping[str, str]) -> None:
        super().__init__()
        self._whole: dict[str, str] = {}
        self._exact: dict[TensorName, str] = {}
        for source, target in renames.items():
            if not source.endswith(_ALL):
                self._exact[TensorName.parse(source)] = target
            elif not is_plain_name(target):
                raise TransformError(f'"{escape(source)}" must be renamed to a node, not "{escape(target)}"')
            else:
                self._whole[strip_control_mark(source).removesuffix(_ALL)] = target

    def __missing__(self, text: str) -> str:
        path = [text]
        visited = {text}
        while (target := self._step(path[-1])) is not None:
            if target in visited:
                raise TransformError(f'the renames of "{escape(text)}" lead back to "{escape(target)}"')
            path.append(target)
            visited.add(target)
            if target in self:
                break
        end = self.get(path[-1], path[-1])
        self.update(dict.fromkeys(path, end))
        return end

    def _step(self, text: str) -> str | None:
        """Apply one rename to a reference; return None if no rename applies."""
        name = node_name(text)
        if name in self._whole:
            return with_node_name(text, self._whole[name])
        if not self._exact:
            return None
        try:
            return self._exact.get(TensorName.parse(text))
        except GraphError:
            return None  # not a reference; the check of the graph reports it


MAX_PASSED_CONTROLS = 64
"""The most control inputs that a removed node passes on to its consumers: in a chain of nodes they would add up."""


def bypass_problem(index: GraphIndex, node: NodeDef, source: NodeDef | None, controls: Sequence[str]) -> str:
    """Return why consumers of a node cannot take an output of `source` instead, and `controls`; "" if they can."""
    if source is not None and source.op in SWITCH:
        if any(control_input(node.name) in user.input for user in index.consumers(node.name)):
            return "its control outputs order nodes within one branch of a conditional"
        if index.frame(source.name) is not None:
            return "it follows the Switch of a loop, where TensorFlow's optimizer needs it"
    if controls and any(user.op in CONTROL_FLOW for user in index.consumers(node.name)):
        return "it has control inputs, and a loop or conditional consumes its output"
    if len(controls) > MAX_PASSED_CONTROLS:
        return f"its consumers would get more than {MAX_PASSED_CONTROLS} control inputs"
    return ""


def restore_colocation(nodes: list[NodeDef], before: Sequence[NodeDef]) -> list[NodeDef]:
    """Return the remaining nodes with repaired colocation, after some of the nodes `before` were removed.

    Nodes that were colocated with a removed node stay together: their colocation attributes refer to one of them
    instead. References to nodes that were never in the graph stay.
    """
    remaining = {node.name for node in nodes}
    missing = {name for node in nodes for name in colocated_with(node)} - remaining
    removed = missing.intersection(node.name for node in before) if missing else missing
    if not removed:
        return nodes
    substitutes: dict[str, str] = {}
    for group in colocation_groups(before):
        substitute = next((name for name in group if name in remaining), None)
        if substitute is not None:
            substitutes |= {name: substitute for name in group if name in removed}
    return [*map(ColocationRenames(substitutes).rename, nodes)]


_MIN_SHARED = 1 << 16  # bytes; arrays of at most this size are copied
_CONTENT = 4  # the field tensor_content
_NEW = "a new constant"

# The `struct` format and the Python type of a number, by its NumPy type string.
_SCALARS = {"<f4": ("<f", float), "<f8": ("<d", float), "|b1": ("<?", bool)} | {
    f"{order}{kind}{size}": (f"<{letter if kind == 'i' else letter.upper()}", int)
    for order, size, letter in (("|", 1, "b"), ("<", 2, "h"), ("<", 4, "i"), ("<", 8, "q"))
    for kind in "iu"
}


def const_node(
    name: str, values: Any, dtype: DataType, *, control_inputs: Iterable[str] = (), device: str = ""
) -> NodeDef:
    """Return a Const of type `dtype`. `values` is a number, a string, an array, or a list of numbers or strings.

    Lists may be nested. Control inputs are spelled as in nodes: "^name". Raises TensorError for a value that `dtype`
    cannot hold, such as numbers for a string: in a damaged graph, a type may be any other.
    """
    attributes = {"dtype": AttrValue(type=dtype), "value": AttrValue(tensor=content_tensor(values, dtype))}
    return NodeDef(name=name, op="Const", input=list(control_inputs), device=device, attr=attributes)


def content_tensor(values: Any, dtype: DataType) -> TensorProto:
    """Return the tensor that a Const of `const_node` holds. NumPy is imported unless `values` is a single number."""
    row = dtype_of(dtype)
    number = _encode_number(values, row)
    try:
        content, shape = (number, ()) if number is not None else _encode_array(values, row)
    except (ValueError, OverflowError) as error:
        raise TensorError(str(error)) from error
    claim(len(content), _NEW)
    return TensorProto(dtype=dtype, tensor_shape=shape_to_proto(shape), tensor_content=content)


def owned_tensor(array: Any, dtype: DataType) -> TensorProto:
    """Return a tensor of type `dtype` with the shape and content of `array`, whose elements are as tensors store them.

    A large array is not copied, because a second copy of all new weights would be most of the memory of a transform. So
    the array must not be changed afterwards.
    """
    claim(array.nbytes, _NEW)
    content = array.reshape(-1).data.cast("B") if array.nbytes > _MIN_SHARED else array.tobytes()
    return TensorProto(dtype=dtype, tensor_shape=shape_to_proto(array.shape), tensor_content=content)


def deferred_tensor(shape: Iterable[int], dtype: DataType, content: Content) -> TensorProto:
    """Return a tensor whose content is computed when the message is written or read."""
    claim(len(content), _NEW)
    fields = TensorProto(dtype=dtype, tensor_shape=shape_to_proto(shape)).to_bytes()
    return undecoded_message(TensorProto, Deferred(fields, _CONTENT, content))


def _encode_number(value: Any, row: Dtype) -> bytes | None:
    """Return the bytes of a Python number; None if the value needs NumPy."""
    letter, kind = _SCALARS.get(row.stored, ("", None))
    if type(value) is not kind or row.codec:
        return None
    try:
        return struct.pack(letter, value)
    except (struct.error, OverflowError):
        return None  # too large: NumPy raises an error with a message


def _encode_array(values: Any, row: Dtype) -> tuple[bytes, tuple[int, ...]]:
    import numpy as np  # scalars do not need it

    if not row.is_object:
        array = row.encode(values)
        return array.tobytes(), array.shape
    array = np.array(values, object) if isinstance(values, (str, bytes, list, tuple)) else np.asarray(values)
    strings = [text.encode() if isinstance(text, str) else text for text in array.ravel().tolist()]
    if row.codec or not all(isinstance(text, bytes) for text in strings):
        raise ValueError(f"cannot make a {row.name} tensor of {escape(str(values)[:100])}")
    return b"".join([*(write_varint(len(text)) for text in strings), *strings]), array.shape


class DefaultAttributes:
    """Adds missing default attributes to nodes. `ops` declares ops; nodes of other ops stay as they are."""

    def __init__(self, ops: Mapping[str, OpDef]) -> None:
        self._ops = ops
        self._values: dict[str, dict[str, bytes]] = {}

    def __call__(self, node: NodeDef) -> NodeDef:
        """Return the node with the attributes that it leaves out. Raises GraphError if too many bytes are added."""
        values = self._values.get(node.op)
        if values is None:
            op = self._ops.get(node.op)
            op_defaults = defaults(op) if op is not None else {}
            values = self._values[node.op] = {name: value.to_bytes() for name, value in op_defaults.items()}
        if not values:
            return node
        added = sum(len(value) for name, value in values.items() if name not in node.attr)
        claim(added, f"the default attributes of {describe(node)}")
        # Decoded for each node, so that no two nodes share a value, nor a node and the registry.
        missing = {name: AttrValue.from_bytes(value) for name, value in values.items() if name not in node.attr}
        return replace_node(node, attr={**node.attr, **missing}) if missing else node
