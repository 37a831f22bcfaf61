"""Transforms, reports and commands do not depend on the encoding of a graph file, nor on lazy loading."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from pbwire import text
from tests.support.wire_variants import respelled
from tests.tfmodel.transforms.graph_notation import Example, examples_in
from tests.tfmodel.transforms.property_cases import ROWS
from tfmodel import Error, diff, from_ndarray, load, summarize, to_ndarray, weights
from tfmodel.cli import main
from tfmodel.messages import AttrValue, GraphDef, NodeDef, TensorProto
from tfmodel.transforms.framework import registry
from tfmodel.transforms.framework.pipeline import transform
from tfmodel.values.tensor_header import read_header

FILES = Path(__file__).resolve().parents[2] / "data"
FORMS = 4  # encodings of each graph


def colocated(graph: GraphDef) -> GraphDef:
    """The graph with all nodes colocated with the first, and with the last one twice."""
    graph = copy.deepcopy(graph)
    for node in graph.node:
        node.attr["_class"] = AttrValue(list=AttrValue.ListValue(s=[f"loc:@{graph.node[0].name}".encode()]))
    twice = copy.deepcopy(graph.node[-1])
    twice.name += "_twice"
    graph.node.append(twice)
    return graph


def outcome(act: Callable[[], Any]) -> Any:
    try:
        return act()
    except Error as error:
        return f"{type(error).__name__}: {error}"


def transformed(data: bytes, example: Example, *, lazy: bool) -> Any:
    graph = GraphDef.from_bytes(data, lazy=lazy)
    result = outcome(lambda: transform(graph, example.inputs, example.outputs, example.transforms))
    return text.dumps(result, print_unknown_fields=True) if isinstance(result, GraphDef) else result


@pytest.mark.slow(reason="repeats thousands of cases in another way")
@pytest.mark.parametrize("name", ROWS)
def test_a_transform_gives_the_same_for_every_encoding(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FILES)
    for example in examples_in(registry.find(name).docstring):
        for graph in (example.before, colocated(example.before)):
            expected = transformed(graph.to_bytes(deterministic=True), example, lazy=False)
            for seed in range(FORMS):
                data = respelled(graph, Random(seed))
                assert GraphDef.from_bytes(data) == graph
                assert transformed(data, example, lazy=True) == expected
                assert transformed(data, example, lazy=False) == expected
                strange = respelled(graph, Random(seed), strangers=True)
                assert transformed(strange, example, lazy=True) == transformed(strange, example, lazy=False)


STEPS = ["rename_node(old_node_name=x, new_node_name=z)", "obfuscate_names", "merge_duplicate_nodes"]


@pytest.mark.slow(reason="repeats thousands of cases in another way")
@pytest.mark.parametrize("step", STEPS)
def test_steps_that_read_attributes_do_not_depend_on_the_encoding(step: str) -> None:
    """Many encodings of a small graph: a `_class` that comes twice, in other lists, under padded keys."""
    a, b = (AttrValue(list=AttrValue.ListValue(s=[name])) for name in (b"loc:@x", b"loc:@y"))
    graph = GraphDef(
        node=[
            NodeDef(name="x", op="Const", attr={"value": AttrValue(tensor=from_ndarray(np.float32(1)))}),
            NodeDef(name="y", op="Neg", input=["x"], attr={"_class": a, "T": AttrValue(type=1)}),
            NodeDef(name="v", op="Neg", input=["x"], attr={"_class": a, "T": AttrValue(type=1)}),
            NodeDef(name="w", op="Add", input=["y", "v"], attr={"_class": b}),
        ]
    )
    for seed in range(150):
        data = respelled(graph, Random(seed), strangers=seed % 2 == 1)
        results = [
            transform(GraphDef.from_bytes(data, lazy=lazy), "", "w", step).to_bytes(deterministic=True)
            for lazy in (False, True)
        ]
        assert GraphDef.from_bytes(results[0]) == GraphDef.from_bytes(results[1])


def test_tensors_are_the_same_in_every_encoding() -> None:
    arrays = [np.arange(n, dtype=t).reshape(-1, 2) for n in (2, 64, 6000) for t in ("f4", "i8", "f8")]
    for number, array in enumerate(arrays):
        value = AttrValue(tensor=from_ndarray(array))
        value.tensor.version_number = 3
        for seed in range(40):
            data = respelled(value, Random(seed * 100 + number), strangers=seed % 2 == 1)
            eager, lazy = (AttrValue.from_bytes(data, lazy=lazy).tensor for lazy in (False, True))
            assert isinstance(eager, TensorProto) and isinstance(lazy, TensorProto)
            assert read_header(lazy) == read_header(eager)
            lazy = AttrValue.from_bytes(data, lazy=True).tensor
            assert lazy is not None
            assert to_ndarray(lazy).tobytes() == to_ndarray(eager).tobytes()


REPORTS: dict[str, Callable[[GraphDef], Any]] = {
    "summarize": lambda graph: summarize(graph).to_text(),
    "weights": lambda graph: weights(graph).to_text(),
}


@pytest.mark.parametrize("name", REPORTS)
@pytest.mark.parametrize("file", ["convnet.pb", "linear.pb"])
def test_a_report_is_the_same_for_every_encoding(name: str, file: str) -> None:
    graph = load(FILES / file, GraphDef)
    expected = REPORTS[name](graph)
    for seed in range(FORMS):
        data = respelled(graph, Random(seed))
        for lazy in (False, True):
            assert REPORTS[name](GraphDef.from_bytes(data, lazy=lazy)) == expected


@pytest.mark.parametrize("file", ["convnet.pb", "linear.pb"])
def test_two_encodings_do_not_differ(file: str) -> None:
    graph = load(FILES / file, GraphDef)
    for seed in range(FORMS):
        other = GraphDef.from_bytes(respelled(graph, Random(seed)), lazy=True)
        assert diff(GraphDef.from_bytes(graph.to_bytes(), lazy=True), other).same


COMMANDS = [
    ["dump"],
    ["dump", "--format", "json"],
    ["dump", "--format", "tree"],
    ["dump", "--node", "*"],
    ["summarize"],
    ["weights"],
    ["draw"],
    ["ops"],
    ["convert", "-", "--to", "text"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_command_prints_the_same_for_every_encoding(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    graph = load(FILES / "linear.pb", GraphDef)
    printed = []
    for data in (graph.to_bytes(deterministic=True), *(respelled(graph, Random(seed)) for seed in range(FORMS))):
        Path("model.pb").write_bytes(data)
        status = main([command[0], "model.pb", *command[1:]])
        captured = capsys.readouterr()
        printed.append((status, captured.out.replace(f"{len(data):,}", "SIZE"), captured.err))
    assert printed[0][0] == 0, printed[0]
    assert printed[1:] == printed[:1] * FORMS
