"""`save_onnx` and the command: files, names, notes, refusals, external data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfmodel
from tests.tfmodel import models
from tfmodel.cli import main
from tfmodel.errors import GraphError
from tfmodel.export.onnx.conversion.report import OnnxExportError
from tfmodel.messages import AttrValue, DataType, GraphDef, NodeDef, VersionDef
from tfmodel.onnx_messages import ModelProto, TensorProto
from tfmodel.values.tensors import from_ndarray

DATA = Path(__file__).resolve().parents[3] / "data"
CONVNET = DATA / "convnet.pb"
TRAINED = DATA / "trained" / "model.meta"
FLOAT = AttrValue(type=DataType.DT_FLOAT)


def read(path: Path) -> ModelProto:
    return ModelProto.from_bytes(path.read_bytes())


def placeholder(name: str, *sizes: int, dtype: DataType = DataType.DT_FLOAT) -> NodeDef:
    attributes = {"dtype": AttrValue(type=dtype), "shape": AttrValue(shape=models.shape(*sizes))}
    return NodeDef(name=name, op="Placeholder", attr=attributes)


def graph(*nodes: NodeDef) -> GraphDef:
    return GraphDef(node=list(nodes), versions=VersionDef(producer=1395))


def ops(path: Path) -> list[str | None]:
    content = read(path).graph
    assert content is not None
    return [node.op_type for node in content.node]


def test_the_same_model_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one.onnx", "other.onnx"):
        tfmodel.save_onnx(CONVNET, tmp_path / name, verify=False)
    assert (tmp_path / "one.onnx").read_bytes() == (tmp_path / "other.onnx").read_bytes()


def test_a_convolutional_network_is_transposed_once(tmp_path: Path) -> None:
    written = tfmodel.save_onnx(CONVNET, tmp_path / "model.onnx", verify=False)
    assert ops(tmp_path / "model.onnx").count("Transpose") == 1
    assert written.nodes == len(ops(tmp_path / "model.onnx"))


def test_inputs_and_outputs_have_the_keys_of_the_signature_and_open_sizes(tmp_path: Path) -> None:
    written = tfmodel.save_onnx(TRAINED, tmp_path / "model.onnx", verify=False)
    assert written.inputs == {"x": "float32[?,4]"}
    assert written.outputs == {"y": "float32[?,3]"}
    content = read(tmp_path / "model.onnx").graph
    assert content is not None and content.input[0].type is not None
    tensor = content.input[0].type.tensor_type
    assert tensor is not None and tensor.shape is not None
    assert [each.dim_param or each.dim_value for each in tensor.shape.dim] == ["batch", 4]


def test_the_file_says_which_signature_it_has(tmp_path: Path) -> None:
    tfmodel.save_onnx(TRAINED, tmp_path / "model.onnx", verify=False)
    assert {each.key: each.value for each in read(tmp_path / "model.onnx").metadata_props}["signature"] == (
        "serving_default"
    )


def test_large_tensors_go_to_a_second_file_on_request(tmp_path: Path) -> None:
    tfmodel.save_onnx(CONVNET, tmp_path / "model.onnx", external_data=True, verify=False)
    content = read(tmp_path / "model.onnx").graph
    assert content is not None
    outside = [each for each in content.initializer if each.data_location == TensorProto.DataLocation.EXTERNAL]
    data = (tmp_path / "model.onnx.data").read_bytes()
    for tensor in outside:
        entries = {entry.key: entry.value for entry in tensor.external_data}
        offset, length = int(entries["offset"] or 0), int(entries["length"] or 0)
        assert entries["location"] == "model.onnx.data"
        assert (offset % 4096, length, offset + length <= len(data)) == (0, 4 * int(np.prod(tensor.dims)), True)
    assert outside


@pytest.mark.parametrize("external", [False, True])
def test_the_file_gives_the_results_of_the_graph(tmp_path: Path, external: bool) -> None:
    pytest.importorskip("onnxruntime")
    written = tfmodel.save_onnx(CONVNET, tmp_path / "model.onnx", external_data=external)
    assert written.verification is not None and written.verification.same
    assert {path.name for path in tmp_path.iterdir()} <= {"model.onnx", "model.onnx.data"}


def test_a_file_that_would_be_wrong_does_not_appear(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("onnxruntime")
    from tfmodel.export.onnx.ops import elementwise

    monkeypatch.setitem(elementwise.UNARY, "Tanh", "Sigmoid")
    model = graph(placeholder("x", 2), NodeDef(name="y", op="Tanh", input=["x"], attr={"T": FLOAT}))
    (tmp_path / "model.onnx").write_text("what was there")
    with pytest.raises(OnnxExportError, match="computes other outputs than the graph"):
        tfmodel.save_onnx(model, tmp_path / "model.onnx", "x", "y")
    assert (tmp_path / "model.onnx").read_text() == "what was there"


def test_all_nodes_without_a_counterpart_are_named_and_nothing_is_written(tmp_path: Path) -> None:
    model = graph(
        placeholder("x", 2),
        NodeDef(name="a", op="Lgamma", input=["x"], attr={"T": FLOAT}),
        NodeDef(name="b", op="Digamma", input=["x"], attr={"T": FLOAT}),
        NodeDef(name="c", op="Add", input=["a", "b"], attr={"T": FLOAT}),
    )
    with pytest.raises(OnnxExportError, match="2 nodes cannot become ONNX") as caught:
        tfmodel.save_onnx(model, tmp_path / "model.onnx", "x", "c")
    assert [(node.op, node.node) for node in caught.value.refused] == [("Lgamma", "a"), ("Digamma", "b")]
    assert not (tmp_path / "model.onnx").exists()


def test_a_refusal_names_the_inputs_from_which_the_rest_is_converted(tmp_path: Path) -> None:
    """An input that is still needed is one of them; those in front of refused nodes are not."""
    model = graph(
        placeholder("x", 2),
        NodeDef(name="a", op="Lgamma", input=["x"], attr={"T": FLOAT}),
        NodeDef(name="b", op="Tanh", input=["a"], attr={"T": FLOAT}),
        NodeDef(name="c", op="Digamma", input=["b"], attr={"T": FLOAT}),
        NodeDef(name="d", op="Add", input=["c", "x"], attr={"T": FLOAT}),
    )
    with pytest.raises(OnnxExportError, match='the rest can, with inputs="c,x"') as caught:
        tfmodel.save_onnx(model, tmp_path / "model.onnx", "x", "d")
    assert [node.node for node in caught.value.refused] == ["a", "c"]
    assert caught.value.inputs == ["c", "x"]
    assert tfmodel.save_onnx(model, tmp_path / "model.onnx", caught.value.inputs, "d").nodes == 1


def test_behind_an_op_without_types_there_is_no_rest(tmp_path: Path) -> None:
    model = graph(
        placeholder("x", 2),
        NodeDef(name="a", op="NobodyKnows", input=["x"]),
        NodeDef(name="b", op="Tanh", input=["a"], attr={"T": FLOAT}),
    )
    with pytest.raises(OnnxExportError, match=r"NobodyKnows a \(no counterpart\)$"):
        tfmodel.save_onnx(model, tmp_path / "model.onnx", "x", "b")


def test_a_refused_output_has_no_rest(tmp_path: Path) -> None:
    model = graph(placeholder("x", 2), NodeDef(name="a", op="Lgamma", input=["x"], attr={"T": FLOAT}))
    with pytest.raises(OnnxExportError, match=r"no counterpart\)$") as caught:
        tfmodel.save_onnx(model, tmp_path / "model.onnx", "x", "a")
    assert caught.value.inputs is None


def test_a_later_opset_is_taken_where_an_operator_needs_it(tmp_path: Path) -> None:
    int32 = AttrValue(type=DataType.DT_INT32)
    model = graph(
        placeholder("x", 2, dtype=DataType.DT_INT32),
        NodeDef(name="y", op="BitwiseAnd", input=["x", "x"], attr={"T": int32}),
    )
    written = tfmodel.save_onnx(model, tmp_path / "model.onnx", "x", "y", verify=False)
    assert written.opset == 18
    assert any("opset 18 instead of 17" in note for note in written.notes)
    with pytest.raises(OnnxExportError, match="--opset 18"):
        tfmodel.save_onnx(model, tmp_path / "model.onnx", "x", "y", opset=17)


@pytest.mark.parametrize("opset", [0, 12, 22])
def test_unknown_opsets_are_refused(tmp_path: Path, opset: int) -> None:
    with pytest.raises(ValueError, match="opset must be 13 to 21"):
        tfmodel.save_onnx(CONVNET, tmp_path / "model.onnx", opset=opset)


@pytest.mark.parametrize("opset", range(13, 22))
def test_every_opset_is_loaded_by_onnxruntime(tmp_path: Path, opset: int) -> None:
    pytest.importorskip("onnxruntime")
    written = tfmodel.save_onnx(CONVNET, tmp_path / "model.onnx", opset=opset)
    assert (written.opset, written.verification is not None) == (opset, True)


def test_an_input_of_strings_in_a_resource_is_refused(tmp_path: Path) -> None:
    model = graph(
        placeholder("x", 2, dtype=DataType.DT_COMPLEX64),
        NodeDef(name="y", op="Neg", input=["x"], attr={"T": AttrValue(type=DataType.DT_COMPLEX64)}),
    )
    with pytest.raises(GraphError, match="complex64, which ONNX has no tensors of"):
        tfmodel.save_onnx(model, tmp_path / "model.onnx", "x", "y")


def test_an_input_without_a_rank_gets_the_only_one_that_fits(tmp_path: Path) -> None:
    x = NodeDef(name="x", op="Placeholder", attr={"dtype": FLOAT})
    w = models.const("w", [1.0] * 6, 3, 2)
    model = graph(x, w, NodeDef(name="y", op="MatMul", input=["x", "w"], attr={"T": FLOAT}))
    written = tfmodel.save_onnx(model, tmp_path / "model.onnx", "x", "y", verify=False)
    assert written.inputs == {"x": "float32[?,?]"}


def test_the_command_reports_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = str(tmp_path / "model.onnx")
    status = main(["convert", str(CONVNET), target, "--no-verify", "--json"])
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (status, report["to"], report["opset"], report["verification"]) == (0, "onnx", 17, None)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--opset", "99"], "--opset: opset must be 13 to 21, got 99"),
        (["--quantize-uint8", "*"], "--quantize-uint8 is for TensorFlow.js"),
        (["--assets", "words.txt"], "--assets does not go with ONNX"),
        (["--bind", "x=1", "--no-bind"], "--bind and --no-bind contradict each other"),
    ],
)
def test_options_that_do_not_fit(
    tmp_path: Path, options: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["convert", str(CONVNET), str(tmp_path / "model.onnx"), *options]) == 2
    assert problem in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_an_input_with_a_constant_default_need_not_be_fed(tmp_path: Path) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    value = AttrValue(tensor=from_ndarray(np.float32([3, 4])))
    shaped = {"dtype": FLOAT, "shape": AttrValue(shape=models.shape(2))}
    model = graph(
        placeholder("x", 2),
        NodeDef(name="usual", op="Const", attr={"dtype": FLOAT, "value": value}),
        NodeDef(name="rate", op="PlaceholderWithDefault", input=["usual"], attr=shaped),
        NodeDef(name="y", op="Mul", input=["x", "rate"], attr={"T": FLOAT}),
    )
    path = tmp_path / "model.onnx"
    tfmodel.save_onnx(model, path, ["x", "rate"], ["y"])
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(path, options)
    feeds = {"x": np.float32([1, 2])}
    assert session.run(None, feeds)[0].tolist() == [3, 8]
    assert session.run(None, {**feeds, "rate": np.float32([1, 1])})[0].tolist() == [1, 2]
    assert tfmodel.verify_onnx(model, path, ["x", "rate"], ["y"]).same


def test_the_error_about_a_file_lists_the_refused_nodes(tmp_path: Path) -> None:
    nodes = placeholder("x", 2, dtype=DataType.DT_STRING), NodeDef(name="y", op="StringStrip", input=["x"])
    path = tmp_path / "model.pb"
    path.write_bytes(graph(*nodes).to_bytes())
    with pytest.raises(OnnxExportError, match=r"model\.pb: a node cannot become ONNX") as caught:
        tfmodel.save_onnx(path, tmp_path / "model.onnx", ["x"], ["y"])
    assert [(node.node, node.op) for node in caught.value.refused] == [("y", "StringStrip")]
