"""What transforms make of small graphs is what the C++ tool makes of them; `test_golden_models` has whole models."""

from __future__ import annotations

import pytest

from tests.golden.transforms.small_graphs import GRAPHS, Golden, goldens
from tfmodel.errors import Error
from tfmodel.messages import GraphDef
from tfmodel.transforms.framework.pipeline import transform

LOOP = GRAPHS["loop"].to_bytes(deterministic=True)


def is_better(case: Golden) -> bool:
    """Do we differ, and better? A constant in a loop falls out of it without its control input."""
    return "remove_control_dependencies" in case.transforms and case.graph == LOOP


CASES = [case for case in goldens() if not is_better(case)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.transforms}-{len(case.graph)}")
def test_the_same_nodes_in_the_same_order(case: Golden) -> None:
    graph = GraphDef.from_bytes(case.graph)
    if case.nodes is None:
        with pytest.raises(Error):
            transform(graph, case.inputs, case.outputs, case.transforms)
        return
    result = transform(graph, case.inputs, case.outputs, case.transforms)
    assert [node.to_bytes(deterministic=True) for node in result.node] == case.nodes
    assert graph.to_bytes(deterministic=True) == case.graph  # what goes in is never changed


def test_what_control_inputs_alone_keep_in_a_loop_stays_there() -> None:
    result = transform(GRAPHS["loop"], "", "exit", "remove_control_dependencies")
    assert {node.name: node.input for node in result.node}["limit"] == ["^merge"]


def test_an_attribute_that_is_renamed_to_itself_stays() -> None:
    same = "rename_attribute(old_attribute_name=T, new_attribute_name=T)"
    assert transform(GRAPHS["dag"], "", "", same) == GRAPHS["dag"]


def test_there_are_cases_that_are_refused_and_cases_that_are_not() -> None:
    assert sum(case.nodes is None for case in CASES) > 20
    assert sum(case.nodes is not None for case in CASES) > 60
