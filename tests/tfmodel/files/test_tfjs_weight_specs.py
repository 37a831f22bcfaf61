"""Models of TensorFlow.js with `weightSpecs` in place of a manifest, as the handlers of `model.save` get them."""

from __future__ import annotations

import base64
import json

import numpy as np
import pytest

from tests.tfmodel.tfjs_models import DATA, WEIGHTS, write_model
from tfmodel import FileFormatError, Model
from tfmodel.cli import main

CONTENT = {
    "base64": base64.b64encode(DATA).decode(),
    "a list of bytes": list(DATA),
    "JSON of a Uint8Array": {str(index): byte for index, byte in enumerate(DATA)},
}
LOST = {"nothing": None, "JSON of an ArrayBuffer": {}, "an empty text": ""}
WRONG = {
    "cut off": (list(DATA[:8]), "weightData: 8 bytes, and the weights need 36"),
    "too long": ([*DATA, 0], "weightData: 37 bytes, and the weights need 36"),
    "no base64": ("!!", "weightData must be base64 or a list of bytes"),
    "no bytes": ([1, 256], "weightData must be base64 or a list of bytes"),
    "gaps": ({"0": 1, "2": 1}, "weightData must have a byte under each index"),
}
LAYERS = {"format": "layers-model", "modelTopology": {"class_name": "Sequential", "config": {}}, "signature": None}


def artifacts(folder, content, **fields):
    """Write the model without a manifest and without files of weights, and return its path."""
    path = write_model(folder, **{"weightsManifest": None, "weightSpecs": WEIGHTS, "weightData": content, **fields})
    for file in folder.glob("*.bin"):
        file.unlink()
    return str(path)


@pytest.mark.parametrize("content", CONTENT.values(), ids=CONTENT)
def test_values_inside_of_the_file_are_read(content, tmp_path):
    model = Model(artifacts(tmp_path, content))
    assert model.run({"x": np.array([[1, 1]], "f4")})["scores"].tolist() == [[5.5, 0, 9]]
    layers = Model(artifacts(tmp_path / "layers", content, **LAYERS))
    assert [(row.name, row.shape) for row in layers.weights()] == [("w", (2, 3)), ("b", (3,))]


@pytest.mark.parametrize("content", LOST.values(), ids=LOST)
def test_without_values_the_graph_and_the_shapes_are_shown(content, tmp_path, capsys):
    path = artifacts(tmp_path, content)
    assert main(["summarize", path]) == 0
    told = capsys.readouterr()
    assert "float32[?,2]" in told.out and "float32[?,3]" in told.out
    assert "weightData, which is missing: values are not known" in told.out + told.err
    assert main(["find", path, "op=MatMul"]) == 0


@pytest.mark.parametrize("command", ["weights", "optimize -o out.pb", "convert out/"])
@pytest.mark.parametrize("content", LOST.values(), ids=LOST)
@pytest.mark.parametrize("fields", [{}, LAYERS], ids=["graph model", "layers model"])
def test_a_command_that_needs_values_says_that_they_are_not_in_the_file(
    command, content, fields, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    path = artifacts(tmp_path / "model", content, **fields)
    name, *words = command.split()
    assert main([name, path, *words]) == 2
    message = capsys.readouterr().err
    if not fields or name == "weights":
        assert "weightData, are not in the file: save the model with" in message
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["model"]


@pytest.mark.parametrize(("content", "problem"), WRONG.values(), ids=WRONG)
def test_wrong_values(content, problem, tmp_path):
    with pytest.raises(FileFormatError, match=problem):
        Model(artifacts(tmp_path, content)).run({"x": np.zeros((1, 2), "f4")})


def test_a_manifest_counts_more_than_specs(tmp_path):
    path = write_model(tmp_path, weightSpecs=[], weightData=None)
    assert "weightsManifest" in json.loads(path.read_text())
    assert Model(path).run({"x": np.array([[1, 1]], "f4")})["scores"].tolist() == [[5.5, 0, 9]]
