"""Lazy and eager messages: the same operation on both gives the same result and the same message."""

import copy
import dataclasses
import pickle
from operator import attrgetter, itemgetter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbwire import DecodeError, EncodeError, JsonError, json, raw, table_of, text
from pbwire.codec.copy import share
from pbwire.lazy.messages import decode_small
from pbwire.table import Message
from tests.support.case_tables import each_case
from tests.support.samples import Choice, ClosedEnums, Groups, Maps, Proto2, Recursive, Repeated, Scalars
from tests.support.strategies import messages, wire_bytes
from tests.support.wire_variants import forms
from tfmodel.messages import (
    AttrValue,
    DataType,
    GraphDef,
    NameAttrList,
    NodeDef,
    TensorProto,
    TensorShapeProto,
    VersionDef,
)

GRAPH = GraphDef(
    node=[
        NodeDef(name="x", op="Placeholder", attr={"dtype": AttrValue(type=DataType.DT_FLOAT)}),
        NodeDef(
            name="w",
            op="Const",
            attr={
                "value": AttrValue(
                    tensor=TensorProto(
                        dtype=DataType.DT_FLOAT,
                        tensor_shape=TensorShapeProto(dim=[TensorShapeProto.Dim(size=2)]),
                        tensor_content=bytes(8),
                        unknown_fields=b"\xa0\x1f\x01",
                    )
                ),
                "dtype": AttrValue(type=DataType.DT_FLOAT),
            },
        ),
        NodeDef(name="y", op="Mul", input=["x", "w"], attr={"T": AttrValue(type=DataType.DT_FLOAT)}),
    ],
    versions=VersionDef(producer=1395, bad_consumers=[3, 4]),
    unknown_fields=b"\xf8\x07\x05",
)
WIRE = GRAPH.to_bytes()
AGAIN = GraphDef(versions=VersionDef(min_consumer=12, bad_consumers=[5])).to_bytes()


def set_name(graph):
    graph.node[0].name = "renamed"


def set_before_first_read(graph):
    graph.versions.producer = 7


def assign_sub_message(graph):
    graph.versions = VersionDef(producer=1)


def assign_list(graph):
    graph.node = graph.node[1:]


def assign_map(graph):
    graph.node[1].attr = {"a": AttrValue(i=1)}


def assign_inside_a_map(graph):
    graph.node[1].attr["value"].tensor.dtype = DataType.DT_INT32


def add_to_a_map(graph):
    graph.node[2].attr["new"] = AttrValue(s=b"x")


def delete_from_a_map(graph):
    del graph.node[1].attr["dtype"]


def delete_from_a_list(graph):
    del graph.node[1]


def append_to_a_list(graph):
    graph.node[2].input.append("^w")
    graph.versions.bad_consumers.append(9)


def reorder(graph):
    graph.node.reverse()


def share_a_node(graph):
    graph.node.append(graph.node[0])


def delete_and_assign_an_attribute(graph):
    del graph.node[0].name
    graph.node[0].name = "new"


def read_a_deleted_attribute(graph):
    del graph.node[0].name
    with pytest.raises(AttributeError):
        _ = graph.node[0].name
    graph.node[0].name = ""


def set_an_unknown_attribute(graph):
    with pytest.raises(AttributeError):
        graph.node[0].nmae = "x"


def read_an_unknown_attribute(graph):
    with pytest.raises(AttributeError):
        _ = graph.node[0].nmae


def change_a_oneof(graph):
    value = graph.node[2].attr["T"]
    value.i = 3
    return value.which_oneof("value"), value.type


def clear_another_member_of_a_oneof(graph):
    graph.node[2].attr["T"].i = None


def clear_the_member_of_a_oneof(graph):
    graph.node[2].attr["T"].type = None
    return graph.node[2].attr["T"].which_oneof("value")


def clear_field(graph):
    graph.ClearField("node")
    graph.versions.ClearField("producer")


def clear(graph):
    graph.node[1].clear()


def clear_before_first_read(graph):
    graph.versions.clear()


def copy_from(graph):
    graph.node[0].CopyFrom(graph.node[1])


def merge_into_untouched(graph):
    graph.versions.merge_from(VersionDef(min_consumer=5, bad_consumers=[6]))


def merge_bytes_into_untouched(graph):
    graph.MergeFromString(AGAIN)


def merge_bytes_into_a_map(graph):
    graph.node[1].merge_from_bytes(NodeDef(attr={"dtype": AttrValue(b=True), "z": AttrValue(i=2)}).to_bytes())


def merge_from_untouched(graph):
    graph.node[0].merge_from(graph.node[1])


def parse_into(graph):
    graph.node[0].ParseFromString(NodeDef(name="parsed").to_bytes())


def unknown_fields(graph):
    seen = graph.unknown_fields, graph.node[1].attr["value"].tensor.unknown_fields
    graph.unknown_fields = b""
    graph.node[0].unknown_fields = b"\xf8\x07\x01"
    return seen


def read_unknown_fields_first(graph):
    return graph.versions.unknown_fields


def has_field(graph):
    return graph.HasField("versions"), graph.HasField("library"), graph.node[1].attr["value"].HasField("tensor")


def list_fields(graph):
    return [field.name for field, _ in graph.node[1].ListFields()]


def representation(graph):
    return repr(graph.node[1]), repr(graph)


def shallow_copy(graph):
    other = copy.copy(graph)
    other.node[0].name = "shared"
    other.node[1].attr["shared"] = AttrValue(i=1)
    other.versions = None
    return other


def shallow_copy_of_untouched(graph):
    other = copy.copy(graph.node[1])
    other.attr["shared"] = AttrValue(i=1)
    other.name = "not shared"
    return other


def deep_copy(graph):
    other = copy.deepcopy(graph)
    other.node[0].name = "not shared"
    return other


def deep_copy_of_untouched(graph):
    return copy.deepcopy(graph.node[1])


def pickled(graph):
    return pickle.loads(pickle.dumps(graph))


def pickled_untouched(graph):
    return pickle.loads(pickle.dumps(graph.node[1]))


def replaced(graph):
    return dataclasses.replace(graph.node[1], name="replaced")


def replaced_completely(graph):
    node = NodeDef(name="n", op="o", input=["i"], device="d", attr={})
    changes = {field.name: getattr(node, field.name) for field in dataclasses.fields(node)}
    return dataclasses.replace(graph.node[1], **changes)


def replaced_member_of_a_oneof(graph):
    return dataclasses.replace(graph.node[1].attr["dtype"], s=b"text")


def matched(graph):
    match graph.node[2]:
        case NodeDef(op="Mul", input=[a, b], attr={"T": AttrValue(type=DataType.DT_FLOAT)}):
            return a, b
    return None


def matched_by_position(graph):
    match graph.node[2]:
        case NodeDef(name, op, [*inputs]):
            return name, op, inputs
    return None


def compared(graph):
    return graph.node[0] == graph.node[0], graph.node[0] == graph.node[1], graph == GRAPH, graph.node[1] == 1


def as_dict(graph):
    return dataclasses.asdict(graph.node[1])["name"]


def kind(graph):
    return isinstance(graph.node[0], NodeDef), type(graph.node[0])(name="made"), type(graph.node[0]).__name__


def size(graph):
    return graph.ByteSize(), graph.node[1].ByteSize()


def written(graph):
    return graph.to_bytes(), b"".join(graph.to_buffers()), graph.node[1].SerializeToString()


def written_deterministically(graph):
    return graph.to_bytes(deterministic=True), graph.node[1].to_bytes(deterministic=True)


OPERATIONS = [value for name, value in list(globals().items()) if callable(value) and value.__module__ == __name__]


@pytest.mark.parametrize("operation", OPERATIONS, ids=attrgetter("__name__"))
def test_an_operation_does_the_same_to_a_lazy_message(operation):
    lazy, eager = GraphDef.from_bytes(WIRE, lazy=True), GraphDef.from_bytes(WIRE)
    assert operation(lazy) == operation(eager)
    assert lazy.to_bytes() == eager.to_bytes()
    assert lazy == eager


@each_case("first", {operation.__name__: operation for operation in OPERATIONS})
@pytest.mark.parametrize(
    "second", [change_a_oneof, merge_bytes_into_untouched, deep_copy, unknown_fields, share_a_node]
)
def test_two_operations_one_after_the_other(first, second):
    lazy, eager = GraphDef.from_bytes(WIRE, lazy=True), GraphDef.from_bytes(WIRE)
    outcomes = []
    for graph in (lazy, eager):
        try:
            outcomes.append((first(graph), second(graph)))
        except (IndexError, KeyError) as error:  # the first may have removed what the second looks for
            outcomes.append(repr(error))
    assert outcomes[0] == outcomes[1]
    assert lazy.to_bytes() == eager.to_bytes()
    assert lazy == eager


ANY = [Scalars, Repeated, Maps, Choice, Recursive, Groups, Proto2, ClosedEnums]
READERS = [
    attrgetter("unknown_fields"),
    repr,
    copy.copy,
    copy.deepcopy,
    lambda message: pickle.loads(pickle.dumps(message)),
    lambda message: type(message)().merge_from(message),
    lambda message: message.to_bytes(deterministic=True),
    lambda message: text.dumps(message, print_unknown_fields=True),
    json.dumps,
    share,
]


@pytest.mark.slow(reason="generates many messages")
@pytest.mark.parametrize("cls", ANY, ids=attrgetter("__name__"))
@given(data=st.data())
def test_lazy_and_eager_see_the_same_in_any_bytes(cls, data):
    wire = data.draw(wire_bytes(cls) | forms(messages(cls), strangers=True).map(itemgetter(1)))
    eager, lazy = cls.from_bytes(wire), cls.from_bytes(wire, lazy=True)
    written = lazy.to_bytes()
    assert canonical(cls.from_bytes(written)) == canonical(eager)
    for read in READERS:
        lazy = cls.from_bytes(wire, lazy=True)
        assert seen(read, lazy) == seen(read, eager)
        assert exact(lazy) == exact(eager)


@pytest.mark.parametrize("cls", ANY, ids=attrgetter("__name__"))
@given(data=st.data())
def test_maps_are_read_in_any_order(cls, data):
    wire = data.draw(forms(messages(cls), strangers=True).map(itemgetter(1)))
    eager, lazy = cls.from_bytes(wire), cls.from_bytes(wire, lazy=True)
    for field in data.draw(st.permutations(table_of(cls).fields)):
        assert seen(attrgetter(field.name), lazy) == seen(attrgetter(field.name), eager)
    assert lazy._unknown == eager._unknown


def seen(read, message):
    """Return the result of a reader, or its error: the same for lazy and eager messages."""
    try:
        result = read(message)
    except (EncodeError, JsonError) as error:
        return type(error), str(error)
    return exact(result) if isinstance(result, Message) else repr(result)


def exact(message):
    return message.to_bytes(deterministic=True), message.unknown_fields, repr(message)


def canonical(message):
    """Deterministic bytes, unknown fields sorted: where unusual map entries stand among them may differ.

    An undecoded map is written unchanged, before the unknown fields.
    """
    unknown = message.unknown_fields
    records = sorted(unknown[r.offset : r.end] for r in raw.walk(unknown))
    return dataclasses.replace(message, unknown_fields=b"").to_bytes(deterministic=True), records


@given(messages(GraphDef, unknown=True))
def test_undecoded_parts_are_written_back_unchanged(graph):
    wire = graph.to_bytes()
    assert GraphDef.from_bytes(wire, lazy=True).to_bytes() == wire


@given(messages(Recursive), st.lists(st.integers(0, 30), max_size=6))
def test_edits_are_never_lost(message, steps):
    lazy, eager = Recursive.from_bytes(message.to_bytes(), lazy=True), message
    for number, step in enumerate(steps):
        for root in (lazy, eager):
            node = _descend(root, step)
            for field in table_of(Recursive).fields:
                if field.kind == "int32" and field.label == "singular":
                    setattr(node, field.name, number + 1)
    assert Recursive.from_bytes(lazy.to_bytes()) == eager


def _descend(message, step):
    """Some message inside, the same one for the same step."""
    inside = [message]
    for node in inside:
        for _, value in node.ListFields():
            parts = value if isinstance(value, list) else value.values() if isinstance(value, dict) else [value]
            inside += [part for part in parts if isinstance(part, Recursive)]
        if len(inside) > step:
            break
    return inside[step % len(inside)]


def test_an_error_is_raised_on_every_access_to_its_part():
    wire = bytearray(WIRE)
    wire[WIRE.index(b"Mul")] = 0xFF
    graph = GraphDef.from_bytes(bytes(wire), lazy=True)
    assert graph.node[1].op == "Const"
    for _ in range(2):
        with pytest.raises(DecodeError, match=r"not UTF-8 at byte \d+: NodeDef\.op") as caught:
            _ = graph.node[2].name
        assert caught.value.offset == WIRE.index(b"Mul")
    assert graph.to_bytes() == bytes(wire)


def test_two_damaged_parts_do_not_make_a_sound_whole():
    for parts in (b"\x22\x02\x08\x80" + b"\x22\x01\x01", b"\x22\x02\x08\x01" + b"\x22\x02\x08\x80"):
        for lazy in (False, True):
            with pytest.raises(DecodeError, match="at byte"):
                GraphDef.from_bytes(parts, lazy=lazy)


def test_a_damaged_message_can_be_replaced_without_being_read():
    graph = GraphDef.from_bytes(b"\x0a\x02\xff\xff" * 3, lazy=True)
    graph.node[0].clear()
    graph.node[1].ParseFromString(NodeDef(name="x").to_bytes())
    graph.node[2].CopyFrom(NodeDef(name="y"))
    assert graph == GraphDef(node=[NodeDef(), NodeDef(name="x"), NodeDef(name="y")])


def test_replacing_an_undecoded_map_keeps_its_unknown_entries():
    data = b"\x2a\x05\x0a\x01a\x18\x01"  # an entry with a field that no entry has: it belongs to the unknown fields
    lazy, eager = NodeDef.from_bytes(data, lazy=True), NodeDef.from_bytes(data)
    lazy.attr = eager.attr = {"b": AttrValue(i=1)}
    assert lazy.to_bytes() == eager.to_bytes()


def test_an_undecoded_part_is_not_blamed():
    graph = GraphDef.from_bytes(b"\x0a\x02\xff\xff\x0a\x00", lazy=True)
    graph.node[1].name = 5
    with pytest.raises(EncodeError, match=r"node\[1\]\.name: expected a str"):
        graph.to_bytes()


def test_parts_of_one_message_are_merged_when_it_is_decoded():
    first = NameAttrList(name="a", attr={"x": AttrValue(i=1), "y": AttrValue(i=2)})
    second = NameAttrList(attr={"y": AttrValue(i=3), "z": AttrValue(i=4)})
    data = AttrValue(func=first).to_bytes() + AttrValue(func=second).to_bytes()
    eager, lazy = AttrValue.from_bytes(data), AttrValue.from_bytes(data, lazy=True)
    assert AttrValue.from_bytes(data, lazy=True).to_bytes(deterministic=True) == eager.to_bytes(deterministic=True)
    assert lazy.func.name == "a"
    assert AttrValue.from_bytes(lazy.to_bytes()) == eager  # the map is pending, and written so
    assert sorted(lazy.func.attr) == ["x", "y", "z"]
    assert lazy == eager


def test_an_error_in_a_map_names_its_key():
    wire = b"\x2a\x07\x0a\x01T\x12\x02\x30\x80"
    node = NodeDef.from_bytes(wire, lazy=True)
    with pytest.raises(DecodeError, match=r"byte 8: AttrValue\.type"):
        _ = node.attr["T"].type


def test_looking_up_a_special_name_decodes_nothing():
    graph = GraphDef.from_bytes(b"\x0a\x02\xff\xff", lazy=True)  # the node is damaged: touching it would raise
    for name in ("__array__", "__deepcopy_me__", "__len__", "__iter__"):
        assert not hasattr(graph.node[0], name)
    assert isinstance(graph.node[0], NodeDef)
    assert graph.to_bytes() == b"\x0a\x02\xff\xff"


def test_nesting_is_limited_in_parts_that_are_decoded_later():
    wire = Recursive().to_bytes()
    field = next(f for f in table_of(Recursive).fields if f.kind == "message" and f.label == "singular" and not f.oneof)
    for _ in range(101):
        message = Recursive()
        setattr(message, field.name, Recursive(unknown_fields=wire))
        wire = message.to_bytes()
    with pytest.raises(DecodeError, match="nested too deeply"):
        Recursive.from_bytes(wire)
    message = Recursive.from_bytes(wire, lazy=True)
    with pytest.raises(DecodeError, match="nested too deeply"):
        for _ in range(101):
            message = getattr(message, field.name)
            _ = getattr(message, field.name)


# --- small messages at once ------------------------------------------------------------------------------------------


def is_undecoded(message) -> bool:
    return message._unknown.__class__ is tuple


def test_small_messages_are_decoded_with_everything_in_them():
    graph = GraphDef.from_bytes(GRAPH.to_bytes(), lazy=True)
    nodes = list(graph.node)
    decode_small(nodes)
    assert not any(map(is_undecoded, nodes))
    assert not is_undecoded(nodes[1].attr["value"])
    assert {type(node) for node in nodes} == {NodeDef}
    assert graph == GRAPH and list(graph.node) == nodes


def test_large_and_damaged_messages_stay_undecoded():
    small, large = NodeDef(name="a").to_bytes(), NodeDef(name="b" * 100).to_bytes()
    damaged = small + bytes([42, 1, 7])  # an entry of a map that ends early
    parts = [b"\x0a" + bytes([len(part)]) + part for part in (small, large, damaged)]
    nodes = list(GraphDef.from_bytes(b"".join(parts), lazy=True).node)
    decode_small(nodes, max_size=50)
    assert [is_undecoded(node) for node in nodes] == [False, True, True]
    assert nodes[1].name == "b" * 100
    with pytest.raises(DecodeError):
        nodes[2].attr  # noqa: B018  # reading it fails
