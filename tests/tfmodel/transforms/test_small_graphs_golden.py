"""Transformed small graphs are those of the C++ tool; `test_models_golden` has whole models."""

from __future__ import annotations

import pytest

from tests.golden.transforms.small_graphs import GRAPHS, Golden, goldens
from tests.support.case_tables import each_case
from tfmodel.errors import Error
from tfmodel.messages import GraphDef
from tfmodel.transforms.framework.pipeline import transform

LOOP = GRAPHS["loop"].to_bytes(deterministic=True)


def is_better(case: Golden) -> bool:
    """True if our result is better than the tool's: without its control input, a constant falls out of its loop."""
    return "remove_control_dependencies" in case.transforms and case.graph == LOOP


CASES = [case for case in goldens() if not is_better(case)]


@each_case("case", {f"{number}: {case.transforms}": case for number, case in enumerate(CASES)})
def test_the_same_nodes_in_the_same_order(case: Golden) -> None:
    graph = GraphDef.from_bytes(case.graph)
    if case.nodes is None:
        with pytest.raises(Error):
            transform(graph, case.inputs, case.outputs, case.transforms)
        return
    result = transform(graph, case.inputs, case.outputs, case.transforms)
    assert [node.to_bytes(deterministic=True) for node in result.node] == case.nodes
    assert graph.to_bytes(deterministic=True) == case.graph  # what goes in is never changed


def test_nodes_that_only_control_inputs_keep_in_a_loop_stay_in_it() -> None:
    result = transform(GRAPHS["loop"], "", "exit", "remove_control_dependencies")
    assert {node.name: node.input for node in result.node}["limit"] == ["^merge"]


def test_an_attribute_that_is_renamed_to_itself_stays() -> None:
    same = "rename_attribute(old_attribute_name=T, new_attribute_name=T)"
    assert transform(GRAPHS["dag"], "", "", same) == GRAPHS["dag"]


def test_some_cases_are_refused_and_some_are_not() -> None:
    assert sum(case.nodes is None for case in CASES) > 20
    assert sum(case.nodes is not None for case in CASES) > 60
