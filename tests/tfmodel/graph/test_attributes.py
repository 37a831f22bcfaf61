"""Reading attributes."""

from __future__ import annotations

import pytest

from tfmodel import GraphError
from tfmodel.graph import attr
from tfmodel.messages import AttrValue, DataType, NameAttrList, NodeDef, TensorProto, TensorShapeProto

List = AttrValue.ListValue


def node_with(value):
    return NodeDef(name="n", op="Op", attr={"a": value})


SHAPE = TensorShapeProto(dim=[TensorShapeProto.Dim(size=2)])
TENSOR = TensorProto(dtype=DataType.DT_FLOAT)
FUNCTION = NameAttrList(name="f")
VALUES = [
    (int, AttrValue(i=3), 3),
    (float, AttrValue(f=0.5), 0.5),
    (bool, AttrValue(b=False), False),
    (str, AttrValue(s="é".encode()), "é"),
    (bytes, AttrValue(s=b"\xff"), b"\xff"),
    (DataType, AttrValue(type=DataType.DT_INT8), DataType.DT_INT8),
    (TensorShapeProto, AttrValue(shape=SHAPE), SHAPE),
    (TensorProto, AttrValue(tensor=TENSOR), TENSOR),
    (NameAttrList, AttrValue(func=FUNCTION), FUNCTION),
    (list[int], AttrValue(list=List(i=[1, 2])), [1, 2]),
    (list[float], AttrValue(list=List(f=[0.5])), [0.5]),
    (list[bool], AttrValue(list=List(b=[True])), [True]),
    (list[str], AttrValue(list=List(s=[b"a"])), ["a"]),
    (list[bytes], AttrValue(list=List(s=[b"\xff"])), [b"\xff"]),
    (list[DataType], AttrValue(list=List(type=[DataType.DT_INT8])), [DataType.DT_INT8]),
    (list[TensorShapeProto], AttrValue(list=List(shape=[SHAPE])), [SHAPE]),
    (list[TensorProto], AttrValue(list=List(tensor=[TENSOR])), [TENSOR]),
    (list[NameAttrList], AttrValue(list=List(func=[FUNCTION])), [FUNCTION]),
]


@pytest.mark.parametrize(("kind", "value", "expected"), VALUES)
def test_every_kind(kind, value, expected):
    assert attr(node_with(value), "a", kind) == expected


@pytest.mark.parametrize("kind", [kind for kind, _, _ in VALUES])
def test_every_other_kind_is_refused(kind):
    text = {str, bytes}
    texts = {str(list[str]), str(list[bytes])}
    for other, value, _ in VALUES:
        same = other == kind or {other, kind} == text or {str(other), str(kind)} == texts
        if not same:
            with pytest.raises(GraphError, match=r'^the attribute "a" of Op "n" is (a|an) .*, not (a|an) '):
                attr(node_with(value), "a", kind)


@pytest.mark.parametrize("kind", [kind for kind, _, _ in VALUES if kind not in (int, float, bool)])
def test_an_empty_list_is_of_any_kind_of_list(kind):
    node = node_with(AttrValue(list=List()))
    if str(kind).startswith("list"):
        assert attr(node, "a", kind) == []
    else:
        with pytest.raises(GraphError, match="is an empty list, not"):
            attr(node, "a", kind)


def test_a_missing_attribute_has_a_default_or_is_an_error():
    node = NodeDef(name="c", op="Conv2D", attr={"strides": AttrValue(list=List(i=[1]))})
    assert attr(node, "T", DataType, None) is None
    assert attr(node, "transpose_a", bool, False) is False
    with pytest.raises(GraphError, match=r'^Conv2D "c" has no attribute "stride"; did you mean "strides"\?$'):
        attr(node, "stride", list[int])


@pytest.mark.parametrize(
    ("value", "kind", "problem"),
    [
        (AttrValue(i=3), DataType, "is an integer, not a type"),
        (AttrValue(list=List(i=[3])), list[float], "is a list of integers, not a list of floats"),
        (AttrValue(), int, "is nothing, not an integer"),
        (AttrValue(placeholder="T"), DataType, 'is left to the caller of its function, as "T"'),
        (AttrValue(s=b"\xff"), str, "is not UTF-8"),
        (AttrValue(type=9999), DataType, "is not a known type: 9999"),
    ],
)
def test_errors_name_the_node_and_the_attribute(value, kind, problem):
    with pytest.raises(GraphError) as caught:
        attr(node_with(value), "a", kind)
    assert problem in str(caught.value)
    assert str(caught.value).startswith('the attribute "a" of Op "n" ')


def test_an_unknown_kind_is_a_type_error():
    with pytest.raises(TypeError, match="not a kind of attribute"):
        attr(node_with(AttrValue(i=1)), "a", dict)
