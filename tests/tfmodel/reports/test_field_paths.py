"""`tfmodel.reports.field_paths`: fields selected by path.

`tfmodel.reports.field_paths`: where the nodes of a model stand.

`tfmodel.reports.field_paths`: JSON of what a path leads to is what the JSON of the whole message has there.
"""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbwire.descriptor import json_name
from pbwire.json import to_dict
from pbwire.wellknown import Timestamp
from tests.support import samples
from tests.support.effort import scaled
from tests.support.strategies import messages
from tests.tfmodel import models
from tfmodel.messages import AttrValue, CollectionDef, DataType, FunctionDef, GraphDef, MetaGraphDef, NodeDef
from tfmodel.reports.field_paths import FieldPathError, bodies, json_object_lines, parse, select, value_json

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
def test_values_that_a_path_selects(path, expected):
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
    with pytest.raises(FieldPathError, match=r"\[4\] does not exist: the keys are 3, 12"):
        found(function, "resource_arg_unique_id[4]")
    with pytest.raises(FieldPathError, match="the keys are 3, 12"):
        found(function, "resource_arg_unique_id[x]")


def test_the_path_of_a_value_selects_it_again():
    for hit in select(models.saved_model(), "meta_graphs[*].graph_def.node[*].attr[*]"):
        assert [again.value for again in select(models.saved_model(), hit.path)] == [hit.value]


def test_keys_that_need_escapes():
    node = NodeDef(attr={'a"]\\\n\x1b': AttrValue(i=1)})
    (hit,) = select(node, "attr[*].i")
    assert hit.path == r'attr["a\"]\\\n\u001b"].i'
    assert found(node, hit.path) == [(hit.path, 1)]


def test_the_field_and_its_owner():
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
        ("node[4]", "node[4] does not exist: node has 4 elements"),
        ("node[-5]", "node[-5] does not exist: node has 4 elements"),
        ("node.name", "node has 4 elements: write node[0].name, or node[*].name"),
        ("library.function.signature", "library.function has 1 element: write"),
        ('node["wieghts"]', 'node["wieghts"] does not exist; did you mean "weights"?'),
        ("node[1].attr[valeu].tensor", 'node[1].attr[valeu] does not exist: the keys are "dtype", "value"'),
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
        ("node[*].attr[nothing]", 'node[0].attr[nothing] does not exist: the keys are "dtype", "shape"'),
        ("versions.*.x", "versions.producer is a single value"),
    ],
)
def test_errors_say_what_exists(path, problem):
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
def test_invalid_paths_are_refused(path):
    with pytest.raises(FieldPathError, match="is not a field path, at"):
        parse(path)


@given(st.text(alphabet="ab.[]*\"'\\0-1 ", max_size=12))
def test_any_path_gives_values_or_a_field_path_error(path):
    try:
        found(GRAPH, path)
    except FieldPathError as error:
        assert str(error).isprintable()


NESTED = models.graph()


@pytest.mark.parametrize(
    ("message", "places"),
    [
        (NESTED, [("node", ""), ("library.function[0].node_def", "double")]),
        (NESTED.library, [("function[0].node_def", "double")]),
        (NESTED.library.function[0], [("node_def", "double")]),
        (FunctionDef(), [("node_def", "?")]),
        (models.meta_graph(), [("graph_def.node", ""), ("graph_def.library.function[0].node_def", "double")]),
        (MetaGraphDef(), []),
        (
            models.saved_model(("a",), ("b",)),
            [
                ("meta_graphs[0].graph_def.node", ""),
                ("meta_graphs[0].graph_def.library.function[0].node_def", "double"),
                ("meta_graphs[1].graph_def.node", ""),
                ("meta_graphs[1].graph_def.library.function[0].node_def", "double"),
            ],
        ),
    ],
)
def test_every_list_of_nodes_is_found(message, places):
    node_lists = list(bodies(message))
    assert [(body.path, body.function) for body in node_lists] == places
    for body in node_lists:
        assert [hit.value for hit in select(message, body.path)] == [body.nodes]


def test_messages_without_nodes():
    assert bodies(models.op_list()) is None


SAMPLES = (samples.Scalars, samples.Optionals, samples.Repeated, samples.Maps, samples.Choice, samples.Groups)


@settings(max_examples=scaled(50))
@given(st.sampled_from(SAMPLES).flatmap(messages))
def test_the_json_of_every_field_and_element(message):
    whole = to_dict(message)
    for field in select(message, "*"):
        expected = whole[json_name(field.path)]
        assert json.loads(value_json(field)) == expected
        if isinstance(field.value, (list, dict)):
            elements = [json.loads(value_json(element)) for element in select(message, f"{field.path}[*]")]
            if isinstance(field.value, list):
                assert elements == expected
            else:
                assert sorted(map(repr, elements)) == sorted(map(repr, expected.values()))


@pytest.mark.parametrize("field", ["of_int64", "of_bool", "of_float", "of_bytes", "of_mood", "of_string"])
def test_selected_zeros_are_printed(field):
    zero = samples.Maps.__table__.by_name[field].value.zero
    message = samples.Maps(**{field: {"": zero}})
    expected = to_dict(message)[json_name(field)][""]
    (element,) = select(message, f'{field}[""]')
    assert json.loads(value_json(element)) == expected


def test_an_any_is_its_content():
    meta = MetaGraphDef(collection_def=models.collections())
    (element,) = select(meta, "collection_def[queue_runners].any_list.value")
    assert [runner["@type"].rpartition(".")[2] for runner in json.loads(value_json(element))] == [
        "QueueRunnerDef",
        "GraphDef",
    ]
    (element,) = select(meta, "collection_def[queue_runners].any_list.value[0].type_url")
    assert json.loads(value_json(element)) == "type.googleapis.com/tensorflow.QueueRunnerDef"
    (element,) = select(meta, "collection_def[variables].bytes_list.value[1]")
    assert json.loads(value_json(element)) == "/wA="


def test_parts_of_messages_with_a_special_json_form_are_refused():
    (element,) = select(Timestamp(seconds=5), "seconds")
    with pytest.raises(FieldPathError, match="seconds is in a message with its own JSON representation"):
        value_json(element)


def test_several_values_are_one_json_object():
    meta = MetaGraphDef(collection_def={"a": CollectionDef(node_list=CollectionDef.NodeList(value=["x", "y"]))})
    text = "".join(json_object_lines(select(meta, "collection_def[*].node_list.*")))
    document = {'collection_def["a"].node_list.value': ["x", "y"]}
    assert text == json.dumps(document, indent=2)
    assert "".join(json_object_lines(iter([]))) == "{}"
