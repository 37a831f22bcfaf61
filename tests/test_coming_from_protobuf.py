"""The table "With dataclasses" of tfmodel/compat/README.md: both columns of a row are run and have the same result."""

import copy
import dataclasses

import pytest
from google.protobuf import json_format, text_format

import pbwire
import pbwire.json
import pbwire.text
from tests.readme import ROOT
from tests.support.protobuf_twin import twin
from tfmodel.messages import AttrValue, DataType, GraphDef, NodeDef, VersionDef

ROWS = [
    ("node = graph.node.add()", "graph.node.append(node := NodeDef())", "graph"),
    ("graph.node.extend([a, b])", "graph.node.extend([a, b])", "graph"),
    ("graph.versions.producer = 27", "graph.versions = VersionDef(producer=27)", "graph"),
    ('node.attr["T"].type = 1', 'node.attr["T"] = AttrValue(type=DataType.DT_FLOAT)', "node"),
    ("result = attr.i", 'result = pbwire.get(attr, "i")', "result"),
    ('result = attr.HasField("i")', 'result = attr.HasField("i")', "result"),
    ('result = attr.HasField("i")', "result = attr.i is not None", "result"),
    ('result = attr.WhichOneof("value")', 'result = attr.which_oneof("value")', "result"),
    ("result = graph_pb2.GraphDef.FromString(data)", "result = GraphDef.from_bytes(data)", "result"),
    (
        "result = message.SerializeToString(deterministic=True)",
        "result = message.to_bytes(deterministic=True)",
        "result",
    ),
    (
        "result = text_format.MessageToString(message)",
        "result = pbwire.text.dumps(message)",
        "result",
    ),
    (
        "result = text_format.Parse(printed, GraphDef())",
        "result = pbwire.text.loads(printed, GraphDef)",
        "result",
    ),
    (
        "result = json_format.MessageToDict(message)",
        "result = pbwire.json.to_dict(message)",
        "result",
    ),
    ("copy = NodeDef(); copy.CopyFrom(full); result = copy", "result = copy.deepcopy(full)", "result"),
    (
        'copy = NodeDef(); copy.CopyFrom(full); copy.name = "x"; result = copy',
        'result = dataclasses.replace(full, name="x")',
        "result",
    ),
]


def scene(google):
    """Return the names that the rows use, with Google's messages or with tfmodel's."""

    def make(cls):
        return twin(cls) if google else cls

    data = GraphDef(node=[NodeDef(name="n", attr={"b": AttrValue(i=1), "a": AttrValue(f=2)})]).to_bytes()
    names = {cls.__name__: make(cls) for cls in (GraphDef, NodeDef, AttrValue, VersionDef)}
    forms = {"text_format": text_format, "json_format": json_format}
    if not google:
        forms = {"text_format": pbwire.text, "json_format": pbwire.json}
    modules = forms | {"pbwire": pbwire, "copy": copy, "dataclasses": dataclasses}
    return (
        names
        | modules
        | {
            "DataType": DataType,
            "graph_pb2": type("graph_pb2", (), {"GraphDef": make(GraphDef)}),
            "graph": make(GraphDef)(),
            "node": make(NodeDef)(),
            "full": make(NodeDef)(name="n", input=["a"]),
            "a": make(NodeDef)(name="a"),
            "b": make(NodeDef)(name="b"),
            "attr": make(AttrValue)(s=b"text"),
            "message": make(GraphDef).FromString(data),
            "printed": 'node { name: "n" input: "a" }',
            "data": data,
        }
    )


@pytest.mark.parametrize(("theirs", "ours", "name"), ROWS, ids=[ours for _, ours, _ in ROWS])
def test_both_columns_do_the_same(theirs, ours, name):
    google, we = scene(google=True), scene(google=False)
    exec(theirs, google)
    exec(ours, we)
    assert comparable(google[name]) == comparable(we[name])


def comparable(result):
    return result.SerializeToString(deterministic=True) if hasattr(result, "SerializeToString") else result


def test_protobufs_own_spelling_works_here_too():
    methods = ("HasField", "WhichOneof", "SerializeToString", "CopyFrom", "FromString", "text_format", "json_format")
    for theirs, _, name in ROWS:
        if any(method in theirs for method in methods):
            google, we = scene(google=True), scene(google=False)
            exec(theirs, google)
            exec(theirs, we)
            assert comparable(google[name]) == comparable(we[name])


def test_values_are_checked_when_they_are_written():
    node = NodeDef()
    node.name = 5
    with pytest.raises(pbwire.EncodeError):
        node.SerializeToString()


def test_these_are_the_rows_of_the_readme():
    text = (ROOT / "tfmodel/compat/README.md").read_text(encoding="utf-8")
    for theirs, ours, _ in ROWS:
        assert theirs.removeprefix("result = ").partition("; copy.name")[0].partition("; result")[0] in text
        assert ours.removeprefix("result = ") in text
