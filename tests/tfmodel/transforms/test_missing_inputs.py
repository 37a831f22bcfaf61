"""Nodes of damaged graphs, which lack inputs or types, are transformed, left alone, or refused with an own error.

Each node in the examples of all transforms loses each of its inputs in turn, or all, or gets another type in each
attribute that is a type.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fuzz.example_edits import Example, examples
from pbwire import Error
from tests.tfmodel.transforms.test_constant_types import nodes_of
from tfmodel.messages import AttrValue, DataType, GraphDef, NodeDef
from tfmodel.transforms.framework.pipeline import transform

TYPES = (DataType.DT_STRING, DataType.DT_BOOL, DataType.DT_RESOURCE, DataType.DT_COMPLEX64)


def with_fewer_inputs(node: NodeDef) -> Iterator[NodeDef]:
    for place in range(len(node.input)):
        damaged = NodeDef.from_bytes(node.to_bytes())
        del damaged.input[place]
        yield damaged
    if len(node.input) > 1:
        damaged = NodeDef.from_bytes(node.to_bytes())
        damaged.input = []
        yield damaged


def with_other_types(node: NodeDef) -> Iterator[NodeDef]:
    for name, value in node.attr.items():
        for dtype in TYPES if value.type else ():
            damaged = NodeDef.from_bytes(node.to_bytes())
            damaged.attr[name] = AttrValue(type=dtype)
            yield damaged


def damaged_graphs(graph: GraphDef) -> Iterator[GraphDef]:
    for place, node in enumerate(nodes_of(graph)):
        for damaged in (*with_fewer_inputs(node), *with_other_types(node)):
            copy = GraphDef.from_bytes(graph.to_bytes())
            own = nodes_of(copy)[place]
            own.input, own.attr = damaged.input, damaged.attr
            yield copy


def attempt(example: Example) -> None:
    for graph in damaged_graphs(example.graph):
        try:
            result = transform(graph, example.inputs, example.outputs, example.transforms)
        except Error:
            continue
        assert result.to_bytes()


@pytest.mark.parametrize("name", ["fold_batch_norms", "remove_dropout", "set_input_shape"])
def test_damaged_nodes_raise_no_error_of_python(name: str) -> None:
    attempt(examples()[name][0])


@pytest.mark.slow(reason="damages every node of every example in each way")
@pytest.mark.parametrize("name", sorted(examples()))
def test_damaged_nodes_of_all_examples_raise_no_error_of_python(name: str) -> None:
    for example in examples()[name]:
        attempt(example)
