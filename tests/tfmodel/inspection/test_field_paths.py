"""`tfmodel.inspection.field_paths`: finding a field by its path."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tfmodel import models
from tfmodel.inspection.field_paths import FieldPathError, parse, select
from tfmodel.messages import AttrValue, DataType, FunctionDef, GraphDef, NodeDef

GRAPH = models.graph()


def found(message, path):
    return [(hit.path, hit.value) for hit in select(message, path)]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("node[0].name", [("node[0].name", "x")]),
        ("node[-1].name", [("node[3].name", "y")]),
        ("node[3].input", [("node[3].input", ["layer/MatMul", "^x"])]),
        ("node[3].input[1]", [("node[3].input[1]", "^x")]),
        ('node["weights"].op', [('node["weights"].op', "Const")]),
        ("node[layer/MatMul].op", [('node["layer/MatMul"].op', "MatMul")]),
        ('node[1].attr["dtype"].type', [('node[1].attr["dtype"].type', DataType.DT_FLOAT)]),
        ("node[1].attr['dtype'].type", [('node[1].attr["dtype"].type', DataType.DT_FLOAT)]),
        ("node[1].attr[dtype].type", [('node[1].attr["dtype"].type', DataType.DT_FLOAT)]),
        ("node[ 1 ].attr[ dtype ].type", [('node[1].attr["dtype"].type', DataType.DT_FLOAT)]),
        ("versions.producer", [("versions.producer", 1482)]),
        ("versions.min_consumer", [("versions.min_consumer", 0)]),
        ("node[*].name", [(f"node[{i}].name", name) for i, name in enumerate(["x", "weights", "layer/MatMul", "y"])]),
        ("node[*].attr[*].b", [('node[2].attr["transpose_b"].b', True), ('node[2].attr["transpose_a"].b', False)]),
        ("node.*.op", [(f"node[{i}].op", op) for i, op in enumerate(["Placeholder", "Const", "MatMul", "Relu"])]),
        ("versions.*", [("versions.producer", 1482)]),
        ("node[*].device[*]", None),
        ("library.function[0].ret[y]", [('library.function[0].ret["y"]', "sum:z:0")]),
    ],
)
def test_what_a_path_leads_to(path, expected):
    if expected is None:
        with pytest.raises(FieldPathError, match=r"node\[0\]\.device is a single value"):
            found(GRAPH, path)
    else:
        assert found(GRAPH, path) == expected


def test_maps_with_numbers_as_keys():
    function = FunctionDef(resource_arg_unique_id={3: 7, 12: 8})
    assert found(function, "resource_arg_unique_id[12]") == [("resource_arg_unique_id[12]", 8)]
    assert [path for path, _ in found(function, "resource_arg_unique_id[*]")] == [
        "resource_arg_unique_id[3]",
        "resource_arg_unique_id[12]",
    ]
    with pytest.raises(FieldPathError, match=r"\[4\] is not there: the keys are 3, 12"):
        found(function, "resource_arg_unique_id[4]")
    with pytest.raises(FieldPathError, match="the keys are 3, 12"):
        found(function, "resource_arg_unique_id[x]")


def test_a_path_that_was_found_leads_to_the_same_place():
    for hit in select(models.saved_model(), "meta_graphs[*].graph_def.node[*].attr[*]"):
        assert [again.value for again in select(models.saved_model(), hit.path)] == [hit.value]


def test_keys_that_need_escapes():
    node = NodeDef(attr={'a"]\\\n\x1b': AttrValue(i=1)})
    (hit,) = select(node, "attr[*].i")
    assert hit.path == r'attr["a\"]\\\n\u001b"].i'
    assert found(node, hit.path) == [(hit.path, 1)]


def test_the_row_and_the_message_around_are_told():
    (hit,) = select(GRAPH, "node[0].name")
    assert hit.field.name == "name"
    assert hit.owner is GRAPH.node[0]


def test_results_come_one_at_a_time():
    nodes = [NodeDef(name="first"), None]
    assert next(iter(select(GraphDef(node=nodes), "node[*].name"))).value == "first"


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("nodes", 'GraphDef has no field nodes; did you mean "node"?'),
        ("banana", "GraphDef has no field banana; it has node, versions, version, library, debug_info"),
        ("node[4]", "node[4] is not there: node has 4 elements"),
        ("node[-5]", "node[-5] is not there: node has 4 elements"),
        ("node.name", "node has 4 elements: write node[0].name, or node[*].name"),
        ("library.function.signature", "library.function has 1 element: write"),
        ('node["wieghts"]', 'node["wieghts"] is not there; did you mean "weights"?'),
        ("node[1].attr[valeu].tensor", 'node[1].attr[valeu] is not there: the keys are "dtype", "value"'),
        ("node[1].attr.value", 'node[1].attr has 2 entries: write node[1].attr["key"].value'),
        ("node[0].attr[dtype].i", 'node[0].attr["dtype"].i is not set; type is'),
        ("debug_info.files", "debug_info is not set"),
        ("node[0].name.x", "node[0].name is a single value; it has no field x"),
        ("node[0].name[0]", "node[0].name is neither a list nor a map"),
        ("versions[0]", "versions is neither a list nor a map"),
        ("[0]", "the message is neither a list nor a map"),
        ("node[3].input[x]", "node[3].input is a list: its index is a number, or *"),
        ("node[3].input[99999999999999999999]", "its index is a number"),
        ("node[*].nmae", 'NodeDef has no field nmae; did you mean "name"?'),
        ("node[*].attr[nothing]", 'node[0].attr[nothing] is not there: the keys are "dtype", "shape"'),
        ("versions.*.x", "versions.producer is a single value"),
    ],
)
def test_a_path_that_leads_nowhere_says_what_is_there(path, problem):
    with pytest.raises(FieldPathError) as caught:
        found(GRAPH, path)
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    "path",
    [
        "",
        ".",
        ".node",
        "node.",
        "node..name",
        "node[",
        "node[]",
        "node[0",
        "node]",
        "node[0]name",
        "node[0] .name",
        "node name",
        'node["a]',
        'node[a"b]',
        "1",
        "node[**]",
        "*x",
        "no-de",
    ],
)
def test_what_is_no_path(path):
    with pytest.raises(FieldPathError, match="is not a field path, at"):
        parse(path)


@given(st.text(alphabet="ab.[]*\"'\\0-1 ", max_size=12))
def test_nothing_else_is_ever_raised(path):
    try:
        found(GRAPH, path)
    except FieldPathError as error:
        assert str(error).isprintable()
