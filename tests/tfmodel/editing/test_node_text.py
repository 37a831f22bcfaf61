"""Nodes as text."""

from __future__ import annotations

import pytest

from tests.tfmodel.transforms.graph_notation import graph
from tfmodel import GraphEditor, GraphError
from tfmodel.editing.node_text import NodeText, add_node, insert_node, parse_node, replace_by_node, split_attribute

GRAPH = """
    x = Placeholder[dtype=float, shape=(2)]
    y = Relu(x)[T=float]
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("y=Relu(x)", NodeText("y", "Relu", ["x"], [], {})),
        ("Relu", NodeText("", "Relu", None, [], {})),
        ("half=Const[value=0.5]", NodeText("half", "Const", None, [], {"value": "0.5"})),
        ("a/b=Op(x:1, ^c)", NodeText("a/b", "Op", ["x:1"], ["c"], {})),
        ("c=Conv(x)[s=[1,2], p=SAME]", NodeText("c", "Conv", ["x"], [], {"s": "[1,2]", "p": "SAME"})),
        ('c=Op()[s="a,b"]', NodeText("c", "Op", [], [], {"s": '"a,b"'})),
    ],
)
def test_text_of_nodes(text, expected):
    assert parse_node(text) == expected


@pytest.mark.parametrize("text", ["", "=", "y=Relu(x", "y=Relu(x)[a]", "y Relu", "y=Relu((x))", "y=Relu(x:x:x:x)"])
def test_text_that_is_not_a_node(text):
    with pytest.raises(GraphError):
        parse_node(text)


def test_nodes_are_added_inserted_and_replaced():
    editor = GraphEditor(graph(GRAPH))
    add_node(editor, "half=Const[value=0.5, dtype=float32]")
    assert insert_node(editor, "x", "scaled=Mul(half, _)") == "scaled"
    assert insert_node(editor, "y", "Neg") == "y/Neg"
    replace_by_node(editor, "y", "LeakyRelu[alpha=0.5]")
    assert {name: (node.op, node.input) for name, node in editor.nodes.items()} == {
        "x": ("Placeholder", []),
        "y": ("LeakyRelu", ["scaled"]),
        "half": ("Const", []),
        "scaled": ("Mul", ["half", "x"]),
        "y/Neg": ("Neg", ["y"]),
    }


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda editor: add_node(editor, "Relu(x)"), "has no name"),
        (lambda editor: insert_node(editor, "x", "Mul(x, x)"), "must have one input _"),
        (lambda editor: insert_node(editor, "x", "Neg(_, ^y)"), "no control inputs"),
        (lambda editor: replace_by_node(editor, "y", "z=Neg"), "another name"),
        (lambda editor: add_node(editor, "c=Const[value=1, nope=2]"), '"nope"'),
        (lambda editor: split_attribute("node"), "write node.attribute"),
    ],
)
def test_edits_that_are_refused(call, problem):
    with pytest.raises(GraphError) as caught:
        call(GraphEditor(graph(GRAPH)))
    assert problem in str(caught.value)


def test_names_of_nodes_may_have_dots():
    assert split_attribute("a.b/c.padding") == ("a.b/c", "padding")
