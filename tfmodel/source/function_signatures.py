"""Signatures for the functions of a SavedModel that has none.

TensorFlow 2 saves functions as objects. Only functions that are named as signatures get placeholders, and a node that
calls them. `with_function_signatures` adds these for the functions of the root object:

    __call__(x)     ->     x: Placeholder, call: StatefulPartitionedCall(x, weights), output_0: Identity(call)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from pbwire.codec.copy import share

from ..graph.view import GraphView
from ..messages import (
    AttrValue,
    DataType,
    FunctionDef,
    GraphDef,
    MetaGraphDef,
    NameAttrList,
    NodeDef,
    SavedConcreteFunction,
    SavedObjectGraph,
    SignatureDef,
    StructuredValue,
    TensorInfo,
    TensorShapeProto,
)
from .signature_defs import DEFAULT_FUNCTION, INTERNAL_SIGNATURES

MAX_DEPTH = 100
"""The most containers around an argument."""

_PREDICT = "tensorflow/serving/predict"


def with_function_signatures(meta: MetaGraphDef) -> MetaGraphDef | None:
    """Return the MetaGraph with a signature for each function of its root object; None if it has signatures.

    A function with several traces gets one signature, preferably of a trace in which no argument is True, since this is
    how `training` is given. A function is left out if it takes composite tensors, or objects without a node in
    the graph, such as tables.
    """
    objects, graph = meta.object_graph_def, meta.graph_def
    if objects is None or graph is None or not objects.nodes:
        return None
    if any(not name.startswith(INTERNAL_SIGNATURES) for name in meta.signature_def):
        return None
    builder = _Builder(meta, graph, objects)
    functions = _functions(objects)
    for name, traces in functions.items():
        builder.add(name, traces, prefix="" if name == DEFAULT_FUNCTION or len(functions) == 1 else f"{name}_")
    return builder.result()


def _functions(objects: SavedObjectGraph) -> dict[str, list[str]]:
    """Return the functions of the root object with the names of their traces."""
    functions = {}
    for child in objects.nodes[0].children:
        if 0 <= child.node_id < len(objects.nodes):
            node = objects.nodes[child.node_id]
            if node.function is not None:
                functions[child.local_name] = list(node.function.concrete_functions)
            elif node.bare_concrete_function is not None:
                functions[child.local_name] = [node.bare_concrete_function.concrete_function_name]
    return functions


class _Builder:
    def __init__(self, meta: MetaGraphDef, graph: GraphDef, objects: SavedObjectGraph) -> None:
        self._meta, self._graph, self._objects = meta, graph, objects
        library = graph.library.function if graph.library is not None else []
        self._functions = {function.signature.name: function for function in library if function.signature is not None}
        self._view = GraphView(graph, checked=False)
        self._nodes: list[NodeDef] = []
        self._signatures: dict[str, SignatureDef] = {}

    def result(self) -> MetaGraphDef | None:
        if not self._signatures:
            return None
        meta, graph = share(self._meta), share(self._graph)
        graph.node = [*self._graph.node, *self._nodes]
        meta.graph_def = graph
        meta.signature_def = {**self._meta.signature_def, **self._signatures}
        return meta

    def add(self, name: str, traces: list[str], *, prefix: str) -> None:
        """Add a signature for one of the traces of a function, if it can be called; names of nodes get the prefix."""
        concrete = self._objects.concrete_functions
        known = [trace for trace in traces if trace in concrete and trace in self._functions]
        for trace in sorted(known, key=lambda trace: _has_true(concrete[trace].canonicalized_input_signature)):
            captured = [self._captured(number) for number in concrete[trace].bound_inputs]
            if all(tensor in self._view.nodes for tensor in captured):
                signature = self._signature(prefix, trace, concrete[trace], captured)
                if signature is not None:
                    self._signatures[name] = signature
                    return

    def _captured(self, number: int) -> str:
        """Return the node that an object stands for; "" for an object of another kind, such as a table."""
        if not 0 <= number < len(self._objects.nodes):
            return ""
        node = self._objects.nodes[number]
        if node.variable is not None:
            return node.variable.name
        if node.constant is not None:
            return node.constant.operation
        assets = self._meta.asset_file_def
        if node.asset is not None and 0 <= node.asset.asset_file_def_index < len(assets):
            info = assets[node.asset.asset_file_def_index].tensor_info
            return (info.name or "").removesuffix(":0") if info is not None else ""
        return ""

    def _signature(
        self, prefix: str, trace: str, concrete: SavedConcreteFunction, captured: list[str]
    ) -> SignatureDef | None:
        """Add a node that calls a function, with its inputs and outputs; return the signature. None if that fails."""
        function = self._functions[trace]
        declared = function.signature
        specs = [*_specs(concrete.canonicalized_input_signature)]
        if declared is None or not declared.output_arg or None in specs:
            return None
        count = len(declared.input_arg) - len(captured)
        if count < 0 or count != len(specs):
            return None
        types = [argument.type for argument in (*declared.input_arg, *declared.output_arg)]
        if any(dtype is None or dtype == DataType.DT_INVALID for dtype in types):
            return None
        signature = SignatureDef(method_name=_PREDICT)
        tensors = []
        for position, (argument, shape) in enumerate(zip(declared.input_arg[:count], specs, strict=True)):
            key = argument_name(function, position) or argument.name
            node = self._view.fresh(prefix + _valid_name(key))
            attrs = {"dtype": AttrValue(type=argument.type), "shape": AttrValue(shape=shape)}
            self._nodes.append(NodeDef(name=node, op="Placeholder", attr=attrs))
            signature.inputs[key] = TensorInfo(name=f"{node}:0", dtype=argument.type, tensor_shape=shape)
            tensors.append(node)
        call = self._view.fresh(f"{prefix}call")
        self._nodes.append(
            NodeDef(
                name=call,
                op="StatefulPartitionedCall",
                input=[*tensors, *captured],
                attr={
                    "Tin": _types([argument.type for argument in declared.input_arg]),
                    "Tout": _types([argument.type for argument in declared.output_arg]),
                    "f": AttrValue(func=NameAttrList(name=trace)),
                },
            )
        )
        keys = _keys(concrete.output_signature, len(declared.output_arg))
        shapes = [*_specs(concrete.output_signature)]
        for port, (key, argument) in enumerate(zip(keys, declared.output_arg, strict=True)):
            node = self._view.fresh(prefix + _valid_name(key))
            source = f"{call}:{port}" if port else call
            attr = {"T": AttrValue(type=argument.type)}
            self._nodes.append(NodeDef(name=node, op="Identity", input=[source], attr=attr))
            shape = shapes[port] if len(shapes) == len(keys) else None
            info = TensorInfo(name=f"{node}:0", dtype=argument.type, tensor_shape=shape)
            signature.outputs[key] = info
        return signature


def _types(types: list[DataType]) -> AttrValue:
    return AttrValue(list=AttrValue.ListValue(type=types))


def _valid_name(text: str) -> str:
    """Return a valid name for a node."""
    return re.sub(r"^[^A-Za-z0-9.]|[^A-Za-z0-9_.\\/>-]", "_", text).lstrip("_") or "input"


def argument_name(function: FunctionDef, position: int) -> str:
    """Return the name that an argument has in Python; "" if it is not recorded."""
    attrs = function.arg_attr[position].attr if position in function.arg_attr else {}
    value = attrs.get("_user_specified_name")
    return value.s.decode(errors="replace") if value is not None and value.s is not None else ""


def _keys(value: StructuredValue | None, count: int) -> list[str]:
    """Return the keys of results: those of a dictionary of tensors, otherwise output_0, output_1 and so on."""
    fields: Mapping[str, StructuredValue] = {}
    if value is not None and value.dict_value is not None:
        fields = value.dict_value.fields
    return sorted(fields) if len(fields) == count else [f"output_{number}" for number in range(count)]


def _specs(value: StructuredValue | None, depth: int = 0) -> Iterator[TensorShapeProto | None]:
    """Yield the shapes of the tensors in nested arguments; None for a composite tensor, which has several."""
    if value is None or depth > MAX_DEPTH:
        return
    spec, bounded = value.tensor_spec_value, value.bounded_tensor_spec_value
    if spec is not None or bounded is not None:
        shape = spec.shape if spec is not None else bounded.shape if bounded is not None else None
        yield TensorShapeProto(unknown_rank=True) if shape is None else shape
    elif value.type_spec_value is not None:
        yield None
    else:
        for element in _elements(value):
            yield from _specs(element, depth + 1)


def _has_true(value: StructuredValue | None, depth: int = 0) -> bool:
    """Return whether an argument is True."""
    if value is None or depth > MAX_DEPTH:
        return False
    return bool(value.bool_value) or any(_has_true(element, depth + 1) for element in _elements(value))


def _elements(value: StructuredValue) -> list[StructuredValue]:
    """Return the elements of a container in the order of TensorFlow, which sorts dictionaries; [] for other values."""
    if value.tuple_value is not None:
        return list(value.tuple_value.values)
    if value.list_value is not None:
        return list(value.list_value.values)
    if value.dict_value is not None:
        return [value.dict_value.fields[key] for key in sorted(value.dict_value.fields)]
    if value.named_tuple_value is not None:
        return [pair.value for pair in value.named_tuple_value.values if pair.value is not None]
    return []
