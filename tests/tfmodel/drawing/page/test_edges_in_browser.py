"""Edges of the picture: labels, the note about the edge under the pointer, and the paths of what is selected."""

from __future__ import annotations

import pytest

from tests.tfmodel.drawing.page.chromium import chromium
from tests.tfmodel.drawing.page.recording import record
from tests.tfmodel.drawing.test_entrances import call, function, node
from tfmodel.messages import AttrValue, DataType, FunctionDefLibrary, GraphDef, TensorShapeProto

pytestmark = [
    pytest.mark.slow(reason="starts a browser"),
    pytest.mark.skipif(chromium() is None, reason="Chromium is not installed: apt-get install chromium"),
]

FLOAT = AttrValue(type=DataType.DT_FLOAT)
SIZES = AttrValue(shape=TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in (2, 6)]))


def branches() -> GraphDef:
    """Return two scopes that follow an input, of which one leads to "y" and the other to "z"."""
    nodes = [node("x", "Placeholder", dtype=FLOAT, shape=SIZES)]
    for scope, end in (("left", "y"), ("right", "z")):
        for number in range(30):
            nodes.append(node(f"{scope}/n{number}", "Relu", nodes[-1].name if number else "x", T=FLOAT))
        nodes.append(node(end, "Neg", nodes[-1].name, T=FLOAT))
    return GraphDef(node=nodes)


CLOSE = "tfmodelPage.state.open = new Set([0]); tfmodelPage.toggle(tfmodelPage.tree.children[0][0]);\
    tfmodelPage.toggle(tfmodelPage.tree.children[0][0])"
LIT = "((lit) => lit && tfmodelPage.scene.boxes.map((box) => box.entry).filter((entry) => lit.has(entry))\
    .map((entry) => tfmodelPage.model.labels[entry]).sort())(tfmodelPage.litEntries())"


def place_of_edge(tab, source, target):
    """Return the place in the window of the middle of an edge between boxes with these labels."""
    return tab.evaluate(
        f"""(({{ scene, model, state }}) => {{
        const label = (entry) => model.labels[entry], {{ x, y, scale }} = state.camera;
        const edge = scene.edges.find((edge) => label(edge.from) === {source!r} && label(edge.to) === {target!r});
        const [[a, b], [c, d]] = edge.points, picture = document.getElementById("canvas");
        const {{ left, top }} = picture.getBoundingClientRect();
        return [((a + c) / 2 - x) * scale + left, ((b + d) / 2 - y) * scale + top]; }})(tfmodelPage)"""
    )


def test_the_edge_under_the_pointer_says_its_tensor_shape_and_ends(show):
    tab = show(branches())
    tab.evaluate(CLOSE)
    tab.wait("!tfmodelPage.isMoving")
    tab.move(*place_of_edge(tab, "left", "y"))
    tip = "[...document.querySelectorAll('#tip div')].map((line) => line.textContent)"
    tab.wait("!document.getElementById('tip').hidden")
    assert tab.evaluate(tip) == ["left/n29  float32[2,6]", "from left/n29 to y"]
    tab.move(400, 700)
    assert tab.evaluate("document.getElementById('tip').hidden")


def test_the_edge_of_a_control_input_is_named_so(show):
    tab = show(GraphDef(node=[node("a", "NoOp"), *(node(f"b{i}", "Relu", "^a") for i in range(3))]))
    tab.evaluate("tfmodelPage.state.aside.set(tfmodelPage.tree.entryOf[0], false); tfmodelPage.showBody(0)")
    tab.move(*place_of_edge(tab, "a", "b1"))
    tab.wait("!document.getElementById('tip').hidden")
    assert tab.evaluate("document.getElementById('tip').textContent") == "control: afrom a to b1"


def test_labels_of_edges_at_100_percent_are_as_large_as_the_text_of_boxes_and_beside_all_boxes(show):
    tab = show(branches())
    tab.evaluate(CLOSE)
    boxes = tab.evaluate("tfmodelPage.scene.boxes.map(({ x, y, w, h }) => [x, y, x + w, y + h])")
    labels = [text for text in record(tab, 1)["texts"] if text["text"] == "float32[2,6]" and text["size"] == 12]
    outside = [text for text in labels if not any(a <= text["x"] <= c and b <= text["y"] <= d for a, b, c, d in boxes)]
    assert len(outside) == 2  # from the two scopes; nodes have their shapes inside


def test_paths_of_a_selected_box_are_lit_and_the_rest_steps_back(show):
    tab = show(branches())
    tab.evaluate(CLOSE)
    assert tab.evaluate(LIT) is None
    tab.evaluate("tfmodelPage.selectNode(tfmodelPage.model.names.indexOf('left/n3'))")
    lit = tab.evaluate(LIT)
    assert "right" not in lit and {"x", "y"} <= {*lit}
    tab.evaluate("tfmodelPage.select(-1)")
    assert tab.evaluate(LIT) is None


def test_edges_of_both_directions_differ(show):
    tab = show(branches())
    tab.evaluate(CLOSE)
    tab.evaluate("tfmodelPage.select(tfmodelPage.tree.children[0].find((e) => tfmodelPage.model.labels[e] === 'left'))")
    sides = tab.evaluate(
        "Object.fromEntries(tfmodelPage.scene.edges.map((edge) => [[edge.from, edge.to]"
        ".map((e) => tfmodelPage.model.labels[e]).join(' '), tfmodelPage.edgeSide(edge)]))"
    )
    assert sides == {"x left": 1, "left y": 2, "x right": 0, "right z": 0}


def test_paths_go_into_functions_that_are_open_and_out_again(show):
    body = function("f", "a", {"r": "c:y:0"}, node("b", "Relu", "a"), node("c", "Neg", "b:activations:0"))
    nodes = [node("x", "Placeholder"), call("call", "f", "x"), node("y", "Relu", "call"), node("z", "Relu", "x")]
    tab = show(GraphDef(node=nodes, library=FunctionDefLibrary(function=[body])))
    tab.evaluate("tfmodelPage.showBody(0); tfmodelPage.toggle(tfmodelPage.tree.entryOf[1])")
    tab.evaluate("tfmodelPage.select(tfmodelPage.tree.entryOf[2])")
    assert tab.evaluate(LIT) == ["a", "b", "c", "r", "x", "y"]
    tab.evaluate("tfmodelPage.select(tfmodelPage.tree.entryOf[tfmodelPage.model.names.indexOf('c')])")
    assert tab.evaluate(LIT) == ["a", "b", "c", "r", "x", "y"]
