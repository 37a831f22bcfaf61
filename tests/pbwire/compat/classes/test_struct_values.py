"""Python values that are given to Struct and ListValue, compared with the newest protobuf."""

from __future__ import annotations

import datetime
import json
import re
from typing import Any

import pytest

from pbwire import wellknown
from pbwire.compat import compat_class
from tests.golden.compat import struct_values
from tests.golden.compat.struct_values import STATEMENTS, TUPLES, VALUES, outcome, with_value
from tests.support import newest_protobuf
from tfmodel.compat.google.protobuf import descriptor_pb2, descriptor_pool, duration_pb2, message_factory

RECORDED = {row["case"]: row["result"] for row in map(json.loads, struct_values.FILE.read_text().splitlines())}
NAMES = struct_values.names("tfmodel.compat.")
CHANGES = [statement for statement in STATEMENTS if "; " in statement]
Struct, ListValue, Value = (compat_class(getattr(wellknown, name)) for name in ("Struct", "ListValue", "Value"))


@pytest.mark.parametrize("statement", STATEMENTS)
def test_values_have_the_results_of_protobuf(statement: str) -> None:
    cases = [with_value(statement, value) for value in VALUES if value not in TUPLES]
    assert {case: outcome(case, NAMES) for case in cases} == {case: RECORDED[case] for case in cases}


@pytest.mark.parametrize("case", struct_values.FURTHER)
def test_further_changes_have_the_results_of_protobuf(case: str) -> None:
    assert outcome(case, NAMES) == RECORDED[case]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_tuple_counts_as_a_list(statement: str) -> None:
    """Protobuf refuses to assign it, or assigns its only element."""
    for value, same in TUPLES.items():
        assert outcome(with_value(statement, value), NAMES) == RECORDED[with_value(statement, same)], value


@pytest.mark.slow(reason="asks the newest protobuf in a process of its own")
def test_protobuf_still_says_so() -> None:
    try:
        rows = struct_values.rows()
    except newest_protobuf.Unavailable as reason:
        pytest.skip(str(reason))
    assert {row["case"]: row["result"] for row in rows} == RECORDED


@pytest.mark.parametrize("change", CHANGES)
def test_a_refused_value_changes_nothing(change: str) -> None:
    made, _, rest = change.partition("; ")
    refused = 0
    for value in VALUES:
        local: dict[str, Any] = dict(NAMES)
        exec(made, local)
        before = local["m"].SerializeToString(deterministic=True)
        try:
            exec(with_value(rest, value), local)
        except Exception:  # any refusal
            refused += 1
            assert local["m"].SerializeToString(deterministic=True) == before, value
    assert refused > 5


RECURSIVE: list[Any] = []
RECURSIVE.append(RECURSIVE)


def refuse(message: Any, change: Any, error: type[Exception]) -> None:
    before = message.SerializeToString(deterministic=True)
    with pytest.raises(error):
        change(message)
    assert message.SerializeToString(deterministic=True) == before


def test_values_that_contain_themselves_and_times_that_are_out_of_range_change_nothing() -> None:
    refuse(ListValue(values=[Value(bool_value=True)]), lambda message: message.append(RECURSIVE), RecursionError)
    refuse(Value(string_value="s"), lambda message: setattr(message, "list_value", RECURSIVE), RecursionError)
    holder = _holder_of_a_duration()
    holder.duration = datetime.timedelta(seconds=1)
    refuse(holder, lambda message: setattr(message, "duration", datetime.timedelta.max), ValueError)


def _holder_of_a_duration() -> Any:
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(duration_pb2.DESCRIPTOR.serialized_pb)
    file = descriptor_pb2.FileDescriptorProto(name="lasting.proto", package="sample", syntax="proto3")
    file.dependency.append("google/protobuf/duration.proto")
    field = {"name": "duration", "number": 1, "type": 11, "label": 1, "type_name": ".google.protobuf.Duration"}
    file.message_type.add(name="Lasting").field.add(**field)
    pool.AddSerializedFile(file.SerializeToString())
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("sample.Lasting"))()


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("m['a'] = m", {"x": [1], "a": {"x": [1]}}),
        ("m.update(m)", {"x": [1]}),
        ("m['x'].append(m['x'])", {"x": [1, [1]]}),
        ("m['x'].extend(m['x'])", {"x": [1, 1]}),
        ("m['x'][0] = m", {"x": [{"x": [1]}]}),
        ("m.fields['x'].list_value = m['x']", {"x": [1]}),
        ("m.fields['x'].list_value = m", {"x": ["x"]}),
        ("m.fields['x'].struct_value = m", {"x": {"x": [1]}}),
    ],
)
def test_a_part_of_a_message_is_given_to_the_message(change: str, expected: Any) -> None:
    """Protobuf clears the part first, or reads what it writes."""
    message = Struct()
    message["x"] = [1]
    exec(change, {"m": message})
    assert message == expected


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ("m.struct_value = [1]", "a google.protobuf.Struct takes a mapping, not list"),
        ("m.list_value = [b'x']", "JSON has no value like b'x'"),
        ("m.list_value = 5", "'int' object is not iterable"),
    ],
)
def test_errors_say_what_is_wrong(change: str, text: str) -> None:
    with pytest.raises((AttributeError, TypeError, ValueError), match=re.escape(text)):
        exec(change, {"m": Value()})
