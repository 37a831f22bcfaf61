"""Duplicate keys: a reader that takes the first one and a reader that takes the last one see different models."""

from __future__ import annotations

import zipfile

import numpy as np
import pytest

import tfmodel
from pbwire import JsonError, TextFormatError, json, text
from tests.hostile.measure import assert_linear
from tests.support.wire_bytes import ld, number
from tests.tfmodel.models import const
from tfmodel.cli import main
from tfmodel.messages import (
    AttrValue,
    DataType,
    FunctionDef,
    FunctionDefLibrary,
    GraphDef,
    MetaGraphDef,
    NodeDef,
    OpDef,
    OpList,
)
from tfmodel.ops import op_def, registry

_FLOAT = {"T": AttrValue(type=DataType.DT_FLOAT)}


def test_keys_of_a_map():
    """Attack: one attribute twice in a node, in binary and in text.

    Naive: writes both back, or uses the first: every reader of protobuf takes the last.
    Stopped by: pbwire.codec.decoder, pbwire.text.fast_parser
    """
    one, two = (ld(5, ld(1, b"a"), ld(2, number(3, value))) for value in (1, 2))
    node = NodeDef.from_bytes(one + two)
    assert node.attr["a"].i == 2
    assert node.to_bytes() == two
    assert text.loads('attr { key: "a" value { i: 1 } } attr { key: "a" value { i: 2 } }', NodeDef) == node
    assert_linear(NodeDef.from_bytes, lambda size: one * size, 2_000)


def test_single_fields():
    """Attack: a name twice. In binary the last one counts for all readers; text and JSON forbid it.

    Naive: the last one counts everywhere, or the first.
    Stopped by: pbwire.codec.decoder, pbwire.text.parser, pbwire.json.field_lookup.ObjectWithRepeatedKey
    """
    assert NodeDef.from_bytes(ld(1, b"a") + ld(1, b"b")) == NodeDef(name="b")
    with pytest.raises(TextFormatError, match="set already"):
        text.loads('name: "a" name: "b"', NodeDef)
    with pytest.raises(JsonError, match="duplicate key"):
        json.loads('{"name":"a","name":"b"}', NodeDef)


def test_members_of_a_oneof():
    """Attack: an attribute that is a number and a string at once.

    Naive: keeps both, so that every accessor finds its own value.
    Stopped by: pbwire.codec.decoder, pbwire.text.parser, pbwire.json.field_lookup.FieldNames
    """
    assert AttrValue.from_bytes(number(3, 1) + ld(2, b"s")) == AttrValue(s=b"s")
    with pytest.raises(TextFormatError):
        text.loads('i: 1 s: "s"', AttrValue)
    with pytest.raises(JsonError):
        json.loads('{"i":"1","s":"cw=="}', AttrValue)


def two_nodes(value: float, other: float) -> GraphDef:
    mul = NodeDef(name="y", op="Mul", input=["c", "c"], attr=_FLOAT)
    return GraphDef(node=[const("c", [value]), const("c", [other]), mul])


def test_names_of_nodes():
    """Attack: two nodes of one name, so that one is checked and the other is run.

    Naive: a dictionary by name keeps the last one.
    Stopped by: tfmodel.interpreter.session.Session, tfmodel.graph.validate
    """
    graph = two_nodes(1.0, 2.0)
    with pytest.raises(tfmodel.GraphError, match='two nodes "c"'):
        tfmodel.run(graph, {}, "y")
    with pytest.raises(tfmodel.Error, match='two nodes "c"'):
        tfmodel.weights(graph)
    with pytest.raises(tfmodel.Error, match='two nodes "c"'):
        tfmodel.freeze(graph, outputs="y")
    assert 'Const "c": another node has this name' in tfmodel.summarize(graph).to_text()


def test_a_difference_in_the_hidden_duplicate():
    """Attack: the same in the second of two compared models.

    Naive: compares the last ones, which are equal.
    Stopped by: tfmodel.reports.diff
    """
    assert not tfmodel.diff(two_nodes(1.0, 2.0), two_nodes(3.0, 2.0)).same


def test_names_of_functions():
    """Attack: two functions of one name. TensorFlow takes the last, if it accepts them at all.

    Naive: one part of a program takes the first, another the last.
    Stopped by: tfmodel.graph.functions.Functions
    """

    def function(op: str) -> FunctionDef:
        argument = OpDef.ArgDef(name="a", type=DataType.DT_FLOAT)
        signature = OpDef(name="f", input_arg=[argument], output_arg=[OpDef.ArgDef(name="r", type=DataType.DT_FLOAT)])
        return FunctionDef(
            signature=signature, node_def=[NodeDef(name="n", op=op, input=["a"], attr=_FLOAT)], ret={"r": "n:y:0"}
        )

    graph = GraphDef(
        node=[const("c", [3.0]), NodeDef(name="y", op="f", input=["c"])],
        library=FunctionDefLibrary(function=[function("Square"), function("Neg")]),
    )
    inlined = tfmodel.transform(graph, "", "y", "inline_partitionedcall")
    assert tfmodel.run(graph, {}, "y")["y"].tolist() == tfmodel.run(inlined, {}, "y")["y"].tolist()


def test_names_of_ops():
    """Attack: a model that redeclares an op of TensorFlow, with other outputs.

    Naive: uses the declaration of the file, with its types and counts.
    Stopped by: tfmodel.ops.definitions.registry
    """
    ops = OpList(op=[OpDef(name="MatMul"), OpDef(name="Mine")])
    meta = MetaGraphDef(meta_info_def=MetaGraphDef.MetaInfoDef(stripped_op_list=ops), graph_def=GraphDef())
    assert registry(meta)["MatMul"] == op_def("MatMul")
    assert registry(meta)["Mine"] == OpDef(name="Mine")


def test_members_of_a_zip_file(tmp_path, capsys):
    """Attack: two arrays of one name in a .npz that is fed.

    Naive: checks one and uses the other.
    Stopped by: tfmodel.cli.input_options
    """
    path = tmp_path / "feeds.npz"
    np.save(tmp_path / "a.npy", np.float32(1))
    with zipfile.ZipFile(path, "w") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.write(tmp_path / "a.npy", "a.npy")
        archive.write(tmp_path / "a.npy", "a.npy")
    graph = tmp_path / "g.pbtxt"
    graph.write_text(
        'node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } '
        'attr { key: "shape" value { shape { } } } }'
    )
    assert main(["run", str(graph), "--feed", f"x={path}:a", "--fetch", "x"]) == 2
    assert "two arrays with the same name" in capsys.readouterr().err
