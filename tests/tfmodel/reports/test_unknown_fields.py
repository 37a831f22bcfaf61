"""`tfmodel.reports.wire`: fields that no table declares."""

from __future__ import annotations

import pytest

from tests.support.samples import Choice, Empty, Groups, Leaf, Maps
from tests.tfmodel import models
from tfmodel.messages import GraphDef
from tfmodel.reports.wire import count_unknown_fields

ONE = b"\xf8\x07\x01"  # field 127


def nested(graph):
    return graph.node[1].attr["value"].tensor.tensor_shape.dim[0]


@pytest.mark.parametrize(
    ("place", "name"),
    [
        (lambda graph: graph, "GraphDef"),
        (lambda graph: graph.node[2], "NodeDef"),
        (lambda graph: graph.versions, "VersionDef"),
        (lambda graph: graph.node[1].attr["dtype"], "AttrValue"),
        (nested, "TensorShapeProto.Dim"),
        (lambda graph: graph.library.function[0].signature.output_arg[0], "OpDef.ArgDef"),
    ],
)
def test_unknown_fields_are_found_at_any_depth(place, name):
    graph = models.graph()
    place(graph).unknown_fields = ONE
    assert count_unknown_fields(graph) == {(f"tensorflow.{name}", 127): 1}
    assert count_unknown_fields(GraphDef.from_bytes(graph.to_bytes(), lazy=True)) == {(f"tensorflow.{name}", 127): 1}


def test_repeated_fields_count_each_and_groups_once():
    graph = models.graph()
    graph.node[0].unknown_fields = ONE + b"\xfb\x07\x08\x01\x10\x02\xfc\x07" + b"\xc2\x3e\x01x"
    assert count_unknown_fields(graph) == {("tensorflow.NodeDef", 127): 2, ("tensorflow.NodeDef", 1000): 1}


@pytest.mark.parametrize(
    ("message", "name"),
    [
        (Choice(leaf=Leaf(leaf=Leaf(unknown_fields=ONE))), "Leaf"),
        (Choice(other_leaf=Leaf(unknown_fields=ONE), i=3), "Leaf"),
        (Choice(empty=Empty(unknown_fields=ONE)), "Empty"),
        (Maps(leaf_by_number={1: Leaf(), 2: Leaf(unknown_fields=ONE)}, by_bool={True: "x"}), "Leaf"),
        (Groups(single=Groups.Single(deep=Groups.Single.Deep(unknown_fields=ONE))), "Groups.Single.Deep"),
        (Groups(named={1: Groups(alone=Groups.Alone(unknown_fields=ONE))}), "Groups.Alone"),
    ],
)
def test_unknown_fields_in_every_kind_of_field(message, name):
    assert count_unknown_fields(message) == {(f"sample.{name}", 127): 1}


def test_a_message_without_unknown_fields():
    assert not count_unknown_fields(models.saved_model())
    assert not count_unknown_fields(Choice(s="text"))
