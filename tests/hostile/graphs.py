"""Builders of small graphs for attacks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tests.support.strategies_graphs import value_of
from tests.tfmodel.models import shape
from tfmodel.messages import (
    AttrValue,
    DataType,
    FunctionDef,
    FunctionDefLibrary,
    GraphDef,
    NameAttrList,
    NodeDef,
    OpDef,
    TensorProto,
)

__all__ = ["FLOAT", "call", "constant", "function", "graph", "node", "placeholder"]

FLOAT = DataType.DT_FLOAT
_FIELDS = {
    DataType.DT_FLOAT: "float_val",
    DataType.DT_INT32: "int_val",
    DataType.DT_INT64: "int64_val",
    DataType.DT_BOOL: "bool_val",
    DataType.DT_STRING: "string_val",
    DataType.DT_INT8: "int_val",
    DataType.DT_QUINT8: "int_val",
}


def node(name: str, op: str, *inputs: str, **attributes: Any) -> NodeDef:
    """A node; T defaults to float. Attribute values are those that `value_of` accepts."""
    attributes.setdefault("T", FLOAT)
    return NodeDef(
        name=name, op=op, input=list(inputs), attr={key: value_of(value) for key, value in attributes.items()}
    )


def placeholder(name: str = "x", *sizes: int) -> NodeDef:
    return node(name, "Placeholder", dtype=FLOAT, shape=AttrValue(shape=shape(*sizes)))


def constant(name: str, values: Iterable[Any], *sizes: int, dtype: DataType = FLOAT) -> NodeDef:
    """A Const; a single value is repeated for all elements."""
    tensor = TensorProto(dtype=dtype, tensor_shape=shape(*sizes), **{_FIELDS[dtype]: list(values)})
    return NodeDef(name=name, op="Const", attr={"dtype": AttrValue(type=dtype), "value": AttrValue(tensor=tensor)})


def call(name: str, callee: str, *inputs: str) -> NodeDef:
    """A PartitionedCall of a function from one float to one float."""
    types = AttrValue(list=AttrValue.ListValue(type=[FLOAT]))
    attr = {"f": AttrValue(func=NameAttrList(name=callee)), "Tin": types, "Tout": types}
    return NodeDef(name=name, op="PartitionedCall", input=list(inputs), attr=attr)


def function(name: str, nodes: Iterable[NodeDef], result: str, dtype: DataType = FLOAT) -> FunctionDef:
    """(a: float) -> (r)"""
    signature = OpDef(
        name=name, input_arg=[OpDef.ArgDef(name="a", type=FLOAT)], output_arg=[OpDef.ArgDef(name="r", type=dtype)]
    )
    return FunctionDef(signature=signature, node_def=list(nodes), ret={"r": result})


def graph(*nodes: NodeDef, functions: Iterable[FunctionDef] = ()) -> GraphDef:
    listed = list(functions)
    return GraphDef(node=list(nodes), library=FunctionDefLibrary(function=listed) if listed else None)
