"""Files of Keras: the weights are those that Keras lists, under the same layers and roles."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tfmodel
from tests.tfmodel.files.keras.files import FILES, keras_file, needs_h5py, weights_of
from tfmodel.cli import main
from tfmodel.errors import FileFormatError
from tfmodel.files.keras.file import KerasFile
from tfmodel.source.model_source import ModelSource

pytestmark = needs_h5py

WITH_CONFIG = [name for name in FILES if not name.endswith(("weights.h5",)) or name.startswith("keras3")]


def open_file(name: str, folder: Path) -> KerasFile:
    return KerasFile(name, str(keras_file(name, folder)))


@pytest.mark.parametrize("name", FILES)
def test_every_weight_has_its_values(name: str, tmp_path: Path) -> None:
    weights = open_file(name, tmp_path).weights
    actual = sorted(
        (list(array.shape), array.ravel().tolist()) for key, array in weights.items() if not weights.origin(key).purpose
    )
    assert actual == sorted((row["shape"], row["values"]) for row in weights_of(name))


@pytest.mark.parametrize("name", [name for name in FILES if "net" in name and name in WITH_CONFIG])
def test_weights_have_the_names_of_layers_and_roles(name: str, tmp_path: Path) -> None:
    weights = open_file(name, tmp_path).weights
    is_numbered = name.endswith((".keras", ".weights.h5"))
    names = {}
    for row in weights_of(name):
        layer = "inner/inner_dense" if row["layer"] == "inner" else row["layer"]
        is_depthwise = is_numbered and (layer, row["role"]) == ("depth", "kernel")  # as Keras 2 calls it
        names[tuple(row["values"])] = f"{layer}/{'depthwise_kernel' if is_depthwise else row['role']}"
    actual = {tuple(array.ravel().tolist()): key for key, array in weights.items() if not weights.origin(key).purpose}
    if name == "keras3/net.weights.h5":  # which variables a norm lacks is in the architecture alone
        actual = {values: key for values, key in actual.items() if not key.startswith("norm/")}
        assert {key for key in weights if key.startswith("norm/")} == {"norm/0", "norm/1", "norm/2"}
    assert actual == {values: names[values] for values in actual}


@pytest.mark.parametrize("name", [name for name in FILES if "text" in name])
def test_variables_of_wrapped_layers_have_their_roles(name: str, tmp_path: Path) -> None:
    weights = open_file(name, tmp_path).weights
    expected = sorted((row["role"], row["values"]) for row in weights_of(name))
    rows = [(weights.origin(key).role, array.ravel().tolist()) for key, array in weights.items()]
    assert sorted(row for row, key in zip(rows, weights, strict=True) if not weights.origin(key).purpose) == expected


def test_the_classes_of_layers_are_known(tmp_path: Path) -> None:
    weights = open_file("keras3/text.keras", tmp_path).weights
    classes = {key.partition("/")[0]: weights.origin(key).class_name for key in weights}
    assert classes["bidirectional"] == "LSTM"
    assert (classes["gru"], classes["embedding"], classes["scores"]) == ("GRU", "Embedding", "Dense")


def test_the_state_of_the_optimizer_is_not_listed(tmp_path: Path) -> None:
    path = keras_file("keras2/net.h5", tmp_path)
    report = tfmodel.weights(path)
    assert len(report) == 17
    assert [row.purpose for row in report.not_listed] == ["state"]
    assert len(tfmodel.weights(path, all=True)) == 18


@pytest.mark.parametrize("suffix", [".npz", ".safetensors", ""])
def test_weights_are_exported(suffix: str, tmp_path: Path) -> None:
    path, target = keras_file("keras3/net.keras", tmp_path), tmp_path / f"out{suffix}"
    assert main(["weights", str(path), "-o", str(target)]) == 0
    if suffix == ".npz":
        with np.load(target) as arrays:
            assert arrays["conv/kernel"].shape == (3, 3, 2, 3)
    assert target.exists()


def test_files_are_compared_across_formats_and_versions(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
    one = keras_file("keras2/net.h5", tmp_path / "a")
    other = keras_file("keras3/net.keras", tmp_path / "b")
    report = tfmodel.compare_values(str(one), str(other))
    assert sum(row.status == "same" for row in report) == 17
    assert main(["diff", str(one), str(one)]) == 0
    assert main(["diff", str(one), str(other), "--quiet"]) == 1  # the optimizers


def test_a_summary_has_versions_layers_and_parameters(tmp_path: Path) -> None:
    summary = tfmodel.summarize_keras(keras_file("keras2/net.keras", tmp_path))
    assert (summary.kind, summary.versions["keras_version"], summary.model) == (
        "archive",
        "2.12.0",
        ("net", "Functional"),
    )
    assert summary.parameters == sum(np.prod(row["shape"]) for row in weights_of("keras2/net.keras"))
    layers = {layer.path: (layer.class_name, layer.parameters) for layer in summary.layers}
    assert layers["inner/inner_dense"] == ("Dense", 15)
    assert summary.code == ("twice",)
    assert json.loads(summary.to_json())["parameters"] == summary.parameters


def test_a_layer_with_python_code_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("keras2/net.h5", "keras3/net.keras"):
        assert main(["check", str(keras_file(name, tmp_path)), "--values"]) == 1
        assert 'the layer "twice" is a Keras Lambda layer' in capsys.readouterr().out
    assert main(["check", str(keras_file("keras2/text.h5", tmp_path))]) == 0
    assert main(["check", str(keras_file("keras2/text.weights.h5", tmp_path))]) == 0
    assert "it has no architecture" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["run", "dump", "freeze -o out.pb", "optimize -o out.pb", "find op=Relu", "ops"])
def test_commands_for_graphs_say_what_the_file_is(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(keras_file("keras2/text.h5", tmp_path))
    name, *options = command.split()
    assert main([name, path, *options]) != 0
    assert "this is an HDF5 file, as Keras writes them (.h5), not a TensorFlow model" in capsys.readouterr().err


def test_options_about_graphs_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(keras_file("keras2/text.h5", tmp_path))
    assert main(["summarize", path, "--batch-size", "3"]) == 2
    assert "--batch-size is about graphs" in capsys.readouterr().err


def test_bytes_are_read_too(tmp_path: Path) -> None:
    path = keras_file("keras3/text.keras", tmp_path)
    assert len(tfmodel.weights(path.read_bytes())) == 12
    assert tfmodel.summarize_keras(path.read_bytes()).parameters == 171


def test_without_h5py_the_error_says_so(tmp_path: Path) -> None:
    path = keras_file("keras2/text.h5", tmp_path)
    command = f"from tfmodel.cli import main; sys.exit(main(['weights', {str(path)!r}]))"
    code = f"import sys; sys.modules['h5py'] = None; {command}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    problem = "this is an HDF5 file, as Keras writes them: reading it needs h5py: pip install h5py"
    assert (done.returncode, done.stderr) == (2, f"{path}: {problem}\n")


def test_other_files_are_not_files_of_keras(tmp_path: Path) -> None:
    assert ModelSource.of("tests/data/linear.pb").keras is None
    with pytest.raises(FileFormatError, match="this is not a file of Keras"):
        tfmodel.summarize_keras("tests/data/linear.pb")
