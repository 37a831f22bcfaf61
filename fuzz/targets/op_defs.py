"""Declarations of ops by users: an OpList in binary or text format, for `--op-defs`."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import strategies as st

from fuzz.target import Case, Files, Target
from pbwire import text
from tests.support.strategies import messages
from tests.tfmodel.models import graph, op_list
from tfmodel import load, make_meta_graph, transform
from tfmodel.graph import check_graph
from tfmodel.messages import AttrValue, DataType, GraphDef, NameAttrList, NodeDef, OpDef, OpList
from tfmodel.ops import OPS, output_types, registry

NAMES = ("MatMul", "Split", "PartitionedCall", "While", "Const", "TensorListConcatV2", "Batch")

BOTH = [DataType.DT_FLOAT, DataType.DT_INT32]
VALUES = {
    "int": AttrValue(i=2),
    "type": AttrValue(type=DataType.DT_FLOAT),
    "list(type)": AttrValue(list=AttrValue.ListValue(type=BOTH)),
    "func": AttrValue(func=NameAttrList(name="double")),
}


def seeds() -> Iterator[Files]:
    yield {"ops.pb": op_list().to_bytes()}
    for name in NAMES:
        ops = OpList(op=[OPS[name]])
        yield {"ops.pb": ops.to_bytes()}
        yield {"ops.pbtxt": text.dumps(ops).encode()}


def strategy() -> st.SearchStrategy[Files]:
    binary = messages(OpList).map(lambda ops: {"ops.pb": ops.to_bytes()})
    return st.one_of(binary, messages(OpList).map(lambda ops: {"ops.pbtxt": text.dumps(ops).encode()}))


def _node(name: str, op: OpDef) -> NodeDef:
    """Return a node of an op, with a value for each of its attributes."""
    attributes = {attr.name: VALUES[attr.type] for attr in op.attr if attr.type in VALUES}
    return NodeDef(name=name, op=op.name, input=["x"] * len(op.input_arg), attr=attributes)


def _plain_types(node: NodeDef, op: OpDef) -> list[int] | None:
    """Return the types of a node's outputs; None if the declaration is incomplete or ambiguous."""
    types_of_outputs: list[int] = []
    for arg in op.output_arg:
        if len(set(filter(None, (arg.type_attr, arg.type_list_attr)))) + bool(arg.type) != 1:
            return None
        named = node.attr.get(arg.type_list_attr or arg.type_attr, AttrValue())
        if arg.type_list_attr:
            types = list(named.list.type) if named.list is not None and not arg.number_attr else None
        else:
            number = node.attr.get(arg.number_attr, AttrValue()).i if arg.number_attr else 1
            dtype = arg.type or named.type
            types = [dtype] * number if number is not None and dtype else None
        if types is None:
            return None
        types_of_outputs += [dtype + 100 * (arg.is_ref and dtype < 100) for dtype in types]
    return types_of_outputs


def check(files: Files, case: Case) -> object:
    """Check, transform and list a graph that uses the declared ops."""
    ops = load(next(iter(files.values())), OpList)
    assert OpList.from_bytes(ops.to_bytes()) == ops or "nan" in str(ops)
    declared = registry(op_defs=ops)
    nodes = [_node(f"n{number}", op) for number, op in enumerate(ops.op)]
    using = graph()
    using.node = [*using.node, *nodes]
    for node in nodes:
        types = output_types(node, declared[node.op])
        expected = _plain_types(node, declared[node.op])
        assert expected is None or list(types) == expected
    check_graph(using, registry=declared)
    make_meta_graph(using, op_defs=ops)
    result = transform(using, "x", "y", "add_default_attributes strip_unused_nodes", op_defs=ops)
    assert isinstance(result, GraphDef)
    return result


TARGETS = (
    Target(  # a node is made of each op, and transformed
        "op-defs", "declarations of ops, in binary and text", seeds, strategy, check, seconds=1.0, memory=600
    ),
)
