"""DESCRIPTOR tells the same about messages, fields, oneofs and enums as Google's descriptors."""

from __future__ import annotations

from typing import Any

import pytest

from pbwire.compat import compat_class
from pbwire.compat.unknown_fields import UnknownFieldSet
from tests.support import samples
from tests.support.protobuf_twin import is_repeated, is_required, twin
from tfmodel import messages

CLASSES = [
    messages.AttrValue,
    messages.GraphDef,
    messages.MetaGraphDef,
    messages.NodeDef,
    messages.SaverDef,
    samples.Choice,
    samples.Groups,
    samples.Maps,
    samples.Proto2,
    samples.Repeated,
    samples.Scalars,
]


def pair(cls: Any) -> tuple[Any, Any]:
    return compat_class(cls).DESCRIPTOR, twin(cls.__table__.full_name).DESCRIPTOR


@pytest.fixture(params=CLASSES, ids=lambda cls: cls.__name__)
def descriptors(request):
    return pair(request.param)


def test_fields_have_the_same_properties(descriptors):
    ours, theirs = (
        sorted(
            (
                field.name,
                field.number,
                field.type,
                field.cpp_type,
                is_repeated(field),
                is_required(field),
                field.full_name,
                field.has_presence,
                field.containing_oneof.name if field.containing_oneof is not None else None,
                field.message_type.full_name if field.message_type is not None else None,
                field.enum_type.full_name if field.enum_type is not None else None,
            )
            for field in descriptor.fields
        )
        for descriptor in descriptors
    )
    assert ours == theirs


def test_messages_have_the_same_names_and_parts(descriptors):
    ours, theirs = (
        (
            descriptor.name,
            descriptor.full_name,
            {oneof.name: {field.name for field in oneof.fields} for oneof in descriptor.oneofs},
            {*descriptor.enum_values_by_name},
            {*descriptor.fields_by_name},
            {*descriptor.fields_by_number},
            {*descriptor.fields_by_camelcase_name},
            descriptor.containing_type.full_name if descriptor.containing_type is not None else None,
        )
        for descriptor in descriptors
    )
    assert ours == theirs


@pytest.mark.parametrize("name", ["CheckpointFormatVersion"])
def test_enums_have_the_same_values(name):
    ours, theirs = (descriptor.enum_types_by_name[name] for descriptor in pair(messages.SaverDef))
    assert [(value.name, value.number) for value in ours.values] == [(one.name, one.number) for one in theirs.values]
    assert ours.full_name == theirs.full_name


def test_unknown_fields_are_listed_with_number_type_and_value():
    data = b"\xf8\x7f\x01" + b"\xf1\x7f12345678" + b"\xf2\x7f\x02hi" + b"\xf5\x7f1234"
    message = compat_class(messages.NodeDef).FromString(data)
    assert [(field.field_number, field.wire_type, field.data) for field in UnknownFieldSet(message)] == [
        (2047, 0, 1),
        (2046, 1, int.from_bytes(b"12345678", "little")),
        (2046, 2, b"hi"),
        (2046, 5, int.from_bytes(b"1234", "little")),
    ]
