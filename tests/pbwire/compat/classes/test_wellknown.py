"""Any, Timestamp, Duration, FieldMask, Struct and ListValue have the methods of Google's classes."""

from __future__ import annotations

import collections.abc
import datetime
import re
from typing import Any

import pytest
from google.protobuf import any_pb2, duration_pb2, field_mask_pb2, struct_pb2, timestamp_pb2

from pbwire import wellknown
from pbwire.compat import compat_class, descriptors
from pbwire.compat.pools import default_pool
from pbwire.errors import DecodeError
from pbwire.proto import descriptor_messages
from tests.support.protobuf_twin import twin
from tfmodel.messages import NodeDef

GOOGLES = {
    "Any": any_pb2,
    "Duration": duration_pb2,
    "FieldMask": field_mask_pb2,
    "ListValue": struct_pb2,
    "Struct": struct_pb2,
    "Timestamp": timestamp_pb2,
    "Value": struct_pb2,
}


def both(name: str) -> list[Any]:
    """Return a message of our class and one of Google's."""
    return [compat_class(getattr(wellknown, name))(), getattr(GOOGLES[name], name)()]


def outcomes(name: str, action: Any) -> list[Any]:
    """Return what an action does to both: its result and the bytes, or the error's class."""
    results = []
    for message in both(name):
        try:
            result = action(message)
            results.append((result, message.SerializeToString(deterministic=True)))
        except (TypeError, ValueError, KeyError, IndexError) as error:
            results.append(next(kind for kind in (TypeError, ValueError, LookupError) if isinstance(error, kind)))
    return results


TIMES = [
    "1970-01-01T00:00:00Z",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999999999Z",
    "1969-12-31T23:59:59.5Z",
    "2024-02-29T12:34:56.000001Z",
    "2024-02-29T12:34:56+01:30",
    "2024-02-30T12:34:56Z",
    "2024-02-29",
    "2024-02-29T12:34:56",
    "",
]
DURATIONS = ["0s", "1.5s", "-1.5s", "0.000000001s", "-0.000001s", "315576000000s", "315576000001s", "1", "1m", ""]


@pytest.mark.parametrize("text", TIMES)
@pytest.mark.parametrize(
    "read", ["ToJsonString", "ToDatetime", "ToNanoseconds", "ToMicroseconds", "ToMilliseconds", "ToSeconds"]
)
def test_timestamps_are_those_of_protobuf(text, read):
    ours, theirs = outcomes("Timestamp", lambda time: (time.FromJsonString(text), getattr(time, read)()))
    assert ours == theirs


@pytest.mark.parametrize("text", DURATIONS)
@pytest.mark.parametrize(
    "read", ["ToJsonString", "ToTimedelta", "ToNanoseconds", "ToMicroseconds", "ToMilliseconds", "ToSeconds"]
)
def test_durations_are_those_of_protobuf(text, read):
    ours, theirs = outcomes("Duration", lambda time: (time.FromJsonString(text), getattr(time, read)()))
    assert ours == theirs


@pytest.mark.parametrize("name", ["Timestamp", "Duration"])
@pytest.mark.parametrize("unit", ["Nanoseconds", "Microseconds", "Milliseconds", "Seconds"])
@pytest.mark.parametrize("count", [0, 1, -1, 1_500, -1_500, 1_234_567_890, -1_234_567_890])
def test_times_from_counts_are_those_of_protobuf(name, unit, count):
    ours, theirs = outcomes(name, lambda time: getattr(time, f"From{unit}")(count))
    assert ours == theirs


def test_times_from_python_are_those_of_protobuf():
    moment = datetime.datetime(2024, 2, 29, 1, 2, 3, 4, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))
    assert len({result[1] for result in outcomes("Timestamp", lambda time: time.FromDatetime(moment))}) == 1
    span = datetime.timedelta(days=-1, seconds=3, microseconds=7)
    assert len({result[1] for result in outcomes("Duration", lambda time: time.FromTimedelta(span))}) == 1


STRUCT_EDITS = {
    "numbers, strings, null": lambda struct: struct.update({"a": 1, "b": "x", "c": None, "d": True}),
    "nested": lambda struct: struct.update({"a": {"b": [1, {"c": []}]}}),
    "a list": lambda struct: struct.get_or_create_list("a").extend([1, "x", None]),
    "a struct": lambda struct: struct.get_or_create_struct("a").update({"b": 1}),
    "an item": lambda struct: struct.__setitem__("a", 5),
    "a missing key": lambda struct: struct["nothing"],
    "a value of no type": lambda struct: struct.__setitem__("a", object()),
}


@pytest.mark.parametrize("edit", STRUCT_EDITS)
def test_structs_are_those_of_protobuf(edit):
    ours, theirs = (
        result if isinstance(result, type) else result[1] for result in outcomes("Struct", STRUCT_EDITS[edit])
    )
    assert ours == theirs


@pytest.mark.parametrize("paths", ["", "name", "name,op", "attr", "nothing", "Name", "inputOp.device"])
def test_field_masks_are_those_of_protobuf(paths):
    ours, theirs = outcomes("FieldMask", lambda mask: (mask.FromJsonString(paths), mask.ToJsonString()))
    assert ours == theirs
    descriptors_of = [compat_class(NodeDef).DESCRIPTOR, twin("tensorflow.NodeDef").DESCRIPTOR]
    masks = both("FieldMask")
    for mask in masks:
        mask.paths.extend(paths.split(","))
    valid = [mask.IsValidForDescriptor(one) for mask, one in zip(masks, descriptors_of, strict=True)]
    assert valid[0] == valid[1]


def test_an_any_holds_a_message():
    node = compat_class(NodeDef)(name="x", input=["a"])
    box = compat_class(wellknown.Any)()
    box.Pack(node)
    theirs = any_pb2.Any()
    theirs.Pack(twin("tensorflow.NodeDef").FromString(node.SerializeToString()))
    assert box.SerializeToString() == theirs.SerializeToString()
    assert (box.TypeName(), box.Is(node.DESCRIPTOR)) == ("tensorflow.NodeDef", True)
    copy = compat_class(NodeDef)()
    assert box.Unpack(copy)
    assert copy == node
    assert not box.Unpack(compat_class(wellknown.Timestamp)())


def test_descriptors_are_copied_to_messages_of_their_own_type_only():
    with pytest.raises(TypeError, match="not a message class"):
        descriptors.message_descriptor(compat_class(NodeDef)).CopyToProto(None)


def test_structs_and_lists_are_mappings_and_sequences_whose_content_in_finds():
    struct, values = compat_class(wellknown.Struct)(), compat_class(wellknown.ListValue)()
    struct["x"] = 1
    values.extend([1, "a", None])
    assert isinstance(struct, collections.abc.MutableMapping)
    assert isinstance(values, collections.abc.MutableSequence)
    assert ("x" in struct, "fields" in struct) == (True, False)
    assert (1 in values, None in values, "values" in values) == (True, True, False)


def test_in_is_presence():
    node = compat_class(NodeDef)(name="x")
    node.experimental_debug_info.SetInParent()
    assert "experimental_debug_info" in node
    with pytest.raises(ValueError, match="no presence"):
        _ = "name" in node


def test_errors_name_what_protobuf_names():
    node = compat_class(NodeDef)
    with pytest.raises(DecodeError, match=r"Error parsing message with type 'tensorflow\.NodeDef'"):
        node.FromString(b"\x0a")
    with pytest.raises(TypeError, match=r"must be instance of same class: expected tensorflow\.NodeDef got int"):
        node().CopyFrom(1)
    with pytest.raises(ValueError, match='Protocol message NodeDef has no "nope" field'):
        node(nope=1)


def test_a_field_of_a_class_has_its_descriptor():
    node = compat_class(NodeDef)
    assert node.name.DESCRIPTOR is node.DESCRIPTOR.fields_by_name["name"]


def test_a_descriptor_of_one_message_is_made():
    proto = compat_class(descriptor_messages.DescriptorProto)(name="Car")
    proto.field.add(name="year", number=1, type=3, label=1)
    proto.field.add(name="speed", number=2)  # a double
    made = descriptors.MakeDescriptor(proto, "made.here")
    assert made._concrete_class(year=1999, speed=1).SerializeToString() == b"\x08\xcf\x0f\x11\0\0\0\0\0\0\xf0?"
    assert made is default_pool().FindMessageTypeByName("made.here.Car")
    assert re.fullmatch(r"made/here/\w{32}\.proto", made.file.name)
    with pytest.raises(TypeError, match=r"\"made\.here\.Car\" is already defined"):
        descriptors.MakeDescriptor(proto, "made.here")


def test_options_are_messages():
    attr = compat_class(NodeDef).DESCRIPTOR.fields_by_name["attr"].message_type
    assert attr.GetOptions().map_entry
    assert not attr.containing_type.GetOptions().HasField("map_entry")
