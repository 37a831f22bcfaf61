"""Signatures, parts and functions in the page: the list above the picture, and nodes that are in several pictures."""

from __future__ import annotations

import pytest

from tests.tfmodel.drawing.page.chromium import chromium
from tests.tfmodel.drawing.test_entrances import call, function, meta, node, saved_model, signature
from tfmodel.messages import AttrValue, DataType, FunctionDef, FunctionDefLibrary, GraphDef, TensorShapeProto

pytestmark = [
    pytest.mark.slow(reason="starts a browser"),
    pytest.mark.skipif(chromium() is None, reason="Chromium is not installed: apt-get install chromium"),
]

SIZES = TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in (3, 4)])
TYPED = {"dtype": AttrValue(type=DataType.DT_FLOAT), "shape": AttrValue(shape=SIZES)}


@pytest.fixture
def model():
    """A SavedModel with two signatures: "classify" calls a function that multiplies by a variable."""
    layer = function(
        "__inference_layer_12", "a w", {"r": "out:output:0"},
        node("dense/read", "ReadVariableOp", "w"), node("dense/MatMul", "MatMul", "a", "dense/read:value:0"),
        node("wait", "NoOp", "^dense/read"), node("out", "Identity", "dense/MatMul:product:0", "^wait"),
        controls={"dense/read": "dense/read"},
    )  # fmt: skip
    for place, name in enumerate(("images", "resource")):
        attrs = {"_user_specified_name": AttrValue(s=name.encode())}
        layer.arg_attr[place] = FunctionDef.ArgAttrs(attr=attrs)
    nodes = [node("classify_x", "Placeholder", **TYPED), node("kernel", "VarHandleOp", **TYPED)]
    nodes += [
        call("call", "__inference_layer_12", "classify_x", "kernel"),
        node("other_x", "Placeholder"),
        node("neg", "Neg", "other_x"),
    ]
    graph = GraphDef(node=nodes, library=FunctionDefLibrary(function=[layer]))
    signatures = {
        "classify": signature({"x": "classify_x:0"}, {"scores": "call:0"}),
        "negate": signature({"x": "other_x:0"}, {"y": "neg:0"}),
    }
    return saved_model(meta(graph, signatures))


LABELS = "tfmodelPage.scene.boxes.map((box) => tfmodelPage.model.labels[box.entry])"


def test_a_signature_is_shown_first_with_its_calls_opened_and_the_names_of_the_author(show, model):
    tab = show(model)
    assert sorted(tab.evaluate(LABELS)) == ["dense/MatMul", "scores", "x"]
    links = tab.evaluate("[...document.querySelectorAll('#right .link .name')].map((name) => name.textContent)")
    assert links[:2] == ["x", "scores"]
    assert tab.evaluate("document.querySelector('#right h2').textContent") == "classify"


def test_the_list_above_the_picture_shows_signatures_parts_and_functions(show, model):
    tab = show(model)
    groups = tab.evaluate(
        "[...document.querySelectorAll('#entrance optgroup')].map((group) =>"
        " [group.label, ...[...group.children].map((option) => option.textContent)])"
    )
    assert groups == [
        ["Signatures", "classify   (x \N{RIGHTWARDS ARROW} scores)", "negate   (x \N{RIGHTWARDS ARROW} y)"],
        ["Parts", "whole graph"],
        ["Functions inside", "__inference_layer_12"],
    ]


def choose(tab, text):
    tab.evaluate(
        f"(() => {{ const list = document.getElementById('entrance');"
        f"list.value = [...list.options].find((option) => option.textContent.startsWith({text!r})).value;"
        "list.dispatchEvent(new Event('change')); })()"
    )


def test_the_choice_is_shown_and_stands_in_the_address(show, model):
    tab = show(model)
    for text, labels in (("negate", ["neg", "x", "y"]), ("__inf", ["images", "dense", "out", "r", "wait"])):
        choose(tab, text)
        assert {label.split("/")[0] for label in tab.evaluate(LABELS)} == {*labels}
    choose(tab, "negate")
    tab.wait("location.hash.includes('body=')")
    again = show(model, fragment=tab.evaluate("location.hash.slice(1)"))
    assert sorted(again.evaluate(LABELS)) == ["neg", "x", "y"]
    again.press("[")
    again.press("e")
    assert again.evaluate("document.activeElement.id") == "entrance"


def test_a_search_finds_each_node_once_and_shows_it_in_the_picture(show, model):
    tab = show(model)
    tab.evaluate("tfmodelPage.search('MatMul')")
    assert tab.evaluate("document.querySelectorAll('.hit').length") == 1
    tab.evaluate("document.querySelector('.hit').click()")
    assert tab.evaluate("tfmodelPage.model.bodies[tfmodelPage.state.body].name") == "classify"
    details = tab.evaluate("document.getElementById('right').textContent")
    assert "function__inference_layer_12" in details and "function=" in details
    choose(tab, "negate")
    tab.evaluate("document.querySelector('.hit').click()")
    assert tab.evaluate("tfmodelPage.model.bodies[tfmodelPage.state.body].name") == "classify"


def test_a_weight_of_the_table_is_shown_inside_the_node_that_takes_it(show, model):
    tab = show(model, tab="weights")
    tab.evaluate("document.querySelector('#table tbody tr').click()")
    assert tab.evaluate("tfmodelPage.model.bodies[tfmodelPage.state.body].name") == "classify"
    assert tab.evaluate("tfmodelPage.model.labels[tfmodelPage.state.selected]") == "dense/MatMul"
    assert tab.evaluate("document.querySelector('#right h2').textContent") == "kernel"


def test_a_graph_with_nothing_to_choose_has_no_list(show):
    assert show("tests/data/convnet.pb").evaluate("document.getElementById('crumbs').hidden")


HOSTILE = "</script><img src=x onerror=canary=1>\u202e\0"


def test_hostile_names_of_signatures_and_arguments_stay_text(show):
    body = function("f", "a", {"r": "b:y:0"}, node("b", "Neg", "a"))
    body.arg_attr[0] = FunctionDef.ArgAttrs(attr={"_user_specified_name": AttrValue(s=HOSTILE.encode())})
    graph = GraphDef(
        node=[node("x", "Placeholder"), call("call", "f", "x")], library=FunctionDefLibrary(function=[body])
    )
    named = {name: signature({HOSTILE: "x:0"}, {HOSTILE: "call:0"}) for name in (HOSTILE, "__proto__", "constructor")}
    tab = show(saved_model(meta(graph, named), meta(graph, named, HOSTILE)))
    for number in range(tab.evaluate("document.querySelectorAll('#entrance option').length")):
        tab.evaluate(f"tfmodelPage.showBody(Number(document.querySelectorAll('#entrance option')[{number}].value))")
        tab.evaluate("tfmodelPage.select(tfmodelPage.scene.boxes[0].entry)")
        tab.evaluate("tfmodelPage.showTab('summary'), tfmodelPage.showTab('graph')")
    assert tab.evaluate("typeof canary") == "undefined"
    assert tab.evaluate("document.querySelectorAll('img').length") == 0
    assert "\u202e" not in tab.evaluate("document.body.innerText")


def test_other_meta_graphs_are_in_the_list_under_their_tags(show, model):
    other = meta(
        GraphDef(node=[node("x", "Placeholder"), node("z", "Exp", "x")]),
        {"f": signature({"x": "x:0"}, {"y": "z:0"})},
        "train",
    )
    tab = show(saved_model(*model.meta_graphs, other))
    assert "MetaGraph train" in tab.evaluate("[...document.querySelectorAll('#entrance optgroup')].map((g) => g.label)")
    choose(tab, "f (train)")
    assert sorted(tab.evaluate(LABELS)) == ["x", "y", "z"]
    tab.evaluate("tfmodelPage.search('op=Exp'), document.querySelector('.hit').click()")
    assert tab.evaluate("document.querySelector('#right h2').textContent") == "z"
