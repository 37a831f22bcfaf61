"""Pass-through nodes are removed, and their consumers compute the same."""

from __future__ import annotations

import pytest

from tests.tfmodel.transforms.graph_notation import graph
from tests.tfmodel.transforms.run_step import after
from tfmodel.errors import TransformError
from tfmodel.graph import check_graph
from tfmodel.messages import GraphDef, NodeDef
from tfmodel.transforms.framework.report import StepReport
from tfmodel.transforms.remove_nodes import remove_nodes

IDENTITY = "remove_nodes(op=Identity)"


@pytest.mark.parametrize(
    ("step", "before", "y"),
    [
        (IDENTITY, "i = Identity(x)\ny = Relu(i)", "Relu(x)"),
        (IDENTITY, "i = Identity(x)\ny = Relu(i:0, ^i)", "Relu(x, ^x)"),
        (IDENTITY, "s = Split(x, x)[num_split=2]\ni = Identity(s:1)\ny = Relu(i, ^i)", "Relu(s:1, ^s)"),
        (IDENTITY, "i = Identity(x)\nj = Identity(i)\nk = Identity(j:0)\ny = Add(k, j)", "Add(x, x)"),
        (IDENTITY, "i = Identity(x)\ni2 = Identity(x)\ny = Add(i, i2)", "Add(x, x)"),
        ("remove_nodes(op=Identity, op=Neg)", "i = Identity(x)\nn = Neg(i)\ny = Relu(n)", "Relu(x)"),
        ('remove_nodes(op="Identity|Neg")', "i = Identity(x)\nn = Neg(i)\ny = Relu(n)", "Relu(x)"),
        ('remove_nodes(op="*")', "i = Identity(x)\nn = Neg(i)\ny = Add(n, x)", "Add(x, x)"),
        ("remove_nodes(op=Add)", "a = Add(x, x)\ny = Relu(a)", "Relu(a)"),
        ("remove_nodes(op=Add, max_inputs=2)", "b = Const\na = Add(x, b)\ny = Relu(a)", "Relu(x)"),
        ("remove_nodes(op=Identity, max_inputs=0)", "i = Identity(x)\ny = Relu(i)", "Relu(i)"),
    ],
)
def test_consumers_take_the_input_of_a_removed_node(step: str, before: str, y: str) -> None:
    nodes, _ = after(f"x = Placeholder\n{before}", step, "x", "y")
    assert nodes["y"] == y


def test_control_inputs_of_a_removed_node_are_passed_on() -> None:
    before = "x = P\na = NoOp\ni = Identity(x, ^a)\nj = Identity(i)\ny = Relu(j, ^a)\nz = Relu(x, ^j)"
    nodes, _ = after(before, IDENTITY)
    assert nodes == {"x": "P", "a": "NoOp", "y": "Relu(x, ^a)", "z": "Relu(x, ^x, ^a)"}


def test_the_first_input_moves_to_the_place_of_a_removed_node() -> None:
    nodes, report = after("x = P\nb = Const\ny = Relu(a)\na = Add(x, b)", "remove_nodes(op=Add, max_inputs=2)")
    assert [*nodes] == ["y", "x"]
    assert report.fired == 1


def test_without_matches_the_order_stays() -> None:
    nodes, _ = after("y = Relu(x)\nx = P\nz = Add(x, y)", IDENTITY)
    assert [*nodes] == ["y", "x", "z"]


def test_declared_nodes_stay_and_nodes_behind_them_are_removed() -> None:
    nodes, _ = after("x = P\ni = Identity(x)\nj = Identity(i)\ny = Relu(j)", IDENTITY, "x", "i:0, y")
    assert nodes == {"x": "P", "i": "Identity(x)", "y": "Relu(i)"}


def test_a_node_with_another_used_output_is_left_alone() -> None:
    nodes, report = after("x = P\ni = IdentityN(x, x)\ny = Add(i, i:1)", "remove_nodes(op=IdentityN, max_inputs=2)")
    assert nodes["y"] == "Add(i, i:1)"
    assert report.refusals == {"another of its outputs is in use": ["i"]}


SIDES = """
    x = P
    p = P
    s = Switch(x, p)
    t = Identity(s:1)
    c = Const(^t)
    u = Identity(s:0)
    m = Merge(w, c)
    w = Relu(u)
"""


def test_nodes_with_control_outputs_behind_a_switch_are_left_alone() -> None:
    nodes, report = after(SIDES, IDENTITY)
    assert nodes["c"] == "Const(^t)"
    assert nodes["w"] == "Relu(s:0)"
    [names] = report.refusals.values()
    assert names == ["t"]


def test_control_flow_is_left_alone() -> None:
    nodes, report = after(SIDES, 'remove_nodes(op="*", max_inputs=2)')
    assert {"s", "m", "t"} < nodes.keys()
    assert report.refusals["it is part of a loop or conditional"] == ["s", "m"]


def test_a_merge_gets_no_control_inputs() -> None:
    nodes, _ = after("x = P\na = NoOp\ni = Identity(x, ^a)\nm = Merge(i, x)", IDENTITY)
    assert nodes["m"] == "Merge(i, x)"


def test_nodes_colocated_with_a_removed_node_stay_together() -> None:
    nodes, _ = after('x = P\ni = Identity(x)[_class=["loc:@x"]]\ny = Relu(x)[_class=["loc:@i"]]', IDENTITY)
    assert nodes["y"] == 'Relu(x)[_class=["loc:@x"]]'


def test_functions() -> None:
    before = graph(
        """
        f: (a: float) -> (r: float = k:output:0, s: float = a)
        f: i = Identity(a)[T=float]
        f: j = Relu(i:output:0)[T=float]
        f: n = NoOp(^i)
        f: l = Identity(j:activations:0)[T=float]
        f: k = Identity(l:output:0)[T=float]
        x = Placeholder[dtype=float]
        y = f(x)
        """
    )
    result = remove_nodes(before, report=StepReport("test"), op=("Identity",))
    assert not check_graph(result)
    assert result.library is not None
    [function] = result.library.function
    assert {node.name: node.input for node in function.node_def} == {
        "j": ["a"],
        "n": ["^a"],
        "k": ["j:activations:0"],
    }
    assert function.ret == {"r": "k:output:0", "s": "a"}


@pytest.mark.parametrize(
    ("text", "outputs", "left"),
    [
        ("x = P\ns = Const\nr = Reshape(x, s)\ny = Relu(r)", "y", "x y"),
        ("x = P\ns = Const\nr = Reshape(x, s)\ny = Add(r, s)", "y", "x s y"),  # it is used elsewhere
        ("x = P\ns = Const\nr = Reshape(x, s)\ny = Relu(r, ^s)", "y", "x s y"),
        ("x = P\ns = Const\nr = Reshape(x, s)\ny = Relu(r)", "y,s", "x s y"),  # or declared
        ("x = P\ns = Const\nr = Reshape(x, s)\nq = Reshape(r, s)\ny = Relu(q)", "y", "x y"),  # both that use it go
        ("x = P\ns = Const\nr = Reshape(x, s)\nq = Reshape(x, s)\ny = Add(q, r)", "y,r", "x s r y"),
        ("x = P\ns = Const\nr = Reshape(x, s, ^s)\ny = Relu(r)", "y", "x s y"),  # y waits for it then
        ("x = P\nr = Reshape(x, x:1)\ny = Relu(r)", "y", "x y"),
        ("x = P\na = Const\ns = Neg(a)\nr = Reshape(x, s)\ny = Relu(r)", "y", "x a y"),  # what it needed stays
        ("x = P\ns = Const\nr = Reshape(x, s)\nq = Reshape(s, x)\ny = Add(q, r)", "y", "x s y"),  # first of another
    ],
)
def test_other_inputs_are_removed_if_unused(text: str, outputs: str, left: str) -> None:
    nodes, _ = after(text, "remove_nodes(op=Reshape, max_inputs=2)", outputs=outputs)
    assert sorted(nodes) == sorted(left.split())


def test_unused_inputs_are_removed_in_functions_too() -> None:
    before = graph("""
        f: (a: float, b: int32) -> (r: float = y:activations:0)
        f: s = Const[dtype=int32]
        f: i = Reshape(a, s:output:0)[T=float]
        f: j = Reshape(i:output:0, b)[T=float]
        f: y = Relu(j:output:0)[T=float]
    """)
    result = remove_nodes(before, report=StepReport("test"), op=("Reshape",), max_inputs=2)
    assert not check_graph(result)
    assert result.library is not None
    assert [(node.name, node.input) for node in result.library.function[0].node_def] == [("y", ["a"])]


def test_an_op_is_needed() -> None:
    with pytest.raises(TransformError, match="at least one op"):
        after("x = P", "remove_nodes")


@pytest.mark.slow(reason="reads or transforms inputs that are large")
def test_a_long_chain_of_nodes() -> None:
    nodes = [NodeDef(name="n0", op="P")]
    nodes += [NodeDef(name=f"n{number}", op="Identity", input=[f"n{number - 1}"]) for number in range(1, 20_000)]
    nodes.append(NodeDef(name="y", op="Relu", input=["n19999"]))
    result = remove_nodes(GraphDef(node=nodes), report=StepReport("test"), op=("Identity",))
    assert [(node.name, node.input) for node in result.node] == [("n0", []), ("y", ["n0"])]
