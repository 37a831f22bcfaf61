"""Members that decoders share among messages: no operation lets a program see that they are shared."""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle
from typing import Any

import pytest

from pbwire.codec.codegen import function
from pbwire.codec.copy import share
from pbwire.compat import compat_class, properties, unwrap, wrap
from pbwire.lazy.shared import own_member, shared_class, shared_encoding
from pbwire.proto import load_text
from pbwire.text.aliases import MessageToString
from pbwire.wire import WireType
from tests.support.wire_bytes import tag
from tfmodel.messages import (
    AttrValue,
    GraphDef,
    NodeDef,
    TensorShapeProto,
)

SHAPE = AttrValue(list=AttrValue.ListValue(shape=[TensorShapeProto(dim=[TensorShapeProto.Dim(size=3)])], i=[1, 2]))
SHAPES = AttrValue(list=AttrValue.ListValue(shape=[*SHAPE.list.shape, TensorShapeProto(unknown_rank=True)]))
ATTRIBUTES = {"a": SHAPE, "b": AttrValue(list=AttrValue.ListValue(s=[b"text"])), "c": AttrValue(i=5), "d": SHAPES}
DATA = NodeDef(name="node", attr=ATTRIBUTES).to_bytes()
CompatNode = compat_class(NodeDef)


def shared_nodes(cls: Any = NodeDef) -> list[Any]:
    """Return three equal nodes whose attributes share their members."""
    function(cls.__table__, "decode").__globals__["entries_attr"].clear()
    nodes = [cls.FromString(DATA) for _ in range(6)][3:]
    encodings = [shared_encoding(getattr(node.attr["a"], node.attr["a"].__table__.fields[0].slot)) for node in nodes]
    assert encodings[0] is not None and all(encoding is encodings[0] for encoding in encodings)
    return nodes


def merged(node: Any) -> Any:
    result = type(node)()
    result.attr["a"]  # compat maps create it
    result.MergeFrom(node)
    return result


def merged_again(node: Any) -> Any:
    result = copy.deepcopy(node)
    for key in node.attr:
        result.attr[key].list.MergeFrom(node.attr[key].list)
        del result.attr[key].list.shape[len(node.attr[key].list.shape) :]
    return result


def merged_into_read_members(node: Any) -> Any:
    result = CompatNode()
    result.attr["a"].list.i.append(1)
    result.attr["b"].list.s  # noqa: B018  # the merged content goes to the member that was read
    result.MergeFrom(node)
    return result


def parsed_into_read_members(node: Any) -> Any:
    result = type(node.attr["a"])()
    result.list.i  # noqa: B018  # as above
    result.ParseFromString(ATTRIBUTES["a"].to_bytes())
    return CompatNode(attr={"a": result, "b": node.attr["b"]})


def copied_into_read_members(node: Any) -> Any:
    result = CompatNode()
    for key in node.attr:
        result.attr[key].list.i  # noqa: B018  # as above
        result.attr[key].CopyFrom(node.attr[key])
    return result


def of_read_members(operation: Any) -> Any:
    """Return an operation on a node that applies `operation` to the lists of its attributes."""

    def apply(node: Any) -> Any:
        values = {key: AttrValue(list=value.list) for key, value in node.attr.items() if value.list is not None}
        return NodeDef(attr={key: AttrValue(list=operation(value.list)) for key, value in values.items()})

    return apply


def merged_twice(value: Any) -> Any:
    """Merge a list into another, with an element of its own, and take this element away."""
    result = type(value)(shape=[TensorShapeProto()])
    result.merge_from(value)
    del result.shape[0]
    return result


def merged_bytes(value: Any) -> Any:
    """Merge an element into a copy of a list that was not read, and take it away."""
    result = copy.deepcopy(value)
    result.merge_from(type(value)(shape=[TensorShapeProto()]))
    del result.shape[-1]
    return result


OPERATIONS = {
    "copy.deepcopy": copy.deepcopy,
    "pickle": lambda node: pickle.loads(pickle.dumps([node, node.attr]))[0],
    "dataclasses.replace": lambda node: dataclasses.replace(node, attr=copy.deepcopy(node.attr)),
    "wrap and unwrap": lambda node: unwrap(wrap(node)),
    "from bytes": lambda node: NodeDef.from_bytes(node.to_bytes()),
    "copy.deepcopy of lists": of_read_members(copy.deepcopy),
    "pickle of lists": of_read_members(lambda value: pickle.loads(pickle.dumps([value, value.shape]))[0]),
    "wrap and unwrap lists": of_read_members(lambda value: unwrap(wrap(value))),
    "merge lists": of_read_members(merged_twice),
    "merge into lists": of_read_members(merged_bytes),
    "merge": lambda node: NodeDef().merge_from(node) or NodeDef.from_bytes(node.to_bytes()),
}
COMPAT_OPERATIONS = {
    "copy.deepcopy": copy.deepcopy,
    "pickle": lambda node: pickle.loads(pickle.dumps(node)),
    "wrap and unwrap": lambda node: wrap(unwrap(node)),
    "MergeFrom": merged,
    "MergeFrom into lists": merged_again,
    "MergeFrom, members were read": merged_into_read_members,
    "ParseFromString, members were read": parsed_into_read_members,
    "CopyFrom, members were read": copied_into_read_members,
    "constructor": lambda node: CompatNode(attr=node.attr),
}


def change(node: Any) -> None:
    for name in ("a", "b", "d"):
        value = node.attr[name].list
        assert type(value) is value.__table__.cls
        value.i.append(9)
        for shape in value.shape:
            assert type(shape) is shape.__table__.cls
            shape.unknown_rank = not shape.unknown_rank
        del value.s[:]


@pytest.mark.parametrize("name", OPERATIONS)
def test_messages_share_nothing(name):
    first, second, third = shared_nodes()
    result = OPERATIONS[name](first)
    change(result)
    assert result.attr["a"].list.i[-1] == result.attr["d"].list.i[-1] == 9
    change(second)
    assert first.attr == third.attr == ATTRIBUTES


@pytest.mark.parametrize("name", COMPAT_OPERATIONS)
def test_protobuf_style_messages_share_nothing(name):
    first, second, third = shared_nodes(CompatNode)
    result = COMPAT_OPERATIONS[name](first)
    change(result)
    assert result.attr["a"].list.i[-1] == 9
    change(second)
    assert unwrap(first).attr == unwrap(third).attr == ATTRIBUTES


MERGES = {
    "merge_from": lambda value, other: value.MergeFrom(other),
    "merge_from_bytes": lambda value, other: value.MergeFromString(other.SerializeToString()),
}


@pytest.mark.parametrize("cls", [NodeDef, CompatNode], ids=["dataclass", "protobuf-style"])
@pytest.mark.parametrize("name", MERGES)
def test_merging_into_a_message_changes_no_other(name, cls):
    first, second, third = shared_nodes(cls)
    for key, value in first.attr.items():
        MERGES[name](value, second.attr[key])
    lists = unwrap(first).attr["a"].list
    assert (lists.i, lists.shape) == ([1, 2, 1, 2], [*SHAPE.list.shape, *SHAPE.list.shape])
    assert NodeDef.from_bytes(first.SerializeToString()) == unwrap(first)
    assert all(unwrap(node).attr == ATTRIBUTES for node in (second, third, cls.FromString(DATA)))


def test_equal_lists_are_equal_before_they_are_read():
    first, second, third = shared_nodes()
    lists = [node.attr["d"].list for node in (first, second)]
    assert lists[0] == lists[1] == third.attr["d"].list == SHAPES.list
    compat = [node.attr["d"].list for node in shared_nodes(CompatNode)]
    assert compat[0] == compat[1] and not compat[0].shape[1].dim and compat[0] == compat[1] == compat[2]


@pytest.mark.parametrize("shallow_copy", [copy.copy, share])
def test_shallow_copies_leave_other_messages_alone(shallow_copy):
    first, second, _ = shared_nodes()
    change(NodeDef(attr={key: shallow_copy(value) for key, value in first.attr.items()}))
    assert second.attr == ATTRIBUTES


def test_one_pickle_of_many_nodes_shares_nothing():
    restored = pickle.loads(pickle.dumps(shared_nodes()))
    change(restored[0])
    assert [node.attr for node in restored[1:]] == [ATTRIBUTES, ATTRIBUTES]


def test_other_objects_are_their_own():
    message = TensorShapeProto()
    assert own_member(message) is message
    assert own_member("text") == "text"
    (node,) = GraphDef.from_bytes(GraphDef(node=[NodeDef.from_bytes(DATA)]).to_bytes(), lazy=True).node
    assert shared_encoding(node) is None and type(node) is not NodeDef  # it is still undecoded


def test_the_class_of_shared_messages_looks_like_the_ordinary_one():
    cls = shared_class(AttrValue.ListValue.__table__)
    assert (cls.__qualname__, cls.__module__) == (AttrValue.ListValue.__qualname__, AttrValue.ListValue.__module__)
    assert issubclass(cls, AttrValue.ListValue)


def test_functions_that_format_messages_get_their_own():
    first, second, _ = shared_nodes()

    def change_messages(message: Any, indent: int, as_one_line: bool) -> None:
        if isinstance(message, TensorShapeProto):
            assert type(message) is TensorShapeProto
            message.unknown_rank = True

    MessageToString(first, message_formatter=change_messages)
    assert second.attr == ATTRIBUTES and NodeDef.from_bytes(DATA).attr == ATTRIBUTES


def test_unknown_fields_are_discarded_from_one_message():
    value = AttrValue(list=AttrValue.ListValue(i=[1], unknown_fields=tag(111, WireType.VARINT) + b"\1"))
    data = NodeDef(attr={"a": value}).to_bytes()
    nodes = [CompatNode.FromString(data) for _ in range(6)]
    nodes[4].DiscardUnknownFields()
    assert nodes[4].attr["a"].list.SerializeToString() == AttrValue.ListValue(i=[1]).to_bytes()
    assert nodes[5].attr["a"].list.SerializeToString() == value.list.to_bytes()


def test_nan_differs_from_itself():
    data = NodeDef(attr={"a": AttrValue(f=math.nan)}).to_bytes()
    nodes = [NodeDef.from_bytes(data) for _ in range(6)]
    assert nodes[4] != nodes[5]


UNUSUAL = load_text(
    """
    syntax = "proto3";
    package unusual;
    message Holder { map<string, Value> values = 1; }
    message Value { oneof kind { Part part = 1; Hidden hidden = 2; } }
    message Part { float real = 1; repeated int32 numbers = 2; repeated Hidden hidden = 3; }
    message Hidden { string _encoding = 1; repeated Hidden hidden = 2; }
    """
)
Part, Hidden = UNUSUAL["unusual.Part"], UNUSUAL["unusual.Hidden"]


@pytest.mark.parametrize(
    "member",
    [
        {"part": Part(real=-0.0, numbers=[1])},
        {"hidden": Hidden(_encoding="x", hidden=[Hidden()])},
        {"part": Part(hidden=[Hidden(_encoding="x"), Hidden()])},
    ],
    ids=["negative zero", "field named _encoding", "fields named _encoding in a list"],
)
def test_unusual_members_keep_their_content(member):
    expected = UNUSUAL["unusual.Holder"](values={"a": UNUSUAL["unusual.Value"](**member)})
    for cls in (type(expected), compat_class(type(expected))):
        for _ in range(4):
            holder = cls.FromString(expected.to_bytes())
            for name in member:
                walk(getattr(holder.values["a"], name))
            assert holder.SerializeToString() == expected.to_bytes()


def walk(message: Any) -> None:
    for _, value in message.ListFields():
        for item in value if isinstance(value, list) else []:
            if hasattr(item, "ListFields"):
                walk(item)


@pytest.mark.parametrize("values", [{"s": [b"a"] * 17}, {"shape": [TensorShapeProto()] * 30}, {"i": [*range(50)]}])
def test_members_with_many_values_are_shared(values: dict[str, Any]) -> None:
    node = NodeDef(attr={"many": AttrValue(list=AttrValue.ListValue(**values))})
    data = node.to_bytes()
    assert [NodeDef.from_bytes(data) for _ in range(6)] == [node] * 6


FIELDS_THAT_THREADS_READ = {
    "list": (properties, "own_member", lambda: (shared_nodes(CompatNode)[0].attr["d"].list, "shape")),
}


@pytest.mark.parametrize("kind", FIELDS_THAT_THREADS_READ)
def test_threads_that_read_a_field_at_the_same_time_get_the_same(kind, monkeypatch):
    module, copying, make = FIELDS_THAT_THREADS_READ[kind]
    message, name = make()
    copy_elements = getattr(module, copying)
    read_meanwhile = []

    def copy_slowly(*arguments: Any) -> Any:
        monkeypatch.undo()
        read_meanwhile.append(getattr(message, name))
        return copy_elements(*arguments)

    monkeypatch.setattr(module, copying, copy_slowly)
    assert getattr(message, name) is read_meanwhile[0] is getattr(message, name)
