"""The methods of Google's well-known messages, which make them of Python's own values and back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbwire import DecodeError, json, proto, wellknown
from pbwire import table as pb
from pbwire.wellknown import LAST_SECOND, Duration, FieldMask, ListValue, Struct, Timestamp, Value
from tests.support.protobuf_twin import twin

ZONES = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
TIMES = st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31), timezones=ZONES)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


# --- times -----------------------------------------------------------------------------------------------------------


@given(TIMES)
def test_a_datetime_becomes_a_timestamp_and_comes_back(time: datetime) -> None:
    stamp = Timestamp.from_datetime(time)
    theirs = twin(Timestamp)()
    theirs.FromDatetime(time)
    assert stamp.to_bytes() == theirs.SerializeToString()
    assert stamp.to_datetime() == time
    assert stamp.to_datetime(time.tzinfo).utcoffset() == time.utcoffset()


def test_a_datetime_without_a_zone_is_in_utc() -> None:
    stamp = Timestamp.from_datetime(datetime(2024, 5, 31, 12))
    assert json.dumps(stamp) == '"2024-05-31T12:00:00Z"'
    assert stamp.to_datetime() == datetime(2024, 5, 31, 12, tzinfo=UTC)


@given(st.timedeltas(timedelta(days=-3_000_000), timedelta(days=3_000_000)))
def test_a_timedelta_becomes_a_duration_and_comes_back(length: timedelta) -> None:
    duration = Duration.from_timedelta(length)
    theirs = twin(Duration)()
    theirs.FromTimedelta(length)
    assert duration.to_bytes() == theirs.SerializeToString()
    assert duration.to_timedelta() == length


@given(st.integers(-(2**60), 2**60))
def test_nanoseconds_are_kept(nanoseconds: int) -> None:
    assert Timestamp.from_nanoseconds(nanoseconds).to_nanoseconds() == nanoseconds
    assert Duration.from_nanoseconds(nanoseconds).to_nanoseconds() == nanoseconds


def test_now_is_between_two_readings_of_the_clock() -> None:
    before, stamp, after = datetime.now(UTC), Timestamp.now(), datetime.now(UTC)
    assert before <= stamp.to_datetime() + timedelta(microseconds=1)
    assert stamp.to_datetime() <= after


EAST = timezone(timedelta(hours=1))
FIRST = datetime(1, 1, 1, tzinfo=EAST)  # in UTC, this is the year 0


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Timestamp.from_datetime("2024-05-31"), TypeError, "expected a datetime, got str"),  # type: ignore[arg-type]
        (lambda: Duration.from_timedelta(5), TypeError, "expected a timedelta, got int"),  # type: ignore[arg-type]
        (lambda: Timestamp.from_nanoseconds(10**21), ValueError, "between the years 1 and 9999"),
        (lambda: Timestamp(seconds=10**12).to_datetime(), ValueError, "between the years 1 and 9999"),
        (lambda: Timestamp.from_datetime(FIRST), ValueError, "between the years 1 and 9999"),
        (lambda: Timestamp(seconds=LAST_SECOND).to_datetime(EAST), ValueError, "between the years 1 and 9999"),
        (lambda: Duration(seconds=2**62).to_timedelta(), ValueError, "at most 999,999,999 days"),
        (lambda: Duration.from_nanoseconds(10**21), ValueError, "315,576,000,000"),
        (lambda: Duration.from_timedelta(timedelta.max), ValueError, "315,576,000,000"),
        (lambda: Value.from_python(object()), TypeError, "JSON has no object"),
        (lambda: Value.from_python(10**400), ValueError, "too large for a float"),
        (lambda: Value.from_python(b"x"), TypeError, "JSON has no bytes"),
        (lambda: Struct.from_dict({1: 2}), TypeError, "the keys of a Struct are strings, not int"),  # type: ignore[dict-item]
        (lambda: Value().to_python(), ValueError, "the Value is not set"),
        (lambda: wellknown.Any().unpack(Duration), TypeError, "the Any holds nothing, not google.protobuf.Duration"),
    ],
)
def test_other_values_are_refused(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


# --- values of JSON --------------------------------------------------------------------------------------------------


@given(VALUES)
def test_values_of_json_come_back(value: Any) -> None:
    made = Value.from_python(value)
    assert made.to_python() == value
    assert json.from_dict(json.to_dict(made), Value) == made
    assert Value.from_bytes(made.to_bytes()).to_python() == value


def test_a_struct_is_a_dict_and_a_list_value_a_list() -> None:
    items = {"name": "a", "sizes": [1, 2.5], "inner": {"is_open": True, "nothing": None}}
    assert Struct.from_dict(items).to_dict() == items
    assert ListValue.from_list(("a", {"b": []})).to_list() == ["a", {"b": []}]


def test_a_list_that_contains_itself_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(ValueError, match="nested more than 100 levels deep"):
        ListValue.from_list(endless)


# --- Any and FieldMask -----------------------------------------------------------------------------------------------


def test_an_any_holds_a_message_of_any_class() -> None:
    packed = wellknown.Any.pack(Duration(seconds=3))
    assert packed.type_url == "type.googleapis.com/google.protobuf.Duration"
    assert packed.holds(Duration)
    assert not packed.holds(Timestamp)
    assert packed.unpack(Duration) == Duration(seconds=3)
    assert wellknown.Any.pack(Duration(), prefix="example.org").type_url == "example.org/google.protobuf.Duration"
    with pytest.raises(TypeError, match=r"holds google\.protobuf\.Duration, not google\.protobuf\.Timestamp"):
        packed.unpack(Timestamp)
    packed.value = b"\x08"
    with pytest.raises(DecodeError):
        packed.unpack(Duration)


PATHS = st.lists(st.sampled_from(["a", "a.b", "a.b.c", "b", "b.c", "ab", "ab.c", "a-b"]))


@given(PATHS, PATHS)
def test_masks_are_joined_as_by_protobuf(one: list[str], other: list[str]) -> None:
    ours, theirs = (FieldMask(paths=one), FieldMask(paths=other)), []
    for paths in (one, other):
        theirs.append(twin(FieldMask)())
        theirs[-1].paths.extend(paths)
    result = twin(FieldMask)()
    result.Union(*theirs)
    assert ours[0].union(ours[1]).paths == list(result.paths)
    result.Intersect(*theirs)
    assert ours[0].intersection(ours[1]).paths == list(result.paths)
    result.CanonicalFormFromMask(theirs[0])
    assert ours[0].canonical().paths == list(result.paths)


def test_a_mask_covers_what_is_inside_of_its_paths() -> None:
    mask = FieldMask(paths=["meta.tags", "name"])
    assert [mask.covers(path) for path in ("meta.tags", "meta.tags.x", "meta", "names")] == [True, True, False, False]


# --- fields ----------------------------------------------------------------------------------------------------------


@pb.message("test.Event")
class Event(pb.Message):
    time: Timestamp | None = pb.field(Timestamp, 1)
    length: Duration | None = pb.field(Duration, 2)
    details: Struct | None = pb.field(Struct, 3)
    items: ListValue | None = pb.field(ListValue, 4)
    value: Value | None = pb.field(Value, 5)
    start: Timestamp | None = pb.field(Timestamp, 6, oneof="one")
    label: str | None = pb.string(7, oneof="one")


LOADED = proto.load_text("""
    syntax = "proto3";
    package test;
    import "google/protobuf/duration.proto";
    import "google/protobuf/struct.proto";
    import "google/protobuf/timestamp.proto";
    message Event {
      google.protobuf.Timestamp time = 1;
      google.protobuf.Duration length = 2;
      google.protobuf.Struct details = 3;
      google.protobuf.ListValue items = 4;
      google.protobuf.Value value = 5;
      oneof one { google.protobuf.Timestamp start = 6; string label = 7; }
    }
""")
EVENTS = pytest.mark.parametrize("event_class", [Event, LOADED["test.Event"]], ids=["table", "loaded"])

PYTHON = {
    "time": datetime(2024, 5, 31, tzinfo=UTC),
    "length": timedelta(seconds=1.5),
    "details": {"a": [1, None]},
    "items": ["x", {"y": True}],
    "value": "text",
    "start": datetime(2000, 1, 1),
}


@EVENTS
def test_fields_take_values_of_python(event_class: Any) -> None:
    event = event_class(**PYTHON)
    assert json.to_dict(event) == {
        "time": "2024-05-31T00:00:00Z",
        "length": "1.500s",
        "details": {"a": [1, None]},
        "items": ["x", {"y": True}],
        "value": "text",
        "start": "2000-01-01T00:00:00Z",
    }
    decoded = event_class.from_bytes(event.to_bytes(), lazy=True)
    assert decoded == event
    decoded.start = datetime(2001, 1, 1)
    assert isinstance(decoded.start, Timestamp)
    assert decoded.start.to_datetime() == datetime(2001, 1, 1, tzinfo=UTC)
    decoded.start = None
    assert decoded.which_oneof("one") is None


@EVENTS
@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("time", 5, "time is a Timestamp: expected a datetime, got int"),
        ("time", Duration(), "time is a Timestamp: expected a datetime, got Duration"),
        ("length", 5, "length is a Duration: expected a timedelta, got int"),
        ("details", [1], "details is a Struct: expected a mapping, got list"),
        ("items", "abc", "items is a ListValue: expected a list, got str"),
        ("value", object(), "value is a Value: JSON has no object"),
        ("start", "2000", "start is a Timestamp: expected a datetime, got str"),
    ],
)
def test_fields_refuse_other_values_at_once(event_class: Any, field: str, value: object, message: str) -> None:
    event = event_class(time=Timestamp(seconds=1))
    with pytest.raises(TypeError, match=message):
        setattr(event, field, value)
    assert event == event_class(time=Timestamp(seconds=1))


@pytest.mark.parametrize(
    ("member", "value", "stored"),
    [
        ("struct_value", {"a": 1}, Struct.from_dict({"a": 1})),
        ("list_value", [1, None], ListValue.from_list([1, None])),
    ],
)
def test_members_of_a_value_take_values_of_python(member: str, value: object, stored: object) -> None:
    holder = Value()
    setattr(holder, member, value)
    assert getattr(holder, member) == stored
    with pytest.raises(TypeError, match=member):
        setattr(holder, member, 5)


# --- loaded files ----------------------------------------------------------------------------------------------------


def test_the_files_of_google_have_these_classes() -> None:
    types = proto.load(*(f"google/protobuf/{name}.proto" for name in wellknown.FILES), include=[])
    assert {name.rpartition(".")[2]: cls for name, cls in types.items()} == {
        name: getattr(wellknown, name) for names in wellknown.FILES.values() for name in names
    }


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("map<string, Value> fields = 1", "map<string, Value> fields = 2"),
        ("map<string, Value> fields = 1", "map<int32, Value> fields = 1"),
        ("map<string, Value> fields = 1", "map<string, ListValue> fields = 1"),
        ("repeated Value values = 1;", "repeated Struct values = 1;"),
        ("repeated Value values = 1;", "repeated Value values = 1; string name = 2;"),
        ("double number_value = 2;", "float number_value = 2;"),
        ("NULL_VALUE = 0;", "NULL_VALUE = 0; NO_VALUE = 1;"),
        ("oneof kind", "oneof value"),
    ],
)
def test_a_file_that_declares_other_fields_has_classes_of_its_own(old: str, new: str) -> None:
    text = """
        syntax = "proto3";
        package google.protobuf;
        message Struct { map<string, Value> fields = 1; }
        message Value {
          oneof kind {
            NullValue null_value = 1;
            double number_value = 2;
            string string_value = 3;
            bool bool_value = 4;
            Struct struct_value = 5;
            ListValue list_value = 6;
          }
        }
        enum NullValue { NULL_VALUE = 0; }
        message ListValue { repeated Value values = 1; }
    """
    same, other = (proto.load_text(source, "google/protobuf/struct.proto") for source in (text, text.replace(old, new)))
    assert same["google.protobuf.Value"] is Value
    assert other["google.protobuf.Value"] is not Value
    assert not hasattr(other["google.protobuf.Struct"], "from_dict")
