"""Replace tensors by constants, such as those that only training feeds: is_training, keep_prob.

    is_training = Placeholder[dtype=bool]     ->     is_training = Const[dtype=bool, value=bool{false}()]

Any tensor can be bound. A node with one output becomes a constant of the same name; otherwise the nodes that take the
tensor take a new constant. Nodes that only the bound tensor needed stay: `strip_unused_nodes` removes them. A declared
input cannot be bound, since it is fed, and neither can a tensor inside a loop.

A value is JSON: a number, true, false, a "string", or lists of these. A single value fills the shape of the tensor if
all of it is known, and is a scalar otherwise; a list must fit the shape.

Differences from the original: it has no such transform.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..dtypes import dtype_name, dtype_of
from ..errors import GraphError, TransformError
from ..graph import GraphIndex, with_nodes
from ..graph.edit import TakenNames
from ..graph.error_text import no_output, no_tensor, quote
from ..messages import AttrValue, DataType, GraphDef, NodeDef, OpDef
from ..names import TensorName
from ..ops import OPS, output_types
from ..ops.ports import Ports
from ..shape import shape_to_text
from ..shapes import Shape, infer_shapes
from .framework.node_edits import rename_inputs, restore_colocation
from .framework.registry import graph_transform
from .framework.report import StepReport

__all__ = ["bind_inputs", "bind_tensors"]


@graph_transform
def bind_inputs(
    graph: GraphDef,
    *,
    inputs: tuple[TensorName, ...] = (),
    ops: Mapping[str, OpDef] = OPS,
    report: StepReport,
    name: tuple[str, ...] = (),
    value: tuple[str, ...] = (),
) -> GraphDef:
    """Replace the tensor `name` by the constant `value`; both may be repeated.

    Example: bind_inputs(name=keep, value=1) with inputs x and outputs y

        x = Placeholder[dtype=float]
        keep = Placeholder[dtype=float, shape=()]
        y = RealDiv(x, keep)[T=float]

    becomes

        x = Placeholder[dtype=float]
        keep = Const[dtype=float, value=float{1}()]
        y = RealDiv(x, keep)[T=float]
    """
    if len(name) != len(value) or not name:
        raise TransformError(f"name and value must be given equally often, not {len(name)} and {len(value)} times")
    values: dict[str, Any] = {}
    for tensor, text in zip(name, value, strict=True):
        if tensor in values:
            raise TransformError(f"name={quote(tensor)} is given twice")
        try:
            values[tensor] = json.loads(text)
        except (ValueError, RecursionError):
            problem = 'is not JSON: a number, true, false, or "text", or lists of these'
            raise TransformError(f"the value {quote(text)} of {quote(tensor)} {problem}") from None
    report.fire(len(values))
    return bind_tensors(graph, values, inputs=inputs, ops=ops)


def bind_tensors(
    graph: GraphDef, values: Mapping[str, Any], *, inputs: tuple[TensorName, ...] = (), ops: Mapping[str, OpDef] = OPS
) -> GraphDef:
    """Return the graph with constants in place of tensors, by name. `inputs` are declared inputs, which stay.

    Values are numbers, bools, strings, lists of them, or arrays. Raises TransformError, which names the tensor, for one
    that does not exist or cannot be bound, and for a value that does not fit its type or shape.
    """
    if not values:
        return graph
    index, shapes = GraphIndex(graph), infer_shapes(graph)
    taken = TakenNames(index.positions)
    constants: dict[str, NodeDef] = {}
    added: list[NodeDef] = []
    renames: dict[str, str] = {}
    for text, value in values.items():
        tensor = _tensor(text, index)
        if any(declared.node == tensor.node and declared.port == tensor.port for declared in inputs):
            problem = "is a declared input, which is fed: do not declare it, or do not bind it"
            raise TransformError(f"{quote(text)} {problem}")
        node = index[tensor.node]
        types = _types(node, ops)
        if tensor.port >= len(types):
            raise TransformError(no_output(node, tensor.port, len(types)))
        if len(types) == 1:
            constants[node.name] = _constant(node.name, value, types[0], shapes.get(tensor))
        else:
            name = taken.fresh(f"{node.name}/{tensor.port}")
            constant = _constant(name, value, types[tensor.port], shapes.get(tensor))
            added.append(constant)
            renames[str(tensor)] = constant.name
    nodes = [constants.get(node.name, node) for node in rename_inputs(graph.node, renames)]
    return with_nodes(graph, restore_colocation([*added, *nodes], graph.node))


def _tensor(text: str, index: GraphIndex) -> TensorName:
    try:
        tensor = TensorName.parse(text)
        if tensor.is_control or tensor.output:
            raise TransformError(no_tensor(text, tensor))
        index[tensor.node]
    except GraphError as error:
        raise TransformError(str(error)) from None
    if index.frame(tensor.node) is not None:
        raise TransformError(f"{quote(text)} is inside a loop, and cannot be bound")
    return tensor


def _types(node: NodeDef, ops: Mapping[str, OpDef]) -> Ports:
    op = ops.get(node.op)
    if op is None:
        raise TransformError(f"{quote(node.name)} cannot be bound: the outputs of {quote(node.op)} are not known")
    try:
        return output_types(node, op)
    except GraphError as error:
        raise TransformError(f"{quote(node.name)} cannot be bound: {error}") from None


def _constant(name: str, value: Any, dtype: DataType | None, shape: Shape | None) -> NodeDef:
    """Return a Const with a value, which fills `shape` if it is a scalar. Raises TransformError if it does not fit."""
    import numpy as np

    from ..tensors import from_ndarray

    if dtype is None or dtype_of(dtype).numpy is None:
        what = "of an unknown type" if dtype is None else dtype_name(dtype)
        raise TransformError(f"{quote(name)} is {what}: there are no such constants")
    try:
        array = np.asarray(value)
        if array.dtype == bool and dtype != DataType.DT_BOOL:
            raise ValueError("it is a bool")
        if array.ndim == 0 and shape is not None and None not in shape:
            array = np.broadcast_to(array, [size or 0 for size in shape])
        if shape is not None and not _fits(array.shape, shape):
            raise ValueError(f"its shape is {shape_to_text(array.shape)}, not {shape_to_text(shape)}")
        attrs = {"dtype": AttrValue(type=dtype), "value": AttrValue(tensor=from_ndarray(array, dtype))}
        return NodeDef(name=name, op="Const", attr=attrs)
    except (ValueError, TypeError, OverflowError) as error:
        raise TransformError(
            f"{quote(name)} is {dtype_name(dtype)} and cannot be bound to {value!r}: {error}"
        ) from None


def _fits(actual: tuple[int, ...], shape: Shape) -> bool:
    if not actual:
        return True  # a scalar for a shape that is not known in full
    return len(actual) == len(shape) and all(known in (None, size) for known, size in zip(shape, actual, strict=True))
