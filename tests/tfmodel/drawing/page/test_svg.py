"""The first picture as SVG: sound, the same each time, and hostile names stay text."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfmodel.drawing.families import FAMILIES
from tfmodel.drawing.page.data import page_data
from tfmodel.drawing.page.scene import Tree, lay_out
from tfmodel.drawing.page.svg import light_colours, svg
from tfmodel.messages import AttrValue, DataType, GraphDef, NodeDef, TensorShapeProto
from tfmodel.source.model_source import ModelSource

DATA = Path("tests/data")
SVG = "{http://www.w3.org/2000/svg}"


def texts_of(content: bytes) -> list[str]:
    return [element.text or "" for element in ET.fromstring(content).iter(f"{SVG}text")]


def scene_of(graph: GraphDef):
    header, columns = page_data(ModelSource.of(graph))
    return lay_out(Tree(header, columns, 0), lambda entry: (80.0 + entry % 7, 40.0), lambda entry: 50.0)


@pytest.mark.parametrize("name", ["linear.pb", "convnet.pb", "trained/model.meta", "linear"])
def test_models_become_images(name):
    content = svg(DATA / name)
    assert content == svg(DATA / name)
    assert texts_of(content)
    assert len(content) < 100_000


def test_an_image_shows_names_ops_shapes_and_closed_scopes():
    many = [NodeDef(name=f"side{n // 40}/n{n}", op="Relu", input=["x"]) for n in range(80)]
    graph = GraphDef(
        node=[NodeDef(name="x", op="Placeholder"), *many, NodeDef(name="y", op="Relu", input=["side0/n0"])]
    )
    texts = texts_of(svg(graph))
    assert {"x", "y", "Placeholder", "side0", "side1", "40 nodes", "Relu 40"} <= set(texts)


def many(names: str, **inputs: str) -> GraphDef:
    return GraphDef(node=[NodeDef(name=name, op="Relu", input=inputs.get(name, "").split()) for name in names.split()])


def rects_of(content: bytes) -> list[dict[str, str]]:
    return [element.attrib for element in ET.fromstring(content).iter(f"{SVG}rect")]


def test_an_image_of_two_models_marks_what_changed_by_colour_and_sign():
    content = svg(many("a b c"), many("b c d", c="b"))
    colours = light_colours()
    strokes = [rect["stroke"] for rect in rects_of(content) if rect.get("stroke-width") == "2"]
    assert sorted(strokes) == sorted(colours[status] for status in ("added", "changed", "removed"))
    assert [rect["stroke"] for rect in rects_of(content) if "stroke-dasharray" in rect] == [colours["removed"]]
    assert {"+", "\N{MINUS SIGN}", "\N{NOT EQUAL TO}"} <= set(texts_of(content))


def test_a_closed_scope_shows_how_many_nodes_inside_changed():
    nodes = " ".join(f"s{scope}/n{n}" for scope in range(3) for n in range(45))
    after = GraphDef(node=[NodeDef(name=name, op="Tanh") for name in nodes.split()])
    assert texts_of(svg(many(nodes), after)).count("\N{NOT EQUAL TO}45") == 2  # one is open


def test_an_overlay_colours_boxes_by_their_numbers():
    content = svg(many("a b c", b="a", c="b"), overlay={"a": 4.0, "b": 1.0, "gone": 9.0}, overlay_unit="ms")
    heat = [float(rect["fill-opacity"]) for rect in rects_of(content) if rect["fill"] == light_colours()["heat"]]
    assert heat == [0.47, 0.27]
    assert {"4ms", "1ms"} <= set(texts_of(content))


def test_lines_from_scopes_have_type_and_shape():
    shape = AttrValue(shape=TensorShapeProto(dim=[TensorShapeProto.Dim(size=7)]))
    dtype = AttrValue(type=DataType.DT_FLOAT)
    nodes = [NodeDef(name="x", op="Placeholder", attr={"dtype": dtype, "shape": shape})]
    for n in range(70):
        nodes.append(NodeDef(name=f"s/n{n}", op="Relu", input=[nodes[-1].name], attr={"T": dtype}))
    nodes.append(NodeDef(name="y", op="Tanh", input=["s/n69"], attr={"T": dtype}))
    assert texts_of(svg(GraphDef(node=nodes))).count("float32[7]") >= 1


@pytest.mark.parametrize(
    "graph", [GraphDef(), GraphDef(node=[NodeDef(name="a", op="NoOp", input=["a", "^b", "gone:7"])])]
)
def test_empty_and_damaged_graphs_become_images(graph):
    assert ET.fromstring(svg(graph)).tag == f"{SVG}svg"


def test_hostile_names_stay_text():
    names = [
        "</text><script>x</script>",
        '"><a href="javascript:x">',
        "nul\0\x1b",
        "\u202egnp.exe",
        "]]>",
        "&amp;",
        "a" * 100_000,
    ]
    names.append("/".join("d" * 300))
    graph = GraphDef(node=[NodeDef(name=name, op=name[:99], input=names[:place]) for place, name in enumerate(names)])
    content = svg(graph)
    tags = {element.tag.removeprefix(SVG) for element in ET.fromstring(content).iter()}
    assert tags <= {"svg", "title", "rect", "path", "text", "g"}
    assert "\u202e" not in content.decode()
    assert len(content) < 100_000


def test_an_image_has_no_path(tmp_path):
    path = tmp_path / "secret folder" / "graph.pb"
    path.parent.mkdir()
    path.write_bytes((DATA / "linear.pb").read_bytes())
    assert b"secret folder" not in svg(path)


def test_colours_are_those_of_the_page():
    assert len({family.colour for family in FAMILIES}) == len(FAMILIES)
    assert {"back", "line", "text", "soft", "box", "frame", "edge"} <= light_colours().keys()


NAMES = st.lists(st.text("ab/1", min_size=1, max_size=9), min_size=1, max_size=80, unique=True)


@given(NAMES, st.randoms(use_true_random=False))
def test_boxes_lie_in_their_frames_without_overlap_and_lines_end_at_boxes(names, random):
    nodes = [
        NodeDef(name=name, op=random.choice("AB"), input=random.sample(names, min(len(names), random.randrange(3))))
        for name in names
    ]
    scene = scene_of(GraphDef(node=nodes))
    for place, a in enumerate(scene.boxes):
        assert a.x >= 0 and a.y >= 0 and a.x + a.width <= scene.width + 0.01 and a.y + a.height <= scene.height + 0.01
        for b in scene.boxes[:place]:
            is_apart = (
                a.x + a.width <= b.x + 0.01
                or b.x + b.width <= a.x + 0.01
                or a.y + a.height <= b.y + 0.01
                or b.y + b.height <= a.y + 0.01
            )
            outer, inner = (a, b) if a.width * a.height > b.width * b.height else (b, a)
            is_inside = (
                outer.is_open
                and outer.x <= inner.x
                and outer.y <= inner.y
                and inner.x + inner.width <= outer.x + outer.width + 0.01
                and inner.y + inner.height <= outer.y + outer.height + 0.01
            )
            assert is_apart or is_inside
    for line in scene.lines:
        assert len(line.points) >= 2
        if line.has_arrow:
            x, y = line.points[-1]
            assert any(
                b.x <= x <= b.x + b.width and min(abs(y - b.y), abs(y - b.y - b.height)) < 0.01 for b in scene.boxes
            )
