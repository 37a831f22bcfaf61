"""The same operations on the same messages have the same results, errors and bytes in protobuf and here."""

from __future__ import annotations

import pytest

from pbwire import json, wellknown
from pbwire.compat import compat_class
from tests.pbwire.compat.classes.operations import bools_are_integers, difference, refusals_make_present
from tests.support import samples
from tests.support.protobuf_twin import twin
from tfmodel import messages

CLASSES = [
    messages.AttrValue,
    messages.Example,
    messages.GraphDef,
    messages.MetaGraphDef,
    messages.NodeDef,
    messages.SaverDef,
    messages.TensorProto,
    samples.Choice,
    samples.Groups,
    samples.Maps,
    samples.Proto2,
    samples.Repeated,
    samples.Scalars,
]
SEEDS = 10
MANY_SEEDS = 300


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_operations_have_the_same_results_as_in_protobuf(cls):
    assert [found for seed in range(SEEDS) if (found := difference(cls.__table__.full_name, cls, seed))] == []


SHAPE = messages.TensorShapeProto(dim=[messages.TensorShapeProto.Dim(size=3)])
ATTRIBUTES = {
    "a": messages.AttrValue(list=messages.AttrValue.ListValue(i=[1, 2], shape=[SHAPE])),
    "b": messages.AttrValue(shape=SHAPE),
    "d": messages.AttrValue(list=messages.AttrValue.ListValue(shape=[SHAPE, SHAPE])),
    "c": messages.AttrValue(func=messages.NameAttrList(name="f", attr={"T": messages.AttrValue(type=1)})),
    "": messages.AttrValue(list=messages.AttrValue.ListValue()),
    "é": messages.AttrValue(i=3),
}
NODE = messages.NodeDef(name="n", attr=ATTRIBUTES)
JSON = {"a": {"b": [1, None, {"c": True}]}, "b": ["x"], "": 2.5}
WITH_CONTENT = [NODE, messages.NameAttrList(attr=ATTRIBUTES), json.from_dict(JSON, wellknown.Struct)]


@pytest.mark.parametrize("message", WITH_CONTENT, ids=lambda message: type(message).__name__)
def test_operations_on_messages_with_content(message):
    cls, data = type(message), message.to_bytes()
    assert [found for seed in range(100) if (found := difference(cls.__table__.full_name, cls, seed, data))] == []


INTEGERS = ["a_int32", "a_int64", "a_uint32", "a_uint64", "a_sint32", "a_fixed64", "a_mood"]


@pytest.mark.parametrize("field", INTEGERS)
def test_a_bool_is_an_integer_as_in_protobuf_6(field):
    """Version 7 refuses it, for every integer and enum; sequences use the integer there."""
    ours, theirs = compat_class(samples.Scalars)(), twin("sample.Scalars")()
    setattr(ours, field, True)
    assert getattr(ours, field) == 1 and getattr(ours, field) is not True
    if bools_are_integers():
        setattr(theirs, field, True)
        assert ours.SerializeToString() == theirs.SerializeToString()
    else:
        with pytest.raises(TypeError, match="boolean"):
            setattr(theirs, field, True)


@pytest.mark.parametrize("value", [1, None, {}, "a"])
def test_refusing_to_assign_a_message_makes_the_message_around_it_present_as_in_protobuf_6(value):
    """So does the refusal of a number. Version 4.25 makes it present for numbers only."""
    made = [compat_class(samples.Recursive)(), twin("sample.Recursive")()]
    for message in made:
        with pytest.raises(AttributeError):
            message.child.left.child = value
    assert [message.HasField("child") for message in made] == [True, refusals_make_present()]
    assert made[0].child.WhichOneof("side") == "left" and not made[0].child.left.HasField("child")


@pytest.mark.slow(reason="3,900 sequences")
@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_many_operations_have_the_same_results_as_in_protobuf(cls):
    seeds = range(SEEDS, SEEDS + MANY_SEEDS)
    assert [found for seed in seeds if (found := difference(cls.__table__.full_name, cls, seed))] == []
