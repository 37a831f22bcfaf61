"""The test data of the onnx package, and files that it writes. They are skipped where it is not installed."""

from __future__ import annotations

import importlib.util
import random
from functools import cache
from pathlib import Path

import pytest

from pbwire import json, text
from tests.data import onnx_models
from tfmodel import summarize_onnx
from tfmodel.files.detection import detect
from tfmodel.onnx_messages import ModelProto
from tfmodel.reports.onnx.tree import onnx_tree

pytestmark = pytest.mark.skipif(importlib.util.find_spec("onnx") is None, reason="the onnx package is not installed")

MOST = 300
"""Files that are examined: releases of the package have between 150 and 1,500."""


@cache
def package_files() -> list[Path]:
    [folder] = importlib.util.find_spec("onnx").submodule_search_locations
    files = sorted(Path(folder, "backend", "test", "data").rglob("*.onnx"))
    return sorted(random.Random(0).sample(files, min(MOST, len(files))))


def graphs_inside(nodes):
    """The graphs in the attributes of nodes, also those of their nodes."""
    found = [attribute.g for node in nodes for attribute in node.attribute if attribute.HasField("g")]
    return found + [one for each in found for one in graphs_inside(each.node)]


def test_files_are_what_the_script_makes():
    files = onnx_models.files()
    assert {path.name for path in onnx_models.FOLDER.iterdir()} == {*files}
    assert all((onnx_models.FOLDER / name).read_bytes() == content for name, content in files.items())


@pytest.mark.slow(reason="reads hundreds of models in three forms")
def test_all_files_of_the_package_are_read_and_written_byte_for_byte():
    assert len(package_files()) >= 100
    for path in package_files():
        data = path.read_bytes()
        model = ModelProto.from_bytes(data)
        assert model.to_bytes() == data, path
        assert ModelProto.from_bytes(data, lazy=True).to_bytes() == data, path
        written, printed = text.dumps(model), json.dumps(model)
        assert text.loads(written, ModelProto).to_bytes() == data, path
        assert json.loads(printed, ModelProto).to_bytes() == data, path
        for form in (data, written.encode(), printed.encode()):
            assert detect(form).cls is ModelProto, path


@pytest.mark.slow(reason="reads hundreds of models")
def test_all_files_of_the_package_are_described_as_onnx_describes_them():
    import onnx

    for path in package_files():
        report, model = summarize_onnx(path), onnx.load(path, load_external_data=False)
        given = {tensor.name for tensor in model.graph.initializer}
        assert [end.name for end in report.inputs] == [one.name for one in model.graph.input if one.name not in given]
        assert [end.name for end in report.outputs] == [one.name for one in model.graph.output]
        assert report.nodes == len(model.graph.node)
        graphs = [model.graph, *(one for function in model.functions for one in graphs_inside(function.node))]
        graphs += graphs_inside(model.graph.node)
        sizes = [onnx.numpy_helper.to_array(one).size for each in graphs for one in each.initializer]
        assert report.parameters == sum(sizes)
        assert report.problems == []
        assert list(onnx_tree(ModelProto.from_bytes(path.read_bytes())))
