"""Repairing graphs that were frozen before, with nodes that still need variables."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tfmodel.transforms.graph_notation import graph, spelled
from tfmodel import TransformError, freeze, optimize, run, transform
from tfmodel.analysis.import_check import import_faults
from tfmodel.cli import main
from tfmodel.messages import GraphDef
from tfmodel.ops import registry
from tfmodel.transforms.framework.report import TransformReport

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


READ = "r = Identity(w)[T=float]\n"
ASSIGNED = "a = Assign(w, x)[T=float]\n"
UNORDERED = {
    "a read beside an assignment": (READ + ASSIGNED + "y = Add(r, a)[T=float]", 2 + 5),
    "a read of a handle": (
        "r = ReadVariableOp(w)[dtype=float]\na = AssignVariableOp(w, x)[dtype=float]\ny = Add(r, x, ^a)[T=float]",
        2 + 5,
    ),
    "a read beside an update": (READ + "a = AssignSub(w, x)[T=float]\ny = Add(r, a)[T=float]", 2 + (2 - 5)),
    "an op that reads the value itself": (ASSIGNED + "r = Neg(w)[T=float]\ny = Add(r, a)[T=float]", -2 + 5),
}
ORDERED = {
    "a read after the assignment": ASSIGNED + "r = Identity(w, ^a)[T=float]\ny = Neg(r)[T=float]",
    "an assignment after the read": READ + "a = Assign(w, x, ^r)[T=float]\ny = Add(r, a)[T=float]",
    "an assignment of what was read": READ + "n = Neg(r)[T=float]\na = Assign(w, n)[T=float]\ny = Add(r, a)[T=float]",
    "an assignment that the output does not need": READ + ASSIGNED + "s = RefIdentity(w)[T=float]\ny = Add(r, s)",
    "no read": ASSIGNED + "y = Neg(a)[T=float]",
}


@pytest.mark.parametrize(("text", "result"), UNORDERED.values(), ids=UNORDERED)
@pytest.mark.parametrize("operation", [optimize, freeze])
def test_a_read_and_an_assignment_without_an_order_are_named(operation, text, result, tmp_path, capsys):
    path = tmp_path / "frozen.pb"
    path.write_bytes(graph(W + text).to_bytes())
    assert main([operation.__name__, str(path), "-o", str(tmp_path / "out.pb"), "--outputs", "y"]) == 0
    assert '"r" reads "w" and "a" changes it in no defined order: the value before' in capsys.readouterr().err
    assert run(tmp_path / "out.pb", {"x": 5.0}, ["y"])["y"] == result


@pytest.mark.parametrize("text", ORDERED.values(), ids=ORDERED)
@pytest.mark.parametrize("operation", [optimize, freeze])
def test_a_defined_order_is_not_mentioned(operation, text, tmp_path, capsys):
    path = tmp_path / "frozen.pb"
    path.write_bytes(graph(W + text.replace("Add(r, s)", "Add(r, s)[T=float]")).to_bytes())
    assert main([operation.__name__, str(path), "-o", str(tmp_path / "out.pb"), "--outputs", "y"]) == 0
    told = capsys.readouterr().err
    assert "repaired: " in told and "no defined order" not in told


def test_the_transform_notes_a_read_and_an_assignment_without_an_order():
    report = TransformReport()
    transform(graph(W + READ + ASSIGNED + "y = Add(r, a)[T=float]"), "", "y", "repair_frozen", report=report)
    assert report.steps[0].notes == [
        '"r" reads "w" and "a" changes it in no defined order: the value before the change was taken'
    ]
