"""A message as a Python object: a dataclass with presence, oneofs, and protobuf's methods under both names."""

import copy
import dataclasses
import inspect
import pickle

import numpy as np
import pytest
from hypothesis import given

import pbwire.json
import pbwire.text
from pbwire import EncodeError
from pbwire import table as pb
from tests.support.samples import Choice, Groups, Maps, Optionals, Order, Proto2, Recursive, Repeated, Required, Scalars
from tests.support.strategies import messages
from tfmodel.messages import AttrValue, DataType, GraphDef, NodeDef, TensorProto, TensorShapeProto, VersionDef

NODE = NodeDef(name="y", op="Add", input=["a", "b"], attr={"T": AttrValue(type=DataType.DT_FLOAT)})


# --- as a dataclass ----------------------------------------------------------------------------------------------


def test_it_is_a_dataclass_whose_fields_are_the_rows_and_unknown_fields():
    assert dataclasses.is_dataclass(VersionDef)
    names = [field.name for field in dataclasses.fields(VersionDef)]
    assert names == ["producer", "min_consumer", "bad_consumers", "unknown_fields"]
    assert VersionDef.__match_args__ == ("producer", "min_consumer", "bad_consumers")


def test_it_has_slots_and_refuses_unknown_names():
    assert not hasattr(NODE, "__dict__")
    with pytest.raises(AttributeError):
        NodeDef().nmae = "x"
    with pytest.raises(TypeError, match="NodeDef has no field 'nmae'"):
        NodeDef(nmae="x")


def test_arguments_by_position_stand_in_the_order_of_the_rows():
    assert NodeDef("y", "Add") == NodeDef(name="y", op="Add")
    with pytest.raises(TypeError, match="given twice"):
        NodeDef("y", name="z")
    with pytest.raises(TypeError, match="3 fields, 4 values"):
        VersionDef(1, 2, [], 4)


def test_unknown_fields_are_compared_and_kept_by_replace_but_not_shown():
    message = VersionDef(producer=1, unknown_fields=b"\xf8\x07\x01")
    assert message != VersionDef(producer=1)
    assert dataclasses.replace(message, producer=2).unknown_fields == b"\xf8\x07\x01"
    assert repr(message) == "VersionDef(producer=1)"


def test_repr_is_short():
    tensor = TensorProto(tensor_content=bytes(2_000_000), float_val=[1.0] * 1000)
    assert repr(tensor) == (
        "TensorProto(tensor_content=<2,000,000 bytes>, "
        "float_val=[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, ... 1,000 in all])"
    )
    assert repr(NODE) == (
        "NodeDef(name='y', op='Add', input=['a', 'b'], attr={'T': AttrValue(type=<DataType.DT_FLOAT: 1>)})"
    )
    assert repr(AttrValue.ListValue(i=[1])) == "AttrValue.ListValue(i=[1])"


def test_copy_is_shallow_and_deepcopy_is_deep():
    shallow, deep = copy.copy(NODE), copy.deepcopy(NODE)
    assert shallow == deep == NODE
    assert shallow.attr is NODE.attr
    assert deep.attr["T"] is not NODE.attr["T"]


@given(messages(Recursive, unknown=True))
def test_pickle_and_deepcopy_give_it_back(message):
    assert pickle.loads(pickle.dumps(message)) == message
    assert copy.deepcopy(message) == message


@pytest.mark.parametrize(
    "message",
    [
        TensorProto(tensor_content=memoryview(b"abcd")[1:3]),
        TensorProto(string_val=[b"a", memoryview(b"b")]),
        Maps(of_bytes={"a": memoryview(b"a"), "b": b"b"}),
        GraphDef(node=[NodeDef(attr={"value": AttrValue(tensor=TensorProto(tensor_content=memoryview(b"abcd")))})]),
    ],
)
def test_views_of_memory_become_bytes_in_copies_and_pickles(message):
    for twin in (pickle.loads(pickle.dumps(message)), copy.deepcopy(message)):
        assert twin == message
        assert twin.to_bytes() == message.to_bytes()


def test_a_view_of_memory_is_not_copied_otherwise():
    view = memoryview(bytearray(b"abcd"))
    message = TensorProto(tensor_content=view)
    copy.deepcopy(message)
    assert message.tensor_content is copy.copy(message).tensor_content is view


def test_a_message_has_no_hash():
    with pytest.raises(TypeError):
        hash(NODE)


def test_messages_of_different_classes_are_not_equal():
    assert NodeDef() != GraphDef()
    assert NodeDef() != 1


def test_match_statements_work_with_nested_messages():
    match NODE:
        case NodeDef(op="Add", input=[first, _], attr={"T": AttrValue(type=DataType.DT_FLOAT)}):
            assert first == "a"
        case _:
            pytest.fail("not matched")


# --- presence ----------------------------------------------------------------------------------------------------


def test_the_values_of_absent_fields():
    assert (Scalars().a_int32, Scalars().a_string, Scalars().a_bool) == (0, "", False)
    assert Optionals().a_int32 is None
    assert NodeDef().input == []
    assert NodeDef().attr == {}
    assert GraphDef().versions is None
    assert Proto2().d_int32 is None


def test_an_absent_list_is_created_on_first_access():
    node = NodeDef()
    node.input.append("x")
    node.attr["T"] = AttrValue(i=1)
    assert node.to_bytes() == NodeDef(input=["x"], attr={"T": AttrValue(i=1)}).to_bytes()
    assert NodeDef() == NodeDef(input=[], attr={})


@pytest.mark.parametrize("value", ["abc", b"abc", 5, {"a": 1}])
def test_a_repeated_field_takes_no_string_and_no_single_value(value):
    with pytest.raises(TypeError, match="input is repeated: it takes a list"):
        NodeDef(input=value)


@pytest.mark.parametrize("value", [("a", "b"), iter(["a", "b"]), {"a": 1, "b": 2}.keys()])
def test_a_repeated_field_converts_other_iterables_to_lists(value):
    assert NodeDef(input=value).input == ["a", "b"]


def test_a_map_takes_a_mapping():
    with pytest.raises(TypeError, match="attr is a map: it takes a dict"):
        NodeDef(attr=[1])


def test_get_returns_what_protobufs_accessors_return():
    assert pbwire.get(Optionals(), "a_int32") == 0
    assert pbwire.get(GraphDef(), "versions") == VersionDef()
    assert pbwire.get(Proto2(), "d_int32") == -(2**31)
    assert pbwire.get(Proto2(), "d_order") is Order.FIRST
    assert pbwire.get(Proto2(d_int32=0), "d_int32") == 0
    with pytest.raises(ValueError, match="NodeDef has no field 'x'"):
        pbwire.get(NODE, "x")


# --- oneofs ------------------------------------------------------------------------------------------------------


def test_setting_one_member_clears_the_others():
    value = AttrValue(i=3)
    value.s = b"x"
    assert (value.i, value.s, value.which_oneof("value")) == (None, b"x", "s")


def test_setting_none_clears_only_that_member():
    value = AttrValue(i=3)
    value.s = None
    assert value.which_oneof("value") == "i"
    value.i = None
    assert value.which_oneof("value") is None


def test_zero_is_set():
    assert AttrValue(i=0).which_oneof("value") == "i"
    assert AttrValue(i=0).to_bytes() == b"\x18\x00"


def test_two_members_at_once_are_refused():
    with pytest.raises(ValueError, match="i and s cannot both be set: they are members of the oneof value"):
        AttrValue(i=1, s=b"")
    assert AttrValue(i=1, s=None).i == 1


def test_replace_changes_the_member():
    assert dataclasses.replace(AttrValue(i=3), s=b"x") == AttrValue(s=b"x")
    assert dataclasses.replace(AttrValue(s=b"x"), i=3) == AttrValue(i=3)
    assert dataclasses.replace(AttrValue(i=3), i=None) == AttrValue()


def test_an_unknown_oneof_is_refused():
    with pytest.raises(ValueError, match="AttrValue has no oneof 'vlaue'"):
        AttrValue().which_oneof("vlaue")


# --- protobuf's methods ------------------------------------------------------------------------------------------


def test_both_spellings_do_the_same():
    data = NODE.to_bytes(deterministic=True)
    assert NODE.SerializeToString(deterministic=True) == data
    assert NodeDef.FromString(data) == NodeDef.from_bytes(data) == NODE
    assert NODE.ByteSize() == len(data)
    parsed, merged, copied = NodeDef(name="z"), NodeDef(input=["z"]), NodeDef(name="z")
    assert parsed.ParseFromString(data) == merged.MergeFromString(data) == len(data)
    assert parsed == NODE
    assert merged.input == ["z", "a", "b"]
    copied.CopyFrom(NODE)
    assert copied == NODE
    copied.Clear()
    assert copied == NodeDef()


def test_a_failed_parse_changes_nothing():
    node = copy.deepcopy(NODE)
    with pytest.raises(pbwire.DecodeError):
        node.ParseFromString(b"\x0a\x05ab")
    assert node == NODE


def test_has_field():
    assert AttrValue(i=0).HasField("i")
    assert AttrValue(i=0).HasField("value")
    assert not GraphDef().HasField("versions")
    with pytest.raises(ValueError, match="has no presence"):
        NODE.HasField("name")
    with pytest.raises(ValueError, match="has no field"):
        NODE.HasField("nmae")


def test_clear_field():
    node, value = copy.deepcopy(NODE), AttrValue(i=1)
    for name in ("name", "input", "attr"):
        node.ClearField(name)
    assert node == NodeDef(op="Add")
    value.ClearField("s")
    assert value.i == 1
    value.ClearField("value")
    value.ClearField("value")
    assert value == AttrValue()


def test_list_fields_are_those_present_by_number():
    assert [field.name for field, _ in NODE.ListFields()] == ["name", "op", "input", "attr"]
    assert [(field.number, value) for field, value in AttrValue(i=0).ListFields()] == [(3, 0)]
    assert Scalars(a_double=-0.0).ListFields() != []


def test_merging_appends_lists_and_merges_messages():
    ours = TensorShapeProto(dim=[TensorShapeProto.Dim(size=1)])
    ours.merge_from(TensorShapeProto(dim=[TensorShapeProto.Dim(size=2)], unknown_rank=True))
    assert [dim.size for dim in ours.dim] == [1, 2]
    assert ours.unknown_rank
    graph = GraphDef(versions=VersionDef(producer=1, bad_consumers=[1]))
    graph.merge_from(GraphDef(versions=VersionDef(min_consumer=2, bad_consumers=[2])))
    assert graph.versions == VersionDef(producer=1, min_consumer=2, bad_consumers=[1, 2])


def test_merging_shares_nothing():
    theirs = NodeDef(attr={"T": AttrValue(list=AttrValue.ListValue(i=[1]))})
    ours = NodeDef()
    ours.merge_from(theirs)
    ours.attr["T"].list.i.append(2)
    assert theirs.attr["T"].list.i == [1]


def test_merging_another_class_is_refused():
    with pytest.raises(TypeError, match="NodeDef cannot take a GraphDef"):
        NodeDef().merge_from(GraphDef())


def test_classes_of_the_same_name_are_distinguished_by_their_modules():
    """Two copies of a package in one process, each with its own."""
    other = pb.message("tensorflow.NodeDef")(type("NodeDef", (pb.Message,), {"__module__": "tests.support.samples"}))
    words = f"NodeDef from another copy of its package \\(tests.support.samples, not {NodeDef.__module__}\\)"
    with pytest.raises(TypeError, match=f"^NodeDef cannot take a {words}$"):
        NodeDef().merge_from(other())
    with pytest.raises(EncodeError, match=rf"^node\[0\]: expected a NodeDef, got {words} NodeDef\(\)$"):
        GraphDef(node=[other()]).to_bytes()
    for write in (pbwire.text.dumps, pbwire.json.dumps):
        with pytest.raises((TypeError, EncodeError), match=words):
            write(GraphDef(node=[other()]))


def test_merging_a_message_into_itself_doubles_its_lists():
    node = NodeDef(input=["a"])
    node.merge_from(node)
    assert node.input == ["a", "a"]


@given(messages(Choice), messages(Choice))
def test_merging_equals_decoding_the_concatenation(first, second):
    together = Choice.from_bytes(first.to_bytes() + second.to_bytes())
    first.merge_from(second)
    assert first == together


@given(messages(Maps))
def test_encoding_and_decoding_gives_it_back(message):
    assert Maps.from_bytes(message.to_bytes()) == message
    assert Maps.from_bytes(message.to_bytes(deterministic=True)) == message


# --- what cannot be written --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (GraphDef(node=[NodeDef(name=5)]), "node[0].name: expected a str, got int 5"),
        (NodeDef(name=("x",)), "name: expected a str, got tuple ('x',)"),
        (NodeDef(input=["a", None]), "input[1]: expected a str, got NoneType None"),
        (NodeDef(name="\ud800"), r"name: has no UTF-8 form: character 0 is the lone surrogate '\ud800'"),
        (NodeDef(attr={"a": AttrValue(i=2**63)}), 'attr["a"].i: 9,223,372,036,854,775,808 is out of range for int64'),
        (NodeDef(attr={"a": AttrValue(i=1.0)}), 'attr["a"].i: expected an integer, got float 1.0'),
        (NodeDef(attr={"a": AttrValue(s="text")}), "attr[\"a\"].s: expected bytes, got str 'text'"),
        (NodeDef(attr={"a": AttrValue(f="1")}), "attr[\"a\"].f: expected a number, got str '1'"),
        (NodeDef(attr={"a": AttrValue(b="yes")}), "attr[\"a\"].b: expected a bool, got str 'yes'"),
        (NodeDef(attr={"a": NodeDef()}), 'attr["a"]: expected a AttrValue, got NodeDef NodeDef()'),
        (NodeDef(attr={1: AttrValue()}), "attr[1]: its key: expected a str, got int 1"),
        (NodeDef(attr={"a": None}), 'attr["a"]: expected a AttrValue, got NoneType None'),
        (TensorProto(int_val=[1, 2**31]), "int_val[1]: 2,147,483,648 is out of range for int32"),
        (TensorProto(int_val=["1"]), "int_val[0]: expected an integer, got str '1'"),
        (TensorProto(float_val=[1.0, None]), "float_val[1]: expected a number, got NoneType None"),
        (TensorProto(bool_val=[2.5]), "bool_val[0]: expected a bool, got float 2.5"),
        (TensorProto(uint32_val=[-1]), "uint32_val[0]: -1 is out of range for uint32"),
        (TensorProto(dtype="DT_FLOAT"), "dtype: expected an integer, got str 'DT_FLOAT'"),
        (Scalars(a_sint32=2**31), "a_sint32: 2,147,483,648 is out of range for sint32"),
        (Scalars(a_fixed32=-1), "a_fixed32: -1 is out of range for fixed32"),
        (Scalars(a_sfixed64=2**63), "a_sfixed64: 9,223,372,036,854,775,808 is out of range for sfixed64"),
    ],
)
def test_a_value_that_its_field_cannot_hold_is_refused(message, text):
    with pytest.raises(EncodeError) as caught:
        message.to_bytes()
    assert text in str(caught.value)
    with pytest.raises(EncodeError):
        message.to_buffers()


@pytest.mark.parametrize(
    "message",
    [
        AttrValue(s=np.str_("ab")),
        AttrValue(s=np.int64(5)),
        AttrValue(s=np.zeros(2, "u1")),
        AttrValue(i=np.array([1])),
        AttrValue(f=np.array([1.0, 2.0])),
        Scalars(a_double=10**400),
        TensorProto(int_val=[np.array([1, 2])]),
    ],
)
def test_numpy_arrays_are_refused_as_scalars_and_bytes(message):
    with pytest.raises(EncodeError, match=r"^(s|i|f|a_double|int_val\[0\]): "):
        message.to_bytes()


def test_copying_from_another_class_changes_nothing():
    node = copy.deepcopy(NODE)
    with pytest.raises(TypeError):
        node.CopyFrom(GraphDef())
    assert node == NODE


def test_a_deleted_attribute():
    node = NodeDef(name="x")
    del node.name
    with pytest.raises(EncodeError, match="name: was deleted"):
        node.to_bytes()


def test_a_message_that_holds_itself():
    value = AttrValue(list=AttrValue.ListValue())
    value.list.func.append(pbwire.get(AttrValue(), "func"))
    value.list.func[0].attr["again"] = value
    with pytest.raises(EncodeError, match="holds itself"):
        value.to_bytes()


def test_missing_required_fields_are_all_named():
    with pytest.raises(EncodeError, match="required and missing"):
        Required().to_bytes()


def test_floats_are_narrowed_as_c_does():
    assert Scalars.from_bytes(Scalars(a_float=1e300).to_bytes()).a_float == float("inf")
    assert Scalars.from_bytes(Scalars(a_float=0.1).to_bytes()).a_float == pytest.approx(0.1)
    assert Repeated.from_bytes(Repeated(a_float=[-1e300]).to_bytes()).a_float == [float("-inf")]


@pytest.mark.parametrize(
    ("ours", "plain"),
    [
        (AttrValue(i=np.int64(7)), AttrValue(i=7)),
        (AttrValue(i=np.int32(-7)), AttrValue(i=-7)),
        (AttrValue(f=np.float32(1.5)), AttrValue(f=1.5)),
        (TensorProto(int_val=[np.int8(1), np.int64(300)]), TensorProto(int_val=[1, 300])),
        (TensorProto(double_val=[np.float64(1)]), TensorProto(double_val=[1.0])),
    ],
)
def test_numbers_may_be_numpys(ours, plain):
    assert ours.to_bytes() == plain.to_bytes()


@pytest.mark.parametrize("value", [bytearray(b"abc"), memoryview(b"abc"), memoryview(b"xabc")[1:]])
def test_bytes_may_be_any_buffer(value):
    assert AttrValue(s=value).to_bytes() == AttrValue(s=b"abc").to_bytes()


# --- buffers -----------------------------------------------------------------------------------------------------


def test_a_large_payload_is_a_buffer_of_its_own_and_is_not_copied():
    weights = bytes(1_000_000)
    node = NodeDef(name="w", op="Const", attr={"value": AttrValue(tensor=TensorProto(tensor_content=weights))})
    buffers = GraphDef(node=[NodeDef(name="x"), node, NodeDef(name="y")]).to_buffers()
    assert any(buffer is weights for buffer in buffers)
    assert len(buffers) == 3


def test_large_parts_of_a_lazy_message_are_views_of_the_input():
    data = GraphDef(node=[NodeDef(name="w" * 1_000_000)]).to_bytes()
    graph = GraphDef.from_bytes(data, lazy=True)
    views = [buffer for buffer in graph.to_buffers() if isinstance(buffer, memoryview)]
    assert [view.obj for view in views] == [data]


@given(messages(Groups))
def test_buffers_joined_are_the_bytes(message):
    assert b"".join(message.to_buffers()) == message.to_bytes()


def test_explain_shows_code_that_can_be_read():
    text = pbwire.explain(VersionDef)
    assert "def decode(data, pos, end, depth, message=None):" in text
    assert "def encode(message, chunks, deterministic, attempts):" in text
    compile(text, "explained", "exec")


@pytest.mark.parametrize("read", [NodeDef.from_bytes, NodeDef.FromString, NodeDef().MergeFromString])
def test_decoding_a_string_is_refused_in_words(read):
    with pytest.raises(TypeError, match=r"^messages are decoded from bytes, not from str"):
        read("abc")


def test_every_public_method_has_a_docstring():
    methods = {name: member for name, member in inspect.getmembers(pbwire.Message) if name[0].islower()}
    assert all(member.__doc__ for member in methods.values() if callable(member))
