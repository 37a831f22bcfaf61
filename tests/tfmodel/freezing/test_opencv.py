"""The two files that OpenCV reads: values in the .pb, everything else in the text."""

from __future__ import annotations

import pytest

import tfmodel
from tests.tfmodel.transforms.graph_notation import graph
from tfmodel.cli import main
from tfmodel.errors import ModelError
from tfmodel.freezing.opencv import without_constants

NETWORK = """
    x = Placeholder[dtype=float, shape=(-1, 4)]
    w = Const[dtype=float, value=float{1, 2, 3, 4}(4, 1)]
    y = MatMul(x, w, ^w)[T=float, _class="loc:@w"]
    relu = Relu(y)[T=float]
"""


def test_constants_and_what_refers_to_the_runtime_are_left_out():
    text = without_constants(graph(NETWORK))
    assert [node.name for node in text.node] == ["x", "y", "relu"]
    assert list(text.node[1].input) == ["x", "w"]
    assert "_class" not in text.node[1].attr


def test_a_graph_with_variables_is_refused():
    with pytest.raises(ModelError, match=r'takes frozen graphs, and this one has variables \("v"\): optimize it first'):
        without_constants(graph("v = VariableV2[dtype=float, shape=(2)]"))


def test_the_text_is_written_beside_the_graph(tmp_path, capsys):
    tfmodel.save(graph(NETWORK), tmp_path / "net.pb")
    before = (tmp_path / "net.pb").read_bytes()
    assert main(["convert", str(tmp_path / "net.pb"), "--to", "opencv"]) == 0
    assert (tmp_path / "net.pb").read_bytes() == before
    assert tfmodel.load(tmp_path / "net.pbtxt") == without_constants(graph(NETWORK))
    assert "net.pbtxt: 3 nodes; 1 constant in the .pb alone" in capsys.readouterr().err


def test_both_files_are_written_under_another_name(tmp_path):
    tfmodel.save(graph(NETWORK), tmp_path / "net.pb")
    assert main(["convert", str(tmp_path / "net.pb"), str(tmp_path / "other.pbtxt"), "--to", "opencv"]) == 0
    assert tfmodel.load(tmp_path / "other.pb") == graph(NETWORK)
    assert len(tfmodel.load(tmp_path / "other.pbtxt").node) == 3


def test_other_formats_need_a_name(tmp_path, capsys):
    tfmodel.save(graph(NETWORK), tmp_path / "net.pb")
    assert main(["convert", str(tmp_path / "net.pb")]) == 2
    assert "OUT" in capsys.readouterr().err
