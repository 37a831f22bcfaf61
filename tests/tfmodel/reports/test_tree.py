"""`tfmodel.reports.tree`: a model as text, one line per node."""

from __future__ import annotations

import textwrap
from itertools import count

import pytest
from hypothesis import given, settings

from tests.support.corpus import model_files
from tests.support.effort import scaled
from tests.support.strategies import messages
from tests.tfmodel import models
from tfmodel import load
from tfmodel.messages import (
    AttrValue,
    CollectionDef,
    DataType,
    FingerprintDef,
    FunctionDefLibrary,
    GraphDef,
    MetaGraphDef,
    NameAttrList,
    NodeDef,
    OpDef,
    OpList,
    SavedModel,
    SignatureDef,
    TensorInfo,
)
from tfmodel.reports.tree import node_lines, tree


def page(message, **options):
    return "\n".join(tree(message, **options))


def expected(text):
    return textwrap.dedent(text).strip("\n")


def test_a_graph():
    assert page(models.graph()) == expected("""
        GraphDef: 4 nodes, 1 function, graph version 1482

        name          op           type          inputs            attributes
        x             Placeholder  float32[?,4]
        weights       Const        float32[1,4]                    [0.5, 0.5, 0.5, 0.5]
        layer/MatMul  MatMul       float32       x, weights        transpose_b
        y             Relu         float32       layer/MatMul, ^x  on /cpu:0

        function double(x: float32) -> (y: float32)
          sum  AddV2  float32  x, x
          return y = sum:z:0
    """)


def test_a_saved_model():
    lines = page(models.saved_model(("serve",))).splitlines()
    assert "\n".join(lines[:6]) == expected("""
        SavedModel: 1 MetaGraph, schema version 1

        MetaGraphDef: 4 nodes, 1 function, graph version 1482, tags: serve, written by TensorFlow 2.12.1
          signature serving_default (tensorflow/serving/predict)
            input   x  float32[?,4]  x:0
            output  y  float32[?,1]  y:0
    """)
    assert lines[7].startswith("name ")


def test_collections_variables_and_assets():
    meta = MetaGraphDef(
        collection_def={
            "variables": CollectionDef(bytes_list=CollectionDef.BytesList(value=[b"a", b"b"])),
            "empty": CollectionDef(),
        },
        signature_def={"init": SignatureDef(outputs={"op": TensorInfo(name="NoOp")})},
    )
    assert page(meta) == expected("""
        MetaGraphDef: no graph
          signature init
            output  op  NoOp
          collections: empty, variables (2)
    """)


def test_ops():
    assert page(models.op_list()) == expected("""
        OpList: 2 ops

        Relu(features: T) -> (activations: T)  [T: type]
        NoOp() -> ()
    """)


def test_a_tensor():
    assert page(models.tensor([1.0, 2.0], 2)) == "TensorProto: float32[2] [1.0, 2.0]"


def test_a_message_without_a_view():
    assert tree(FingerprintDef()) is None


def row(node, **options):
    return next(node_lines([node], heading=False, **options))


@pytest.mark.parametrize(
    ("attr", "text"),
    [
        ({"T": AttrValue(type=DataType.DT_INT32)}, "int32"),
        ({"dtype": AttrValue(type=DataType.DT_INT32), "shape": AttrValue(shape=models.shape(2))}, "int32[2]"),
        (
            {
                "T": AttrValue(type=DataType.DT_FLOAT),
                "_output_shapes": AttrValue(list=AttrValue.ListValue(shape=[models.shape(-1, 3)])),
            },
            "float32[?,3]",
        ),
        (
            {
                "T": AttrValue(type=DataType.DT_FLOAT),
                "_output_shapes": AttrValue(list=AttrValue.ListValue(shape=[models.shape(2), models.shape()])),
            },
            "(float32[2], float32[])",
        ),
        ({"Tout": AttrValue(list=AttrValue.ListValue(type=[1, 3]))}, "(float32, int32)"),
        ({"Tout": AttrValue(list=AttrValue.ListValue(type=[1] * 9))}, f"({'float32, ' * 6}... 9 in all)"),
        ({"SrcT": AttrValue(type=3), "DstT": AttrValue(type=1)}, "float32  SrcT=int32"),
        ({"T": AttrValue(placeholder="T")}, "$T"),
        ({"T": AttrValue()}, "T=nothing"),
        ({"dtype": AttrValue(s=b"nonsense")}, "dtype=nonsense"),
        ({"f": AttrValue(func=NameAttrList(name="body"))}, "f=@body"),
    ],
)
def test_the_type_of_a_node_of_an_unknown_op(attr, text):
    assert row(NodeDef(name="n", op="Op", attr=attr)) == f"n  Op  {text}".rstrip()


FLOAT = AttrValue(type=DataType.DT_FLOAT)
SHAPED = {"dtype": FLOAT, "shape": AttrValue(shape=models.shape(2))}
SHAPES = AttrValue(list=AttrValue.ListValue(shape=[models.shape(2), models.shape()]))


@pytest.mark.parametrize(
    ("op", "attr", "text"),
    [
        ("Relu", {"T": FLOAT}, "float32"),
        ("Equal", {"T": FLOAT}, "bool  T=float32"),
        ("ArgMax", {"T": FLOAT}, "int64  T=float32"),
        ("Shape", {"T": FLOAT}, "int32  T=float32"),
        ("Unique", {"T": FLOAT}, "(float32, int32)"),
        ("Unique", {"T": FLOAT, "_output_shapes": SHAPES}, "(float32[2], int32[])"),
        ("Split", {"T": FLOAT, "num_split": AttrValue(i=2)}, "(float32, float32)  num_split=2"),
        (
            "Split",
            {"T": FLOAT, "num_split": AttrValue(i=2**31 - 1)},
            f"({'float32, ' * 6}... 2,147,483,647 in all)  num_split=2147483647",
        ),
        ("IteratorGetNext", {"output_types": AttrValue(list=AttrValue.ListValue(type=[9]))}, "int64"),
        ("NoOp", {}, ""),
        ("AssignVariableOp", {"dtype": FLOAT}, "dtype=float32"),
        ("VariableV2", SHAPED, "float32_ref[2]"),
        ("VarHandleOp", SHAPED, "resource  dtype=float32 shape=[2]"),
        ("VarHandleOp", SHAPED | {"_output_shapes": SHAPES}, "resource[2]  dtype=float32 shape=[2]"),
        ("Placeholder", SHAPED, "float32[2]"),
        ("Relu", {"T": AttrValue(placeholder="T")}, "$T"),
        ("Relu", {}, ""),
        ("Relu", {"T": AttrValue(s=b"nonsense")}, "T=nonsense"),
        ("Split", {"T": FLOAT}, "float32"),
        ("Placeholder", {"dtype": FLOAT, "shape": AttrValue(s=b"nonsense")}, "float32  shape=nonsense"),
    ],
)
def test_the_type_of_a_node_is_that_of_its_outputs(op, attr, text):
    assert row(NodeDef(name="n", op=op, attr=attr)) == f"n  {op}  {text}".rstrip()


def test_calls_of_functions_and_ops_that_the_model_declares():
    function = models.graph().library.function[0]
    own = OpDef(name="Own", output_arg=[OpDef.ArgDef(name="y", type=DataType.DT_HALF)])
    meta = MetaGraphDef(
        meta_info_def=MetaGraphDef.MetaInfoDef(stripped_op_list=OpList(op=[own])),
        graph_def=GraphDef(
            node=[NodeDef(name="call", op="double", input=["x"]), NodeDef(name="own", op="Own")],
            library=FunctionDefLibrary(function=[function]),
        ),
    )
    lines = page(meta).splitlines()
    assert [line.split() for line in lines[3:5]] == [["call", "double", "float32", "x"], ["own", "Own", "float16"]]
    assert [line.split()[:3] for line in page(meta.graph_def).splitlines()[3:5]] == [
        ["call", "double", "float32"],
        ["own", "Own"],
    ]


def test_op_declarations_are_not_read_unless_needed():
    names = []

    class Ops(dict):
        def get(self, name, default=None):
            names.append(name)

    nodes = [
        NodeDef(name=name, op=op, attr=attr)
        for name, op, attr in (
            ("c", "Const", {"value": AttrValue(tensor=models.tensor([1.0], 1)), "dtype": FLOAT}),
            ("r", "Relu", {"T": FLOAT}),
        )
    ]
    assert [line.split()[2] for line in node_lines(nodes, heading=False, ops=Ops())] == ["float32[1]", "float32"]
    assert names == ["Relu"]


def test_many_inputs_are_cut_unless_full():
    node = NodeDef(name="n", op="Op", input=[*(f"i{k}" for k in range(8)), *(f"^c{k}" for k in range(5))])
    assert row(node) == "n  Op  i0, i1, i2, i3, i4, i5, ... 8 inputs, ^c0, ^c1, ^c2, ... 5 controls"
    assert row(node, full=True) == f"n  Op  {', '.join(node.input)}"


def test_names_cannot_move_the_cursor():
    node = NodeDef(name="\x1b[2J", op="a\nb", input=["\r"], device="\x9b")
    graph = GraphDef(node=[node], library=models.graph().library)
    graph.library.function[0].signature.name = "\x1b]0;owned\x07"
    text = page(graph)
    assert all(line.isprintable() for line in text.splitlines())
    assert r"\x1b[2J  a\nb        \r      on \x9b" in text
    assert r"\x1b]0;owned\x07" in text


def test_the_first_line_comes_before_the_last_node():
    lines = node_lines(NodeDef(name=f"n{k}", op="Op") for k in count())
    assert next(lines).split() == ["name", "op", "type", "inputs", "attributes"]


@settings(max_examples=scaled(50))
@given(messages(GraphDef) | messages(MetaGraphDef) | messages(SavedModel))
def test_any_message_has_a_view(message):
    lines = list(tree(message))
    assert lines
    assert all(line.isprintable() for line in lines)


@pytest.mark.parametrize("path", model_files(".pb", ".meta"))
def test_every_model_file_has_a_tree(path):
    message = load(path, lazy=True)
    if isinstance(message, FingerprintDef):
        return
    lines = list(tree(message))
    assert not any("nothing" in line for line in lines)
    assert len(lines) > 5
