"""Only nodes that the outputs need stay; inputs become Placeholders."""

from __future__ import annotations

import re

import pytest

from tests.tfmodel.transforms.run_step import after, graph_of
from tfmodel.errors import GraphError, TransformError
from tfmodel.transforms.framework.report import StepReport
from tfmodel.transforms.strip_unused_nodes import strip_unused_nodes
from tfmodel.values.names import TensorName

GRAPH = """
    x = Placeholder[dtype=float]
    a = Relu(x)[T=float]
    s = Split(x, a)[num_split=2, T=float] @ /cpu:0
    y = Neg(s:0, ^c)[T=float]
    z = Neg(y)[T=float]
    c = NoOp(^d)
    d = NoOp
"""


@pytest.mark.parametrize(
    ("inputs", "outputs", "kept"),
    [
        ("", "z", "x a s y z c d"),
        ("", "y", "x a s y c d"),
        ("s", "y", "s y c d"),
        ("s:0, c", "y:0", "s y c"),
        ("y", "y", "y"),
        ("x", "c", "x c d"),
        ("x", "", "x"),
        ("", "", ""),
    ],
)
def test_needed_nodes_are_kept(inputs: str, outputs: str, kept: str) -> None:
    nodes, _ = after(GRAPH, "strip_unused_nodes", inputs, outputs)
    assert [*nodes] == kept.split()


@pytest.mark.parametrize(
    ("arguments", "s"),
    [
        ("", "Placeholder[dtype=float, shape=?]"),
        ("(type=half)", "Placeholder[dtype=half, shape=?]"),
        ('(type=int32, shape="1, -1,3")', "Placeholder[dtype=int32, shape=(1, -1, 3)]"),
        ('(shape="7", name=s, type_for_name=uint8, shape_for_name="2")', "Placeholder[dtype=uint8, shape=(2)]"),
        ('(shape="7", name=c, type_for_name=uint8, shape_for_name="2")', "Placeholder[dtype=float, shape=(7)]"),
    ],
)
def test_types_and_shapes_of_inputs(arguments: str, s: str) -> None:
    nodes, _ = after(GRAPH, f"strip_unused_nodes{arguments}", "s, c", "y")
    assert nodes["s"] == s


@pytest.mark.parametrize(
    ("node", "arguments", "attributes"),
    [
        ("Less(x, x)[T=float]", "", "dtype=bool, shape=(-1, 3)"),
        ("Less(x, x)[T=float]", "(type=half)", "dtype=half, shape=(-1, 3)"),
        ("Less(x, x)[T=float]", '(shape="7")', "dtype=bool, shape=(7)"),
        ("PlaceholderWithDefault(x)[dtype=float, shape=(-1, -1)]", "", "dtype=float, shape=(-1, -1)"),
        ("PlaceholderV2[dtype=int32, shape=(2)]", "", "dtype=int32, shape=(2)"),
        ("Const[dtype=int64, value=int64{1, 2, 3}]", "", "dtype=int64, shape=(3)"),
        ("Const[dtype=int64, value=int64{1}()]", "", "dtype=int64, shape=()"),
        ("VariableV2[dtype=float, shape=(4)]", "", "dtype=float, shape=(4)"),
        ("Split(x, x)[num_split=2, T=double]", "", "dtype=double, shape=(-1, -1)"),
        ("NoOp(^x)", "", "dtype=float, shape=()"),
    ],
)
def test_new_placeholders_have_the_type_and_shape_of_the_tensor(node: str, arguments: str, attributes: str) -> None:
    graph = f"x = Placeholder[dtype=float, shape=(-1, 3)]\nf = {node}\ny = Mine(^f)"
    nodes, _ = after(graph, f"strip_unused_nodes{arguments}", "f", "y")
    assert nodes == {"f": f"Placeholder[{attributes}]", "y": "Mine(^f)"}


def test_the_type_of_an_unknown_op_is_assumed_to_be_float_with_a_note() -> None:
    nodes, report = after("f = Mine\ny = Relu(f)[T=float]", "strip_unused_nodes", "f", "y")
    assert nodes["f"] == "Placeholder[dtype=float, shape=?]"
    assert [note.partition(":")[0] for note in report.notes] == ['the type of "f" is not known and assumed to be float']


HALVES = """
    axis = Const[dtype=int32, value=int32{0}()]
    x = Placeholder[dtype=float]
    s = Split(axis, x)[num_split=2, T=float]
    a = Relu(s)[T=float]
    b = Relu(s:1)[T=float]
"""


@pytest.mark.parametrize(
    ("inputs", "outputs", "kept", "renames"),
    [
        ("s", "a", "s; a(s)", ""),
        ("s:0", "a", "s; a(s)", ""),
        ("s:1", "b", "s/1; b(s/1)", "s:1=s/1"),
        ("s:1", "a", "axis; x; s(axis, x); s/1; a(s)", "s:1=s/1"),
        ("s", "b", "axis; x; s(axis, x); s/0; b(s:1)", "s=s/0"),
        ("s:1, s:0", "a, b", "s; s/1; a(s); b(s/1)", "s:1=s/1"),
        ("s, x", "a, b", "axis; x; s(axis, x); s/0; a(s/0); b(s:1)", "s=s/0"),
        ("s", "s:1", "axis; x; s(axis, x); s/0", "s=s/0"),
        ("s:1", "s:1", "s/1", "s:1=s/1"),
    ],
)
def test_each_output_of_a_node_becomes_its_own_placeholder(inputs: str, outputs: str, kept: str, renames: str) -> None:
    nodes, report = after(HALVES, "strip_unused_nodes", inputs, outputs)
    calls = [name + re.sub(r"^\w+|\[.*", "", text) for name, text in nodes.items()]
    assert "; ".join(calls) == kept
    assert {f"{old}={new}" for old, new in report.renames.items()} == set(renames.split())


def test_a_placeholder_of_another_output_has_its_type_and_shape() -> None:
    graph = """
        i = IteratorV2[output_types=[float, int64], output_shapes=[(-1, 3), (-1)]]
        next = IteratorGetNext(i)[output_types=[float, int64], output_shapes=[(-1, 3), (-1)]]
        y = Relu(next)[T=float]
        z = Neg(next:1, ^next)[T=int64]
    """
    nodes, _ = after(graph, "strip_unused_nodes", "next:1", "z")
    assert nodes["next/1"] == "Placeholder[dtype=int64, shape=(-1)]"
    arguments = '(name="next:1", type_for_name=int64, shape_for_name="4")'
    nodes, _ = after(graph, f"strip_unused_nodes{arguments}", "next:1", "z")
    assert nodes == {"next/1": "Placeholder[dtype=int64, shape=(4)]", "z": "Neg(next/1, ^next/1)[T=int64]"}


def test_a_new_placeholder_has_a_free_name() -> None:
    nodes, report = after(HALVES + "s/1 = NoOp\nc = Neg(b, ^s/1)[T=float]", "strip_unused_nodes", "s:1", "c")
    assert nodes["b"] == "Relu(s/1_1)[T=float]"
    assert report.renames == {TensorName("s", 1): TensorName("s/1_1")}


def test_a_placeholder_stays_as_it_is() -> None:
    nodes, report = after(GRAPH, "strip_unused_nodes(type=half)", "x", "a")
    assert nodes == {"x": "Placeholder[dtype=float]", "a": "Relu(x)[T=float]"}
    assert report.fired == 5


def test_a_placeholder_loses_control_inputs_from_removed_nodes() -> None:
    nodes, _ = after("c = NoOp\nd = NoOp\nx = Placeholder(^c, ^d)\ny = Relu(x, ^d)", "strip_unused_nodes", "x", "y")
    assert nodes == {"d": "NoOp", "x": "Placeholder(^d)", "y": "Relu(x, ^d)"}


def test_loops_are_kept_as_a_whole() -> None:
    loop = """
        x = Placeholder
        enter = Enter(x)[frame_name="f"]
        merge = Merge(enter, next)
        cond = LoopCond(merge)
        switch = Switch(merge, cond)
        next = NextIteration(switch:1)
        exit = Exit(switch)
        unused = Relu(exit)
    """
    nodes, _ = after(loop, "strip_unused_nodes", "x", "exit")
    assert [*nodes] == ["x", "enter", "merge", "cond", "switch", "next", "exit"]


def test_nodes_colocated_with_a_stripped_node_stay_together() -> None:
    text = 'x = Placeholder\nv = NoOp\na = Relu(x)[_class=["loc:@v"]]\nb = Relu(a)[_class=["loc:@v", "loc:@gone"]]'
    nodes, _ = after(text, "strip_unused_nodes", "x", "b")
    assert nodes["a"] == 'Relu(x)[_class=["loc:@a"]]'
    assert nodes["b"] == 'Relu(a)[_class=["loc:@a", "loc:@gone"]]'


@pytest.mark.parametrize(
    "arguments", ["name=s", "name=s, type_for_name=float", "type_for_name=float", "name=s, name=x, type_for_name=float"]
)
def test_name_type_and_shape_must_be_given_together(arguments: str) -> None:
    with pytest.raises(TransformError, match="name, type_for_name and shape_for_name must be given"):
        after(GRAPH, f"strip_unused_nodes({arguments})", "x", "y")


@pytest.mark.parametrize(("text", "output"), [("y = Relu(x)", "y"), ("y = NoOp", "z")])
def test_a_missing_input_of_a_needed_node_is_an_error(text: str, output: str) -> None:
    with pytest.raises(GraphError, match="there is no node"):
        strip_unused_nodes(graph_of(text), outputs=(TensorName(output),), report=StepReport("test"))


def test_a_placeholder_cannot_be_given_another_type_or_shape_by_name() -> None:
    graph = "x = Placeholder[dtype=float, shape=(2)]\ny = Relu(x)[T=float]"
    for arguments in ('type_for_name=half, shape_for_name="2"', 'type_for_name=float, shape_for_name="3"'):
        with pytest.raises(TransformError, match='Placeholder "x" keeps its type and shape'):
            after(graph, f"strip_unused_nodes(name=x, {arguments})", "x", "y")
    after(graph, 'strip_unused_nodes(name=x, type_for_name=float, shape_for_name="2")', "x", "y")
    _, report = after(graph, 'strip_unused_nodes(shape="3")', "x", "y")
    assert report.refusals == {"it is a Placeholder already and keeps its type and shape": ["x"]}
