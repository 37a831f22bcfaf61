"""The data of the summary: that of `summarize`, `check` and the FLOPs of nodes."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.tfmodel import models
from tests.tfmodel.drawing.page.test_page import header_of
from tests.tfmodel.drawing.test_hierarchy import graph_of
from tfmodel import Model, check
from tfmodel.drawing.page import page, report
from tfmodel.messages import GraphDef, NodeDef

CONVNET = "tests/data/convnet.pb"


@pytest.fixture(scope="module")
def header():
    return header_of(page(CONVNET, values="none"))


def test_ops_parameters_and_flops_are_those_of_summarize(header):
    summary = Model(CONVNET).summary()
    ops = {op: row for op, *row in header["report"]["ops"]}
    assert {row.op: [row.nodes, row.all_nodes, row.parameters, row.flops, row.unshaped] for row in summary.ops} == ops
    assert sum(flops for _, flops in header["report"]["flops"]) == summary.flops > 0
    assert [flops for _, flops in header["report"]["flops"]] == sorted(
        (flops for _, flops in header["report"]["flops"]), reverse=True
    )
    assert dict(header["report"]["facts"])["parameters"].startswith(f"{summary.parameters:,} ")


def test_inputs_and_outputs_have_reasons_and_nodes(header):
    [(name, dtype, shape, reason, is_likely, node)] = header["report"]["inputs"]
    assert (name, dtype, is_likely, header["names"][node]) == ("image", "float32", True, "image")
    assert shape[0] is None and "goes into" in reason
    assert any(row[0] == "scores" and row[4] for row in header["report"]["outputs"])


def test_flops_of_functions_are_at_their_nodes():
    model = models.graph()
    rows = header_of(page(model))["report"]["flops"]
    assert sum(flops for _, flops in rows) == Model(model).summary().flops


def test_findings_are_those_of_check():
    graph = graph_of("a = Relu(gone)", "b = PyFunc(a)")
    found = header_of(page(graph))
    expected = [[finding.level, finding.kind, finding.sentence] for finding in check(graph)]
    assert [row[:3] for row in found["report"]["findings"]] == expected
    assert {found["names"][row[3]] for row in found["report"]["findings"] if row[3] is not None} == {"a", "b"}


def test_a_large_model_is_not_checked_and_says_so(monkeypatch):
    monkeypatch.setattr(report, "MAX_CHECKED", 1)
    data = header_of(page(graph_of("a = NoOp", "b = NoOp")))["report"]
    assert data["findings"] == [] and "more than 1 node" in data["unchecked"]


def test_a_damaged_graph_has_the_error_in_place_of_a_summary():
    data = header_of(page(GraphDef(node=[NodeDef(name="a", op="NoOp"), NodeDef(name="a", op="NoOp")])))["report"]
    assert data["text"]


def test_commands_name_the_model_without_its_path(tmp_path):
    shutil.copytree("tests/data/trained", tmp_path / "secret" / "trained")
    data = header_of(page(tmp_path / "secret" / "trained" / "model.meta", values="none"))["report"]
    assert any(command.startswith("tfmodel check model.meta") for command in data["commands"])
    assert "secret" not in json.dumps(data)
