"""Helpers of the freezing tests: models of the archive, small graphs as text, and the faults of a graph."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from pbwire import text
from tests.golden.freezing.answers import ARCHIVE, Case, cases
from tests.golden.packing import unpacked
from tfmodel.freezing import freeze
from tfmodel.messages import FunctionDef, GraphDef, NodeDef
from tfmodel.values.names import TensorName

__all__ = [
    "CASES",
    "VALUES",
    "R",
    "V",
    "X",
    "case",
    "faults",
    "frozen",
    "function",
    "graph",
    "lines",
    "nodes_of",
    "op_names",
]

VARIABLE_OPS = {"Variable", "VariableV2", "VarHandleOp", "ReadVariableOp", "ResourceGather", "ResourceGatherNd"}


@cache
def _cases() -> dict[str, Case]:
    return {case.name: case for case in cases(unpacked(ARCHIVE))}


CASES = sorted(_cases())


def case(name: str) -> Case:
    return _cases()[name]


def graph(*nodes: str, functions: tuple[str, ...] = ()) -> GraphDef:
    """A graph of nodes such as "y = Add(x, w:1, ^c) T=float", with attributes that are types, numbers or functions."""
    graph_def = GraphDef.from_bytes(b"")
    graph_def.node = [_node(line) for line in nodes]
    if functions:
        library = text.loads("library {}", GraphDef).library
        assert library is not None
        library.function = [function(source) for source in functions]
        graph_def.library = library
    return graph_def


def function(source: str) -> FunctionDef:
    """A function such as

    f(x: float, v: resource) -> (y: float = Add:z:0) ^Print
    Read = ReadVariableOp(v) dtype=float
    """
    head, *lines = [line.strip() for line in source.strip().splitlines()]
    name, remainder = head.split("(", 1)
    args, remainder = remainder.split(") -> (", 1)
    results, controls = remainder.split(")", 1)
    function_def = text.loads(f'signature {{ name: "{name}" }}', FunctionDef)
    assert function_def.signature is not None
    typed = "".join(f' input_arg {{ name: "{n}" type: {_TYPES[t]} }}' for n, t in _pairs(args, ": "))
    for result in filter(None, results.split(", ")):
        spec, value = result.split(" = ")
        n, t = spec.split(": ")
        typed += f' output_arg {{ name: "{n}" type: {_TYPES[t]} }}'
        function_def.ret[n] = value
    for control in controls.split():
        typed += f' control_output: "{control[1:]}"'
        function_def.control_ret[control[1:]] = control[1:]
    function_def.signature = text.loads(f'signature {{ name: "{name}"{typed} }}', FunctionDef).signature
    function_def.node_def = [_node(line) for line in lines]
    return function_def


_TYPES = {"float": "DT_FLOAT", "resource": "DT_RESOURCE", "int32": "DT_INT32", "bool": "DT_BOOL", "string": "DT_STRING"}


def _pairs(listed: str, separator: str) -> list[list[str]]:
    return [part.split(separator) for part in listed.split(", ") if part]


def _node(line: str) -> NodeDef:
    name, _, remainder = line.partition(" = ")
    op, _, remainder = remainder.partition("(")
    inputs, _, attrs = remainder.partition(")")
    spelled = "".join(f' input: "{input_name}"' for input_name in inputs.split(", ") if input_name)
    for attr in attrs.split():
        key, _, value = attr.partition("=")
        spelled += f' attr {{ key: "{key}" value {{ {_value(value)} }} }}'
    return text.loads(f'name: "{name}" op: "{op}"{spelled}', NodeDef)


def _value(text_of_it: str) -> str:
    if text_of_it in _TYPES:
        return f"type: {_TYPES[text_of_it]}"
    if text_of_it.startswith("@"):
        return f'func {{ name: "{text_of_it[1:]}" }}'
    if text_of_it.startswith("["):
        return "list { " + " ".join(_value(element) for element in text_of_it[1:-1].split(",") if element) + " }"
    if text_of_it.startswith("("):
        return "shape { " + " ".join(f"dim {{ size: {size} }}" for size in text_of_it[1:-1].split(",") if size) + " }"
    return f"i: {text_of_it}" if text_of_it.isdecimal() else f's: "{text_of_it}"'


def nodes_of(graph: GraphDef) -> dict[str, NodeDef]:
    return {node.name: node for node in graph.node}


def op_names(graph: GraphDef) -> set[str]:
    """The ops of a graph and of its functions."""
    functions = graph.library.function if graph.library is not None else []
    return {node.op for nodes in (graph.node, *(function_def.node_def for function_def in functions)) for node in nodes}


def faults(graph: GraphDef) -> list[str]:
    """Return the reasons why a graph cannot run or is not frozen."""
    functions = {
        function_def.signature.name: function_def
        for function_def in (graph.library.function if graph.library is not None else [])
    }
    problems = list(_faults(graph.node, set(), set(functions)))
    for name, function_def in functions.items():
        args = {arg.name for arg in function_def.signature.input_arg}
        problems += [f"{name}: {fault}" for fault in _faults(function_def.node_def, args, set(functions))]
        named = {node.name for node in function_def.node_def} | args
        results = {TensorName.parse(value).node for value in function_def.ret.values()}
        problems += [
            f"{name}: returns {node}" for node in sorted((results | {*function_def.control_ret.values()}) - named)
        ]
    return problems


def _faults(nodes: list[NodeDef], args: set[str], functions: set[str]) -> Iterator[str]:
    names = [node.name for node in nodes]
    yield from (f"two nodes {name}" for name in names if names.count(name) > 1)
    known = set(names) | args
    for node in nodes:
        if node.op in VARIABLE_OPS or node.op.startswith("Ref"):
            yield f"{node.name} is a {node.op}"
        was_control = False
        for text_of_it in node.input:
            name = TensorName.parse(text_of_it)
            if name.node not in known:
                yield f"{node.name} needs {text_of_it}"
            if was_control and not name.is_control:
                yield f"{node.name} has {text_of_it} behind a control input"
            was_control = name.is_control
        for key, value in node.attr.items():
            types = [value.type or 0, *(value.list.type if value.list is not None else [])]
            if any(int(dtype) > 100 for dtype in types):
                yield f"{node.name}.{key} is a reference"
            called = [value.func] if value.func is not None else value.list.func if value.list is not None else []
            yield from (f"{node.name} calls {callee.name}" for callee in called if callee.name not in functions)
        for place in node.attr["_class"].list.s if "_class" in node.attr else []:
            if place.decode().removeprefix("loc:@") not in known:
                yield f"{node.name} is at {place.decode()}"


V = "v = VarHandleOp() dtype=float shape=(2)"
R = "r = VariableV2() dtype=float shape=(2)"
X = "x = Placeholder() dtype=float"
VALUES = {"v": np.array([1, 2], "f4"), "r": np.array([3, 4], "f4")}


def frozen(*nodes, outputs="y", functions=(), checkpoint=VALUES, **more):
    if checkpoint is VALUES and not {V, R}.intersection(nodes):
        checkpoint = None  # it is refused where nothing takes it
    result = freeze(graph(*nodes, functions=functions), outputs, checkpoint=checkpoint, **more)
    assert faults(result) == []
    return nodes_of(result)


def lines(nodes):
    """The nodes in short, constants aside."""
    return sorted(f"{node.name} = {node.op}({', '.join(node.input)})" for node in nodes.values() if node.op != "Const")
