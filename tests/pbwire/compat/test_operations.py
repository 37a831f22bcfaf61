"""The same operations on the same messages have the same results, errors and bytes in protobuf and here."""

from __future__ import annotations

import pytest

from pbwire import json, wellknown
from tests.pbwire.compat.operations import difference
from tests.support import samples
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
REPEATED = [NODE, messages.NameAttrList(attr=ATTRIBUTES), json.from_dict(JSON, wellknown.Struct)]


@pytest.mark.parametrize("message", REPEATED, ids=lambda message: type(message).__name__)
def test_operations_on_messages_with_remembered_values(message):
    cls, data = type(message), message.to_bytes()
    assert [found for seed in range(100) if (found := difference(cls.__table__.full_name, cls, seed, data))] == []


@pytest.mark.slow(reason="3,900 sequences")
@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_many_operations_have_the_same_results_as_in_protobuf(cls):
    seeds = range(SEEDS, SEEDS + MANY_SEEDS)
    assert [found for seed in seeds if (found := difference(cls.__table__.full_name, cls, seed))] == []
