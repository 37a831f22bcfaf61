"""`verify_onnx`, and `verify MODEL model.onnx`: inputs and outputs are matched, results compared."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import tfmodel
from tfmodel.cli import main
from tfmodel.compare.verify import Verification
from tfmodel.errors import ModelError
from tfmodel.onnx_messages import ModelProto, TensorProto

pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

DATA = Path(__file__).resolve().parents[3] / "data"
TRAINED = DATA / "trained" / "model.meta"
CONVNET = DATA / "convnet.pb"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("models")
    tfmodel.save_onnx(TRAINED, made / "trained.onnx", verify=False)
    tfmodel.save_onnx(CONVNET, made / "convnet.onnx", verify=False)
    return made


def changed(path: Path, target: Path) -> Path:
    """Write a copy of an ONNX model with other weights."""
    model = ModelProto.from_bytes(path.read_bytes())
    assert model.graph is not None
    for tensor in model.graph.initializer:
        if tensor.data_type == TensorProto.DataType.FLOAT:
            tensor.raw_data = (np.frombuffer(tensor.raw_data or b"", "<f4") + np.float32(0.5)).tobytes()
    target.write_bytes(model.to_bytes())
    return target


def test_inputs_and_outputs_are_matched_by_the_keys_of_the_signature(folder: Path) -> None:
    report = tfmodel.verify_onnx(TRAINED, folder / "trained.onnx", verification=Verification(batch_size=3))
    assert (report.same, [(row.name, row.shape) for row in report.outputs]) == (True, [("y", (3, 3))])


def test_a_difference_is_found(folder: Path, tmp_path: Path) -> None:
    other = changed(folder / "trained.onnx", tmp_path / "other.onnx")
    assert not tfmodel.verify_onnx(TRAINED, other).same
    assert main(["verify", str(TRAINED), str(other)]) == 1


def test_the_command_says_that_they_are_equal(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(CONVNET), str(folder / "convnet.onnx"), "--outputs", "scores"]) == 0
    assert "scores: float32[1,10]" in capsys.readouterr().out


def test_the_content_says_what_a_file_is_not_its_name(folder: Path, tmp_path: Path) -> None:
    shutil.copy(folder / "convnet.onnx", tmp_path / "model.bin")
    shutil.copy(CONVNET, tmp_path / "graph.onnx")
    assert main(["verify", str(CONVNET), str(tmp_path / "model.bin")]) == 0
    assert main(["verify", str(CONVNET), str(tmp_path / "graph.onnx"), "--outputs", "scores"]) == 0


@pytest.mark.parametrize("options", [["--runs", "3"], ["--bisect"]])
def test_options_that_need_two_graphs_are_refused(
    folder: Path, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(CONVNET), str(folder / "convnet.onnx"), *options]) == 2
    assert f"{options[0]} does not go with an ONNX model" in capsys.readouterr().err


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "graph.onnx").write_bytes(CONVNET.read_bytes())
    with pytest.raises(ModelError, match="not an ONNX model"):
        tfmodel.verify_onnx(CONVNET, tmp_path / "graph.onnx")
