"""Graphs with weights, written one node per line, and the uses of these weights."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from tests.tfmodel.models import shape as read_shape
from tfmodel.messages import (
    AttrValue,
    DataType,
    FunctionDef,
    FunctionDefLibrary,
    GraphDef,
    NameAttrList,
    NodeDef,
    OpDef,
)
from tfmodel.parameters.listing import weights
from tfmodel.values.tensors import from_ndarray

__all__ = ["KERNEL", "const", "function", "graph", "list_all", "node", "used", "uses", "variable"]


def const(name: str, value: Any = (), dtype: int | None = None) -> NodeDef:
    """Return a constant, of three floats by default."""
    array = np.float32([1, 2, 3]) if isinstance(value, tuple) and not value else value
    tensor = from_ndarray(array, dtype)
    attr = {"dtype": AttrValue(type=tensor.dtype), "value": AttrValue(tensor=tensor)}
    return NodeDef(name=name, op="Const", attr=attr)


def variable(name: str, *shape: int, op: str = "VarHandleOp", dtype: DataType = DataType.DT_FLOAT) -> NodeDef:
    attr = {"dtype": AttrValue(type=dtype), "shape": AttrValue(shape=read_shape(*shape))}
    return NodeDef(name=name, op=op, attr=attr)


def node(line: str, **calls: str | list[str]) -> NodeDef:
    """ "y = MatMul(x, w:1, ^c)"; the keywords are attributes that name functions, or one of strings, `fused_ops`."""
    name, call = line.split(" = ")
    op, inputs = call.rstrip(")").split("(")
    attr = {}
    for key, value in calls.items():
        if key == "fused_ops":
            attr[key] = AttrValue(list=AttrValue.ListValue(s=[text.encode() for text in value]))
        elif isinstance(value, list):
            attr[key] = AttrValue(list=AttrValue.ListValue(func=[NameAttrList(name=text) for text in value]))
        else:
            attr[key] = AttrValue(func=NameAttrList(name=value))
    return NodeDef(name=name, op=op, input=[tensor for tensor in inputs.split(", ") if tensor], attr=attr)


def function(name: str, arguments: str, returns: Mapping[str, str], *nodes: str | NodeDef) -> FunctionDef:
    """Return a function; the arguments are names separated by blanks."""
    signature = OpDef(
        name=name,
        input_arg=[OpDef.ArgDef(name=argument, type=DataType.DT_FLOAT) for argument in arguments.split()],
        output_arg=[OpDef.ArgDef(name=result, type=DataType.DT_FLOAT) for result in returns],
    )
    return FunctionDef(signature=signature, node_def=list(map(_node, nodes)), ret=dict(returns))


def graph(*nodes: str | NodeDef, functions: tuple[FunctionDef, ...] = ()) -> GraphDef:
    graph_def = GraphDef(node=list(map(_node, nodes)))
    if functions:
        graph_def.library = FunctionDefLibrary(function=list(functions))
    return graph_def


def _node(line: str | NodeDef) -> NodeDef:
    return node(line) if isinstance(line, str) else line


list_all = partial(weights, all=True)


def uses(model, name="w", **more):
    return list_all(model, **more)[name].uses


def used(model, name="w"):
    """Return the op and role of the most relevant use; None if there is none."""
    model_uses = uses(model, name)
    return (model_uses[0].op, model_uses[0].role) if model_uses else None


KERNEL = np.arange(6, dtype="f4").reshape(2, 3)
