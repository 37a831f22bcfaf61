"""Writes of variables in a branch that a bound predicate never takes are not reported as writes of each run."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tfmodel.parameters.graphs import const
from tfmodel.freezing.dead_writes import is_dead
from tfmodel.messages import NodeDef


def node(name: str, op: str, *inputs: str) -> NodeDef:
    return NodeDef(name=name, op=op, input=list(inputs))


def graph(predicate: str) -> dict[str, NodeDef]:
    nodes = [
        const("yes", np.bool_(True)),
        const("no", np.bool_(False)),
        node("open", "Placeholder"),
        node("id", "Identity", predicate),
        node("x", "Placeholder"),
        node("s", "Switch", "x", "id"),
        node("pivot", "Identity", "s:1"),
        node("v", "VariableV2"),
        node("write", "AssignSub", "v", "s:1"),
        node("ordered", "AssignSub", "v", "x", "^pivot"),
        node("merge", "Merge", "s", "write"),
        node("after", "AssignSub", "v", "merge"),
        node("plain", "AssignSub", "v", "x"),
    ]
    return {item.name: item for item in nodes}


@pytest.mark.parametrize(("predicate", "dead"), [("no", {"write", "ordered"}), ("yes", set()), ("open", set())])
def test_writes_that_never_run(predicate: str, dead: set[str]) -> None:
    nodes = graph(predicate)
    assert {name for name in ("write", "ordered", "after", "plain") if is_dead(nodes[name], nodes)} == dead
