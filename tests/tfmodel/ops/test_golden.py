"""`tfmodel.ops` against tests/golden/ops/ports.jsonl.gz, where TensorFlow says of what types inputs and outputs are."""

from __future__ import annotations

import base64
import gzip
import json
from functools import cache
from pathlib import Path

import pytest

from tests.support.corpus import corpus
from tfmodel import load
from tfmodel.messages import GraphDef
from tfmodel.ops import body_name, graph_name, input_types, output_types, registry
from tfmodel.values.names import TensorName

GOLDEN = Path(__file__).parents[2] / "golden" / "ops" / "ports.jsonl.gz"


def read():
    with gzip.open(GOLDEN, "rt") as file:
        return [json.loads(line) for line in file]


CASES = [case for case in read() if "graph" in case or corpus]
WITH_FUNCTIONS = [case for case in CASES if case["functions"]]

every_graph = pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
every_library = pytest.mark.parametrize("case", WITH_FUNCTIONS, ids=lambda case: case["name"])


def graph_of(case):
    if "graph" in case:
        return GraphDef.from_bytes(base64.b64decode(case["graph"]))
    return load(corpus / case["file"], GraphDef, tags=case.get("tags"))


@cache
def opened(name):
    """The graph of a case and the ops that it can use."""
    graph = graph_of(next(case for case in CASES if case["name"] == name))
    return graph, registry(graph)


def types(node, ops):
    op = ops[node.op]
    return [list(input_types(node, op)), list(output_types(node, op))]


@every_graph
def test_types_are_those_of_tensorflow(case):
    graph, ops = opened(case["name"])
    assert [types(node, ops) for node in graph.node] == case["nodes"]


@every_library
def test_types_in_functions_are_those_of_tensorflow(case):
    graph, ops = opened(case["name"])
    functions = {function.signature.name: function for function in graph.library.function}
    for name, expected in case["functions"].items():
        assert [types(node, ops) for node in functions[name].node_def] == expected["nodes"], name


@every_library
def test_references_in_functions_are_those_of_tensorflow(case):
    graph, ops = opened(case["name"])
    functions = {function.signature.name: function for function in graph.library.function}
    for name, expected in case["functions"].items():
        nodes = {node.name: node for node in functions[name].node_def}
        for spelled, port in expected["ports"].items():
            reference = TensorName.parse(spelled)
            ports = output_types(nodes[reference.node], ops[nodes[reference.node].op])
            in_graph = TensorName(reference.node, port)
            assert graph_name(reference, ports) == in_graph, spelled
            assert body_name(in_graph, ports) == reference, spelled


def test_the_cases_cover_the_hard_features():
    types = {number for case in CASES for node in case["nodes"] for side in node for number in side}
    assert any(number > 100 for number in types)
    assert any(
        port > 1 for case in CASES for function in case["functions"].values() for port in function["ports"].values()
    )
    assert any(len(outputs) > 5 for case in CASES for _, outputs in case["nodes"])
