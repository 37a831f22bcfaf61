"""Mouse, touch and keys on the picture, narrow windows, and links to views."""

from __future__ import annotations

import re

import pytest

from tests.tfmodel.drawing.page.chromium import chromium
from tests.tfmodel.drawing.page.recording import record
from tests.tfmodel.drawing.test_hierarchy import graph_of
from tfmodel.messages import GraphDef

pytestmark = [
    pytest.mark.slow(reason="starts a browser"),
    pytest.mark.skipif(chromium() is None, reason="Chromium is not installed: apt-get install chromium"),
]

CONVNET = "tests/data/convnet.pb"
PHONE = (390, 844)
SELECTED = "tfmodelPage.state.selected"


def scopes() -> GraphDef:
    """Return a chain of eight scopes, which are closed at first in a small window."""
    nodes = ["x = Placeholder"]
    for scope in range(8):
        for number in range(12):
            last = nodes[-1].partition(" ")[0]
            nodes.append(f"s{scope}/n{number} = Relu({last})")
    return graph_of(*nodes)


def place_of(tab, label, kind="boxes", across="box.w / 2", down="box.h / 2"):
    """Return a place in the window: that in a box, its middle unless another one is given."""
    return tab.evaluate(
        f"""(({{ scene, model, state }}) => {{
        const box = scene.{kind}.find((one) => model.labels[one.entry] === {label!r}), {{ x, y, scale }} = state.camera;
        const {{ left, top }} = document.getElementById("canvas").getBoundingClientRect();
        return [(box.x + {across} - x) * scale + left, (box.y + {down} - y) * scale + top]; }})(tfmodelPage)"""
    )


def label_of_selected(tab):
    return tab.evaluate(f"tfmodelPage.model.labels[{SELECTED}]")


def empty_place(tab):
    return tab.evaluate(
        "(({ right, bottom }) => [right - 8, bottom - 8])(document.getElementById('canvas').getBoundingClientRect())"
    )


# --- mouse ---


def test_a_click_on_nothing_selects_nothing_and_says_nothing(show):
    tab = show(CONVNET)
    tab.wait("location.hash")
    before = tab.evaluate("[tfmodelPage.scene.boxes.length, location.hash]")
    tab.click(*empty_place(tab), count=2)
    assert tab.evaluate(SELECTED) == -1
    assert tab.evaluate("document.getElementById('said').textContent") == ""
    assert tab.evaluate("[tfmodelPage.scene.boxes.length, location.hash]") == before
    tab.press("Enter")
    tab.evaluate("tfmodelPage.toggle(-1)")
    tab.press("<")
    assert not tab.evaluate("tfmodelPage.state.open.has(-1)")


def test_a_click_selects_and_two_clicks_open_and_close(show):
    tab = show(scopes(), size=(700, 500))
    tab.press("f")
    tab.click(*place_of(tab, "s6"))
    assert label_of_selected(tab) == "s6" and not tab.evaluate(f"tfmodelPage.state.open.has({SELECTED})")
    tab.click(*place_of(tab, "s7"), count=2)
    tab.wait("!tfmodelPage.isMoving")
    assert label_of_selected(tab) == "s7" and tab.evaluate(f"tfmodelPage.state.open.has({SELECTED})")


def test_a_click_on_the_sign_opens_a_scope_and_folds_it(show):
    tab = show(scopes(), size=(700, 500))
    drawn = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    tab.evaluate(drawn)
    tab.click(*place_of(tab, "s0", across="box.w - 11", down="11"))
    tab.wait("!tfmodelPage.isMoving")
    tab.evaluate(drawn)
    tab.click(*place_of(tab, "s0", kind="frames", across="16", down="12"))
    tab.wait("!tfmodelPage.isMoving")
    assert place_of(tab, "s0")


def test_signs_that_only_an_exported_picture_shows_open_nothing(show):
    tab = show(scopes(), size=(700, 500))
    tab.press("f")  # too small for signs
    tab.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    tab.evaluate("tfmodelPage.svgText()")
    before = tab.evaluate("tfmodelPage.state.open.size")
    tab.click(*place_of(tab, "s6", across="box.w - 11", down="11"))
    assert label_of_selected(tab) == "s6" and tab.evaluate("tfmodelPage.state.open.size") == before


def test_two_clicks_at_different_boxes_open_none(show):
    tab = show(scopes(), size=(700, 500))
    tab.press("f")
    before = tab.evaluate("tfmodelPage.state.open.size")
    tab.click(*place_of(tab, "s6"))
    tab.click(*place_of(tab, "s7"))
    assert tab.evaluate("tfmodelPage.state.open.size") == before


# --- touch ---


def touch(tab, kind, *points):
    tab.call(
        "Input.dispatchTouchEvent",
        type=kind,
        touchPoints=[{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)],
    )


@pytest.fixture
def phone(show):
    def open_phone(model, **options):
        tab = show(model, size=PHONE, **options)
        tab.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=5)
        return tab

    return open_phone


def test_two_fingers_zoom_at_their_middle(phone):
    tab = phone(CONVNET)
    scale, x, y = tab.evaluate("(({ scale, x, y }) => [scale, x, y])(tfmodelPage.state.camera)")
    left, top = tab.evaluate(
        "(({ left, top }) => [left, top])(document.getElementById('canvas').getBoundingClientRect())"
    )
    middle = (200, 500)
    touch(tab, "touchStart", (180, 500), (220, 500))
    for reach in (30, 40):
        touch(tab, "touchMove", (200 - reach, 500), (200 + reach, 500))
    touch(tab, "touchEnd")
    after, u, v = tab.evaluate("(({ scale, x, y }) => [scale, x, y])(tfmodelPage.state.camera)")
    assert after == pytest.approx(2 * scale, rel=0.01)
    for low, high, place, edge in ((x, u, middle[0], left), (y, v, middle[1], top)):
        assert low + (place - edge) / scale == pytest.approx(high + (place - edge) / after, abs=1)
    assert tab.evaluate(SELECTED) == -1


def test_one_finger_moves_the_picture_and_a_tap_selects(phone):
    tab = phone(CONVNET)
    x = tab.evaluate("tfmodelPage.state.camera.x")
    touch(tab, "touchStart", (200, 500))
    touch(tab, "touchMove", (240, 500))
    touch(tab, "touchEnd")
    assert tab.evaluate("tfmodelPage.state.camera.x") < x and tab.evaluate(SELECTED) == -1
    touch(tab, "touchStart", place_of(tab, "image"))
    touch(tab, "touchEnd")
    assert label_of_selected(tab) == "image"


# --- narrow windows ---

VISIBLE = "((id) => document.getElementById(id).checkVisibility())"


def test_outline_and_details_fold_on_a_phone_and_come_with_a_tap(phone):
    tab = phone(CONVNET)
    assert not tab.evaluate(f"{VISIBLE}('outline') || {VISIBLE}('right')")
    tab.evaluate("document.getElementById('left-toggle').click()")
    assert tab.evaluate(f"{VISIBLE}('outline')")
    tab.evaluate("[...document.querySelectorAll('#outline .row')].find((row) => row.title === 'image').click()")
    assert not tab.evaluate(f"{VISIBLE}('outline')")
    assert tab.evaluate("document.getElementById('peek').textContent").startswith("image")
    tab.evaluate("document.getElementById('peek').click()")
    assert tab.evaluate(f"{VISIBLE}('right')")
    tab.press("Escape")
    assert not tab.evaluate(f"{VISIBLE}('right')")


@pytest.mark.parametrize("size", [PHONE, (820, 1100), (640, 480)])
def test_the_details_bar_is_below_the_picture(show, size):
    tab = show(CONVNET, size=size)
    side = "document.getElementById({!r}).getBoundingClientRect().{}".format
    assert tab.evaluate(side("canvas", "bottom")) <= tab.evaluate(side("peek", "top"))
    assert tab.evaluate(side("peek", "bottom")) == size[1]


@pytest.mark.parametrize("size", [PHONE, (820, 1100)])
def test_nothing_is_wider_than_a_narrow_window(show, size):
    tab = show(CONVNET, size=size)
    for name in ("graph", "weights", "summary"):
        tab.evaluate(f"tfmodelPage.showTab({name!r})")
        assert tab.evaluate("document.documentElement.scrollWidth") <= size[0]


# --- keys and links ---


def test_the_focus_reaches_everything_by_tab(show):
    tab = show(scopes())
    reached = set()
    for _ in range(40):
        tab.press("Tab")
        reached.add(tab.evaluate("document.activeElement.id || document.activeElement.closest('[id]')?.id"))
    assert {"query", "outline", "canvas", "right"} <= reached
    assert reached & {"tab-graph", "tabs"} and "tools" in reached


def test_shift_and_arrows_move_the_picture(show):
    tab = show(CONVNET)
    x, y = tab.evaluate("[tfmodelPage.state.camera.x, tfmodelPage.state.camera.y]")
    tab.evaluate(
        "document.getElementById('canvas').dispatchEvent("
        "new KeyboardEvent('keydown', { key: 'ArrowDown', shiftKey: true, bubbles: true }))"
    )
    assert tab.evaluate("tfmodelPage.state.camera.y") > y and tab.evaluate("tfmodelPage.state.camera.x") == x
    assert tab.evaluate(SELECTED) == -1


def test_a_link_names_a_node(show):
    tab = show(CONVNET, fragment="name=scores")
    assert tab.evaluate("document.querySelector('#right h2').textContent") == "scores"


def test_a_changed_address_changes_the_view(show):
    tab = show(CONVNET)
    tab.evaluate("location.hash = 'name=scores&tab=graph'")
    tab.wait("document.querySelector('#right h2').textContent === 'scores'")
    tab.evaluate("location.hash = 'tab=summary'")
    tab.wait("tfmodelPage.state.tab === 'summary'")
    tab.press("[")
    tab.evaluate("location.hash = '%&open=-5&view=gone&name=gone'")
    tab.wait("tfmodelPage.state.tab === 'graph'")
    assert tab.evaluate("tfmodelPage.scene.boxes.length") > 0


def test_a_changed_address_brings_its_search_and_theme(show):
    tab = show(CONVNET)
    tab.evaluate("location.hash = 'q=op%3DConv2D&theme=dark'")
    tab.wait("document.getElementById('query').value === 'op=Conv2D'")
    assert tab.evaluate("document.querySelectorAll('#hits .hit').length") > 0
    assert tab.evaluate("document.documentElement.classList.contains('dark') && tfmodelPage.palette.isDark")


def test_back_leads_to_the_tab_and_the_search_that_were_left(show):
    tab = show(CONVNET)
    tab.evaluate("tfmodelPage.showTab('summary')")
    tab.evaluate("document.querySelector('#table tbody tr').click()")
    assert tab.evaluate("[tfmodelPage.state.tab, tfmodelPage.state.selected >= 0]") == ["graph", True]
    tab.press("[")
    assert tab.evaluate("[tfmodelPage.state.tab, tfmodelPage.state.selected]") == ["summary", -1]
    assert tab.evaluate("document.getElementById('table').checkVisibility()")
    tab.press("]")
    assert tab.evaluate("[tfmodelPage.state.tab, tfmodelPage.state.selected >= 0]") == ["graph", True]


def test_both_ends_of_a_cut_list_are_seen(show):
    names = [f"a_name_as_long_as_names_of_layers_can_be_{i}/{n}" for i in range(60) for n in "ab"]
    tab = show(graph_of("x = Placeholder", *(f"{n} = Relu({p})" for p, n in zip(["x", *names], names, strict=False))))
    labels = [text["text"] for text in record(tab, 1)["texts"] if " … " in text["text"]]
    assert labels and all(re.fullmatch(r"⋯ Relu .\d+: a_\w*…\w+ … a_\w*…\w+", label) for label in labels)


# --- paper ---


def print_media(tab, is_on):
    tab.call("Emulation.setEmulatedMedia", media="print" if is_on else "")
    tab.wait(f"matchMedia('print').matches === {str(is_on).lower()}")
    tab.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


@pytest.mark.parametrize("width", [700, 1400])
def test_the_whole_drawing_is_printed_with_its_details(show, width):
    tab = show(CONVNET, size=(width, 600), dark=True)
    tab.press("ArrowDown")
    tab.evaluate("tfmodelPage.selectNode(tfmodelPage.findNodes('op=Conv2D')[0])")
    camera = tab.evaluate("tfmodelPage.state.camera")
    print_media(tab, True)
    assert not tab.evaluate("document.documentElement.classList.contains('dark')")
    assert tab.evaluate(
        """(({ scene, state: { camera } }) => {
        const { clientWidth, clientHeight } = document.getElementById("canvas");
        return camera.x <= 0 && camera.y <= 0 && scene.width <= camera.x + clientWidth / camera.scale
          && scene.height <= camera.y + clientHeight / camera.scale; })(tfmodelPage)"""
    )
    assert tab.evaluate(f"{VISIBLE}('right') && !{VISIBLE}('left')")
    print_media(tab, False)
    assert tab.evaluate("tfmodelPage.state.camera") == camera


def test_a_table_is_printed_as_long_as_it_is_without_the_picture(show):
    tab = show(CONVNET, size=(800, 400))
    tab.evaluate("tfmodelPage.showTab('summary')")
    print_media(tab, True)
    assert tab.evaluate(f"{VISIBLE}('table') && !{VISIBLE}('canvas') && !{VISIBLE}('peek')")
    assert tab.evaluate("document.documentElement.scrollHeight > 600")


# --- what a list has room for ---


def test_a_found_node_shows_the_end_of_a_long_name(show):
    tab = show(
        graph_of("a_long_name_of_a_model/block_1/layer = Relu()", "a_long_name_of_a_model/block_2/layer = Relu()")
    )
    tab.evaluate("tfmodelPage.search('layer')")
    names = tab.evaluate("[...document.querySelectorAll('#hits .name')].map((name) => name.textContent)")
    assert names == ["…block_1/layer", "…block_2/layer"]


def test_the_details_of_a_part_of_a_long_list_say_which(show):
    names = [f"model/n{i:02}" for i in range(60)]
    tab = show(graph_of("x = Placeholder", *(f"{n} = Relu({p})" for p, n in zip(["x", *names], names, strict=False))))
    part = "tfmodelPage.scene.boxes.find(({ entry }) => tfmodelPage.model.kind[entry] === 3).entry"
    tab.evaluate(f"tfmodelPage.select({part})")
    assert re.fullmatch(r"model/n\d+ … n\d+", tab.evaluate("document.querySelector('#right h2').textContent"))


def test_a_row_of_the_outline_has_room_for_a_name_beside_a_long_op(show):
    tab = show(graph_of("x = Placeholder", "short = DepthwiseConv2dNativeBackpropFilter(x)", "y = Relu(short)"))
    width = "document.querySelector('#outline [title=short] .name').clientWidth"
    assert tab.evaluate(f"{width} >= document.querySelector('#outline').clientWidth * 0.3")


def test_tools_of_the_picture_are_shown_beside_it_only(show):
    tab = show(CONVNET)
    visible = "[...document.querySelectorAll('#tools button')].filter((tool) => tool.checkVisibility()).length"
    assert tab.evaluate(visible) == 10
    tab.evaluate("tfmodelPage.showTab('summary')")
    assert tab.evaluate(visible) == 2


def test_a_node_with_many_changes_takes_little_room_in_the_difference(show):
    names = [f"n{i}" for i in range(40)]
    nodes = ["x = Placeholder", *(f"{name} = Relu(x)" for name in names)]
    before, after = (graph_of(*nodes, f"all = NoOp({inputs})") for inputs in (", ".join(f"^{n}" for n in names), "^x"))
    tab = show(before, after, tab="difference")
    rows = "[...document.querySelectorAll('#table tbody tr')]"
    assert tab.evaluate(f"Math.max(...{rows}.map((row) => row.clientHeight))") < 300
    assert tab.evaluate(f"{rows}.find((row) => row.textContent.includes('all')).textContent").endswith(" more")
    tab.evaluate("tfmodelPage.selectNode(tfmodelPage.findNodes('name=all')[0])")
    assert "n39" in tab.evaluate("document.getElementById('right').textContent")
