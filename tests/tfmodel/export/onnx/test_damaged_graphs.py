"""Graphs that TensorFlow would not import are refused with an error of tfmodel, in whatever way they are damaged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

import tfmodel
from tfmodel.export.onnx.export import save_onnx
from tfmodel.messages import GraphDef, NodeDef

CONVNET = Path("tests/data/convnet.pb").read_bytes()


def redirect(node: NodeDef, other: NodeDef, random: Random) -> None:
    if node.input:
        node.input[random.randrange(len(node.input))] = other.name


def drop_input(node: NodeDef, other: NodeDef, random: Random) -> None:
    del node.input[: random.randint(1, 2)]


def drop_attribute(node: NodeDef, other: NodeDef, random: Random) -> None:
    if node.attr:
        del node.attr[random.choice(sorted(node.attr))]


def take_op(node: NodeDef, other: NodeDef, random: Random) -> None:
    node.op = other.op


def take_attributes(node: NodeDef, other: NodeDef, random: Random) -> None:
    for name in other.attr:
        node.attr[name] = other.attr[name]


def take_output(node: NodeDef, other: NodeDef, random: Random) -> None:
    if node.input:
        node.input[0] += f":{random.randint(1, 3)}"


DAMAGES: list[Callable[[NodeDef, NodeDef, Random], None]] = [
    redirect, drop_input, drop_attribute, take_op, take_attributes, take_output,
]  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_graphs_are_refused_or_written(
    damage: Callable[[NodeDef, NodeDef, Random], None], tmp_path: Path
) -> None:
    refused = 0
    for seed in range(12):
        random = Random(seed)
        graph = GraphDef.from_bytes(CONVNET)
        nodes = [*graph.node]
        damage(random.choice(nodes), random.choice(nodes), random)
        try:
            save_onnx(graph, tmp_path / "model.onnx", "image", "scores", verify=False)
        except tfmodel.Error:
            refused += 1
    assert refused
