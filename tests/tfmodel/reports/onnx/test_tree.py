"""An ONNX model as text with one line per node."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfmodel import load
from tfmodel.onnx_messages import (
    AttributeProto,
    FunctionProto,
    GraphProto,
    ModelProto,
    NodeProto,
    SparseTensorProto,
    TensorProto,
    TypeProto,
)
from tfmodel.reports.onnx.graphs import label, onnx_bodies, op_name
from tfmodel.reports.onnx.tree import onnx_tree

FOLDER = Path("tests/data/onnx")


def test_a_layer():
    assert list(onnx_tree(load(FOLDER / "linear.onnx"))) == [
        "ONNX model: 3 nodes, IR version 8, opset 17",
        "  input   x       float32[batch,4]",
        "  output  scores  float32[batch,2]",
        "  initializers: weights float32[4,2], bias float32[2]",
        "",
        "name     op       outputs                  inputs         attributes",
        "product  MatMul   product                  x, weights",
        "sum      Add      sum float32[batch,2]     product, bias",
        "softmax  Softmax  scores float32[batch,2]  sum            axis=-1",
    ]


def test_graphs_inside_of_nodes_and_functions():
    lines = list(onnx_tree(load(FOLDER / "branches.onnx", lazy=True)))
    assert [line for line in lines if " of " in line or line.startswith("function")][1:] == [
        "body of loop",
        "else_branch of If -> next",
        "then_branch of If -> next",
        "function tests.functions.Twice(x) -> (y)",
    ]
    assert "loop  Loop               last, all float32[?]       count, -, start  body={4 nodes}" in lines
    assert "        Constant               step                    value=float32[] 0.25" in lines


def test_paths_lead_to_the_graphs():
    model = load(FOLDER / "branches.onnx")
    for body in onnx_bodies(model):
        scope = model
        for step in body.path.split("."):
            name, _, index = step.partition("[")
            scope = getattr(scope, name)[int(index[:-1])] if index else getattr(scope, name)
        assert scope is body.graph


@pytest.mark.parametrize(
    ("attribute", "text"),
    [
        (AttributeProto(name="alpha", f=0.1), "alpha=0.1"),
        (AttributeProto(name="axis", i=-1), "axis=-1"),
        (AttributeProto(name="mode", s=b"li\nnear"), 'mode="li\\nnear"'),
        (AttributeProto(name="mode", s=b"x" * 50), f'mode="{"x" * 40}"...'),
        (AttributeProto(name="pads", ints=[0, 1]), "pads=[0,1]"),
        (AttributeProto(name="pads", ints=[7] * 10), f"pads=[{'7,' * 8}... 10 in all]"),
        (AttributeProto(name="scales", floats=[0.5, 1e10]), "scales=[0.5,10000000000.0]"),
        (AttributeProto(name="keys", strings=[b"a", b"b"]), 'keys=["a","b"]'),
        (AttributeProto(name="empty", type=AttributeProto.AttributeType.INTS), "empty=[]"),
        (AttributeProto(name="x", ref_attr_name="outer"), "x=@outer"),
        (
            AttributeProto(name="value", t=TensorProto(data_type=7, dims=[2], int64_data=[3, 4])),
            "value=int64[2] [3, 4]",
        ),
        (AttributeProto(name="value", t=TensorProto(data_type=7, raw_data=b"\5" + bytes(7))), "value=int64[] 5"),
        (AttributeProto(name="value", t=TensorProto(data_type=1, dims=[9], raw_data=bytes(36))), "value=float32[9]"),
        (
            AttributeProto(name="value", t=TensorProto(data_type=8, dims=[1], string_data=[b"a"])),
            'value=string[1] ["a"]',
        ),
        (AttributeProto(name="value", t=TensorProto(data_type=16, dims=[1], int32_data=[1])), "value=bfloat16[1]"),
        (AttributeProto(name="value", t=TensorProto(data_type=1, dims=[2], raw_data=b"123")), "value=float32[2]"),
        (AttributeProto(name="value", t=TensorProto(data_type=99)), "value=type 99[]"),
        (AttributeProto(name="value", sparse_tensor=SparseTensorProto()), "value=sparse tensor"),
        (AttributeProto(name="type", tp=TypeProto(tensor_type=TypeProto.Tensor(elem_type=9))), "type=bool"),
        (AttributeProto(name="tensors", tensors=[TensorProto(data_type=9, raw_data=b"\1")]), "tensors=[bool[] True]"),
        (AttributeProto(name="graphs", graphs=[GraphProto()]), "graphs=[{0 nodes}]"),
    ],
)
def test_attributes(attribute, text):
    model = ModelProto(
        graph=GraphProto(node=[NodeProto(name="n", op_type="Op", output=["y"], input=["x"], attribute=[attribute])])
    )
    [line] = [line for line in onnx_tree(model) if line.startswith("n ") and "Op" in line]
    assert line.rpartition("  ")[2] == text


def test_full_lists_are_whole():
    node = NodeProto(name="n", op_type="Concat", input=[f"x{i}" for i in range(20)], output=["y"])
    model = ModelProto(graph=GraphProto(node=[node]))
    assert "... 20 in all" in list(onnx_tree(model))[-1]
    assert "x19" in list(onnx_tree(model, full=True))[-1]


def test_functions_show_their_attributes():
    function = FunctionProto(
        name="F", input=["x"], output=["y"], attribute=["a"], attribute_proto=[AttributeProto(name="b", i=1)]
    )
    assert list(onnx_tree(ModelProto(functions=[function])))[-1] == "function F(x) -> (y)  [a, b]"


def test_control_characters_are_escaped():
    node = NodeProto(name="\x1b[31mred", op_type="Op\n", output=["\u202ey"])
    for line in onnx_tree(ModelProto(graph=GraphProto(name="\x07", node=[node]))):
        assert line.isprintable()


@pytest.mark.parametrize(
    ("node", "name"),
    [
        (NodeProto(name="n", op_type="Add"), "n"),
        (NodeProto(op_type="Add", output=["", "sum"]), "Add -> sum"),
        (NodeProto(op_type="Print"), "Print"),
        (NodeProto(), ""),
    ],
)
def test_labels(node, name):
    assert label(node) == name


@pytest.mark.parametrize(
    ("domain", "name", "text"),
    [
        (None, "Conv", "Conv"),
        ("", "Conv", "Conv"),
        ("ai.onnx", "Conv", "Conv"),
        ("a.b", "C", "a.b.C"),
        ("a", None, "a."),
    ],
)
def test_op_names(domain, name, text):
    assert op_name(domain, name) == text
