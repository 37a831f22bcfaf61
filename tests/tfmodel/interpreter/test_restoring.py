"""Graphs that read their checkpoint themselves."""

from __future__ import annotations

import numpy as np
import pytest

from pbwire import text
from tfmodel.errors import RunError
from tfmodel.interpreter import Session
from tfmodel.messages import GraphDef

GRAPH = """
    node { name: "prefix" op: "Const" attr { key: "dtype" value { type: DT_STRING } }
           attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape {} string_val: "/etc/elsewhere" } } } }
    node { name: "names" op: "Const" attr { key: "dtype" value { type: DT_STRING } }
           attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape { dim { size: 1 } }
                                                string_val: "NAME" } } } }
    node { name: "slices" op: "Const" attr { key: "dtype" value { type: DT_STRING } }
           attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape { dim { size: 1 } } string_val: "" } } } }
    node { name: "restored" op: "RestoreV2" input: ["prefix", "names", "slices"]
           attr { key: "dtypes" value { list { type: DT_FLOAT } } } }
"""


def session(name: str) -> Session:
    checkpoint = {"weights": np.float32([1, 2]), "steps": np.int64(7)}
    return Session(text.loads(GRAPH.replace("NAME", name), GraphDef), checkpoint=checkpoint)


def test_tensors_come_from_the_models_checkpoint_for_any_prefix() -> None:
    assert session("weights").run({}, "restored:0")["restored:0"].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("biases", 'the checkpoint has no tensor "biases"'),
        ("steps", 'the checkpoint has "steps" as int64, not as float32'),
    ],
)
def test_missing_values_and_other_types_are_refused(name: str, problem: str) -> None:
    with pytest.raises(RunError, match=problem):
        session(name).run({}, "restored:0")


def test_slices_without_names_are_counted() -> None:
    graph = text.loads(GRAPH.replace('string_val: "" }', 'string_val: "" string_val: "" }'), GraphDef)
    graph.node[2].attr["value"].tensor.tensor_shape.dim[0].size = 2
    with pytest.raises(RunError, match="it has 1 names of tensors, 2 slices and 1 outputs, which must be equally many"):
        Session(graph, checkpoint={}).run({}, "restored:0")
