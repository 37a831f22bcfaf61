"""Fields with names that protobuf-style messages use themselves."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from pbwire.compat import Message, compat_class, json_format, text_format, unwrap, wrap
from pbwire.compat.values.links import LINK_SLOTS
from pbwire.proto import load_text
from pbwire.wellknown import FieldMask

FIELDS = {
    "int32 {} = 1;": lambda message, name: setattr(message, name, 5),
    "optional string {} = 1;": lambda message, name: setattr(message, name, "text"),
    "repeated int32 {} = 1;": lambda message, name: getattr(message, name).append(5),
    "map<string, M> {} = 1;": lambda message, name: getattr(message, name)["key"].SetInParent(),
    "M {} = 1;": lambda message, name: setattr(getattr(message, name), "other", "text"),
    "oneof choice {{ M {} = 1; }}": lambda message, name: getattr(message, name).SetInParent(),
}
NAMES = sorted({*dir(Message), *LINK_SLOTS, "__slots__", "__dict__", "_field_1", "_field_2", "_extensions", "_sorted"})
NAMES += ["_oneof_kind", "_case_kind", "_oneof_choice", "_case_choice"]


def make_class(field: str, name: str) -> Any:
    kind = "string other = 2; oneof kind { int32 number = 3; string text = 4; }"
    proto = f'syntax = "proto3"; package names; message M {{ {field.format(name)} {kind} M child = 5; }}'
    return compat_class(load_text(proto)["names.M"])


@pytest.mark.parametrize("field", FIELDS)
def test_fields_may_have_all_names(field):
    for name in NAMES:
        cls = make_class(field, name)
        attribute = cls.DESCRIPTOR.fields_by_name[name]._field.attribute
        assert attribute in {name, f"{name}_"} and not hasattr(Message, attribute)
        message = cls(other="x")
        FIELDS[field](message, attribute)
        message.child.CopyFrom(message)
        data = message.SerializeToString()
        assert len(data) > 8
        copies = [cls.FromString(data), copy.deepcopy(message), wrap(unwrap(message)), cls(), cls(), cls(), cls()]
        copies[3].MergeFrom(message)
        assert copies[4].ParseFromString(data) == message.ByteSize()
        text_format.Parse(text_format.MessageToString(message), copies[5])
        json_format.Parse(json_format.MessageToJson(message), copies[6])
        assert all(copied == message for copied in copies), name
        assert [descriptor.name for descriptor, _ in message.ListFields()] == [name, "other", "child"]
        assert str(message).startswith(name)
        message.ClearField(name)
        assert message != copies[0]


def test_attributes_differ_from_other_fields():
    fields = "int32 _parent = 1; int32 _parent_ = 2 [json_name = 'other']; int32 Clear = 3;"
    proto = f'syntax = "proto3"; package names; message N {{ {fields} }}'
    message = compat_class(load_text(proto)["names.N"])(_parent=1, _parent_=2, Clear=3)
    assert (message._parent__, message._parent_, message.Clear_) == (1, 2, 3)
    message.Clear()
    assert not message.ListFields()


def test_masks_have_the_names_of_the_fields():
    cls = make_class("int32 {} = 1;", "_field")
    source, target = cls(_field=5, child=cls(_field=6)), cls(_field=7)
    mask = compat_class(FieldMask)(paths=["_field", "child._field"])
    mask.MergeMessage(source, target)
    assert (target._field_, target.child._field_) == (5, 6)


def test_nested_types_and_numbers_hide_no_methods():
    nested = "message CopyFrom { int32 x = 1; } enum Kind { Clear = 0; _unknown = 1; OTHER = 2; }"
    proto = f'syntax = "proto3"; package names; message P {{ {nested} Kind kind = 1; }}'
    cls = compat_class(load_text(proto)["names.P"])
    message = cls(kind="_unknown")
    copied = cls()
    copied.CopyFrom(message)
    assert copied == message and (cls.OTHER, cls.Kind.Value("Clear")) == (2, 0)
    message.Clear()
    assert message.SerializeToString() == b""
    assert cls.DESCRIPTOR.nested_types_by_name["CopyFrom"]._concrete_class(x=1).x == 1
