"""Integers are exact in every spelling; everything that is read can be printed, and the other way around."""

from __future__ import annotations

import json as python_json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from pbwire import DecodeError, EncodeError, JsonError, json, table_of, text, wellknown
from pbwire.descriptor import KINDS
from pbwire.table import Message
from tests.support.sample_classes import CLASSES as SAMPLES
from tests.support.samples import ClosedEnums, Maps, Proto2, Repeated, Scalars
from tfmodel.messages import TYPES, AttrValue

INTEGERS = [kind.name for kind in KINDS.values() if kind.bounds and kind.name != "enum"]
SMALL = ["0", "-0", "0.0", "-0.0", "0e5", "0.0e-7", "1.0", "10e-1", "1E+3", "1.5e1", "1.25e1", "-1.0", "-2e0"]
FRACTIONS = ["0.5", "1e-1", "1.00000000000000000000000001", "4503599627370497.00000001", "9007199254740993.5", "1e-400"]
FRACTIONS += ["9223372036854775807.1", "0.9999999999999999999999999999", "-1.5"]
NEAR = [
    f"{sign}{edge + off}{tail}"
    for sign in ("", "-")
    for edge in (2**31, 2**32, 2**53, 2**63, 2**64, 10**16)
    for off in (-1, 0, 1)
    for tail in ("", ".0", "e0", "0e-1")
]
NUMBERS = [*SMALL, *FRACTIONS, *NEAR]

FAR: dict[str, int | None] = {"1e999999999": None, "1e99999999999999999999": None, "-1e40": None, "1e-999999999": None}
FAR |= {"0e99999999999999999999": 0, "1" + "0" * 5000 + "e-5000": 1, "0." + "0" * 5000 + "1e5001": 1}
FAR |= {"1e" + "0" * 5000 + "2": 100, "1" * 5000: None}


def expected(number: str, kind: str) -> int | None:
    """Return the value that the field holds, computed with rational numbers; None if it cannot hold it."""
    low, high = KINDS[kind].bounds or (0, 0)
    value = FAR[number] if number in FAR else Fraction(number)
    return int(value) if value is not None and Fraction(value).denominator == 1 and low <= value <= high else None


def read(document: str, cls: type[Any], get: Callable[[Any], Any]) -> Any:
    try:
        return get(json.loads(document, cls))
    except JsonError:
        return None


@pytest.mark.parametrize("kind", INTEGERS)
def test_an_integer_is_exact_or_refused(kind: str) -> None:
    field = next(field.name for field in table_of(Scalars).fields if field.kind == kind)
    for number in (*NUMBERS, *FAR):
        for spelled in (number, f'"{number}"'):
            value = expected(number, kind)
            assert read(f'{{"{field}": {spelled}}}', Scalars, lambda m: getattr(m, field)) == value, spelled
            many = None if value is None else [1, value]
            assert read(f'{{"{field}": [1, {spelled}]}}', Repeated, lambda m: getattr(m, field)) == many, spelled
            both = f'{{"of_{kind}": {{"a": {spelled}}}, "of_double": {{"b": 1.5, "c": 9007199254740993.0}}}}'
            mapped = read(both, Maps, lambda m: (getattr(m, f"of_{kind}")["a"], m.of_double))
            assert mapped == (None if value is None else (value, {"b": 1.5, "c": 2.0**53})), spelled
        keys = None if value is None else [value]
        assert read(f'{{"by_{kind}": {{"{number}": ""}}}}', Maps, lambda m: [*getattr(m, f"by_{kind}")]) == keys, number


@pytest.mark.parametrize("name", ["Int32Value", "Int64Value", "UInt32Value", "UInt64Value"])
def test_wrappers_of_integers_are_exact_or_refused(name: str) -> None:
    for number in (*NUMBERS, *FAR):
        for spelled in (number, f'"{number}"'):
            value = expected(number, name[: -len("Value")].lower())
            assert read(spelled, getattr(wellknown, name), lambda m: m.value) == value, spelled


@pytest.mark.parametrize(("cls", "field"), [(Scalars, "a_mood"), (ClosedEnums, "single"), (Proto2, "a_shade")])
def test_numbers_of_enums_are_exact_or_refused(cls: Any, field: str) -> None:
    enum = table_of(cls).by_name[field].type
    for number in NUMBERS:
        for spelled in (number, f'"{number}"'):
            value = expected(number, "int32")
            if value is not None and enum.__closed__ and value not in enum.__numbers__:
                value = None
            assert read(f'{{"{field}": {spelled}}}', cls, lambda m: getattr(m, field)) == value, spelled


def test_merging_into_a_message_is_exact() -> None:
    message = AttrValue(s=b"x")
    json.Parse('{"list": {"i": [9007199254740993.0, 1.0]}}', message)
    assert message.list is not None and message.list.i == [2**53 + 1, 1]
    json.Parse('{"list": {"f": [1.5], "i": ["9007199254740993.0"]}}', message)
    assert message.list is not None and (message.list.i, message.list.f) == ([2**53 + 1], [1.5])


def test_a_document_of_floats_is_taken_as_it_is() -> None:
    assert json.from_dict({"i": 2.0**53}, AttrValue).i == 2**53
    document = {"aInt64": 1.0, "aDouble": 0.1}
    assert json.loads(python_json.dumps(document), Scalars) == json.from_dict(document, Scalars)


def test_errors_quote_the_number() -> None:
    with pytest.raises(JsonError, match=r"i: expected an integer, got 9007199254740993\.5$"):
        json.loads('{"i": 9007199254740993.5}', AttrValue)


def test_lengths_and_points_of_time_are_exact() -> None:
    latest = "9999-12-31T23:59:59.999999999Z"
    for spelled, cls in (("-315576000000.999999999s", wellknown.Duration), (latest, wellknown.Timestamp)):
        message = json.loads(f'"{spelled}"', cls)
        assert abs(message.nanos) == 999_999_999
        assert json.dumps(message) == f'"{spelled}"'
    for refused in ("0.0000000001s", "1e3s", "9007199254740993s"):
        with pytest.raises(JsonError):
            json.loads(f'"{refused}"', wellknown.Duration)


# --- what is accepted can be written ---------------------------------------------------------------------------------

LONE = ["\\ud800", "a\\udfffb", "\\ude00\\ud83d", "\\ud83d\\ude00\\ud83d"]
PLACES: list[tuple[type[Any], str]] = [
    (wellknown.FieldMask, '"{}"'),
    (wellknown.StringValue, '"{}"'),
    (wellknown.BytesValue, '"{}"'),
    (wellknown.Timestamp, '"{}"'),
    (wellknown.Duration, '"{}"'),
    (wellknown.Value, '"{}"'),
    (wellknown.Value, '["{}"]'),
    (wellknown.ListValue, '["{}"]'),
    (wellknown.Struct, '{{"{}": 1}}'),
    (wellknown.Struct, '{{"a": "{}"}}'),
    (wellknown.Any, '{{"@type": "a/{}"}}'),
    (wellknown.Any, '{{"@type": "{}/tensorflow.NodeDef"}}'),
    (wellknown.Any, '{{"@type": "a/tensorflow.NodeDef", "name": "{}"}}'),
    (Scalars, '{{"a_string": "{}"}}'),
    (Scalars, '{{"a_bytes": "{}"}}'),
    (Scalars, '{{"a_mood": "{}"}}'),
    (Scalars, '{{"a_int32": "{}"}}'),
    (Scalars, '{{"a_double": "{}"}}'),
    (Repeated, '{{"a_string": ["x", "{}"]}}'),
    (Maps, '{{"by_string": {{"{}": "x"}}}}'),
    (Maps, '{{"by_string": {{"x": "{}"}}}}'),
    (Maps, '{{"of_mood": {{"x": "{}"}}}}'),
    (Maps, '{{"by_int32": {{"{}": "x"}}}}'),
    (Scalars, '{{"{}": 1}}'),
]


@pytest.mark.parametrize(("cls", "document"), PLACES)
@pytest.mark.parametrize("ignore", [False, True])
def test_half_of_a_surrogate_pair_is_accepted_nowhere_where_it_would_have_to_be_written(
    cls: type[Any], document: str, ignore: bool
) -> None:
    for lone in LONE:
        spelled = document.format(lone)
        for load in (json.loads, from_dict):
            try:
                message = load(spelled, cls, types=TYPES, ignore_unknown_fields=ignore)
            except JsonError:
                continue
            assert ignore  # a name that is not known is passed over
            assert_round_trip(message)


def from_dict(text: str, cls: type[Any], **options: Any) -> Any:
    return json.from_dict(python_json.loads(text), cls, **options)


def assert_round_trip(message: Any) -> None:
    cls = type(message)
    assert cls.from_bytes(message.to_bytes()) == message
    assert json.loads(json.dumps(message, types=TYPES), cls, types=TYPES) == message


def test_paths_that_cannot_be_printed_again_are_refused() -> None:
    letters = [chr(code) for code in (*range(0x41, 0x250), *range(0x1E90, 0x1F10), 0x212A, 0x1D400, 0x1F600, 0xFF21)]
    for letter in letters:
        document = python_json.dumps(f"a{letter}b,{letter}")
        try:
            mask = json.loads(document, wellknown.FieldMask)
        except JsonError:
            continue
        assert json.loads(json.dumps(mask), wellknown.FieldMask) == mask


# --- what is written can be read -------------------------------------------------------------------------------------


def cycle(cls: Any) -> list[Any] | None:
    """Return the shortest chain of fields from a class back to itself."""
    waiting: list[tuple[Any, list[Any]]] = [(cls, [])]
    seen = set()
    for current, path in waiting:
        for field in table_of(current).fields:
            part = field.value or field
            if part.kind in ("message", "group"):
                if part.type is cls:
                    return [*path, field]
                if part.type not in seen:
                    seen.add(part.type)
                    waiting.append((part.type, [*path, field]))
    return None


def wrapped(path: list[Any], message: Any) -> Any:
    """The message inside another one of its class."""
    for field in reversed(path):
        if field.label != "singular":
            message = {field.key.zero: message} if field.label == "map" else [message]
        message = field.owner(**{field.name: message})
    return message


WELL_KNOWN = [getattr(wellknown, name) for name in ("Value", "Struct", "ListValue")]
LOOPED = [cls for cls in (*SAMPLES.values(), *TYPES.values(), *WELL_KNOWN) if issubclass(cls, Message) and cycle(cls)]


@pytest.mark.parametrize("cls", LOOPED, ids=lambda cls: cls.__table__.full_name)
def test_values_nested_to_the_limit_of_the_wire_are_read_in_every_form(cls: Any) -> None:
    path = cycle(cls)
    assert path is not None
    leaf = cls(bool_value=True) if cls is wellknown.Value else cls()
    deepest = message = leaf
    while True:
        try:
            cls.from_bytes(message.to_bytes())
        except (DecodeError, EncodeError):
            break
        deepest, message = message, wrapped(path, message)
    assert len(deepest.to_bytes()) > 60 or table_of(cls).has_required_fields
    assert text.loads(text.dumps(deepest), cls) == deepest
    assert text.loads(text.dumps(deepest, as_one_line=True), cls) == deepest
    if not table_of(cls).has_required_fields:
        assert json.loads(json.dumps(deepest), cls) == deepest
        assert json.from_dict(json.to_dict(deepest), cls) == deepest
