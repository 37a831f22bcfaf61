"""`weights` of damaged graphs: a report or an error of tfmodel."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pbwire.errors import Error
from tests.support.strategies import messages, mutations
from tests.tfmodel.parameters.graphs import const, function, graph, node, variable
from tfmodel.messages import AttrValue, GraphDef, NodeDef, TensorProto
from tfmodel.parameters.listing import weights

BODY = function("f", "v x", {"y": "m:product:0"}, "r = ReadVariableOp(v)", "m = MatMul(x, r:value:0)", const("c"))
GOOD = graph(
    const("kernel", np.ones((1, 1, 2, 2), "f4")),
    const("words", [b"a", b"bc"]),
    variable("w", 2, 2),
    "c = Conv2D(x, kernel)",
    node("y = While(w, c)", cond="f", body="f"),
    "z = Add(y, words)",
    functions=(BODY,),
).to_bytes(deterministic=True)
CHECKPOINT = {"w": np.ones((2, 2), "f4")}


def attempt(model):
    try:
        report = weights(model, statistics=True, histogram=True, layout="torch", checkpoint=CHECKPOINT)
    except Error:
        return False
    assert all(line.isprintable() for line in report.to_text().split("\n"))
    assert report.to_json()
    return True


@given(mutations(GOOD, most=4))
def test_damaged_bytes_give_a_report_or_an_error(data):
    attempt(data)


@given(messages(GraphDef))
def test_any_graph_gives_a_report_or_an_error(message):
    attempt(message)


@given(st.lists(messages(TensorProto), max_size=3), st.booleans())
def test_any_constants_give_a_report_or_an_error(tensors, lazy):
    values = [AttrValue(tensor=tensor) for tensor in tensors]
    nodes = [NodeDef(name=f"c{n}", op="Const", attr={"value": value}) for n, value in enumerate(values)]
    attempt(GraphDef.from_bytes(GraphDef(node=nodes).to_bytes(), lazy=lazy))


def test_undamaged_weights_are_read():
    assert attempt(GOOD)
