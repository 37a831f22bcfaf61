"""The first picture of the page in Chromium, levels, and what is drawn at small scales."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tfmodel.drawing.page.chromium import chromium
from tests.tfmodel.drawing.page.recording import record
from tfmodel.messages import GraphDef, NodeDef

pytestmark = [
    pytest.mark.slow(reason="starts a browser"),
    pytest.mark.skipif(chromium() is None, reason="Chromium is not installed: apt-get install chromium"),
]

WINDOWS = [(1600, 1000), (1280, 720), (390, 844)]


def chain(*names: str) -> list[NodeDef]:
    """Return nodes, each of which takes the one before."""
    return [NodeDef(name=name, op="Relu", input=[names[i - 1]] if i else []) for i, name in enumerate(names)]


def scopes(blocks: int, layers: int, nodes: int) -> GraphDef:
    """Return a chain of nodes in blocks of layers."""
    return GraphDef(
        node=chain(*(f"b{b}/l{i}/n{n}" for b in range(blocks) for i in range(layers) for n in range(nodes)))
    )


def parallel(count: int) -> GraphDef:
    """Return nodes that all take one node and are all taken by one."""
    names = [f"p{i}/n" for i in range(count)]
    nodes = [NodeDef(name=name, op="Relu", input=["x"]) for name in names]
    return GraphDef(node=[NodeDef(name="x", op="Placeholder"), *nodes, NodeDef(name="y", op="AddN", input=names)])


def heads(count: int) -> GraphDef:
    """Return a chain of nodes, each of which goes to a head of its own; and all heads go to two nodes."""
    names = [f"layer{i}" for i in range(count)]
    sides = [f"box_predictor_{i}/{kind}" for i in range(count) for kind in ("boxes", "classes")]
    nodes = [NodeDef(name=side, op="Conv2D", input=[names[i // 2]]) for i, side in enumerate(sides)]
    ends = [NodeDef(name=f"concatenated_{i}", op="ConcatV2", input=sides[i::2]) for i in range(2)]
    return GraphDef(node=[*chain(*names), *nodes, *ends])


MODELS = {
    "convolutions": Path("tests/data/convnet.pb"),
    "a long chain": GraphDef(node=chain(*(f"n{i}" for i in range(1000)))),
    "many beside each other": parallel(40),
    "heads of a detector": heads(8),
    "deep scopes": scopes(4, 5, 6),
    "a chain in one scope": GraphDef(node=[*chain(*(f"model/l{i}/n{n}" for i in range(15) for n in "ab"))]),
}


def boxes(tab) -> int:
    return tab.evaluate("tfmodelPage.scene.boxes.length")


def press(tab, key):
    tab.press(key)
    tab.wait("!tfmodelPage.isMoving")


@pytest.mark.parametrize("size", WINDOWS)
@pytest.mark.parametrize("name", MODELS)
def test_the_first_picture_is_not_wider_than_the_window_and_can_be_read(show, name, size):
    tab = show(MODELS[name], size=size)
    width, scale, window = tab.evaluate(
        "[tfmodelPage.scene.width, tfmodelPage.state.camera.scale, document.getElementById('canvas').clientWidth]"
    )
    assert scale >= 0.75
    assert width * scale <= window
    assert 6 <= boxes(tab) <= 30


def test_a_picture_that_is_taller_than_the_window_begins_with_the_input(show):
    tab = show(MODELS["convolutions"])
    x, y, w, h = tab.evaluate(
        """(() => { const { model, scene, tree } = tfmodelPage;
        const box = scene.byEntry.get(tree.entryOf[model.ends.inputs[0]]);
        const { x, y, scale } = tfmodelPage.state.camera, canvas = document.getElementById("canvas");
        return [(box.x - x) * scale, (box.y - y) * scale, canvas.clientWidth, canvas.clientHeight]; })()"""
    )
    assert tab.evaluate("tfmodelPage.scene.height * tfmodelPage.state.camera.scale") > h
    assert 0 <= x <= w and 0 <= y <= h / 4


def test_equal_layers_open_from_the_inputs_on(show):
    tab = show(scopes(4, 3, 3))
    opened = tab.evaluate(
        """(({ scene, tree, model }) => scene.frames.slice().sort((a, b) => a.y - b.y)
        .filter((frame) => tree.depth[frame.entry] === 1).map((frame) => model.labels[frame.entry]))(tfmodelPage)"""
    )
    assert opened == [f"b{i}" for i in range(len(opened))]
    assert opened


def resize(tab, width, height):
    tab.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
    tab.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def test_the_first_picture_follows_the_size_of_the_window_until_it_is_touched(show):
    tab = show(scopes(8, 3, 3), size=(1600, 1000))
    large = boxes(tab)
    resize(tab, 700, 500)
    small = boxes(tab)
    assert small < large
    press(tab, "+")
    resize(tab, 1600, 1000)
    assert boxes(tab) == small


def test_an_address_has_the_open_scopes_only_after_a_touch(show):
    tab = show(MODELS["deep scopes"])
    tab.wait("location.hash")
    assert "open=" not in tab.evaluate("location.hash") and "at=" not in tab.evaluate("location.hash")
    press(tab, ">")
    tab.wait("location.hash.includes('open=')")
    count, fragment = boxes(tab), tab.evaluate("location.hash.slice(1)")
    assert boxes(show(MODELS["deep scopes"], size=(700, 500), fragment=fragment)) == count


def test_levels_open_and_fold_everywhere(show):
    tab = show(scopes(3, 4, 5))
    tab.evaluate("tfmodelPage.state.open = new Set([0])")
    counts = []
    for key in ("<", ">", ">", ">", "<", "<", "<", "["):
        press(tab, key)
        counts.append(boxes(tab))
    assert counts == [3, 12, 60, 60, 12, 3, 3, 3]


def test_all_opens_up_to_600_boxes(show):
    tab = show(scopes(3, 4, 5))
    press(tab, "*")
    assert boxes(tab) == 60
    tab = show(scopes(20, 10, 10))
    press(tab, "*")
    assert 500 < boxes(tab) <= 600


# --- what is drawn ---


def family_colours(tab) -> dict[str, str]:
    return dict(tab.evaluate("Object.values(tfmodelPage.model.families)"))


@pytest.mark.parametrize(("scale", "pixels"), [(0.5, 12), (0.3, 12), (0.15, 9)])
def test_names_of_open_scopes_are_drawn_large_at_small_scales(show, scale, pixels):
    tab = show(MODELS["convolutions"])
    names = {text["text"]: text["size"] * scale for text in record(tab, scale)["texts"]}
    assert names["model"] >= pixels


@pytest.mark.parametrize("scale", [0.5, 0.05])
def test_boxes_are_filled_with_their_colours_at_small_scales(show, scale):
    tab = show(MODELS["convolutions"])
    conv = tab.evaluate(
        """(({ scene, tree, findNodes }) => (({ x, y, w, h }) => ({ x, y, w, h }))(
        scene.byEntry.get(tree.entryOf[findNodes("op=Conv2D")[0]])))(tfmodelPage)"""
    )
    colour = family_colours(tab)["convolution and matrices"]
    assert {**conv, "fill": colour, "opacity": 1} in record(tab, scale)["fills"]


def test_no_text_is_smaller_than_9_pixels_where_text_is_read(show):
    tab = show(MODELS["convolutions"])
    assert min(text["size"] for text in record(tab, 0.75)["texts"]) * 0.75 >= 9


def test_op_boxes_have_a_head_in_their_colour_with_text_that_can_be_read(show):
    tab = show(MODELS["convolutions"])
    drawn = record(tab, 1)
    colours = family_colours(tab)
    heads = [shape["fill"] for shape in drawn["fills"] if "steps" in shape]
    assert colours["convolution and matrices"] in heads and colours["activation"] in heads
    inks = {text["text"].rpartition("/")[2]: text["colour"] for text in drawn["texts"]}
    assert inks["Conv2D"] == "#ffffff" and inks["MaxPool"] == "#111111"


@pytest.mark.parametrize("scale", [1, 0.4])
def test_the_title_of_an_open_scope_stays_in_view(show, scale):
    tab = show(MODELS["convolutions"])
    area = {"x": 0, "y": tab.evaluate("tfmodelPage.scene.height") / 2, "w": 500, "h": 300}
    [y] = [text["y"] for text in record(tab, scale, area)["texts"] if text["text"] == "model"]
    assert area["y"] < y < area["y"] + 60 / scale
