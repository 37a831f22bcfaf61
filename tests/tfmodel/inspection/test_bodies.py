"""`tfmodel.inspection.bodies`: where the nodes of a model stand."""

from __future__ import annotations

import pytest

from tests.tfmodel import models
from tfmodel.inspection.bodies import bodies
from tfmodel.inspection.field_paths import select
from tfmodel.messages import FunctionDef, MetaGraphDef

GRAPH = models.graph()


@pytest.mark.parametrize(
    ("message", "places"),
    [
        (GRAPH, [("node", ""), ("library.function[0].node_def", "double")]),
        (GRAPH.library, [("function[0].node_def", "double")]),
        (GRAPH.library.function[0], [("node_def", "double")]),
        (FunctionDef(), [("node_def", "?")]),
        (models.meta_graph(), [("graph_def.node", ""), ("graph_def.library.function[0].node_def", "double")]),
        (MetaGraphDef(), []),
        (
            models.saved_model(("a",), ("b",)),
            [
                ("meta_graphs[0].graph_def.node", ""),
                ("meta_graphs[0].graph_def.library.function[0].node_def", "double"),
                ("meta_graphs[1].graph_def.node", ""),
                ("meta_graphs[1].graph_def.library.function[0].node_def", "double"),
            ],
        ),
    ],
)
def test_every_list_of_nodes_is_found(message, places):
    found = list(bodies(message))
    assert [(body.path, body.function) for body in found] == places
    for body in found:
        assert [hit.value for hit in select(message, body.path)] == [body.nodes]


def test_what_has_no_nodes():
    assert bodies(models.op_list()) is None
