"""Properties of every transform on random graphs; tests.golden.transforms.random_graphs checks them in TensorFlow."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from tests.support.effort import scaled
from tests.support.strategies_graphs import Model, models
from tests.tfmodel.transforms.property_cases import ROWS
from tfmodel.graph import check_graph, colocated_with
from tfmodel.messages import AttrValue, GraphDef, NodeDef
from tfmodel.ops import OPS
from tfmodel.transforms.framework import registry
from tfmodel.transforms.framework.pipeline import transform
from tfmodel.values.names import TensorName

SOME = settings(
    max_examples=scaled(15), suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
OURS = [name for name in registry.names() if registry.find(name).function.__module__.startswith("tfmodel.")]

bytes_of = partial(GraphDef.to_bytes, deterministic=True)


def made(model: Model, graph: GraphDef, name: str, folder: Path) -> GraphDef:
    """Return the result of a transform with the arguments of its case."""
    inputs = [name for name in model.inputs if name in {node.name for node in graph.node}]
    return transform(graph, inputs, model.outputs, ROWS[name].call(name, folder))


def test_every_transform_has_a_row() -> None:
    assert [*ROWS] == OURS


@pytest.mark.parametrize("name", OURS)
def test_a_valid_graph_stays_valid_and_the_input_graph_unchanged(name: str, tmp_path: Path) -> None:
    @SOME
    @given(models())
    def test(model: Model) -> None:
        before = bytes_of(ROWS[name].prepare(model.graph))
        graph = GraphDef.from_bytes(before, lazy=True)
        result = made(model, graph, name, tmp_path)
        assert bytes_of(graph) == before
        assert check_graph(result, registry=OPS) == []
        assert {TensorName.parse(tensor).node for tensor in model.outputs} <= {node.name for node in result.node}
        assert result.versions == graph.versions
        assert signatures(result) == signatures(graph)

    test()


def signatures(graph: GraphDef) -> list[object]:
    return [function.signature for function in graph.library.function] if graph.library else []


@pytest.mark.parametrize("name", OURS)
def test_lazy_and_eager_graphs_give_the_same_result(name: str, tmp_path: Path) -> None:
    @SOME
    @given(models())
    def test(model: Model) -> None:
        eager = ROWS[name].prepare(model.graph)
        lazy = GraphDef.from_bytes(eager.to_bytes(), lazy=True)
        assert made(model, eager, name, tmp_path) == made(model, lazy, name, tmp_path)

    test()


@pytest.mark.parametrize("name", [name for name in OURS if name in ROWS and ROWS[name].settles])
def test_a_second_run_changes_nothing(name: str, tmp_path: Path) -> None:
    @SOME
    @given(models())
    def test(model: Model) -> None:
        once = made(model, ROWS[name].prepare(model.graph), name, tmp_path)
        assert made(model, once, name, tmp_path) == once

    test()


@SOME
@given(models())
def test_sorting_only_moves_nodes_behind_their_inputs(model: Model) -> None:
    result = transform(model.graph, model.inputs, model.outputs, "sort_by_execution_order")
    assert sorted(map(str, result.node)) == sorted(map(str, model.graph.node))
    seen = set()
    for node in result.node:
        needed = [TensorName.parse(tensor).node for tensor in node.input]
        assert (any if node.op == "Merge" else all)(name in seen for name in needed) or not needed
        seen.add(node.name)


@SOME
@given(models())
def test_obfuscation_changes_only_names(model: Model) -> None:
    result = transform(model.graph, model.inputs, model.outputs, "obfuscate_names")
    names = {old.name: new.name for old, new in zip(model.graph.node, result.node, strict=True)}
    assert len(set(names.values())) == len(names)
    same = {name: name for name in names.values()}
    assert [shape(node, names) for node in model.graph.node] == [shape(node, same) for node in result.node]
    kept = {TensorName.parse(tensor).node for tensor in (*model.inputs, *model.outputs)}
    assert all(names[name] == name for name in kept)
    assert all(len(new) <= 2 for old, new in names.items() if old not in kept)


def shape(node: NodeDef, names: dict[str, str]) -> tuple[object, ...]:
    """Return the fields of a node, with other names for all nodes."""
    inputs = [name._replace(node=names[name.node]) for name in map(TensorName.parse, node.input)]
    together = {names[name] for name in colocated_with(node)}
    return names[node.name], node.op, node.device, inputs, together, plain(node)


def plain(node: NodeDef) -> dict[str, AttrValue]:
    """Return the attributes of a node without colocation."""
    return {name: value for name, value in node.attr.items() if name != "_class"}


@SOME
@given(models())
def test_stripping_keeps_the_nodes_that_the_outputs_need(model: Model) -> None:
    result = transform(model.graph, model.inputs, model.outputs, "strip_unused_nodes")
    nodes = {node.name: node for node in model.graph.node}
    needed = {*model.inputs, *(TensorName.parse(tensor).node for tensor in model.outputs)}
    waiting = [*needed]
    while waiting:
        inputs = {TensorName.parse(tensor).node for tensor in nodes[waiting.pop()].input} - needed
        waiting += inputs
        needed |= inputs
    kept = [node for node in model.graph.node if node.name in needed]
    assert [(node.name, node.op, node.input, plain(node)) for node in kept] == [
        (node.name, node.op, node.input, plain(node)) for node in result.node
    ]
