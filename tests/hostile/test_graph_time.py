"""No function of the library takes quadratic time for a graph: all are tested on graphs that provoke it.

Here each graph is tried with a few functions; `python -m tests.support.growth graphs` tries all pairs.
"""

from __future__ import annotations

import pytest

import tfmodel
from tests.hostile.graph_actions import ACTIONS, exponent_of, lines_run
from tests.hostile.large import MAKERS
from tfmodel.analysis.variables.checkpoint_keys import ObjectKeys
from tfmodel.graph.traversal import ChainEnds, CircularChainError
from tfmodel.graph.view import GraphView
from tfmodel.messages import GraphDef, NodeDef, TrackableObjectGraph
from tfmodel.reports.check.states import States
from tfmodel.values import tensors

SMALL, LARGE = 50, 200
MAX_EXPONENT = 1.45
"""The maximum exponent: 1 is linear, 2 quadratic; parts that are still small at these sizes add a little."""

INITIALIZED = [
    name for name in MAKERS if any(word in name for word in ("table", "variables", "saver", "restored", "initializers"))
]
PAIRS = [
    *((graph, list(ACTIONS)[number % len(ACTIONS)]) for number, graph in enumerate(MAKERS)),
    *((graph, action) for graph in INITIALIZED for action in ("run", "freeze")),
    *((graph, "check") for graph in MAKERS if "loop" in graph),
]
"""Pairs that cover every graph and every function at least once, all initializers, and all loops."""


@pytest.mark.parametrize(("graph", "action"), dict.fromkeys(PAIRS))
def test_work_is_in_proportion_to_the_graph(graph: str, action: str) -> None:
    """Attack: graphs whose structure makes simple algorithms quadratic; a table behind thousands of Identity nodes.

    Naive: searches the whole graph, or follows the same chain, for each node.
    Stopped by: tfmodel.graph.traversal.ChainEnds
    """
    assert exponent_of(ACTIONS[action], *(MAKERS[graph](size) for size in (SMALL, LARGE))) < MAX_EXPONENT


def test_variables_are_found_among_the_children_of_one_object() -> None:
    """Attack: a checkpoint whose root has very many children, each of which is a variable.

    Naive: searches all children for each variable.
    Stopped by: tfmodel.analysis.variables.checkpoint_keys.ObjectKeys
    """

    def looked_up(count: int) -> int:
        objects = TrackableObjectGraph.TrackableObject
        child = objects.ObjectReference
        root = objects(children=[child(node_id=number + 1, local_name=f"v{number}") for number in range(count)])
        value = objects.SerializedTensor(name="VARIABLE_VALUE", checkpoint_key="key")
        message = TrackableObjectGraph(nodes=[root, *(objects(attributes=[value]) for _ in range(count))])
        keys = ObjectKeys(message)
        return lines_run(lambda _: [keys.at((f"v{number}",)) for number in range(count)], message)

    assert looked_up(200) < 6 * looked_up(50)


def test_the_names_that_a_node_restores_are_decoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Attack: a RestoreV2 with very many outputs, whose names are one constant.

    Naive: decodes the constant for each output.
    Stopped by: tfmodel.analysis.variables.checkpoint_keys.RestoredPlaces
    """
    decoded = []
    to_ndarray = tensors.to_ndarray
    monkeypatch.setattr(tensors, "to_ndarray", lambda tensor, **more: decoded.append(1) or to_ndarray(tensor, **more))
    ACTIONS["freeze"](MAKERS["one saver"](90))
    assert len(decoded) < 10


@pytest.mark.parametrize("name", ["loop of variables", "loop of old variables"])
def test_only_the_writers_of_a_variable_are_asked_for_its_values(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Attack: a loop that reads thousands of variables.

    Naive: asks every node that writes whether it writes the variable, for each variable.
    Stopped by: tfmodel.reports.check.states.States
    """
    asked = []
    may_be = States._may_be
    monkeypatch.setattr(States, "_may_be", lambda *arguments: asked.append(1) or may_be(*arguments))
    tfmodel.check(MAKERS[name](30))
    few = len(asked)
    tfmodel.check(MAKERS[name](300))
    assert 0 < len(asked) - few <= 11 * few


def test_free_names_of_one_base_take_linear_time() -> None:
    """Attack: very many nodes whose names get the same base.

    Naive: counts from one in each search.
    Stopped by: tfmodel.values.names.TakenNames
    """

    def named(count: int) -> int:
        body = GraphView(GraphDef(node=[NodeDef(name="a", op="NoOp")]))

        def add(_: object) -> None:
            for _ in range(count):
                body.add(NodeDef(name=body.fresh("a"), op="NoOp"))

        work = lines_run(add, TrackableObjectGraph())
        assert list(body.nodes) == ["a", *(f"a_{number}" for number in range(1, count + 1))]
        body.prune(["a"])
        assert body.fresh("a") == "a_1"
        return work

    assert named(200) < 6 * named(50)


def test_sound_every_function_is_measured() -> None:
    assert {action for _, action in PAIRS} == set(ACTIONS)


def test_sound_ends_of_chains() -> None:
    following = {"a": "b", "b": "c", "d": "b", "e": "f", "f": "e", "g": "e"}
    visited: list[str] = []

    def follow(name: str) -> str | None:
        visited.append(name)
        return following.get(name)

    ends = ChainEnds(follow)
    assert [ends(name) for name in "abcdz"] == ["c", "c", "c", "c", "z"]
    for name in "efg":
        with pytest.raises(CircularChainError):
            ends(name)
    assert len(visited) == len(set(visited))
