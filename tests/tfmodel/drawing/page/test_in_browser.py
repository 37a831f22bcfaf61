"""The page in headless Chromium: it opens without problems, draws sound layouts, finds what `find` does."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.tfmodel import models
from tests.tfmodel.drawing.page.chromium import chromium
from tests.tfmodel.drawing.test_hierarchy import graph_of
from tfmodel import find, from_ndarray
from tfmodel.drawing.page import page
from tfmodel.errors import QueryError
from tfmodel.messages import AttrValue, DataType, FunctionDef, FunctionDefLibrary, GraphDef, NodeDef, OpDef

pytestmark = [
    pytest.mark.slow(reason="starts a browser"),
    pytest.mark.skipif(chromium() is None, reason="Chromium is not installed: apt-get install chromium"),
]

DATA = Path("tests/data")


@pytest.mark.parametrize("name", ["linear.pb", "convnet.pb", "trained", "linear"])
def test_models_open_without_errors_violations_and_requests(show, name):
    tab = show(DATA / name)
    assert tab.evaluate("tfmodelPage.scene.boxes.length") > 0


@pytest.mark.parametrize(
    "graph", [GraphDef(), GraphDef(node=[NodeDef(name="a", op="NoOp", input=["a", "^b", "gone:7"])])]
)
def test_empty_and_damaged_graphs_open(show, graph):
    assert show(graph).evaluate("tfmodelPage.scene.frames.length") == 1


HOSTILE = [
    "</script><script>canary=1</script>",
    '"><img src=x onerror=canary=1>',
    "__proto__",
    "constructor/prototype",
    "toString",
    "\u202egnp.exe",
    "nul\0byte\n\r\u2028",
    "javascript:canary=1",
    "${canary=1}",
    "x" * 1_000_000,
    "/".join("d" * 300),
]


def test_hostile_names_stay_text(show):
    nodes = [
        NodeDef(name=name, op=name[:1000], device=name, input=HOSTILE[:place], attr={name: AttrValue(s=name.encode())})
        for place, name in enumerate(HOSTILE)
    ]
    tab = show(GraphDef(node=nodes), overlay=dict.fromkeys(HOSTILE, 1.0))
    for node in range(len(HOSTILE)):
        tab.evaluate(f"tfmodelPage.selectNode({node})")
    for name in ("weights", "summary", "graph"):
        tab.evaluate(f"tfmodelPage.showTab({name!r})")
    for name in HOSTILE[:9]:
        tab.evaluate(f"tfmodelPage.search({json.dumps(name)})")
    svg = tab.evaluate("tfmodelPage.svgText()")
    assert "<script" not in svg and "<img" not in svg
    assert tab.evaluate("typeof canary") == "undefined"
    assert tab.evaluate("({}).canary === undefined && document.querySelectorAll('img, main script').length === 0")
    assert "\u202e" not in tab.evaluate("document.body.innerText")


FRAGMENTS = [
    "%",
    "%00&open=%ff&&&==",
    "body=99&selected=1e9&node=-1&tab=__proto__&theme=constructor",
    "open=0.-0.1e9.NaN.Infinity..0x10.99999&hidden=0.1.2.3&aside=-0.-1.1",
    "at=1e308_1e308_5",
    "at=NaN_0_1",
    "tab=<img src=x onerror=canary=1>&q=<img src=x onerror=canary=1>",
    f"q={'a' * 100_000}",
    f"q={'a|' * 50_000}",
    f"q={'a' * 20_000}",
    f"q={'*' * 20_000}",
    f"q=name={'*a' * 40}*b",  # a pattern with so many wildcards, which the long name almost matches
    f"q={'*a' * 40}*b|c",
    f"q={'(' * 300}",
]


@pytest.mark.parametrize("fragment", FRAGMENTS, ids=range(len(FRAGMENTS)))
def test_hostile_fragments_of_the_address_harm_nothing(show, fragment):
    tab = show(GraphDef(node=[NodeDef(name="a" * 1000, op="NoOp"), NodeDef(name="s/b", op="NoOp")]), fragment=fragment)
    assert tab.evaluate("tfmodelPage.scene.frames.length") == 1
    assert tab.evaluate("typeof canary") == "undefined"


def test_a_double_click_opens_a_scope_which_stays_where_it_was(show):
    nodes = [
        NodeDef(name=f"s{i // 5}/n{i}", op="Relu", input=[f"s{(i - 1) // 5}/n{i - 1}"] if i else []) for i in range(400)
    ]
    tab = show(GraphDef(node=nodes))
    where = """(() => { const box = tfmodelPage.scene.boxes.find((b) => tfmodelPage.tree.children[b.entry].length);
        const { x, y, scale } = tfmodelPage.state.camera;
        return [box.entry, (box.x - x) * scale, (box.y - y) * scale]; })()"""
    entry, x, y = tab.evaluate(where)
    tab.evaluate(f"tfmodelPage.toggle({entry})")
    after = tab.evaluate(
        f"(() => {{ const box = tfmodelPage.scene.byEntry.get({entry});"
        "const { x, y, scale } = tfmodelPage.state.camera;"
        "return [(box.x - x) * scale, (box.y - y) * scale]; })()"
    )
    assert after == pytest.approx([x, y], abs=1)
    assert tab.evaluate(f"tfmodelPage.state.open.has({entry})")


def test_a_call_opens_its_function_inside_it_and_closes_again(show):
    argument = OpDef.ArgDef(name="a", type=DataType.DT_FLOAT)
    function = FunctionDef(
        signature=OpDef(
            name="twice", input_arg=[argument], output_arg=[OpDef.ArgDef(name="r", type=DataType.DT_FLOAT)]
        ),
        node_def=[NodeDef(name="b", op="Relu", input=["a"]), NodeDef(name="c", op="twice", input=["b:activations:0"])],
        ret={"r": "c:r:0"},
    )
    nodes = [NodeDef(name="x", op="Placeholder"), NodeDef(name="call", op="twice", input=["x"])]
    nodes += [NodeDef(name=f"y{i}", op="Relu", input=["call"]) for i in range(5)]
    graph = GraphDef(node=nodes, library=FunctionDefLibrary(function=[function]))
    tab = show(graph)
    call = tab.evaluate("(tfmodelPage.showBody(0), tfmodelPage.tree.entryOf[1])")
    before = tab.evaluate("tfmodelPage.scene.boxes.length")
    tab.evaluate(f"tfmodelPage.select({call}), tfmodelPage.toggle({call})")
    children = tab.evaluate(f"tfmodelPage.tree.children[{call}].length")
    assert children and tab.evaluate("tfmodelPage.scene.boxes.length") == before - 1 + children
    assert tab.evaluate(f"tfmodelPage.scene.frames.some((frame) => frame.entry === {call})")
    edges = """(() => { const { scene, tree, model } = tfmodelPage;
        const label = (e) => (e < 0 ? "" : model.labels[e]);
        const text = ({ from, to }) => `${label(from)} -> ${label(to)}`;
        return scene.edges.filter((edge) => edge.isPort).map(text); })()"""
    assert sorted(tab.evaluate(edges)) == [*["r -> y" + str(i) for i in range(5)], "x -> a"]
    child = tab.evaluate(f"tfmodelPage.tree.children[{call}][0]")
    tab.evaluate("tfmodelPage.selectNode(tfmodelPage.model.names.indexOf('a'))")
    tab.press("d")
    assert tab.evaluate("[...document.querySelectorAll('.hit .name')].map((name) => name.textContent)") == [
        "b  (twice)",
        "c  (twice)",
    ]
    tab.press("Escape")
    tab.evaluate("tfmodelPage.search('')")
    tab.evaluate("tfmodelPage.toggle(tfmodelPage.tree.entryOf[tfmodelPage.model.names.indexOf('c')])")
    assert tab.evaluate("tfmodelPage.scene.boxes.length") == before - 1 + children  # a function is not inside itself
    tab.evaluate(f"tfmodelPage.select({child})")
    assert tab.evaluate("tfmodelPage.state.body") == 0
    tab.wait(f"location.hash.includes('{call}') && location.hash.includes('selected={child}')")
    again = show(graph, fragment=tab.evaluate("location.hash.slice(1)"))
    assert again.evaluate(f"tfmodelPage.scene.byEntry.has({child})")
    tab.evaluate(f"tfmodelPage.toggle({call})")
    assert tab.evaluate("tfmodelPage.scene.boxes.length") == before
    assert tab.evaluate("tfmodelPage.state.selected") == call
    tab.evaluate("tfmodelPage.select(-1), tfmodelPage.showBody(1)")
    links = "[...document.querySelectorAll('#right .link .name')].map((name) => name.textContent)"
    assert tab.evaluate(links)[:2] == ["a", "r"]  # the argument and the result of the function


def test_the_address_restores_a_view(show):
    tab = show(DATA / "linear.pb")
    tab.evaluate("tfmodelPage.selectNode(tfmodelPage.model.names.indexOf('y')); tfmodelPage.search('op=Relu')")
    tab.wait("location.hash.includes('selected')")
    again = show(DATA / "linear.pb", fragment=tab.evaluate("location.hash.slice(1)"))
    assert again.evaluate("document.querySelector('#right h2').textContent") == "y"
    assert again.evaluate("document.querySelectorAll('.hit').length") == 1


def test_the_outline_is_a_tree_that_keys_walk(show):
    tab = show(DATA / "linear.pb")
    tab.evaluate("document.querySelector('#outline .row').focus()")
    tab.press("ArrowDown")
    tab.press(" ")
    assert tab.evaluate("document.querySelector('#outline [aria-selected=true] .name').textContent") == "x"
    assert tab.evaluate("document.querySelector('#right h2').textContent") == "x"


def test_keys_search_and_change_the_theme(show):
    tab = show(DATA / "linear.pb")
    tab.press("/")
    assert tab.evaluate("document.activeElement.id") == "query"
    tab.press("Escape")
    tab.press("t")
    assert tab.evaluate("document.documentElement.className") == "dark"


def test_forced_colours_are_those_of_the_system(show):
    tab = show(DATA / "linear.pb")
    features = [{"name": "forced-colors", "value": "active"}, {"name": "prefers-color-scheme", "value": "dark"}]
    tab.call("Emulation.setEmulatedMedia", features=features)
    tab.wait("!tfmodelPage.palette.back.startsWith('#')")
    colours = tab.evaluate("tfmodelPage.palette")
    assert (colours["back"], colours["text"]) == ("rgb(0, 0, 0)", "rgb(255, 255, 255)")
    assert not any(str(colour).startswith("#") for colour in colours.values())
    assert tab.problems == []


def accessible(tab) -> list[tuple[str, str]]:
    """Return the roles and names of the accessibility tree."""
    nodes = tab.call("Accessibility.getFullAXTree")["nodes"]
    return [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes if not node.get("ignored")]


def test_a_screen_reader_finds_the_outline_the_tabs_and_names_of_all_buttons(show):
    tab = show(DATA / "convnet.pb")
    found = accessible(tab)
    rows = [name for role, name in found if role == "treeitem"]
    boxes = tab.evaluate("tfmodelPage.scene.boxes.map((box) => tfmodelPage.model.labels[box.entry])")
    assert all(
        any(row.startswith(label) for row in rows) for label in boxes
    )  # the outline has all that the picture has
    assert {"tree", "tablist", "searchbox", "image", "toolbar"} <= {role for role, _ in found}
    assert all(name for role, name in found if role in ("button", "tab", "treeitem", "searchbox", "image"))
    tab.press("ArrowDown")
    assert tab.evaluate("document.getElementById('said').textContent").endswith("selected")


def test_the_menu_opens_by_a_key_and_arrows_walk_it(show):
    tab = show(DATA / "linear.pb")
    tab.press("ArrowDown")
    tab.press("m")
    items = tab.evaluate("[...document.querySelectorAll('[role=menuitem]')].map((item) => item.textContent)")
    assert {"hide", "upstream", "downstream"} <= set(items)
    tab.press("ArrowDown")
    assert tab.evaluate("document.activeElement.textContent") == items[1]
    tab.press("Escape")
    assert tab.evaluate("document.getElementById('menu').hidden && document.activeElement.id") == "canvas"


def test_boxes_move_when_a_scope_opens_unless_motion_is_reduced(show):
    nodes = [
        NodeDef(name=f"s{i // 9}/n{i}", op="Relu", input=[f"s{(i - 1) // 9}/n{i - 1}"] * (i > 0)) for i in range(200)
    ]
    tab = show(GraphDef(node=nodes))
    toggle = "tfmodelPage.toggle(tfmodelPage.scene.boxes.find((b) => tfmodelPage.tree.children[b.entry].length).entry)"
    assert tab.evaluate(f"{toggle}; tfmodelPage.isMoving")
    tab.wait("!tfmodelPage.isMoving")
    tab.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
    assert not tab.evaluate(f"{toggle}; tfmodelPage.isMoving")


def test_a_scope_that_opens_leaves_the_order_of_the_others(show):
    wide = [NodeDef(name=f"b{i}/{n}", op="Relu", input=["x"]) for i in range(9) for n in "pq"]
    tab = show(GraphDef(node=[NodeDef(name="x", op="Placeholder"), *wide]))
    order = """tfmodelPage.tree.children[0].map((e) => tfmodelPage.scene.byEntry.get(e)).sort((a, b) => a.x - b.x)
        .map((box) => box.entry)"""
    tab.evaluate("tfmodelPage.state.open = new Set([0]); tfmodelPage.toggle(tfmodelPage.tree.children[0][4])")
    tab.evaluate("tfmodelPage.toggle(tfmodelPage.tree.children[0][4])")
    before = tab.evaluate(order)
    tab.evaluate("tfmodelPage.toggle(tfmodelPage.tree.children[0][4])")
    assert tab.evaluate(order) == before


def test_the_details_of_a_convolution_have_the_histogram_of_its_weights(show):
    tab = show(DATA / "convnet.pb", values="all")
    tab.evaluate("tfmodelPage.selectNode(tfmodelPage.findNodes('op=Conv2D')[0])")
    assert tab.evaluate("document.querySelectorAll('#right canvas').length") >= 1
    assert "filter" in tab.evaluate("document.getElementById('right').textContent")


def test_matrices_have_a_heat_map_in_the_table_and_in_the_details(show):
    tab = show(DATA / "convnet.pb")
    maps = "[...document.querySelectorAll('{} .heat')].map((map) => [map.width, map.height, map.ariaLabel])"
    tab.evaluate("tfmodelPage.showTab('weights')")
    listed = tab.evaluate(maps.format("#table"))
    weights = [weight for weight in tab.evaluate("tfmodelPage.model.weights") if len(weight["shape"]) > 1]
    assert len(weights) == len(listed) == 5
    assert [width for width, *_ in listed] == [weight["shape"][-1] for weight in weights]
    assert [label.partition(" values: ")[0] for *_, label in listed] == [
        f"heat map: {math.prod(weight['shape'][:-1])} \N{MULTIPLICATION SIGN} {weight['shape'][-1]}"
        for weight in weights
    ]
    tab.evaluate("document.querySelector('#table tbody tr').click()")
    assert tab.evaluate(maps.format("#right")) == listed[:1]


def test_columns_of_weights_that_would_be_empty_are_left_out(show):
    titles = "[...document.querySelectorAll('#table th')].map((title) => title.textContent.split(' ')[0])"
    facts = ["Role", "Type", "Shape", "Size"]
    for values, expected in (("none", []), ("all", ["Histogram", "Map"])):
        tab = show(DATA / "convnet.pb", values=values)
        tab.evaluate("tfmodelPage.showTab('weights')")
        assert tab.evaluate(titles)[:7] == ["Name", *expected, *facts, "Min"][: 5 if values == "none" else 7]


def test_the_details_of_a_scope_have_its_inputs_and_takers_at_any_level(show):
    nodes = [NodeDef(name="x", op="Placeholder")]
    nodes += [
        NodeDef(name=f"a/{s}/{n}", op="Relu", input=["x" if n == "p" else f"a/{s}/p"]) for s in "bc" for n in "pq"
    ]
    nodes.append(NodeDef(name="y", op="AddN", input=["a/b/q", "a/c/q", "^a/c/p"]))
    tab = show(GraphDef(node=nodes))
    tab.evaluate("tfmodelPage.select(tfmodelPage.model.labels.indexOf('c'))")
    links = "[...document.querySelectorAll('#right .link .name')].map((name) => name.textContent)"
    assert tab.evaluate(links) == ["x", "y"]


def test_the_list_of_hits_is_complete_a_moment_after_a_key(show):
    tab = show(GraphDef(node=[NodeDef(name=f"s{i % 3}/n{i}", op="NoOp") for i in range(120)]))
    tab.evaluate("tfmodelPage.search('n')")
    tab.wait("document.querySelectorAll('.hit').length === 120")
    rows = '#outline [aria-level="1"] .badge:not(:empty)'
    badges = f"[...document.querySelectorAll({rows!r})].map((badge) => badge.textContent)"
    assert tab.evaluate(badges) == ["40", "40", "40"]
    tab.evaluate("tfmodelPage.search('n11'); document.querySelectorAll('.hit')[3].click()")
    assert tab.evaluate("document.querySelector('#right h2').textContent") == "s1/n112"
    tab.evaluate("tfmodelPage.search('')")
    assert tab.evaluate(badges) == []


def test_nodes_of_the_very_name_are_found_first(show):
    nodes = [NodeDef(name=name, op="NoOp") for name in ("while/add", "a/while", "whiles", "while")]
    tab = show(GraphDef(node=nodes))
    tab.evaluate("tfmodelPage.search('while')")
    hits = tab.evaluate("[...document.querySelectorAll('.hit .name')].map((name) => name.textContent)")
    assert hits == ["a/while", "while", "while/add", "whiles"]


def test_nodes_that_compute_the_outputs_are_found_before_others(show):
    graph = graph_of(
        "block/random = Const", "x = Placeholder", "block/w = Const", "block/mul = Conv2D(x, block/w)",
        "y = Identity(block/mul)",
    )  # fmt: skip
    tab = show(graph)
    tab.evaluate("tfmodelPage.search('block')")
    hits = tab.evaluate("[...document.querySelectorAll('.hit .name')].map((name) => name.textContent)")
    assert hits == ["block/mul", "block/w", "block/random"]


def test_histograms_of_two_models_are_in_one_picture(show, tmp_path):
    def model(scale):
        values = from_ndarray((np.arange(600, dtype=np.float32) * scale).reshape(20, 30))
        return GraphDef(
            node=[
                NodeDef(name="x", op="Placeholder", attr={"dtype": AttrValue(type=1)}),
                NodeDef(name="w", op="Const", attr={"dtype": AttrValue(type=1), "value": AttrValue(tensor=values)}),
                NodeDef(name="y", op="MatMul", input=["x", "w"], attr={"T": AttrValue(type=1)}),
            ]
        )

    tab = show(model(1), model(2))
    tab.evaluate("tfmodelPage.selectNode(tfmodelPage.model.names.indexOf('y'))")
    assert "line: before" in tab.evaluate("document.getElementById('right').textContent")


def test_the_difference_marks_nodes(show):
    before = GraphDef(node=[NodeDef(name="a", op="NoOp"), NodeDef(name="b", op="NoOp")])
    after = GraphDef(node=[NodeDef(name="b", op="Relu"), NodeDef(name="c", op="NoOp")])
    tab = show(before, after, tab="difference")
    rows = tab.evaluate("[...document.querySelectorAll('#table tbody tr')].map((row) => row.cells[0].textContent)")
    assert sorted(rows) == ["+ added", "\N{MINUS SIGN} removed", "\N{NOT EQUAL TO} changed"]


# --- layout ---


@pytest.fixture(scope="module")
def bench(browser, tmp_path_factory):
    path = tmp_path_factory.mktemp("bench") / "page.html"
    path.write_bytes(page(models.graph()))
    return browser.open(path)


@st.composite
def drawings(draw):
    count = draw(st.integers(1, 25))
    sizes = draw(st.lists(st.tuples(st.integers(6, 300), st.integers(1, 200)), min_size=count, max_size=count))
    ends = st.integers(0, count - 1)
    return sizes, draw(st.lists(st.tuples(ends, ends), max_size=60))


@given(drawings())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_boxes_never_overlap_and_edges_join_their_boxes(bench, drawing):
    sizes, edges = drawing
    call = f"tfmodelPage.layoutLayers({json.dumps(sizes)}, {json.dumps(edges)}, new Set(), new Set())"
    result = bench.evaluate(call)
    assert result == bench.evaluate(call)
    boxes = [(x, y, x + w, y + h) for x, y, (w, h) in zip(result["x"], result["y"], sizes, strict=True)]
    for place, a in enumerate(boxes):
        assert a[0] >= -0.01 and a[2] <= result["width"] + 0.01
        for b in boxes[:place]:
            assert a[2] <= b[0] + 0.01 or b[2] <= a[0] + 0.01 or a[3] <= b[1] + 0.01 or b[3] <= a[1] + 0.01
    assert len(result["lines"]) == len(edges)
    for (source, target), points in zip(edges, result["lines"], strict=True):
        if source != target:
            for (x, y), box in ((points[0], boxes[source]), (points[-1], boxes[target])):
                assert box[0] <= x <= box[2] and min(abs(y - box[1]), abs(y - box[3])) < 0.01


@given(drawings())
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_edges_of_a_drawing_without_cycles_lead_down(bench, drawing):
    sizes, ends = drawing
    edges = [sorted(pair) for pair in ends if pair[0] != pair[1]]
    result = bench.evaluate(f"tfmodelPage.layoutLayers({json.dumps(sizes)}, {json.dumps(edges)}, new Set(), new Set())")
    for source, target in edges:
        assert result["y"][source] + sizes[source][1] <= result["y"][target]


LAYERS = """((count, edges) => {
    const layer = tfmodelPage.layersOf(count, edges, new Set(), new Set());
    return edges.reduce((sum, [a, b]) => sum + layer[b] - layer[a], 0);
})"""


@given(st.lists(st.sampled_from([*itertools.combinations(range(5), 2)]), max_size=9))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_layers_have_the_smallest_sum_of_lengths(bench, edges):
    sums = [
        sum(layers[target] - layers[source] for source, target in edges)
        for layers in itertools.product(range(5), repeat=5)
        if all(layers[source] < layers[target] for source, target in edges)
    ]
    assert bench.evaluate(f"{LAYERS}(5, {json.dumps(edges)})") == min(sums)


# --- search ---

TESTS = """
x y layer MatMul w* ?a* op=MatMul op=Relu|Const op!=Const name=x name=layer/* dtype=float dtype!=int32 shape=?,1
shape=-1,64 shape=*,1 shape=[] size>10 size<1k inputs=2 controls>=1 consumers<2 outputs=1 input=x input!=weights
function=double function="" device=/cpu:0 device!=/cpu:0 attr.T attr.T=float attr.transpose_a=false attr.T!=int32 "x"
"""
WORDS = st.sampled_from(TESTS.split())
ITEMS = st.one_of(
    WORDS,
    st.builds(
        "{} of {}".format, st.sampled_from(["upstream", "downstream"]), st.sampled_from(["x", "y", "(op=Const)"])
    ),
    st.builds("{} of y within {}".format, st.sampled_from(["upstream", "downstream"]), st.integers(1, 3)),
    st.sampled_from(["path x to y", "MatMul -> Relu", "(op=Const) -> MatMul -> Relu", "Placeholder -> *"]),
)
QUERIES = st.recursive(
    ITEMS,
    lambda inner: st.one_of(
        st.builds("({})".format, inner),
        st.builds("not ({})".format, inner),
        st.builds("{} or {}".format, inner, inner),
        st.builds("({}) {}".format, inner, inner),
    ),
    max_leaves=5,
)


@given(QUERIES | st.text('xy=~,()"|*?- >or', max_size=12))
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_page_finds_what_find_does(bench, query):
    call = f"""(() => {{
        try {{ return tfmodelPage.findNodes({json.dumps(query)}).map((i) => tfmodelPage.model.names[i]); }}
        catch (error) {{ return error.constructor.name; }} }})()"""
    try:
        expected = find(models.graph(), query).names
    except QueryError:
        expected = "QueryError"
    assert bench.evaluate(call) == expected
