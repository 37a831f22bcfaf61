"""`tfmodel.inspection.tree`: a model as a page to read."""

from __future__ import annotations

import textwrap
from itertools import count

import pytest
from hypothesis import given, settings

from tests.corpus import corpus_files, needs_corpus
from tests.strategies import messages
from tests.tfmodel import models
from tfmodel import load
from tfmodel.inspection.tree import node_lines, tree
from tfmodel.messages import (
    AttrValue,
    CollectionDef,
    DataType,
    FingerprintDef,
    GraphDef,
    MetaGraphDef,
    NameAttrList,
    NodeDef,
    SavedModel,
    SignatureDef,
    TensorInfo,
)


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


def test_collections_and_other_surroundings():
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


@pytest.mark.parametrize(("attr", "text"), [
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
])
def test_the_type_of_a_node(attr, text):
    assert row(NodeDef(name="n", op="Op", attr=attr)) == f"n  Op  {text}".rstrip()


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


@settings(max_examples=50)
@given(messages(GraphDef) | messages(MetaGraphDef) | messages(SavedModel))
def test_any_message_has_a_page(message):
    lines = list(tree(message))
    assert lines
    assert all(line.isprintable() for line in lines)


@needs_corpus
@pytest.mark.parametrize("path", corpus_files(".pb", ".meta"), ids=str)
def test_the_corpus(path):
    message = load(path, lazy=True)
    if isinstance(message, FingerprintDef):
        return
    lines = list(tree(message))
    assert not any("nothing" in line for line in lines)
    assert len(lines) > 5
