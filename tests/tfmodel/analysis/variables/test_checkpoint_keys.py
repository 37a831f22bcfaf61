"""The places where the values of variables are in a checkpoint."""

from __future__ import annotations

import pytest

from tfmodel.analysis.variables.checkpoint_keys import Hints, Place, VariablePlaces
from tfmodel.messages import AttrValue, NodeDef, TrackableObjectGraph

KEY = "v/.ATTRIBUTES/VARIABLE_VALUE"
VALUE = TrackableObjectGraph.TrackableObject.SerializedTensor(
    name="VARIABLE_VALUE", full_name="Variable", checkpoint_key=KEY
)
CHILD = TrackableObjectGraph.TrackableObject.ObjectReference(node_id=1, local_name="v")
OBJECTS = TrackableObjectGraph(
    nodes=[
        TrackableObjectGraph.TrackableObject(children=[CHILD]),
        TrackableObjectGraph.TrackableObject(attributes=[VALUE]),
    ]
)


def variable(name: str) -> NodeDef:
    return NodeDef(name=name, op="VarHandleOp", attr={"shared_name": AttrValue(s=name.encode())})


def test_a_full_name_leads_to_the_key() -> None:
    assert VariablePlaces(Hints({}, {}), OBJECTS).find(variable("Variable"), {KEY}) == Place(KEY)


@pytest.mark.parametrize(
    "hints",
    [Hints({"Variable_1": [Place(KEY)]}, {}), Hints({}, {"Variable_1": ("v",)})],
    ids=["restored by nodes", "the path of an object"],
)
def test_a_full_name_does_not_lead_to_the_value_of_another_variable(hints: Hints) -> None:
    """A variable "v" of a module is Variable in its program, and Variable_1 in the graph, after that of a table."""
    places = VariablePlaces(hints, OBJECTS)
    assert places.find(variable("Variable_1"), {KEY}) == Place(KEY)
    assert places.find(variable("Variable"), {KEY}) is None
