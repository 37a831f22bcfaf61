"""Lookups in a graph: nodes, producers, consumers."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.support.strategies_graphs import graphs
from tests.tfmodel.graph.samples import LOOP, graph_of, names
from tfmodel import GraphError
from tfmodel.graph import ARGUMENT, UNKNOWN, GraphIndex, references
from tfmodel.messages import FunctionDef, FunctionDefLibrary, GraphDef, NodeDef, OpDef
from tfmodel.ops.traits import EXIT
from tfmodel.values.names import CONTROL

TABLE = """
    a  Placeholder
    b  Split        a
    c  AddN         b  b:1  b  ^a
    d  NoOp         ^c
"""


@pytest.fixture
def index():
    return GraphIndex(graph_of(TABLE))


def test_nodes_are_found_by_name(index):
    assert index["c"] is index.nodes[2]
    assert index.get("c") is index["c"]
    assert index.get("nope") is None
    assert "c" in index and "c:0" not in index
    assert len(index) == 4
    assert [node.name for node in index] == ["a", "b", "c", "d"]


def test_a_misspelt_name_gets_a_suggestion():
    index = GraphIndex(graph_of("softmax Softmax\nconv Conv2D"))
    with pytest.raises(GraphError, match=r'^there is no node "sofmax"; did you mean "softmax"\?$'):
        index["sofmax"]


def test_producers_and_consumers_are_named_once_for_each_reference(index):
    assert names(index.producers("c")) == "b b b a"
    assert names(index.consumers("b")) == "c c c"
    assert names(index.consumers("a")) == "b c"
    assert index.consumers("d") == []


def test_uses_tell_input_and_port(index):
    assert [(use.node.name, use.place, use.tensor.port) for use in index.uses("b")] == [
        ("c", 0, 0),
        ("c", 1, 1),
        ("c", 2, 0),
    ]
    assert [(use.node.name, use.place, use.tensor.port) for use in index.uses("a")] == [("b", 0, 0), ("c", 3, CONTROL)]


def test_takers_are_inputs_that_take_a_tensor(index):
    assert index.takers[index.position("b")] == 3
    assert index.takers[index.position("a")] == 1  # another one only waits for it


def test_a_missing_input_is_an_error_where_it_matters():
    index = GraphIndex(graph_of("x Const\nlabels Const\ny Add x lable:1"))
    assert index.sources == [[], [], [0, UNKNOWN]]
    problem = r'^Add "y": there is no node "lable" for its input "lable:1"; did you mean "labels"\?$'
    with pytest.raises(GraphError, match=problem):
        index.producers("y")
    with pytest.raises(GraphError, match=problem):
        _ = index.execution_order


@pytest.mark.parametrize("text", ["", "^", "^x:0", "x:y:z:0", "x:-1"])
def test_an_invalid_reference_is_an_error_that_names_the_node(text):
    graph = GraphDef(node=[NodeDef(name="x", op="Const"), NodeDef(name="y", op="Neg", input=[text])])
    with pytest.raises(GraphError, match=r'^Neg "y": its input ".*" is not a reference'):
        _ = GraphIndex(graph).execution_order
    with pytest.raises(GraphError, match=r'^Neg "y": its input ".*" is not a reference'):
        references(graph.node[1])


def test_the_last_of_several_nodes_with_one_name_is_meant():
    index = GraphIndex(graph_of("a Const\na NoOp\nb Neg a"))
    assert index["a"].op == "NoOp"
    assert index.sources[2] == [1]
    assert names(index.execution_order) == "a b a"


def test_a_function_body_refers_to_arguments_and_named_outputs():
    function = FunctionDef(
        signature=OpDef(name="f", input_arg=[OpDef.ArgDef(name="x")]),
        node_def=[
            NodeDef(name="top", op="TopKV2", input=["x", "k:output:0"]),
            NodeDef(name="k", op="Const", input=["^x"]),
            NodeDef(name="y", op="Neg", input=["top:indices:0", "^k"]),
        ],
    )
    index = GraphIndex(function)
    assert index.in_body
    assert index.sources == [[ARGUMENT, 1], [ARGUMENT], [0, 1]]
    assert names(index.execution_order) == "k top y"
    assert names(index.producers("top")) == "k"
    assert [use.tensor.output for use in index.uses("top")] == ["indices"]


def test_the_index_of_a_function_is_made_once():
    function = FunctionDef(signature=OpDef(name="f"), node_def=[NodeDef(name="a", op="NoOp")])
    index = GraphIndex(GraphDef(library=FunctionDefLibrary(function=[function])))
    assert index.body("f") is index.body("f")
    assert index.body("f").graph is function
    assert index.body("f").functions is index.functions
    with pytest.raises(GraphError, match='there is no function "g"'):
        index.body("g")


def test_data_references_leave_control_inputs_out(index):
    references = [list(index.data_references(position)) for position in range(4)]
    assert references == [[], [("a", 0)], [("b", 1), ("b:1", 1), ("b", 1)], []]


def test_data_sources_leave_control_inputs_out(index):
    assert (index.data_sources, [*index.with_controls]) == ([[], [0], [1, 1, 1], []], [2, 3])


# --- order -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "order"),
    [
        ("a X\nb X\nc X a b\nd X b\ne X a a\nf X c d ^e", "b d a e c f"),
        ("", ""),
        ("b X a\na X", "a b"),
        (LOOP, "start enter merge limit less cond switch exit after body next"),
        (
            "m Merge a b ^c\na X\nb X n\nc X\nn X",
            "n b c m a",
        ),  # one tensor and the control input, or what counts as that
        ("m Merge ^a\na X", None),  # there is no tensor to wait for
    ],
)
def test_the_order_of_execution(table, order):
    index = GraphIndex(graph_of(table) if table else GraphDef())
    if order is None:
        with pytest.raises(GraphError, match="cycle"):
            _ = index.execution_order
    else:
        assert names(index.execution_order) == order


def test_a_cycle_is_an_error_that_names_its_nodes():
    index = GraphIndex(graph_of("a X b\nb X a\nc X b\nd X"))
    with pytest.raises(GraphError, match=r'^3 nodes are part of a cycle or after one: "a", "b", "c"$'):
        _ = index.execution_order


@given(graphs())
def test_producers_come_first_but_for_the_way_back_of_loops(graph):
    index = GraphIndex(graph)
    order = index.forward_order
    assert sorted(order) == list(range(len(index)))
    place = {position: number for number, position in enumerate(order)}
    for position, sources in enumerate(index.sources):
        for source in sources:
            way_back = index.nodes[source].op == "NextIteration"
            assert way_back or place[source] < place[position]


# --- loops and conditionals ------------------------------------------------------------------------------------------


def test_a_loop_is_a_frame_from_enter_to_exit():
    index = GraphIndex(graph_of(LOOP))
    (frame,) = index.frames
    assert (frame.name, frame.parent, frame.path) == ("frame", None, ("frame",))
    assert names(frame.nodes) == "limit enter merge less cond switch body next exit"
    assert names(frame.of(EXIT)) == "exit"
    assert index.frame("body") is frame
    assert index.frame("after") is None


def test_a_conditional_has_two_sides():
    index = GraphIndex(
        graph_of("""
        p Placeholder
        x Placeholder
        pivot Identity p
        s Switch x pivot
        no Neg s
        yes Exp s:1
        inner Switch yes ^no q
        one Const ^yes
        m Merge no yes
        after Neg m
    """)
    )
    no, yes = index.branch("no"), index.branch("yes")
    assert (no.pred.node, no.taken, no.outer) == ("p", 0, None)
    assert (yes.pred.node, yes.taken) == ("p", 1)
    assert index.branch("one") is yes
    assert [index.branch(name) for name in ("s", "m", "after", "x")] == [None] * 4
    assert no.common(yes) is None and yes.common(yes) is yes


def test_the_way_out_of_deep_conditionals_is_short():
    """Switches one behind the other, and as many Merges that join the last with the first: this is linear."""
    depth = 3000
    lines = ["p0 Placeholder", "x Const", "v0 Identity x"]
    for number in range(depth):
        lines += [f"q{number} Placeholder", f"s{number} Switch v{number} q{number}", f"v{number + 1} Neg s{number}:1"]
    lines += [f"m{number} Merge v1 v{depth}" for number in range(depth)]
    index = GraphIndex(graph_of("\n".join(lines)))
    assert index.branch(f"v{depth}").depth == depth
    assert {index.branch(f"m{number}") for number in range(depth)} == {index.branch("v1")}
    deepest = index.branch(f"v{depth}")
    for number in (1, 2, 500, depth - 1, depth):
        assert deepest.common(index.branch(f"v{number}")) is index.branch(f"v{number}")
