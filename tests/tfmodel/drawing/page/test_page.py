"""The page as a file: equal bytes, its size, and that names of a model stay data."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
import shutil
import struct
import subprocess
import sys
import zlib
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tests.tfmodel import models
from tfmodel import Model, from_ndarray
from tfmodel.analysis import facts
from tfmodel.analysis.endpoints import selection
from tfmodel.drawing.outlines import title_of
from tfmodel.drawing.page import carried, page
from tfmodel.drawing.page.document import MODULES, page_file
from tfmodel.messages import AttrValue, DataType, GraphDef, NameAttrList, NodeDef, TensorShapeProto


def header_of(content: bytes) -> dict:
    """Return the header of the data of a page."""
    packed = re.search(rb'id="data">([^<]*)<', content)[1]
    data = zlib.decompress(base64.b64decode(packed), -15)
    (length,) = struct.unpack_from("<I", data)
    return json.loads(data[4 : 4 + length])


def test_equal_input_gives_equal_bytes():
    assert page(models.graph()) == page(models.graph())


def test_a_page_without_values_needs_no_numpy(tmp_path):
    meta = tmp_path / "model.meta"  # without the checkpoint beside it
    meta.write_bytes(Path("tests/data/trained/model.meta").read_bytes())
    program = (
        "import sys\n"
        "from tfmodel.drawing.page import page\n"
        "page(sys.argv[1])\n"
        "slow = {'numpy', 'h5py', 'tfmodel.files.keras.file', 'tfmodel.freezing', 'tfmodel.drawing.graphviz'}\n"
        "print(slow & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", program, meta], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_a_page_has_no_path(tmp_path):
    path = tmp_path / "secret folder" / "graph.pb"
    path.parent.mkdir()
    path.write_bytes(models.graph().to_bytes())
    content = page(path)
    data = json.dumps(header_of(content))
    assert "secret folder" not in data and b"secret folder" not in content
    assert header_of(content)["title"] == "graph.pb"


@pytest.mark.parametrize("place", ["plain", "with a space"])
def test_a_page_of_a_model_with_a_checkpoint_has_no_path(place, tmp_path):
    folder = tmp_path / place / "trained"
    shutil.copytree("tests/data/trained", folder)
    for path in (folder, folder / "model.meta"):
        header = header_of(page(path))
        assert str(folder.parent) not in json.dumps(header)
        assert re.findall(r"checkpoint (\S+):", header["report"]["text"]) == ["model"]
        assert f"tfmodel freeze {header['title']} " in header["report"]["text"]


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("a/b/graph.pb", "graph.pb"),
        ("a\\b\\graph.pb", "graph.pb"),
        ("a/mnist/saved_model.pb", "mnist"),
        ("a/mnist/00012/saved_model.pbtxt", "mnist/00012"),
        ("/12/saved_model.pb", "12"),
        ("./saved_model.pb", "saved_model.pb"),
        ("", "model"),
    ],
)
def test_a_page_has_the_title_of_the_file_or_of_the_folder_of_a_saved_model(name, title):
    assert title_of(SimpleNamespace(name=name)) == title


def test_the_policy_allows_only_the_own_script_and_style():
    content = page(models.graph()).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', content)[1]
    script = content.rpartition("<script>")[2].partition("</script>")[0]
    style = content.partition("<style>")[2].partition("</style>")[0]
    for name, text in (("script-src", script), ("style-src", style)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{name} 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy and "http" not in policy


def test_names_are_not_in_the_html():
    graph = GraphDef(node=[NodeDef(name="</script><script>alert(1)</script>", op="NoOp")])
    assert b"alert(1)" not in page(graph)


def test_the_title_is_escaped(tmp_path):
    path = tmp_path / "<img src=x onerror=alert(1)>.pb"
    path.write_bytes(models.graph().to_bytes())
    assert b"<img" not in page(path)


DIM = TensorShapeProto.Dim


def listed(**values) -> AttrValue:
    return AttrValue(list=AttrValue.ListValue(**values))


@pytest.mark.parametrize(
    ("value", "is_list", "elements"),
    [
        (AttrValue(i=-3), 0, [["i", -3]]),
        (AttrValue(i=2**60), 0, [["i", str(2**60)]]),
        (AttrValue(b=True), 0, [["b", True]]),
        (AttrValue(f=0.0), 0, [["f", "0.0"]]),
        (AttrValue(f=-0.0), 0, [["f", "-0.0"]]),
        (AttrValue(f=math.inf), 0, [["f", "inf"]]),
        (AttrValue(type=DataType.DT_HALF), 0, [["type", "float16"]]),
        (AttrValue(s=b"a\xff"), 0, [["s", "a\ufffd"]]),
        (AttrValue(s=bytearray(b"a")), 0, [["s", "a"]]),
        (listed(s=[bytearray(b"a")]), 1, [["s", "a"]]),
        (AttrValue(placeholder="T"), 0, [["placeholder", "$T"]]),
        (AttrValue(shape=TensorShapeProto(dim=[DIM(size=-1), DIM(size=3)])), 0, [["shape", "[?,3]"]]),
        (AttrValue(shape=TensorShapeProto(unknown_rank=True)), 0, [["shape", "of unknown rank"]]),
        (AttrValue(func=NameAttrList(name="f")), 0, [["func", "f"]]),
        (listed(), 1, []),
        (listed(f=[0.0, -0.0]), 1, [["f", "0.0"], ["f", "-0.0"]]),
        (listed(i=[1], b=[True], s=[b"x"]), 1, [["s", "x"], ["i", 1], ["b", True]]),
        (listed(shape=[TensorShapeProto()]), 1, [["shape", "[]"]]),
    ],
)
def test_attributes_on_the_page(value, is_list, elements):
    graph = GraphDef(node=[NodeDef(name="n", op="NoOp", attr={"a": value})])
    for model in (graph, graph.to_bytes()):
        [row] = [rows for rows in header_of(page(model))["attributes"] if rows]
        assert repr(row) == repr([["a", is_list, elements]])


def test_long_attributes_are_cut():
    values = {"s": AttrValue(s=b"x" * 9000), "list": listed(s=[b"y" * 100] * 90)}
    header = header_of(page(GraphDef(node=[NodeDef(name="n", op="NoOp", attr=values)])))
    rows = {name: elements for name, _, elements in header["attributes"][0]}
    assert len(rows["s"][0][1]) == 2000
    assert 20 <= len(rows["list"]) <= 23 and rows["list"][-1] == ["s", "\N{HORIZONTAL ELLIPSIS}"]


def test_script_and_style_are_in_the_page_as_written_and_take_at_most_200_000_bytes():
    content = page(models.graph())
    script = content.rpartition(b"<script>")[2].partition(b"</script>")[0]
    style = content.partition(b"<style>")[2].partition(b"</style>")[0]
    for module in MODULES:
        assert page_file(f"js/{module}.js").encode() in script
    assert style == page_file("page.css").encode()
    assert len(script) + len(style) <= 200_000


def most_bytes(header: dict) -> int:
    """Return the size that a page may have."""
    cells = sum(len(weight["map"]["cells"]) for weight in header["weights"] if "map" in weight)
    return (200 << 10) + 40 * len(header["names"]) + 200 * len(header["weights"]) + cells + carried_bytes(header)


def carried_bytes(header: dict) -> int:
    """Return how many bytes of a page are values of weights, which are not compressed well."""
    rows = [weight["values"] for weight in header["weights"] if "values" in weight]
    return 4 * max((row["at"] + row["count"] * int(row["type"][2:]) for row in rows), default=0) // 3


@pytest.mark.parametrize("name", ["linear.pb", "linear", "trained", "trained/model.meta", "convnet.pb"])
def test_pages_of_small_models_are_small(name):
    content = page(f"tests/data/{name}", values="all")
    assert len(content) <= most_bytes(header_of(content))


def test_a_weight_has_at_most_200_bytes_beside_its_values(monkeypatch):
    monkeypatch.setitem(carried.MAX_BYTES, "all", 0)
    values = np.random.default_rng(1).normal(size=(100, 1000)).astype(np.float32)
    weights = {
        f"layer_{place}/bias": AttrValue(tensor=from_ndarray(row * (place + 1))) for place, row in enumerate(values)
    }
    graph = GraphDef(node=[NodeDef(name="x", op="Placeholder")])
    for name, value in weights.items():
        graph.node.append(NodeDef(name=name, op="Const", attr={"dtype": AttrValue(type=1), "value": value}))
        inputs = [graph.node[-2].name, name]
        graph.node.append(NodeDef(name=f"{name}_add", op="BiasAdd", input=inputs, attr={"T": AttrValue(type=1)}))
    sizes = [len(page(graph, values=values)) for values in ("none", "all")]
    assert 0 < sizes[1] - sizes[0] <= 200 * len(weights)


def test_values_take_at_most_four_thirds_of_a_byte_for_each_byte():
    values = np.random.default_rng(1).normal(size=(200, 300)).astype(np.float32)
    nodes = [
        NodeDef(name="x", op="Placeholder"),
        NodeDef(
            name="w", op="Const", attr={"dtype": AttrValue(type=1), "value": AttrValue(tensor=from_ndarray(values))}
        ),
        NodeDef(name="y", op="MatMul", input=["x", "w"], attr={"T": AttrValue(type=1)}),
    ]
    content = page(GraphDef(node=nodes), values="all")
    assert values.nbytes < carried_bytes(header_of(content)) <= 4 / 3 * values.nbytes
    assert len(content) <= most_bytes(header_of(content))


def test_a_node_has_at_most_40_bytes():
    def nodes(count):
        return GraphDef(
            node=[
                NodeDef(name=f"s{i // 50}/n{i}", op="Relu", input=[f"s{(i - 1) // 50}/n{i - 1}"] * (i > 0))
                for i in range(count)
            ]
        )

    assert len(page(nodes(5000))) - len(page(nodes(1))) <= 40 * 5000


def test_difference_counts_are_those_of_diff():
    before = GraphDef(node=[NodeDef(name="a", op="NoOp"), NodeDef(name="b", op="NoOp")])
    after = GraphDef(node=[NodeDef(name="b", op="Relu"), NodeDef(name="c", op="NoOp")])
    header = header_of(page(before, after))
    assert header["difference"]["counts"] == {"removed": 1, "added": 1, "changed": 1, "unchanged": 0}
    assert sorted((header["names"][node], kind) for node, kind, _ in header["difference"]["status"]) == [
        ("a", "removed"),
        ("b", "changed"),
        ("c", "added"),
    ]


def test_weights_are_those_of_the_report():
    model = Model("tests/data/linear.pb")
    header = header_of(model.draw())
    assert [weight["name"] for weight in header["weights"]] == [weight.name for weight in model.weights()]
    assert len(header["weights"][0]["histogram"]["levels"]) == 64


@pytest.mark.parametrize("options", [{"tab": "graphs"}, {"values": "some"}])
def test_unknown_choices_are_refused(options):
    with pytest.raises(ValueError, match="must be"):
        page(models.graph(), **options)


def test_a_notebook_shows_the_page_in_a_sandbox():
    html = Model("tests/data/linear.pb")._repr_html_()
    assert html.startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;')
    assert 'sandbox="allow-scripts allow-downloads"' in html


def test_shapes_and_outputs_are_inferred_once_for_one_page(monkeypatch):
    calls = []
    infer, select = facts.infer_shapes, selection.infer_endpoints

    def counted(*given, **options):
        if "like" not in options:  # the shapes for a batch of 1 are made from those for any batch
            calls.append(1)
        return infer(*given, **options)

    monkeypatch.setattr(facts, "infer_shapes", counted)
    monkeypatch.setattr(
        selection, "infer_endpoints", lambda *given, **options: calls.append(2) or select(*given, **options)
    )
    page(models.graph())
    assert sorted(calls) == [1, 2]
