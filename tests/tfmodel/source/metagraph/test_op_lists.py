"""`tfmodel.source.metagraph.builder`: which ops a graph uses, and how they are declared."""

from __future__ import annotations

import pytest

from tests.tfmodel import models
from tfmodel import GraphError
from tfmodel.messages import AttrValue, FunctionDef, FunctionDefLibrary, GraphDef, NameAttrList, NodeDef, OpDef, OpList
from tfmodel.ops import op_def
from tfmodel.source.metagraph import ops_used, stripped_op_list


def node(op, **functions):
    attr = {key: AttrValue(func=NameAttrList(name=name)) for key, name in functions.items()}
    return NodeDef(name="n", op=op, attr=attr)


def graph(*nodes, **functions):
    """A graph with functions of these nodes, by name."""
    library = [FunctionDef(signature=OpDef(name=name), node_def=[*body]) for name, body in functions.items()]
    return GraphDef(node=[*nodes], library=FunctionDefLibrary(function=library))


LIBRARY = {"F": [node("G"), node("Tanh")], "G": [node("F"), node("Exp")], "H": [node("Log")]}


@pytest.mark.parametrize(
    ("nodes", "used"),
    [
        ([], set()),
        ([node("Relu"), node("Relu"), node("Add")], {"Relu", "Add"}),
        ([node("F")], {"Tanh", "Exp"}),
        ([node("PartitionedCall", f="F")], {"PartitionedCall", "Tanh", "Exp"}),
        ([node("StatefulPartitionedCall", f="H")], {"StatefulPartitionedCall", "Log"}),
        ([node("If", then_branch="F", else_branch="H")], {"If"}),
        ([node("PartitionedCall")], {"PartitionedCall", ""}),
    ],
)
def test_functions_are_followed_where_tensorflow_follows_them(nodes, used):
    assert ops_used(graph(*nodes, **LIBRARY)) == used


def test_a_long_chain_of_functions():
    functions = {f"f{number}": [node(f"f{number + 1}")] for number in range(5000)}
    assert ops_used(graph(node("f0"), **functions)) == {"f5000"}


def test_a_function_attribute_of_another_type_is_an_error():
    call = NodeDef(name="call", op="PartitionedCall", attr={"f": AttrValue(i=3)})
    with pytest.raises(GraphError, match='the attribute "f" of PartitionedCall "call" is an integer, not a function'):
        ops_used(graph(call))


def test_declarations_are_sorted_and_those_of_tensorflow():
    op_list = stripped_op_list(models.graph())
    assert [op.name for op in op_list.op] == ["Const", "MatMul", "Placeholder", "Relu"]
    assert op_list.op[1] == op_def("MatMul")
    assert op_list.op[1] is not op_def("MatMul")  # which is not to be changed


def test_undeclared_ops_are_left_out():
    assert stripped_op_list(graph(node("Mine"), node("Relu"))) == OpList(op=[op_def("Relu")])


def test_declarations_of_ones_own_lose_their_texts():
    mine = OpDef(
        name="Mine",
        summary="What it is.",
        description="At length.",
        input_arg=[OpDef.ArgDef(name="x", type_attr="T", description="text")],
        output_arg=[OpDef.ArgDef(name="y", type_attr="T", description="text")],
        attr=[OpDef.AttrDef(name="T", type="type", description="text")],
        is_stateful=True,
    )
    op_list = stripped_op_list(graph(node("Mine")), op_defs=OpList(op=[mine]))
    assert op_list.op == [
        OpDef(
            name="Mine",
            input_arg=[OpDef.ArgDef(name="x", type_attr="T")],
            output_arg=[OpDef.ArgDef(name="y", type_attr="T")],
            attr=[OpDef.AttrDef(name="T", type="type")],
            is_stateful=True,
        )
    ]
    assert mine.summary == "What it is."
