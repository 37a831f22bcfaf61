"""Repairing graphs that were frozen before, with nodes that still need variables."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tfmodel.transforms.graph_notation import graph, spelled
from tfmodel import TransformError, freeze, optimize, run, transform
from tfmodel.import_check import import_faults
from tfmodel.messages import GraphDef
from tfmodel.ops import registry

W = """
    w = Const[dtype=float, value=float{2}()]
    x = Placeholder[dtype=float, shape=()]
    p = Placeholder[dtype=bool, shape=()]
"""

REPAIRED = [
    # reads of a handle
    ("r = ReadVariableOp(w)[dtype=float]", "r = Identity(w)[T=float]"),
    ("s = Switch(w, p)[T=resource]", "s = Switch(w, p)[T=float]"),
    ('e = Enter(w)[T=resource, frame_name="f"]', 'e = Enter(w)[T=float, frame_name="f"]'),
    ("i = Identity(w)[T=resource]", "i = Identity(w)[T=float]"),
    ("i = IdentityN(w, x)[T=[resource, float]]", "i = IdentityN(w, x)[T=[float, float]]"),
    ("s = VariableShape(w)[out_type=int64]", "s = Shape(w)[T=float, out_type=int64]"),
    # references
    ("s = RefSwitch(w, p)[T=float]", "s = Switch(w, p)[T=float]"),
    ("m = RefMerge(w, w)[N=2, T=float]", "m = Merge(w, w)[N=2, T=float]"),
    ('e = RefEnter(w)[T=float, frame_name="f"]', 'e = Enter(w)[T=float, frame_name="f"]'),
    ("i = RefIdentity(w)[T=float]", "i = Identity(w)[T=float]"),
    # assignments whose value is an output
    ("a = Assign(w, x)[T=float]", "a = Identity(x)[T=float]"),
    ("a = AssignAdd(w, x)[T=float]", "a = Add(w, x)[T=float]"),
    ("a = AssignSub(w, x)[T=float]", "a = Sub(w, x)[T=float]"),
    # without a value
    ("a = AssignVariableOp(w, x)[dtype=float]", "a = NoOp"),
    ("a = AssignAddVariableOp(w, x)[dtype=float]", "a = NoOp"),
    ("v = IsVariableInitialized(w)[dtype=float]", "v = Const[dtype=bool, value=bool{true}()]"),
]


def repaired(text: str, outputs: str = "") -> GraphDef:
    before = graph(W + text)
    assert import_faults(before, registry(before)), "the graph is valid already"
    after = transform(before, "", outputs, "repair_frozen")
    assert import_faults(after, registry(after)) == []
    return after


@pytest.mark.parametrize(("node", "expected"), REPAIRED, ids=[row[0].partition("(")[0] for row in REPAIRED])
def test_a_node_that_needs_a_variable_takes_the_value(node, expected):
    assert [*map(spelled, repaired(f"    {node}\n").node[3:])] == [*map(spelled, graph(f"    {expected}\n").node)]


def test_a_gather_of_a_handle_is_a_gather_of_the_value():
    text = """
    t = Const[dtype=float, value=float{1, 2, 3}(3)]
    i = Const[dtype=int32, value=int32{2, 0}(2)]
    g = ResourceGather(t, i)[dtype=float, Tindices=int32]
    """
    assert run(repaired(text), {}, ["g"])["g"].tolist() == [3, 1]


def test_values_behind_handles_follow_to_the_end():
    text = """
    s = Switch(w, p)[T=resource]
    off = ReadVariableOp(s)[dtype=float]
    on = ReadVariableOp(s:1)[dtype=float]
    double = Mul(on, on)[T=float]
    y = Merge(off, double)[N=2, T=float]
    """
    after = repaired(text)
    assert [run(after, {"p": np.array(p)}, ["y"])["y"].item() for p in (False, True)] == [2, 4]


@pytest.mark.parametrize(
    ("update", "value"), [("Assign(w, x)", 5), ("AssignAdd(w, x)", 7), ("AssignSub(w, x)", -3)], ids=str
)
def test_a_read_after_an_assignment_gives_the_new_value(update, value):
    text = f"    a = {update}[T=float]\n    r = Identity(w, ^a)[T=float]\n    y = Neg(r)[T=float]\n"
    assert run(repaired(text, "y"), {"x": np.float32(5)}, ["y"])["y"] == -value


def test_calls_take_values_with_functions_that_take_values():
    text = """
    f: (v: resource, a: float) -> (r: float = m:z:0)
    f: read = ReadVariableOp(v)[dtype=float]
    f: m = Mul(read:value:0, a)[T=float]
    y = StatefulPartitionedCall(w, x)[f=@f, Tin=[resource, float], Tout=[float]]
    """
    after = repaired(text)
    assert [function.signature.name for function in after.library.function] == ["f_frozen"]
    assert run(after, {"x": np.float32(3)}, ["y"])["y"] == 6


@pytest.mark.parametrize("op", ["If", "StatelessIf"])
def test_branches_take_values(op):
    text = f"""
    f: (v: resource) -> (r: float = read:value:0)
    f: read = ReadVariableOp(v)[dtype=float]
    g: (v: resource) -> (r: float = n:y:0)
    g: read = ReadVariableOp(v)[dtype=float]
    g: n = Neg(read:value:0)[T=float]
    y = {op}(p, w)[Tcond=bool, Tin=[resource], Tout=[float], then_branch=@f, else_branch=@g]
    """
    after = repaired(text)
    assert [run(after, {"p": np.array(p)}, ["y"])["y"].item() for p in (False, True)] == [-2, 2]


def test_a_constant_inside_of_a_function_is_read():
    text = """
    f: (a: float) -> (r: float = m:z:0)
    f: c = Const[dtype=float, value=float{7}()]
    f: read = ReadVariableOp(c:output:0)[dtype=float]
    f: m = Mul(read:value:0, a)[T=float]
    y = PartitionedCall(x)[f=@f, Tin=[float], Tout=[float]]
    """
    assert run(repaired(text), {"x": np.float32(3)}, ["y"])["y"] == 21


def test_an_argument_that_became_a_value_is_read():
    text = """
    f: (v: float) -> (r: float = read:value:0)
    f: read = ReadVariableOp(v)[dtype=float]
    y = PartitionedCall(w)[f=@f, Tin=[float], Tout=[float]]
    """
    assert run(repaired(text), {}, ["y"])["y"] == 2


def test_a_graph_without_such_nodes_stays_as_it_is():
    before = graph(W + "    v = VarHandleOp[dtype=float, shape=()]\n    r = ReadVariableOp(v)[dtype=float]\n")
    assert transform(before, "", "r", "repair_frozen") is before


def test_a_node_that_cannot_take_a_value_is_refused():
    text = """
    t = Const[dtype=float, value=float{1, 2, 3}(3)]
    i = Const[dtype=int32, value=int32{0}()]
    a = ScatterUpdate(t, i, x)[T=float, Tindices=int32]
    y = Neg(a)[T=float]
    """
    with pytest.raises(TransformError, match='Neg "y" reads the variable "t" after ScatterUpdate "a" has changed'):
        transform(graph(W + text), "x", "y", "repair_frozen")


FROZEN = """
    u = AssignSub(w, x)[T=float]
    other = ScatterUpdate(w, x, x)[T=float, Tindices=float]
    y = Neg(u)[T=float]
"""


def test_optimize_repairs_the_nodes_that_the_outputs_need_and_names_them():
    done = optimize(graph(W + FROZEN), "x", "y")
    assert run(done.graph, {"x": np.float32(5)}, ["y"])["y"] == 3
    assert any(note.startswith("repaired: 1 node that needs variables") and '"u"' in note for note in done.notes)


def test_freeze_repairs_the_nodes_that_the_outputs_need():
    frozen = freeze(graph(W + FROZEN), "y")
    assert {node.name: node.op for node in frozen.node} == {"w": "Const", "x": "Placeholder", "u": "Sub", "y": "Neg"}


@pytest.mark.parametrize(("phase", "expected"), [(False, 2), (True, 2 - 0.25)])
def test_a_moving_average_behind_a_switch_is_updated_where_its_branch_runs(phase, expected):
    """The conditional update of batch norms, as freezing of reference variables leaves it."""
    text = """
    half = Const[dtype=float, value=float{0.25}()]
    s = RefSwitch(w, p)[T=float]
    h = Switch(half, p)[T=float]
    u = AssignSub(s:1, h:1)[T=float]
    off = Switch(w, p)[T=float]
    y = Merge(off, u)[N=2, T=float]
    """
    assert run(repaired(text, "y"), {"p": np.array(phase)}, ["y"])["y"] == expected


def test_an_assignment_of_a_value_that_a_switch_passes_on_becomes_a_no_op():
    """A Switch that was converted already, and an assignment that was not."""
    text = """
    s = Switch(w, p)[T=float]
    a = AssignVariableOp(s:1, x)[dtype=float]
    y = Neg(x)[T=float]
    """
    assert {node.name: node.op for node in repaired(text, "y").node}["a"] in ("NoOp", "Identity")
