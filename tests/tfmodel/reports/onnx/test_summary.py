"""`summarize_onnx`: the facts of a model, without its weights."""

from __future__ import annotations

import io
import json
import tracemalloc
from pathlib import Path

import pytest

import tfmodel
from pbwire import text
from tfmodel import OnnxSummary, onnx_messages, summarize_onnx
from tfmodel.errors import FileFormatError
from tfmodel.onnx_messages import (
    AttributeProto,
    FunctionProto,
    GraphProto,
    ModelProto,
    NodeProto,
    OperatorSetIdProto,
    SparseTensorProto,
    StringStringEntryProto,
    TensorProto,
    TrainingInfoProto,
    TypeProto,
    ValueInfoProto,
)

FOLDER = Path("tests/data/onnx")
FLOAT = TensorProto.DataType.FLOAT


def model(**fields) -> ModelProto:
    return ModelProto(ir_version=8, graph=GraphProto(**fields))


def weights(name: str = "w", count: int = 4, **more) -> TensorProto:
    return TensorProto(name=name, data_type=FLOAT, dims=[count], raw_data=bytes(4 * count), **more)


class TestFiles:
    def test_a_layer(self):
        report = summarize_onnx(FOLDER / "linear.onnx")
        assert (report.ir_version, report.producer, report.producer_version, report.model_version) == (
            8,
            "tests",
            "1.0",
            3,
        )
        assert (report.graph, report.doc, report.metadata) == ("linear", "A layer.", {"author": "tests"})
        assert [(opset.domain, opset.version) for opset in report.opsets] == [("ai.onnx", 17)]
        assert [(end.name, end.type, end.shape) for end in report.inputs] == [("x", "float32[batch,4]", ["batch", 4])]
        assert [(end.name, end.dtype, end.shape) for end in report.outputs] == [("scores", "float32", ["batch", 2])]
        assert {row.op: row.nodes for row in report.ops} == {"Add": 1, "MatMul": 1, "Softmax": 1}
        assert (report.parameters, report.parameter_bytes, report.problems) == (10, 40, [])

    def test_graphs_inside_of_nodes_and_functions(self):
        report = summarize_onnx(FOLDER / "branches.onnx")
        assert (report.nodes, report.subgraphs, report.subgraph_nodes) == (3, 3, 6)
        assert [(one.name, one.nodes, one.calls) for one in report.functions] == [("tests.functions.Twice", 1, 1)]
        ops = {row.op: (row.nodes, row.is_function) for row in report.ops}
        assert ops["Add"] == (2, False)
        assert ops["tests.functions.Twice"] == (1, True)
        assert [end.type for end in report.outputs] == ["float32[?]", "sequence(float32[])", "optional(string[n])"]
        assert [end.name for end in report.inputs] == ["count"]
        assert report.defaults == 1
        assert [(row.kind, row.dtype, row.count, row.elements, row.bytes) for row in report.tensors] == [
            ("initializer", "string", 1, 2, 6),
            ("initializer", "float32", 1, 1, 4),
            ("constant", "float32", 1, 1, 4),
        ]

    def test_values_in_other_files(self):
        report = summarize_onnx(FOLDER / "external.onnx")
        assert [(one.location, one.tensors, one.bytes, one.needed, one.state) for one in report.external] == [
            ("weights.bin", 3, 144, 144, "too small"),
            ("gone/weights.bin", 1, 48, 48, "missing"),
            ("../linear.pb", 1, 48, 48, "outside of the folder"),
        ]
        assert (report.parameters, report.parameter_bytes) == (60, 240)
        assert len(report.problems) == 3

    def test_bytes_have_no_folder(self):
        report = summarize_onnx((FOLDER / "external.onnx").read_bytes())
        assert [one.state for one in report.external] == ["unknown", "unknown", "unknown"]
        assert report.problems == []


class TestSources:
    def test_all_forms_give_the_same(self, tmp_path):
        message = tfmodel.load(FOLDER / "linear.onnx")
        (tmp_path / "linear.pbtxt").write_text(text.dumps(message))
        tfmodel.save(message, tmp_path / "linear.json")
        expected = summarize_onnx(FOLDER / "linear.onnx").as_dict() | {"name": ""}
        for source in (message, tmp_path / "linear.pbtxt", tmp_path / "linear.json", message.to_bytes()):
            assert summarize_onnx(source).as_dict() | {"name": ""} == expected

    def test_standard_input(self, monkeypatch):
        stream = io.TextIOWrapper(io.BytesIO((FOLDER / "linear.onnx").read_bytes()))
        monkeypatch.setattr("sys.stdin", stream)
        assert summarize_onnx("-").name == "<stdin>"

    def test_a_model_that_was_opened(self):
        assert summarize_onnx(tfmodel.Model(FOLDER / "linear.onnx")).nodes == 3

    def test_other_files_are_refused(self):
        with pytest.raises(FileFormatError, match=r"tests/data/linear\.pb: this is not an ONNX model"):
            summarize_onnx("tests/data/linear.pb")

    def test_other_values_are_refused(self):
        with pytest.raises(TypeError, match="expected an ONNX ModelProto or a path, not GraphProto"):
            summarize_onnx(onnx_messages.GraphProto())
        with pytest.raises(TypeError, match="not GraphDef"):
            summarize_onnx(tfmodel.load("tests/data/linear.pb"))

    def test_the_summary_of_a_graph_refuses_it(self):
        with pytest.raises(FileFormatError, match="summarize_onnx describes it"):
            tfmodel.Model(FOLDER / "linear.onnx").summary()


class TestCounts:
    def test_an_empty_model(self):
        report = summarize_onnx(ModelProto())
        assert report.problems == ["the model has no graph"]
        assert report.headline() == "ONNX model: 0 nodes, 0 parameters, (none) -> (none); 1 problem"

    def test_every_kind_of_tensor(self):
        constant = NodeProto(op_type="Constant", attribute=[AttributeProto(name="value", t=weights("", 3))])
        elsewhere = NodeProto(
            op_type="Constant", domain="custom", attribute=[AttributeProto(name="value", t=weights("", 5))]
        )
        sparse = SparseTensorProto(values=weights("s", 2), dims=[100])
        report = summarize_onnx(model(node=[constant, elsewhere], initializer=[weights()], sparse_initializer=[sparse]))
        assert {row.kind: row.elements for row in report.tensors} == {
            "initializer": 4,
            "sparse initializer": 2,
            "constant": 3,
        }
        assert report.parameters == 6

    def test_graphs_in_graphs_in_functions(self):
        inner = GraphProto(node=[NodeProto(op_type="Neg")])
        middle = GraphProto(node=[NodeProto(op_type="If", attribute=[AttributeProto(graphs=[inner, inner])])])
        function = FunctionProto(
            name="f", domain="d", node=[NodeProto(op_type="Loop", attribute=[AttributeProto(name="body", g=middle)])]
        )
        report = summarize_onnx(
            ModelProto(functions=[function], graph=GraphProto(node=[NodeProto(op_type="f", domain="d")]))
        )
        assert (report.subgraphs, report.subgraph_nodes) == (3, 3)
        assert {row.op: row.nodes for row in report.ops} == {"Neg": 2, "If": 1, "Loop": 1, "d.f": 1}
        assert report.functions[0].calls == 1

    def test_the_domain_of_onnx_has_two_names(self):
        nodes = [
            NodeProto(op_type="Relu"),
            NodeProto(op_type="Relu", domain="ai.onnx"),
            NodeProto(op_type="Relu", domain="x"),
        ]
        ops = {row.op: row.nodes for row in summarize_onnx(model(node=nodes)).ops}
        assert ops == {"Relu": 2, "x.Relu": 1}

    def test_training_graphs_and_annotations(self):
        message = model(quantization_annotation=[onnx_messages.TensorAnnotation(tensor_name="x")])
        message.training_info = [TrainingInfoProto()]
        report = summarize_onnx(message)
        assert (report.quantized, report.training) == (1, 1)

    def test_weights_are_not_decoded(self, tmp_path):
        large = TensorProto(name="w", data_type=FLOAT, dims=[4 << 20], raw_data=bytes(16 << 20))
        tfmodel.save(model(name="large", initializer=[large]), tmp_path / "large.onnx")
        summarize_onnx(FOLDER / "linear.onnx")
        tracemalloc.start()
        report = summarize_onnx(tmp_path / "large.onnx")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert report.parameter_bytes == 16 << 20
        assert peak < 18 << 20  # the file, and not a copy of its only tensor


class TestText:
    def test_the_lines(self):
        assert summarize_onnx(FOLDER / "branches.onnx").to_text() == (
            'ONNX model "branches", IR version 8, opset 17, opset 1 of tests.functions\n'
            "  inputs         count  int64[1]\n"
            "  outputs        all    float32[?]\n"
            "                 pair   sequence(float32[])\n"
            "                 maybe  optional(string[n])\n"
            "  parameters     3 in 2 initializers (10 bytes)\n"
            "                 1 initializer may be fed instead\n"
            "  ops            Add 2, Constant 1, Identity 1, If 1, Loop 1, ...\n"
            "  nodes          3, and 6 in 3 graphs inside of nodes, 1 in 1 function\n"
            "more with --all\n"
        )

    def test_all_of_it(self):
        lines = summarize_onnx(FOLDER / "branches.onnx").to_text(all=True).splitlines()
        assert "Add                        2" in lines
        assert "initializer  string       1         2      6" in lines
        assert "tests.functions.Twice      1      1" in lines

    def test_problems_come_first(self):
        lines = summarize_onnx(FOLDER / "external.onnx").to_text().splitlines()
        assert lines[1] == "problem: weights.bin: too small"
        assert lines[-1].endswith("../linear.pb (1 tensor, 48 bytes, outside of the folder)")

    def test_headline_and_repr(self):
        report = summarize_onnx(FOLDER / "linear.onnx")
        line = "ONNX model: 3 nodes, 10 parameters, x float32[batch,4] -> scores float32[batch,2]"
        assert (report.headline(), repr(report)) == (line, f"<OnnxSummary: {line}>")

    def test_json_and_tables(self):
        report = summarize_onnx(FOLDER / "linear.onnx")
        document = json.loads(report.to_json())
        assert document["format"] == 1
        assert document["opsets"] == [{"domain": "ai.onnx", "version": 17}]
        assert document["inputs"] == [
            {"name": "x", "type": "float32[batch,4]", "dtype": "float32", "shape": ["batch", 4]}
        ]
        assert "<td>MatMul</td><td>1</td>" in report._repr_html_()
        assert isinstance(report, OnnxSummary)

    def test_long_and_dangerous_names_are_harmless(self):
        message = model(
            name="g\x1b[31m" * 1000,
            output=[ValueInfoProto(name="\u202eevil\n", type=TypeProto(tensor_type=TypeProto.Tensor(elem_type=1)))],
            node=[NodeProto(op_type="\x07bell")],
        )
        message.metadata_props = [StringStringEntryProto(key="k\x00", value="v" * 10_000)]
        message.opset_import = [OperatorSetIdProto(domain="d\x1b", version=2)]
        for all in (False, True):
            written = summarize_onnx(message).to_text(all=all)
            assert written.isascii() and written.replace("\n", "").isprintable()
            assert max(map(len, written.splitlines())) < 1_000
