"""Random numbers: outputs that depend on them are not compared, all others are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.tfmodel.export.onnx.sweep import session
from tfmodel.export.onnx import save_onnx
from tfmodel.messages import AttrValue, DataType, GraphDef, NodeDef, TensorShapeProto, VersionDef
from tfmodel.values.tensors import from_ndarray

pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")


def _graph() -> GraphDef:
    """Return a graph of x -> x + noise, x * x."""
    number = AttrValue(type=DataType.DT_FLOAT)
    shape = AttrValue(shape=TensorShapeProto(dim=[TensorShapeProto.Dim(size=-1), TensorShapeProto.Dim(size=3)]))
    types = {"T": AttrValue(type=DataType.DT_INT32), "dtype": number}
    of_shape = {"T": number, "out_type": AttrValue(type=DataType.DT_INT32)}
    nodes = [
        NodeDef(name="x", op="Placeholder", attr={"dtype": number, "shape": shape}),
        NodeDef(name="shape", op="Shape", input=["x"], attr=of_shape),
        NodeDef(name="noise", op="RandomUniform", input=["shape"], attr=types),
        NodeDef(name="noisy", op="AddV2", input=["x", "noise"], attr={"T": number}),
        NodeDef(name="square", op="Mul", input=["x", "x"], attr={"T": number}),
    ]
    return GraphDef(node=nodes, versions=VersionDef(producer=1286))


def test_random_outputs_are_left_out_of_the_comparison(tmp_path: Path) -> None:
    report = save_onnx(_graph(), tmp_path / "model.onnx", ["x"], ["noisy", "square"])
    assert report.unverified == ""
    assert report.verification is not None
    assert [each.name for each in report.verification.outputs] == ["square"]
    assert "the random numbers of RandomUniform are other ones than TensorFlow's: noise" in report.notes
    x = np.zeros((2, 3), np.float32)
    noisy, square = session((tmp_path / "model.onnx").read_bytes()).run(["noisy", "square"], {"x": x})
    assert ((noisy >= 0) & (noisy < 1)).all()
    assert len(np.unique(noisy)) > 1
    assert not square.any()


def test_a_model_with_random_outputs_alone_is_loaded_and_said_to_be_unverified(tmp_path: Path) -> None:
    report = save_onnx(_graph(), tmp_path / "model.onnx", ["x"], ["noisy"])
    assert report.unverified == "its outputs are random"


def test_float16_is_drawn_as_float32(tmp_path: Path) -> None:
    number = AttrValue(type=DataType.DT_HALF)
    types = {"T": AttrValue(type=DataType.DT_INT32), "dtype": number}
    sizes = AttrValue(tensor=from_ndarray(np.array([2, 3], np.int32), DataType.DT_INT32))
    nodes = [
        NodeDef(name="sizes", op="Const", attr={"dtype": AttrValue(type=DataType.DT_INT32), "value": sizes}),
        NodeDef(name="noise", op="RandomStandardNormal", input=["sizes"], attr=types),
    ]
    report = save_onnx(GraphDef(node=nodes, versions=VersionDef(producer=1286)), tmp_path / "m.onnx", [], ["noise"])
    assert report.ops == {"RandomNormal": 1, "Cast": 1}
    (noise,) = session((tmp_path / "m.onnx").read_bytes()).run(None, {})
    assert noise.dtype == np.float16
    assert noise.shape == (2, 3)
