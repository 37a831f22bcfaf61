"""Every transform and recipe keeps the nodes that fill the tables which outputs read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.tfmodel.transforms.graph_notation import graph
from tests.tfmodel.transforms.property_cases import ROWS
from tfmodel import run
from tfmodel.errors import TransformError
from tfmodel.graph import check_graph, with_nodes
from tfmodel.messages import GraphDef
from tfmodel.ops import OPS
from tfmodel.transforms.framework.pipeline import transform
from tfmodel.transforms.framework.recipes import RECIPES
from tfmodel.transforms.framework.report import TransformReport

TEXT = """
    words = Placeholder[dtype=string, shape=(-1)]
    keys = Const[dtype=string, value=string{"a", "b"}]
    values = Const[dtype=int64, value=int64{1, 2}]
    none = Const[dtype=int64, value=int64{-1}()]
    table = HashTableV2[key_dtype=string, value_dtype=int64, shared_name="t"]
    filler = LookupTableImportV2(table, keys, values)[Tin=string, Tout=int64]
    all_tables = NoOp(^filler)
    unused_table = HashTableV2[key_dtype=string, value_dtype=int64, shared_name="u"]
    unused_filler = LookupTableImportV2(unused_table, keys, values)[Tin=string, Tout=int64]
    found = LookupTableFindV2(table, words, none)[Tin=string, Tout=int64]
    y = Cast(found)[SrcT=int64, DstT=float]
"""
WORDS = np.array([b"b", b"x", b"a"], object)


def fills(result: GraphDef) -> list[str]:
    return [node.name for node in result.node if node.op == "LookupTableImportV2"]


@pytest.mark.parametrize("name", sorted(RECIPES))
def test_recipes_keep_what_fills_a_table(name: str) -> None:
    report = TransformReport()
    result = transform(graph(TEXT), "words", "y", [*RECIPES[name]], report=report, verify={"words": WORDS})
    assert fills(result) == ["filler"]
    assert report.initializers == ["all_tables"]
    assert run(result, {"words": WORDS}, ["y"])["y"].tolist() == [2, -1, 1]
    last_line = 'run "all_tables" first: the outputs read tables, which this node fills'
    assert report.to_text(verbose=False).splitlines()[-1] == last_line


@pytest.mark.parametrize("name", sorted(ROWS))
def test_transforms_keep_what_fills_a_table(name: str, tmp_path: Path) -> None:
    before = ROWS[name].prepare(
        graph(TEXT + "    c = Const[dtype=float, value=float{1}]\n    x = Placeholder[dtype=float, shape=(2)]")
    )
    report = TransformReport()
    result = transform(before, "words", "y", ROWS[name].call(name, tmp_path), report=report)
    assert "filler" in fills(result)
    assert check_graph(result, registry=OPS) == check_graph(before, registry=OPS) == []
    if name != "remove_control_dependencies":  # all_tables does not run the node any more
        assert report.initializers == ["all_tables"]
    assert run(result, {"words": WORDS}, ["y"])["y"].tolist() == [2, -1, 1]


def test_an_initializer_that_an_output_needs_gets_no_line() -> None:
    report = TransformReport()
    transform(graph(TEXT.replace("(found)", "(found, ^filler)")), "words", "y", "strip_unused_nodes", report=report)
    assert report.initializers == []
    assert "first" not in report.to_text()


def test_without_outputs_nothing_is_kept() -> None:
    report = TransformReport()
    assert fills(transform(graph(TEXT), "words", "", "strip_unused_nodes", report=report)) == []
    assert report.initializers == []


def test_a_renamed_node_that_fills_a_table_is_named() -> None:
    report = TransformReport()
    step = "rename_node(old_node_name=filler, new_node_name=other)"
    transform(graph(TEXT.replace("all_tables = NoOp(^filler)", "")), "words", "y", step, report=report)
    assert report.initializers == ["other"]


def test_a_function_that_loses_what_fills_a_table_is_refused() -> None:
    def lose(graph: GraphDef) -> GraphDef:
        return with_nodes(graph, [node for node in graph.node if node.name not in ("filler", "all_tables")])

    with pytest.raises(TransformError, match='lose: refused, it would remove "filler", which fills the table "table"'):
        transform(graph(TEXT), "words", "y", lose)


def test_a_table_that_is_not_read_any_more_may_go() -> None:
    def cut(graph: GraphDef) -> GraphDef:
        kept = [node for node in graph.node if node.name in ("words", "none")]
        return with_nodes(graph, [*kept, *nodes("y = Cast(none)[SrcT=int64, DstT=float]")])

    def nodes(text: str) -> list[object]:
        return list(graph(text).node)

    report = TransformReport()
    assert fills(transform(graph(TEXT), "words", "y", cut, report=report)) == []
    assert report.initializers == []
