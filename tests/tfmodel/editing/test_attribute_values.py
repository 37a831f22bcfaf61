"""Attributes from plain values and from text, for every type of attribute that ops declare."""

from __future__ import annotations

import numpy as np
import pytest

from tfmodel import GraphError
from tfmodel.editing.attribute_values import attribute_value, parse_attribute
from tfmodel.messages import AttrValue, DataType, NameAttrList, OpDef, TensorShapeProto

FLOAT = DataType.DT_FLOAT
SHAPE = TensorShapeProto(dim=[TensorShapeProto.Dim(size=-1), TensorShapeProto.Dim(size=3)])


def declared(kind: str) -> OpDef.AttrDef:
    return OpDef.AttrDef(name="a", type=kind)


@pytest.mark.parametrize(
    ("kind", "text", "value", "expected"),
    [
        ("int", "-3", -3, AttrValue(i=-3)),
        ("float", "0.5", 0.5, AttrValue(f=0.5)),
        ("bool", "true", True, AttrValue(b=True)),
        ("string", "SAME", "SAME", AttrValue(s=b"SAME")),
        ("type", "float32", np.float32, AttrValue(type=FLOAT)),
        ("type", "DT_FLOAT", FLOAT, AttrValue(type=FLOAT)),
        ("type", "bfloat16", "bfloat16", AttrValue(type=DataType.DT_BFLOAT16)),
        ("shape", "[?,3]", [None, 3], AttrValue(shape=SHAPE)),
        ("shape", "-1,3", (-1, 3), AttrValue(shape=SHAPE)),
        ("shape", "[]", (), AttrValue(shape=TensorShapeProto())),
        ("shape", "unknown", None, AttrValue(shape=TensorShapeProto(unknown_rank=True))),
        ("func", "f", "f", AttrValue(func=NameAttrList(name="f"))),
        ("list(int)", "[1, 2]", range(1, 3), AttrValue(list=AttrValue.ListValue(i=[1, 2]))),
        ("list(type)", "[float32]", ["float32"], AttrValue(list=AttrValue.ListValue(type=[FLOAT]))),
        ("list(string)", "[a,b]", ["a", b"b"], AttrValue(list=AttrValue.ListValue(s=[b"a", b"b"]))),
        ("list(shape)", "[[?,3]]", [[None, 3]], AttrValue(list=AttrValue.ListValue(shape=[SHAPE]))),
        ("list(float)", "[]", [], AttrValue(list=AttrValue.ListValue())),
    ],
)
def test_values_and_text(kind, text, value, expected):
    assert attribute_value(value, declared(kind), "node") == expected
    assert attribute_value(parse_attribute(text, declared(kind)), declared(kind), "node") == expected
    assert attribute_value(expected, declared(kind), "node") is expected


def test_tensors():
    value = attribute_value(parse_attribute("[[1, 2]]", declared("tensor")), declared("tensor"), "node")
    assert value == attribute_value(np.array([[1, 2]], np.int32), declared("tensor"), "node")


@pytest.mark.parametrize(
    ("kind", "value", "problem"),
    [
        ("int", 1.5, "is int"),
        ("int", True, "expected an integer, got True"),
        ("int", 2**63, "out of the range of int64"),
        ("float", "1", "expected a number, got '1'"),
        ("bool", 0, "expected True or False"),
        ("string", 1, "expected a string"),
        ("type", "flaot32", 'did you mean "float32"'),
        ("shape", 3, "expected a list of sizes"),
        ("shape", [-2], "a size is -1 or more"),
        ("func", 1, "expected the name of a function"),
        ("list(int)", "12", "expected a list"),
        ("list(int)", [1, "2"], "is list"),
        ("int", AttrValue(f=1.0), "is a float, not an int"),
    ],
)
def test_values_of_another_type(kind, value, problem):
    with pytest.raises(GraphError, match="node: ") as caught:
        attribute_value(value, declared(kind), "node")
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "text", "problem"),
    [
        ("int", "x", "expected an integer"),
        ("float", "x", "expected a number"),
        ("bool", "yes", "expected true or false"),
        ("list(int)", "1,2", "expected a list in brackets"),
        ("shape", "[a]", "expected an integer"),
        ("tensor", "[1,", "expected JSON"),
    ],
)
def test_text_of_another_form(kind, text, problem):
    with pytest.raises(ValueError, match=problem):
        parse_attribute(text, declared(kind))
