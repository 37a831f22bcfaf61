"""`draw`: the Graphviz document of a graph is valid and readable."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.corpus import corpus, needs_corpus
from tests.support.effort import scaled
from tests.support.strategies_graphs import graphs
from tests.tfmodel import models
from tests.tfmodel.drawing.graphviz.grammar import parse, shown
from tfmodel import load
from tfmodel.drawing.graphviz import MAX_BOXES, draw, picture
from tfmodel.drawing.outlines import outline_of
from tfmodel.errors import GraphError
from tfmodel.messages import AttrValue, FunctionDef, FunctionDefLibrary, GraphDef, NameAttrList, NodeDef, OpDef
from tfmodel.source.model_source import ModelSource

FLOAT = AttrValue(type=1)


def node(name, op="Relu", *inputs, **attrs):
    return NodeDef(name=name, op=op, input=list(inputs), attr=attrs)


def graph(*nodes, **fields):
    return GraphDef(node=list(nodes), **fields)


class Drawn:
    """The boxes and edges of a document."""

    def __init__(self, dot):
        statements = parse(dot)
        self.boxes = {
            name: attrs for kind, name, attrs in (statement for statement in statements if statement[0] == "node")
        }
        edges = (
            statement[1:] for statement in statements if statement[0] == "edge" and statement[3].get("style") != "invis"
        )
        self.edges = {(source, target, attrs.get("style") == "dashed"): attrs for source, target, attrs in edges}
        self.links = sorted((source, target) for source, target, _ in self.edges)
        self.frames = [
            attrs["label"]
            for kind, name, attrs in (statement for statement in statements if statement[0] == "default")
            if name == "graph"
        ][1:]

    def lines(self, name):
        return shown(self.boxes[name]["label"])


def drawn(*nodes, **options):
    return Drawn(draw(graph(*nodes), **options))


class TestSmallGraphs:
    def test_nodes_are_boxes_with_name_and_op_and_inputs_are_edges(self):
        drawing = drawn(node("x", "Placeholder"), node("y", "Relu", "x"), node("z", "Add", "y", "x:1"))
        assert {name: drawing.lines(name) for name in drawing.boxes} == {
            "x": ["x", "Placeholder"],
            "y": ["y", "Relu"],
            "z": ["z", "Add"],
        }
        assert drawing.links == [("x", "y"), ("x", "z"), ("y", "z")]

    def test_inputs_and_outputs_have_green_frames(self):
        drawing = drawn(node("x", "Placeholder"), node("y", "Relu", "x"), node("z", "Neg", "y"))
        frames = {name: attrs.get("color") for name, attrs in drawing.boxes.items()}
        assert frames == {"x": "#38761d", "y": None, "z": "#38761d"}

    def test_control_edges_are_dashed(self):
        drawing = drawn(node("x", "Placeholder"), node("y", "Relu", "x", "^x"))
        assert sorted(drawing.edges) == [("x", "y", False), ("x", "y", True)]

    def test_two_tensors_between_two_nodes_are_one_edge_with_their_number(self):
        drawing = drawn(node("x", "Split"), node("y", "Add", "x", "x:1"))
        assert drawing.edges["x", "y", False]["label"] == "2 tensors"

    def test_known_shapes_are_labels_of_edges(self):
        drawing = drawn(
            node("x", "Placeholder", dtype=FLOAT, shape=AttrValue(shape=models.shape(-1, 4))),
            node("y", "Relu", "x", T=FLOAT),
            node("z", "Unheard", "y"),
            node("end", "Relu", "z"),
        )
        assert drawing.edges["y", "z", False]["label"] == "[?,4]"
        assert "label" not in drawing.edges["z", "end", False]

    def test_scopes_are_frames_but_not_around_one_box(self):
        drawing = drawn(node("a/b/x"), node("a/b/y", "Relu", "a/b/x"), node("c/d/z", "Relu", "a/b/y"), node("a/w"))
        assert drawing.frames == ["a", "b"]
        assert drawing.lines("c/d/z") == ["c/d/z", "Relu"]
        assert drawing.lines("a/b/x") == ["x", "Relu"]

    def test_a_node_with_the_name_of_a_scope_is_in_its_frame(self):
        drawing = drawn(node("w"), node("w/read", "Relu", "w"), node("x", "Relu", "w/read"))
        assert drawing.frames == ["w"]
        assert drawing.links == [("w", "w/read"), ("w/read", "x")]

    def test_missing_nodes_are_drawn_as_missing(self):
        drawing = drawn(node("y", "Relu", "x:1"))
        assert drawing.lines("x") == ["x", "missing"]
        assert drawing.links == [("x", "y")]

    def test_the_back_edge_of_a_loop_does_not_order_the_picture(self):
        drawing = drawn(node("start"), node("m", "Merge", "start", "n"), node("n", "NextIteration", "m"))
        assert drawing.edges["n", "m", False]["constraint"] == "false"

    def test_an_empty_graph(self):
        assert drawn().boxes == {}


class TestConstants:
    NODES = (
        node("x", "Placeholder"),
        models.const("mul/w", [1, 2, 3], 3),
        node("mul/w/read", "Identity", "mul/w"),
        node("mul/Mul", "Mul", "x", "mul/w/read"),
    )

    def test_constants_are_lines_in_their_consumers(self):
        drawing = drawn(*self.NODES)
        assert drawing.lines("mul/Mul") == ["mul/Mul", "Mul", "w: float32[3] [1.0, 2.0, 3.0]"]
        assert drawing.boxes.keys() == {"x", "mul/Mul"}

    def test_constants_are_boxes_on_request(self):
        drawing = drawn(*self.NODES, constants=True)
        assert drawing.lines("mul/w") == ["w", "Const", "float32[3] [1.0, 2.0, 3.0]"]
        assert ("mul/w/read", "mul/Mul") in drawing.links

    def test_an_unused_constant_is_a_box(self):
        assert drawn(models.const("w", [1.0])).boxes.keys() == {"w"}

    def test_many_constants_are_counted(self):
        consts = [models.const(f"c{i}", [float(i)]) for i in range(9)]
        drawing = drawn(*consts, node("n", "AddN", *[const.name for const in consts]))
        assert drawing.lines("n")[-1] == "and 6 more values"
        drawing = drawn(*consts[:4], node("n", "AddN", *[const.name for const in consts[:4]]))
        assert drawing.lines("n")[-1] == "and 1 more value"


class TestFolding:
    def chain(self, count, name="block_{}/relu_{}"):
        nodes = [node("x", "Placeholder")]
        for number in range(count):
            nodes.append(node(name.format(number // 10, number), "Relu", nodes[-1].name))
        return graph(*nodes)

    def test_depth(self):
        drawing = Drawn(draw(self.chain(30), depth=1))
        assert drawing.links == [("block_0/*", "block_1/*"), ("block_1/*", "block_2/*"), ("x", "block_0/*")]
        assert drawing.lines("block_0/*") == ["block_0/", "10 nodes", "10 Relu"]
        assert len(Drawn(draw(self.chain(30), depth=2)).boxes) == 31

    def test_a_large_graph_is_opened_to_60_boxes_with_a_note(self):
        result = picture(self.chain(300))
        assert result.boxes == 58
        assert result.notes == ("301 nodes in 58 boxes; --depth 2 gives 301",)

    def test_too_many_boxes_for_graphviz_give_a_note(self):
        note = picture(self.chain(440), depth=2).notes
        assert note == ()
        note = picture(graph(*[node(f"s{n // 40}/n{n}") for n in range(600)]), depth=2).notes
        assert note == ("600 boxes take dot long to lay out; sfdp is faster, --around shows a part",)

    def test_a_small_graph_is_not_folded(self):
        result = picture(self.chain(50))
        assert (result.boxes, result.notes) == (51, ())

    def test_equal_blocks_beside_each_other_are_one_stack(self):
        nodes = [node("x", "Placeholder")]
        for number in range(70):
            nodes += [node(f"check_{number}/a", "Abs", "x"), node(f"check_{number}/b", "Neg", f"check_{number}/a")]
        drawing = Drawn(draw(graph(*nodes, node("y", "AddN", *[f"check_{n}/b" for n in range(70)])), depth=1))
        title = "check_* \N{MULTIPLICATION SIGN}70"
        stack = next(name for name in drawing.boxes if drawing.lines(name)[0] == title)
        assert drawing.lines(stack) == [title, "140 nodes", "70 Abs, 70 Neg"]
        assert drawing.links == [(stack, "y"), ("x", stack)]

    def test_a_long_list_without_scopes_is_in_parts(self):
        drawing = Drawn(draw(self.chain(600, "relu_{1}")))
        assert len(drawing.boxes) <= MAX_BOXES
        assert len(drawing.links) == len(drawing.boxes) - 1

    def test_a_network_in_one_scope_is_not_one_box(self):
        nodes = self.chain(160, "net/block{}_relu_{}/Relu").node
        result = picture(graph(*nodes))
        assert result.notes == ("161 nodes in 59 boxes; --depth 3 gives 161",)
        assert len(Drawn(result.dot).links) == 58

    def test_edges_between_folded_scopes_are_bundled(self):
        nodes = [node("a/x", "P"), node("a/y", "P")]
        nodes += [node("b/x", "Add", "a/x", "a/y"), node("b/y", "Abs", "a/x", "^a/y")]
        drawing = drawn(*nodes, depth=1)
        assert {key: attrs.get("label") for key, attrs in drawing.edges.items()} == {
            ("a/*", "b/*", False): "2 tensors",
            ("a/*", "b/*", True): None,
        }

    @pytest.mark.parametrize(
        ("names", "titles", "frames"),
        [
            (["a/b/b", "x"], ["a/b/b", "x"], []),
            (["a/b/b", "a/c"], ["b/b", "c"], ["a"]),
            (["a/b", "a/b/c", "a/d"], ["b", "c", "d"], ["a", "b"]),
        ],
    )
    def test_a_frame_around_a_single_box_is_part_of_its_title(self, names, titles, frames):
        drawing = drawn(*map(node, names))
        assert ([drawing.lines(name)[0] for name in names], drawing.frames) == (titles, frames)

    def test_a_link_of_a_box_with_itself_makes_no_hub(self):
        others = [node(f"out{number}", "Relu", "x") for number in range(12)]
        drawing = drawn(node("x", "Merge", "in", "x"), node("in", "Placeholder"), *others[:7])
        assert len(drawing.links) == 9

    def test_saving_stands_aside_without_edges(self):
        nodes = self.chain(300).node
        nodes.append(node("save/all", "SaveV2", *[other.name for other in nodes[1:]]))
        nodes.append(node("save/end", "NoOp", "^save/all"))
        result = picture(graph(*nodes))
        drawing = Drawn(result.dot)
        assert drawing.lines("save/*")[-1] == "linked with 57 boxes"
        assert not any("save/*" in link for link in drawing.links)
        assert 'set aside, without edges: "save"; --all-edges draws them' in result.notes
        everything = Drawn(draw(graph(*nodes), all_edges=True))
        assert sum("save/*" in link for link in everything.links) == 57

    @pytest.mark.slow(reason="reads or transforms inputs that are large")
    @needs_corpus
    def test_a_large_training_graph_shows_its_layers(self):
        drawing = Drawn(draw(load(corpus / "generated" / "conv_train.meta", GraphDef, lazy=True)))
        assert len(drawing.boxes) <= MAX_BOXES
        assert {(f"block_{number}/*", f"block_{number + 1}/*") for number in range(10, 23)} <= set(drawing.links)
        assert len(drawing.links) < 70


def test_documents_have_the_boxes_that_say_most():
    tree = outline_of(ModelSource.of("tests/data/convnet.pb"), "").tree
    boxes = Drawn(draw("tests/data/convnet.pb")).boxes
    assert boxes.keys() == {tree.entries[number].path for number in tree.boxes(tree.first_open())}


class TestDifferences:
    def test_changed_nodes_have_a_colour_and_a_sign(self):
        def many(names, **inputs):
            return graph(*[node(name, "Relu", *inputs.get(name, "").split()) for name in names.split()])

        drawing = Drawn(draw(many("a b c"), many("b c d", c="b")))
        signs = {name: drawing.lines(name)[-1] for name in drawing.boxes}
        assert signs == {"a": "\N{MINUS SIGN}", "b": "Relu", "c": "\N{NOT EQUAL TO}", "d": "+"}
        colours = [attrs.get("color") for attrs in drawing.boxes.values()]
        assert len({*colours}) == 4
        assert drawing.boxes["a"]["style"] == "rounded,filled,dashed"

    def test_a_closed_scope_shows_how_many_nodes_inside_changed(self):
        names = [f"s{scope}/n{number}" for scope in range(3) for number in range(45)]
        before, after = (graph(*[node(name, op) for name in names]) for op in ("Relu", "Tanh"))
        drawing = Drawn(draw(before, after))
        assert [drawing.lines(name)[-1] for name in drawing.boxes].count("\N{NOT EQUAL TO}45") == 2  # one is open

    def test_an_overlay_colours_boxes_by_their_numbers(self):
        nodes = graph(node("a"), node("b", "Relu", "a"), node("c", "Relu", "b"))
        drawing = Drawn(draw(nodes, overlay={"a": 4.0, "b": 1.0, "gone": 9.0}, overlay_unit="ms"))
        assert [drawing.lines(name)[-1] for name in "abc"] == ["4ms", "1ms", "Relu"]
        assert len({drawing.boxes[name]["fillcolor"] for name in "abc"}) == 3


class TestAround:
    CHAIN = (node("a"), *[node(name, "Relu", before) for before, name in zip("abcdef", "bcdefg", strict=True)])

    @pytest.mark.parametrize(("radius", "names"), [(0, "d"), (1, "cde"), (2, "bcdef"), (9, "abcdefg")])
    def test_radius(self, radius, names):
        drawing = drawn(*self.CHAIN, around="d", radius=radius)
        assert "".join(drawing.boxes) == names
        assert drawing.boxes["d"]["penwidth"] == "3"

    def test_control_edges_are_followed_one_step(self):
        drawing = drawn(node("a"), node("b", "Relu", "^a"), node("c", "Relu", "b"), node("d", "NoOp", "^c"), around="b")
        assert drawing.boxes.keys() == {"a", "b", "c"}

    def test_the_scope_of_the_node_stays_open(self):
        nodes = [node("x"), *[node(f"near/n{i}", "Relu", "x") for i in range(20)]]
        nodes += [node(f"far/n{i}", "Relu", f"near/n{i % 20}") for i in range(200)]
        drawing = drawn(*nodes, around="near/n3", radius=3)
        assert {"near/n3", "near/n4"} <= drawing.boxes.keys()
        assert len(drawing.boxes) <= MAX_BOXES

    def test_a_constant_can_be_the_center(self):
        drawing = drawn(models.const("w", [1.0]), node("y", "Relu", "w"), around="w:0")
        assert drawing.links == [("w", "y")]

    def test_an_unknown_node_is_refused(self):
        with pytest.raises(GraphError, match='there is no node "con"; did you mean "conv"'):
            draw(graph(node("conv")), around="con")

    def test_a_scope_instead_of_a_node_is_refused(self):
        with pytest.raises(GraphError, match='"conv" is a scope, not a node; in it are "conv/w", "conv/y"'):
            draw(graph(node("conv/w"), node("conv/y")), around="conv")

    @pytest.mark.parametrize("options", [{"depth": 0}, {"radius": -1}])
    def test_invalid_depths_and_radii_are_refused(self, options):
        with pytest.raises(ValueError, match="depth must be >= 1"):
            draw(graph(), **options)


class TestFunctions:
    FUNCTION = FunctionDef(
        signature=OpDef(
            name="f", input_arg=[OpDef.ArgDef(name="a", type=1)], output_arg=[OpDef.ArgDef(name="r", type=1)]
        ),
        node_def=[node("n", "Relu", "a"), node("m", "Neg", "n:activations:0", "^n")],
        ret={"r": "m:y:0"},
        control_ret={"done": "n"},
    )
    GRAPH = graph(
        node("x", "Placeholder"),
        node("y", "PartitionedCall", "x", f=AttrValue(func=NameAttrList(name="f"))),
        library=FunctionDefLibrary(function=[FUNCTION]),
    )

    def test_a_function_has_its_arguments_and_results(self):
        drawing = Drawn(draw(self.GRAPH, function="f"))
        assert drawing.lines("a") == ["a", "argument"]
        assert drawing.lines("r") == ["r", "result"]
        assert {("a", "n"), ("n", "m"), ("m", "r")} <= set(drawing.links)

    def test_a_call_names_its_function(self):
        assert Drawn(draw(self.GRAPH, function="")).lines("y") == ["y", "PartitionedCall", "calls f"]

    def test_the_function_that_computes_the_outputs_is_drawn(self):
        result = picture(self.GRAPH)
        assert result.dot.splitlines()[0] == 'digraph "model, function f" {'
        assert result.notes[-1] == "function \"f\" computes the outputs; --function '' draws the graph that calls it"

    def test_other_functions_are_named(self):
        works = [node(f"n{n}", "Relu", f"n{n - 1}" if n else "x") for n in range(5)]
        result = picture(graph(node("x", "Placeholder"), *works, library=self.GRAPH.library))
        assert result.notes == ('1 function not drawn: "f"; --function draws one',)

    def test_an_unknown_function_is_refused(self):
        with pytest.raises(GraphError, match='there is no function "g"'):
            draw(self.GRAPH, function="g")


NAMES = [
    'a"b',
    "a\\",
    "a\\n",
    "a:1",
    "a\nb",
    "a\x1b[31m",
    "a&lt;b",
    "<b>a</b>",
    "{a|b}",
    "größe",
    "a b",
    "->",
    "",
    "/",
    "a//b",
    "box 0",
    "graph",
    "node",
    "\\N",
    '"',
    '\\"',
    "x" * 5000,
    "a/" * 500,
]


class TestNames:
    def test_any_node_name_is_shown_and_quoted(self):
        nodes = [node(name, name) for name in NAMES]
        drawing = drawn(*nodes)
        assert len(drawing.boxes) == len(NAMES)
        labels = [shown(attrs["label"]) for attrs in drawing.boxes.values()]
        assert ['a"b'] in labels
        assert ["a\\"] in labels
        assert ["a&lt;b"] in labels
        assert ["a\\x1b[31m"] in labels

    def test_different_names_stay_different_boxes(self):
        nodes = [node("a\x1b"), node("a\\x1b"), node("a/*"), node("a/b"), node("a/c"), node("box 0"), node("box 1")]
        drawing = drawn(*nodes)
        assert len(drawing.boxes) == len(nodes)

    @pytest.mark.skipif(shutil.which("dot") is None, reason="needs Graphviz")
    def test_graphviz_reads_all_names(self):
        dot = draw(graph(*[node(name, name, "x") for name in NAMES[:-2]], node("x")), title='"\\')
        done = subprocess.run(["dot", "-Tplain"], input=dot.encode(), capture_output=True, timeout=60, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.count(b"\nnode ") == len(NAMES) - 2 + 1

    @settings(max_examples=scaled(100))
    @given(st.lists(st.text(max_size=8), min_size=1, max_size=5, unique=True))
    def test_any_name_gives_a_valid_document(self, names):
        drawing = drawn(*[node(name, name, *names) for name in names])
        assert drawing.boxes  # some names stand in one box, with others that outputs do not use


@settings(max_examples=scaled(30))
@given(graphs(), st.sampled_from([None, 1, 2, 99]), st.booleans())
def test_every_node_is_in_a_box_and_the_same_graph_gives_the_same_document(graph, depth, constants):
    before = graph.to_bytes()
    options = {"depth": depth, "constants": constants, "function": ""}
    dot = draw(graph, **options)
    assert dot == draw(GraphDef.from_bytes(before, lazy=True), **options)
    assert graph.to_bytes() == before
    drawing = Drawn(dot)
    assert {name for link in drawing.links for name in link} <= drawing.boxes.keys()
    folded = [name for name, attrs in drawing.boxes.items() if attrs.get("shape") == "box3d"]
    counts = [drawing.lines(name)[1].split()[0] for name in folded]
    if constants:
        assert sum(map(int, counts)) + len(drawing.boxes) - len(counts) == len(graph.node)
