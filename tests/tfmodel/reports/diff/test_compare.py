"""`diff`: the comparison of two models, and its report."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbwire.wellknown import Any
from tests.support.effort import scaled
from tests.support.strategies_graphs import graphs
from tests.tfmodel import models
from tfmodel.errors import FileFormatError, ModelError
from tfmodel.messages import (
    AttrValue,
    CollectionDef,
    FunctionDef,
    FunctionDefLibrary,
    GraphDef,
    MetaGraphDef,
    NodeDef,
    OpDef,
    SavedModel,
    TensorInfo,
    TensorProto,
    VersionDef,
)
from tfmodel.reports.diff import diff


def node(name, op="Relu", *inputs, device="", **attrs):
    return NodeDef(name=name, op=op, input=list(inputs), device=device, attr=attrs)


def graph(*nodes, **fields):
    return GraphDef(node=list(nodes), **fields)


def changes(a, b, **options):
    """Return the changes of the only changed node."""
    (changed,) = diff(graph(a), graph(b), **options).graph.changed
    return [str(change) for change in changed.changes]


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (node("n", "A"), node("n", "B"), ["op: A -> B"]),
        (node("n", device="/cpu:0"), node("n"), ["device removed: /cpu:0"]),
        (node("n", "A", "x"), node("n", "A", "x:1"), ["input 0: x -> x:1"]),
        (node("n", "A", "x"), node("n", "A", "x", "y"), ["inputs: x -> x, y"]),
        (node("n", "A"), node("n", "A", "y"), ["inputs: none -> y"]),
        (
            node("n", "A", "^x", "^y"),
            node("n", "A", "^z", "^y"),
            ["control input removed: ^x", "control input added: ^z"],
        ),
        (node("n", b=AttrValue(b=True)), node("n", b=AttrValue(b=False)), ["attr b: true -> false"]),
        (node("n", i=AttrValue(i=1)), node("n", j=AttrValue(i=1)), ["attr i removed: 1", "attr j added: 1"]),
        (node("n", i=AttrValue(i=1)), node("n", i=AttrValue(f=1)), ["attr i: 1 -> 1.0"]),
        (
            node("n", s=AttrValue(s=b"x" * 90)),
            node("n", s=AttrValue(s=b"x" * 80 + b"y" * 10)),
            [f'attr s: "{"x" * 40}"...: they have 90 and 90 bytes, and differ from byte 80 on'],
        ),
    ],
)
def test_changes_of_a_node(a, b, expected):
    assert changes(a, b) == expected


def test_many_inputs_show_the_first_that_differs():
    a, b = [f"x{i}" for i in range(20)], [f"x{i}" for i in range(20) if i != 8]
    assert changes(node("n", "Concat", *a), node("n", "Concat", *b)) == [
        "inputs: x0, x1, x2, x3, x4, x5, ... 20 inputs -> x0, x1, x2, x3, x4, x5, ... 19 inputs: "
        "the first that differs is input 8, x8 -> x9"
    ]


def test_long_lists_show_the_first_element_that_differs():
    lists = [AttrValue(list=AttrValue.ListValue(i=[*[0] * 30, last])) for last in (1, 2)]
    assert changes(node("n", l=lists[0]), node("n", l=lists[1])) == [
        "attr l: [0,0,0,0,0,0,0,0,... 31 in all]: element 30: 1 -> 2"
    ]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (node("n", "A", "^x"), node("n", "A", "^x", "^x")),
        (
            node("n", l=AttrValue(list=AttrValue.ListValue(tensor=[TensorProto(dtype=1, float_val=[2.0])]))),
            node("n", l=AttrValue(list=AttrValue.ListValue(tensor=[models.tensor([2.0])]))),
        ),
    ],
)
def test_differences_that_only_tensorflow_reports(a, b):
    assert diff(graph(a), graph(b)).same


class TestOptions:
    def test_the_order_of_nodes(self):
        a, b = graph(node("x"), node("y"), node("z")), graph(node("x"), node("z"), node("y"))
        assert diff(a, b).same
        report = diff(a, b, order=True)
        assert not report.same
        assert report.graph.order == '"z" is now in the place of "y"'

    def test_a_new_node_does_not_change_the_order_of_the_others(self):
        report = diff(graph(node("x"), node("y")), graph(node("x"), node("new"), node("y")), order=True)
        assert report.graph.order == ""

    def test_internal_attributes(self):
        a, b = node("n", _x=AttrValue(i=1)), node("n", _x=AttrValue(i=2))
        assert diff(graph(a), graph(b)).same
        assert changes(a, b, internal=True) == ["attr _x: 1 -> 2"]

    def test_versions_are_shown_and_count_on_request(self):
        a, b = graph(versions=VersionDef(producer=1)), graph(versions=VersionDef(producer=2))
        assert diff(a, b).same
        said = "versions: producer 1, for consumers from 0 -> producer 2, for consumers from 0"
        assert f"not counted: {said}\n" in diff(a, b).to_text()
        assert [str(change) for change in diff(a, b, versions=True).around] == [said]

    def test_an_attribute_with_the_declared_default_may_be_missing(self):
        a = graph(node("m", "MatMul", "x", "y", transpose_a=AttrValue(b=False)))
        b = graph(node("m", "MatMul", "x", "y"))
        assert not diff(a, b).same
        assert diff(a, b, defaults=False).same
        assert not diff(graph(node("m", "MatMul", "x", "y", transpose_a=AttrValue(b=True))), b, defaults=False).same

    @pytest.mark.parametrize("options", [{"atol": -1}, {"rtol": float("nan")}, {"atol": float("inf")}])
    def test_invalid_tolerances_are_refused(self, options):
        with pytest.raises(ValueError, match="tolerances must be finite and >= 0"):
            diff(graph(), graph(), **options)


class TestRenamed:
    def test_a_renamed_node(self):
        a = graph(node("x", "Placeholder"), node("old", "Relu", "x"), node("y", "Tanh", "old"))
        b = graph(node("x", "Placeholder"), node("new", "Relu", "x"), node("y", "Tanh", "new:0"))
        report = diff(a, b).graph
        assert report.renamed == {"old": "new"}
        assert [(change.name, change.follows) for change in report.changed] == [("y", True)]

    def test_a_renamed_scope(self):
        def chain(scope):
            nodes = [models.const(f"{scope}/w", [1.0, 2.0], 2), models.const(f"{scope}/v", [1.0, 2.0], 2)]
            nodes.append(node(f"{scope}/a", "Mul", "x", f"{scope}/w"))
            nodes.append(node(f"{scope}/b", "Mul", f"{scope}/a", f"{scope}/v", f"^{scope}/a"))
            return graph(node("x", "Placeholder"), *nodes[::-1])

        assert diff(chain("old"), chain("new")).graph.renamed == {f"old/{part}": f"new/{part}" for part in "wvab"}

    def test_ambiguous_renames_are_not_guessed(self):
        a = graph(node("x"), node("p", "Relu", "x"))
        b = graph(node("x"), node("q", "Relu", "x"), node("r", "Relu", "x"))
        assert diff(a, b).graph.renamed == {}

    def test_two_nodes_do_not_become_one(self):
        a = graph(node("x"), node("p", "Relu", "x"), node("q", "Relu", "x"))
        b = graph(node("x"), node("r", "Relu", "x"))
        assert len(diff(a, b).graph.renamed) <= 1


class TestFunctions:
    def library(self, *functions):
        return graph(library=FunctionDefLibrary(function=list(functions)))

    def function(self, name="f", op="Relu", ret="n:y:0", **fields):
        return FunctionDef(signature=OpDef(name=name, **fields), node_def=[node("n", op, "x")], ret={"y": ret})

    def test_added_and_removed(self):
        report = diff(self.library(self.function("f")), self.library(self.function("g"))).functions
        assert (report.removed, report.added, report.same) == (("f",), ("g",), False)

    def test_nodes_of_functions_are_compared(self):
        report = diff(self.library(self.function()), self.library(self.function(op="Tanh")))
        (changed,) = report.functions.changed
        assert [str(change) for change in changed.body.changed[0].changes] == ["op: Relu -> Tanh"]
        assert 'in the function "f":\n  changed (1):\n  ~ n  Tanh\n      op: Relu -> Tanh\n' in report.to_text()

    @pytest.mark.parametrize(
        ("fields", "expected"),
        [
            ({"input_arg": [OpDef.ArgDef(name="x", type=1)]}, "arguments: () -> (x: float32)"),
            ({"is_stateful": True}, "is_stateful: false -> true"),
            ({"ret": "n:y:1"}, "result y: n:y:0 -> n:y:1"),
        ],
    )
    def test_signatures_and_attributes_of_functions(self, fields, expected):
        report = diff(self.library(self.function()), self.library(self.function(**fields)))
        assert [str(change) for change in report.functions.changed[0].changes] == [expected]

    def test_descriptions_do_not_count(self):
        assert diff(self.library(self.function()), self.library(self.function(description="old"))).same


class TestAround:
    def test_signatures_tags_and_collections_of_meta_graphs(self):
        a, b = models.meta_graph(), models.meta_graph()
        assert diff(a, b).same
        key = next(iter(b.signature_def))
        name = next(iter(b.signature_def[key].inputs))
        b.signature_def[key].inputs[name] = TensorInfo(name="other:0", dtype=1)
        b.meta_info_def.tags.append("gpu")
        b.collection_def["new"] = CollectionDef(int64_list=CollectionDef.Int64List(value=[1, 2]))
        changes = [str(change) for change in diff(a, b).around]
        assert changes[0] == "tags added: gpu"
        assert changes[1].startswith(f"signature {key} input {name}: ")
        assert changes[2] == "collection new added: 2 values"
        assert not diff(a, b).same

    def test_an_added_signature(self):
        a, b = models.meta_graph(), models.meta_graph()
        b.signature_def["more"] = next(iter(b.signature_def.values()))
        (change,) = diff(a, b).around
        assert str(change).startswith("signature more added: (")

    def test_packed_messages_with_different_encodings_are_equal(self):
        def meta(*names, value=1):
            packed = node("n", **{name: AttrValue(i=value) for name in names}).to_bytes()
            value = Any(type_url="type.googleapis.com/tensorflow.NodeDef", value=packed)
            collection = CollectionDef(any_list=CollectionDef.AnyList(value=[value]))
            return MetaGraphDef(graph_def=graph(), collection_def={"c": collection})

        assert diff(meta("a", "b"), meta("b", "a")).same
        assert [str(change) for change in diff(meta("a"), meta("a", value=2)).around] == [
            "collection c: 1 value: they differ"
        ]

    def test_a_meta_graph_and_a_graph_are_compared_without_signatures(self):
        meta = models.meta_graph()
        report = diff(meta, meta.graph_def)
        assert report.same
        assert report.notes[0].startswith("only <a> has a MetaGraph: signatures and other data outside the graph")

    def test_values_of_variables_are_not_compared(self):
        report = diff(graph(node("v", "VariableV2")), graph(node("v", "VariableV2")))
        assert report.notes == ("values of variables were not compared",)

    def test_a_saved_model_is_its_meta_graph(self, tmp_path):
        models.write_saved_model(tmp_path / "model")
        graph_def = diff(tmp_path / "model", tmp_path / "model")
        assert graph_def.same
        many = SavedModel(meta_graphs=[models.meta_graph(), models.meta_graph()])
        with pytest.raises(FileFormatError, match="2 MetaGraphs"):
            diff(many, models.meta_graph())

    def test_messages_without_a_graph(self):
        with pytest.raises(TypeError, match="not OpDef"):
            diff(OpDef(), graph())
        with pytest.raises(ModelError, match="no graph"):
            diff(MetaGraphDef(), graph())


class TestLazy:
    def test_large_weights_that_did_not_change_are_not_decoded(self):
        a = graph(models.const("w", [0.5] * 50_000, 50_000), node("y", "Relu", "w"))
        data = a.to_bytes()
        a.node[0].device = "/gpu:0"
        before, after = (GraphDef.from_bytes(content, lazy=True) for content in (data, a.to_bytes()))
        assert [str(change) for change in diff(before, after).graph.changed[0].changes] == ["device added: /gpu:0"]
        # A view of the input, not a copy: the tensor was not decoded.
        assert any(isinstance(buffer, memoryview) for buffer in before.node[0].attr["value"].to_buffers())

    def test_damage_found_while_decoding_names_the_right_file(self, tmp_path):
        good = graph(node("a", T=AttrValue(s=b"abcdef")), node("b"))
        (tmp_path / "good.pb").write_bytes(good.to_bytes())
        (tmp_path / "bad.pb").write_bytes(good.to_bytes().replace(b"\x12\x06abcdef", b"\x12\x09abcdef"))
        for files in (("good.pb", "bad.pb"), ("bad.pb", "good.pb")):
            with pytest.raises(FileFormatError, match=r"bad\.pb: .*node\[0\]\.attr"):
                diff(*(tmp_path / name for name in files))


class TestReport:
    def test_text(self):
        a = graph(node("x", "Placeholder"), node("gone", "Abs", "x"), models.const("w", [1, 2], 2))
        b = graph(node("x", "Placeholder"), models.const("w", [1, 3], 2), node("new\x1b", "Neg", "w"))
        assert str(diff(a, b)) == (
            "--- <a>: 3 nodes\n"
            "+++ <b>: 3 nodes\n"
            "\n"
            "removed (1):\n"
            "- gone  Abs  x\n"
            "added (1):\n"
            "+ new\\x1b  Neg  w\n"
            "changed (1):\n"
            "~ w  Const\n"
            "    attr value: float32[2] [1.0, 2.0] -> float32[2] [1.0, 3.0]: "
            "1 of 2 elements differ, first [1], by at most 1 (relative 0.33333)\n"
            "\n"
            "nodes: 1 removed, 1 added, 1 changed, 1 the same\n"
        )

    def test_long_lists_are_cut_unless_full(self):
        report = diff(graph(), graph(*[node(f"n{i}", "Op", f"in{i}") for i in range(100)]))
        assert report.to_text().count("\n+ n") == 20
        assert "  ... and 80 more\n" in report.to_text()
        assert report.to_text(full=True).count("\n+ n") == 100

    def test_json(self):
        report = diff(graph(models.const("w", [1, float("inf")], 2)), graph(models.const("w", [1, 2], 2)))
        (changed,) = json.loads(report.to_json())["graph"]["changed"]
        assert changed["name"] == "w"
        assert changed["changes"][0]["tensor"] == {
            "elements": 2,
            "different": 1,
            "max_absolute": None,
            "max_relative": None,
            "first": [1],
        }

    def test_nodes_of_one_name_are_matched_in_order(self):
        a, b = graph(node("n", "A"), node("n", "B")), graph(node("n", "A"), node("n", "C"))
        assert changes_of(a, b) == ["op: B -> C"]


def changes_of(a, b):
    return [str(change) for node in diff(a, b).graph.changed for change in node.changes]


@settings(max_examples=scaled(30))
@given(graphs(), st.randoms(use_true_random=False))
def test_a_graph_equals_itself_in_any_order_and_lazily(graph, random):
    other = GraphDef.from_bytes(graph.to_bytes(), lazy=True)
    random.shuffle(other.node)
    report = diff(graph, other)
    assert report.same
    assert report.graph.unchanged == len(graph.node)


@settings(max_examples=scaled(30))
@given(graphs(), st.data())
def test_exactly_the_changed_node_is_reported(graph, data):
    other = GraphDef.from_bytes(graph.to_bytes())
    place = data.draw(st.integers(0, len(other.node) - 1))
    other.node[place].device += "/changed"
    report = diff(graph, other)
    assert [changed.name for changed in report.graph.changed] == [graph.node[place].name]
    assert not json.loads(report.to_json())["same"]
