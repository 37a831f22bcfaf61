"""Prepare a graph for freezing: make constants of tensors, and inline the calls of functions.

`bind_tensors` replaces tensors, such as those that only training feeds, by constants. `bind_source` does this for a
model and its signatures.

    keep_prob = Placeholder()             ->        keep_prob = Const(value=1)

`inline_calls` replaces the calls of functions by their nodes. `drop_idle_controls` removes control inputs that have no
effect after this.

    y = PartitionedCall(x, w, f=f)        ->        y/MatMul = MatMul(x, w), ...

A node of the function is named `<call>/<node>`, shortened as TensorFlow's own freezing does it: see
`tfmodel.graph.inline.FreezingNames`.

Consumers of a result take the tensor of the function's node. The function's nodes run after the control inputs of the
call. The call itself becomes a NoOp of the same name, which runs after all nodes that the function must run: nodes that
had the call as a control input keep this input. If a result is an output of the graph, it keeps its name: the call then
becomes an Identity of the result, or an IdentityN of several results.

Calls in functions are inlined too. Loops and branches, such as While and If, still call functions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from pbwire.codec.copy import share

from ...errors import GraphError, TransformError
from ...graph import GraphIndex
from ...graph.attributes import references
from ...graph.edit import replace_node
from ...graph.error_text import describe, no_output, no_tensor, quote
from ...graph.function_body import FunctionBodies
from ...graph.functions import enter_function
from ...graph.inline import FreezingNames, Inliner
from ...graph.inlined_calls import Gate, InlinableFunction, InlinedCall, called_function
from ...graph.view import GraphView
from ...messages import AttrValue, DataType, GraphDef, NodeDef, OpDef, SignatureDef
from ...ops import OPS, output_types
from ...ops.ports import Ports
from ...ops.traits import ENTER, SWITCH, VARIABLES
from ...source.bindings import default_signature, name_of_tensor, resolve_bindings
from ...source.model_source import ModelSource, Names, names_of
from ...source.signature_defs import tensor_keys, tensors_of
from ...values.dtypes import dtype_name
from ...values.names import TensorName, control_inputs, node_name
from ...values.shape import shape_to_text
from ..shapes import Shape, infer_shapes

_FRAME_STARTS = SWITCH | ENTER


def inline_calls(graph: GraphView, functions: FunctionBodies, outputs: Iterable[TensorName]) -> set[str]:
    """Inline all calls in `graph`, in place. Returns the names of the nodes that come from functions.

    Raises GraphError if a function is not valid or calls itself, or if the graph becomes too large.
    """
    inliner = _Inliner(graph, functions, outputs)
    originals = graph.nodes
    graph.replace_nodes(
        node if originals.get(node.name) is node else _with_short_inputs(node) for node in inliner.inline()
    )
    return graph.nodes.keys() - (originals.keys() - inliner.calls.keys()) - inliner.outputs.keys()


def _with_short_inputs(node: NodeDef) -> NodeDef:
    """Return a node of the inliner with its inputs in their shortest spelling, and each control input once."""
    node.experimental_debug_info = None  # about a node of the function; frozen graphs are written without it
    names = references(node)
    tensors = [str(name) for name in names if not name.is_control]
    inputs = [*tensors, *dict.fromkeys(str(name) for name in names if name.is_control)]
    return node if inputs == node.input else replace_node(node, input=inputs)


class _Inliner(Inliner):
    """Inlines outer calls before inner calls.

    outputs    the nodes with outputs of the graph, with the highest port of these outputs
    """

    def __init__(self, graph: GraphView, functions: FunctionBodies, outputs: Iterable[TensorName]) -> None:
        nodes = list(graph.nodes.values())
        super().__init__(nodes, naming=FreezingNames(), growth_base=len(nodes) + functions.node_count)
        self.outputs: dict[str, int] = {}
        for tensor in outputs:
            self.outputs[tensor.node] = max(tensor.port, self.outputs.get(tensor.node, 0))
        self._functions = functions
        self._inlinable: dict[str, InlinableFunction] = {}
        self._awaited = {node_name(name) for node in nodes for name in control_inputs(node)}
        self._has_frames = any(node.op in _FRAME_STARTS for node in nodes)

    def function(self, node: NodeDef, callers: tuple[str, ...]) -> InlinableFunction | None:
        name = called_function(node, self._functions)
        if not name:
            return None
        enter_function(callers, name)
        if name not in self._inlinable:
            function = self._functions.body(name)
            nodes = function.message.node_def
            GraphView(function)  # raises GraphError if the body is not valid
            self._inlinable[name] = InlinableFunction(function.message, nodes, function.returns, function.references)
        return self._inlinable[name]

    def gate(self, call: InlinedCall) -> Gate | None:
        """Return the gate of a call.

        In graphs with loops or branches it takes an input of the call, so that the function's nodes without inputs
        belong to the same loop or branch as the call.
        """
        if self._has_frames and call.inputs:
            node = self.identity(call, self.gate_name(call), call.inputs[:1], "Tin", call.controls)
        elif call.controls:
            node = self.no_op(call, self.gate_name(call), call.controls)
        else:
            return None
        return Gate(node, passes_arguments=False, holds_constants=self._has_frames)

    def remainders(self, nodes: Sequence[NodeDef]) -> dict[str, NodeDef]:
        return {name: self._remainder(call) for name, call in self.calls.items()}

    def _remainder(self, call: InlinedCall) -> NodeDef:
        name, results = call.node.name, call.results
        controls = call.new_names(call.function.controls)
        controls = controls or list(dict.fromkeys([*map(node_name, results), *call.controls]))
        if name not in self.outputs or call.is_nested:
            return self.no_op(call, name, controls)
        count = self.outputs[name] + 1
        if count > len(results):
            raise GraphError(f"{quote(name)} has {len(results)} results: there is no {name}:{count - 1}")
        return self.identity(call, name, results[:count], "Tout", controls if name in self._awaited else ())


# --- control inputs --------------------------------------------------------------------------------------------------

_PURE = ("Identity", "Shape")
_CONSTANT = ("Const", "NoOp", *VARIABLES)


def drop_idle_controls(graph: GraphView, new: set[str]) -> None:
    """Drop control inputs that have no effect once the variables are constants.

    In TensorFlow 2 functions, all results depend on every read of a variable. The nodes that come from functions
    (`new`) lose their control inputs from nodes that have no effect and whose own inputs are all such nodes.
    """
    waiting = {name: len({*map(node_name, node.input)}) for name, node in graph.nodes.items()}
    idle: set[str] = set()
    queue = [name for name, count in waiting.items() if not count and _has_no_effect(graph.nodes[name], new)]
    while queue:
        name = queue.pop()
        idle.add(name)
        for user in graph.users(name):
            waiting[user] -= 1
            if not waiting[user] and _has_no_effect(graph.nodes[user], new):
                queue.append(user)
    for name in new & graph.nodes.keys():
        node = graph.nodes[name]
        controls = list(map(node_name, control_inputs(node)))
        if not idle.isdisjoint(controls):
            graph.change(node, controls=[control for control in controls if control not in idle])


def _has_no_effect(node: NodeDef, new: set[str]) -> bool:
    return node.op in _CONSTANT or (node.op in _PURE and node.name in new)


# --- binding ---------------------------------------------------------------------------------------------------------


def bind_source(source: ModelSource, values: Mapping[str, Any] | None, *, outputs: Names = None) -> ModelSource:
    """Return the model with constants in place of tensors. Inputs that are bound are removed from its signatures.

    `values` maps the names of tensors, or the keys of the signature's inputs, to values: see `bind_tensors`. `outputs`
    are the tensors that the caller fetches; default: the outputs of the signature. Raises TransformError.
    """
    if not values:
        return source
    with source.naming():
        values = resolve_bindings(source, values)
        named_signature = default_signature(source)
        declared = named_signature[1].outputs if named_signature is not None else {}
        keys = tensor_keys(declared)
        asked = [name_of_tensor(name, keys) for name in names_of(outputs)]
        fetches = tensors_of(declared) if outputs is None else asked
        graph = bind_tensors(source.graph, values, outputs=map(TensorName.parse, fetches), ops=source.ops)
        bound = source.with_graph(graph)
        if bound.meta is not None:
            names = {
                spelling for tensor in map(TensorName.parse, values) for spelling in (tensor.numbered, str(tensor))
            }
            signatures = bound.meta.signature_def
            bound.meta.signature_def = {name: _without_inputs(signatures[name], names) for name in signatures}
    return bound


def _without_inputs(signature: SignatureDef, names: Collection[str]) -> SignatureDef:
    """Return a signature without the inputs whose tensors are all in `names`."""
    kept = {key: info for key, info in signature.inputs.items() if not {*tensors_of({key: info})} <= {*names}}
    if len(kept) == len(signature.inputs):
        return signature
    signature = share(signature)
    signature.inputs = kept
    return signature


def bind_tensors(
    graph: GraphDef,
    values: Mapping[str, Any],
    *,
    inputs: Iterable[TensorName] = (),
    outputs: Iterable[TensorName] = (),
    ops: Mapping[str, OpDef] = OPS,
) -> GraphDef:
    """Return the graph with constants in place of tensors. `values` maps their names to values.

    A node with one output becomes a constant of the same name. A node with several outputs stays, and the consumers of
    the tensor take a new constant. `inputs` and `outputs` are the declared tensors. A declared input cannot be bound,
    nor can a declared output of a node with several outputs. Values are numbers, bools, strings, lists of them, or
    arrays.

    Raises TransformError, which names the tensor, if it does not exist or cannot be bound, or if the value does not fit
    its type or shape.
    """
    if not values:
        return graph
    index = GraphIndex(graph)
    shapes = infer_shapes(index)
    body = GraphView(graph)
    constants: dict[TensorName, TensorName] = {}
    bound: set[TensorName] = set()
    declared_inputs, declared_outputs = set(inputs), set(outputs)
    for text, value in values.items():
        tensor = _bindable(text, index)
        if tensor in bound:
            raise TransformError(f"{quote(str(tensor))} is bound twice")
        bound.add(tensor)
        if tensor in declared_inputs:
            problem = "is a declared input, which is fed: do not declare it, or do not bind it"
            raise TransformError(f"{quote(text)} {problem}")
        node = index[tensor.node]
        types = _output_types(node, ops)
        if tensor.port >= len(types):
            raise TransformError(no_output(node, tensor.port, len(types)))
        if len(types) == 1:
            name = node.name
        elif tensor in declared_outputs:
            problem = f"is a declared output of {describe(node)}, which has several outputs, and cannot be bound"
            raise TransformError(f"{quote(text)} {problem}: do not declare it, or do not bind it")
        else:
            name = body.fresh(f"{node.name}/{tensor.port}")
            constants[tensor] = TensorName(name)
        body.add(_constant(name, value, types[tensor.port], shapes.get(tensor)))
    body.replace_tensors(constants)
    return body.graph()


def _bindable(text: str, index: GraphIndex) -> TensorName:
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


def _output_types(node: NodeDef, ops: Mapping[str, OpDef]) -> Ports:
    op = ops.get(node.op)
    if op is None:
        raise TransformError(f"{quote(node.name)} cannot be bound: the outputs of {quote(node.op)} are not known")
    try:
        return output_types(node, op)
    except GraphError as error:
        raise TransformError(f"{quote(node.name)} cannot be bound: {error}") from None


def _constant(name: str, value: Any, dtype: DataType | None, shape: Shape | None) -> NodeDef:
    """Return a Const with a value; a scalar is repeated to fill `shape`.

    Raises TransformError if the value does not fit the type or the shape.
    """
    import numpy as np  # few calls bind tensors

    from ...values.tensors import from_ndarray  # imports numpy

    if dtype is None:
        raise TransformError(f"{quote(name)} is of an unknown type and cannot be bound")
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
        return True  # a scalar fits any shape that is partly unknown
    return len(actual) == len(shape) and all(known in (None, size) for known, size in zip(shape, actual, strict=True))
