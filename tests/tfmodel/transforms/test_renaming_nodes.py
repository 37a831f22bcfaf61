"""New names for nodes: `rename_node` and `obfuscate_names`."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.support.effort import scaled
from tests.support.strategies_graphs import Model, models
from tests.tfmodel.transforms.run_step import after, graph_of
from tfmodel.errors import GraphError, TransformError
from tfmodel.graph import GraphIndex, colocated_with, references
from tfmodel.transforms.framework.pipeline import transform
from tfmodel.transforms.framework.report import StepReport, TransformReport
from tfmodel.transforms.obfuscate_names import obfuscate_names
from tfmodel.values.names import TensorName

GRAPH = """
    x = P
    a/b = Relu(x, ^x)
    a = Add(a/b:0, x:1, ^a/b)[_class=["loc:@x", "loc:@a/b"]]
"""


def test_rename_node() -> None:
    nodes, _ = after(GRAPH, "rename_node(old_node_name=x, new_node_name=new)")
    assert nodes == {
        "new": "P",
        "a/b": "Relu(new, ^new)",
        "a": 'Add(a/b:0, new:1, ^a/b)[_class=["loc:@new", "loc:@a/b"]]',
    }


def test_renaming_a_missing_node_changes_nothing() -> None:
    nodes, report = after("conv/relu = P", "rename_node(old_node_name=conv/rleu, new_node_name=new)")
    assert [*nodes] == ["conv/relu"]
    assert report.fired == 0
    assert report.notes == ['old_node_name: there is no node "conv/rleu"; did you mean "conv/relu"?']


@pytest.mark.parametrize("old", ["x", "a", "nope"])
def test_a_name_that_is_taken_is_refused(old: str) -> None:
    with pytest.raises(TransformError, match='a node of the new name exists already: P "x"'):
        after(GRAPH, f"rename_node(old_node_name={old}, new_node_name=x)")


def test_a_renamed_input_or_output_stays_declared() -> None:
    steps = "rename_node(old_node_name=x, new_node_name=new) rename_node(old_node_name=new, new_node_name=newer)"
    report = TransformReport()
    result = transform(graph_of(GRAPH), "x", "a/b:0", f"{steps} obfuscate_names", report=report, verify=None)
    assert [node.name for node in result.node] == ["newer", "a/b", "0"]
    assert report.renames == {TensorName("x"): TensorName("newer")}


def test_obfuscate_names() -> None:
    nodes, report = after(GRAPH, "obfuscate_names", "", "a/b:0")
    assert nodes == {
        "0": "P",
        "a/b": "Relu(0, ^0)",
        "1": 'Add(a/b:0, 0:1, ^a/b)[_class=["loc:@0", "loc:@a/b"]]',
    }
    assert report.fired == 2


def test_numbers_are_in_base_62_and_skip_declared_names() -> None:
    text = "\n".join(f"n{number} = NoOp" for number in range(64)) + "\nb = NoOp"
    nodes, _ = after(text, "obfuscate_names", "", "b")
    digits = "0123456789acdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    assert [*nodes] == [*digits, "10", "11", "12", "b"]


def test_no_node_gets_a_name_to_which_a_colocation_attribute_refers() -> None:
    nodes, _ = after('x = NoOp[_class=["loc:@0"]]\ny = NoOp', "obfuscate_names")
    assert nodes == {"1": 'NoOp[_class=["loc:@0"]]', "2": "NoOp"}


def test_a_missing_input_is_an_error() -> None:
    with pytest.raises(GraphError, match='Relu "y": its input "x:1" is not in the graph'):
        obfuscate_names(graph_of("y = Relu(x:1)"), report=StepReport("test"))


@settings(max_examples=scaled(30))
@given(models())
def test_only_names_are_obfuscated(model: Model) -> None:
    result = transform(model.graph, model.inputs, model.outputs, "obfuscate_names")
    before, after = GraphIndex(model.graph), GraphIndex(result)
    assert after.sources == before.sources
    for old, new in zip(before, after, strict=True):
        assert (new.op, new.device, new.attr.keys()) == (old.op, old.device, old.attr.keys())
        assert [tensor.port for tensor in references(new)] == [tensor.port for tensor in references(old)]
        assert [*map(after.position, colocated_with(new))] == [*map(before.position, colocated_with(old))]
