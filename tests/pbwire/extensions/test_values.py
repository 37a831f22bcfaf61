"""The values of extensions: reading, setting and clearing, copies, comparison, and what errors say."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import pytest

import pbwire
from pbwire import json, raw, text
from pbwire import table as pb
from pbwire.codec.copy import deep_copy, share


@pb.enum("test.Color", closed=True)
class Color(pb.Enum):
    RED = 1
    BLUE = 2


@pb.message("test.Part", syntax="proto2")
class Part(pb.Message):
    n: int | None = pb.int32(1)
    s: str | None = pb.string(2)


@pb.message("test.Car", syntax="proto2", extensions=[range(100, 200), range(300, 301)])
class Car(pb.ExtendableMessage):
    name: str | None = pb.string(1)
    last: int | None = pb.int32(500)


speed = pb.Extension[int | None]("test.speed", Car, pb.int32(126))
limit = pb.Extension[int | None]("test.limit", Car, pb.int32(127, default=50))
part = pb.Extension[Part | None]("test.part", Car, pb.field(Part, 110))
parts = pb.Extension[list[Part]]("test.parts", Car, pb.repeated(Part, 130))
numbers = pb.Extension[list[int]]("test.numbers", Car, pb.repeated(pb.int32, 131, packed=True))
color = pb.Extension[Color | None]("test.color", Car, pb.field(Color, 132))
inner = pb.Extension[Car | None]("test.inner", Car, pb.field(Car, 133))


def full() -> Car:
    car = Car(name="x", last=3)
    car.extensions[speed] = 5
    car.extensions[part] = Part(s="q")
    car.extensions[parts].append(Part(n=1))
    car.extensions[numbers] = [1, 300]
    car.extensions[inner] = Car(name="in")
    return car


DATA = b"\n\x01x\xa0\x1f\x03\xf2\x06\x03\x12\x01q\xf0\x07\x05\x92\x08\x02\x08\x01"
DATA += b"\x9a\x08\x03\x01\xac\x02\xaa\x08\x04\n\x02in"
UNKNOWN = b"\xa0\x06\x07"


def test_extensions_are_encoded_after_the_fields_by_number() -> None:
    assert full().to_bytes() == DATA
    assert b"".join(full().to_buffers()) == DATA
    assert full().ByteSize() == len(DATA)


@pytest.mark.parametrize("lazy", [False, True])
def test_extensions_are_decoded(lazy: bool) -> None:
    car = Car.from_bytes(UNKNOWN + DATA, lazy=lazy)
    assert [one.name for one in car.extensions] == ["part", "speed", "parts", "numbers", "inner"]
    assert (car.extensions[speed], car.extensions[numbers], car.extensions[color]) == (5, [1, 300], None)
    assert car.extensions[part] == Part(s="q")
    assert car.extensions[inner] == Car(name="in")
    assert car.to_bytes() == DATA + UNKNOWN


def test_absent_extensions_read_as_none_or_an_empty_list() -> None:
    car = Car()
    assert car.extensions[speed] is None and car.extensions[part] is None and car.extensions[parts] == []
    assert (car.extensions.get(limit), car.extensions.get(speed), car.extensions.get(part)) == (50, 0, Part())
    assert len(car.extensions) == 0 and speed not in car.extensions and parts not in car.extensions
    assert car.to_bytes() == b"" and car == Car()


def test_values_are_set_changed_and_cleared() -> None:
    car = Car()
    car.extensions[speed] = 0
    car.extensions[parts].append(Part(n=1))
    car.extensions[part] = Part()
    car.extensions[part].n = 4  # type: ignore[union-attr]  # it was set
    assert car.to_bytes() == b"\xf2\x06\x02\x08\x04\xf0\x07\x00\x92\x08\x02\x08\x01"
    car.extensions[speed] = None
    del car.extensions[parts]
    del car.extensions[color]
    assert list(car.extensions) == [part]
    car.clear()
    assert car == Car() and not car.extensions


def test_an_extension_of_another_message_is_refused() -> None:
    @pb.message("test.Bus", syntax="proto2", extensions=[range(100, 200)])
    class Bus(pb.ExtendableMessage):
        pass

    other = pb.Extension[int]("test.other", Bus, pb.int32(126))
    car = Car()
    with pytest.raises(ValueError, match=r"test\.other is an extension of test\.Bus, not of test\.Car"):
        car.extensions[other] = 3
    with pytest.raises(TypeError, match=r"expected a declared extension, got 'test\.speed'"):
        car.extensions["test.speed"]  # type: ignore[index]  # the error tested


def test_lists_take_lists() -> None:
    with pytest.raises(TypeError, match="it takes a list, not str"):
        Car().extensions[numbers] = "12"  # type: ignore[assignment]  # the error tested


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize(
    "copied",
    [
        copy.copy,
        copy.deepcopy,
        deep_copy,
        share,
        dataclasses.replace,
        lambda car: pickle.loads(pickle.dumps(car)),
        lambda car: Car.from_bytes(car.to_bytes()),
        lambda car: text.loads(text.dumps(car), Car),
        lambda car: json.loads(json.dumps(car), Car),
    ],
)
def test_a_copy_has_the_extensions_and_its_own_values(copied: Any, lazy: bool) -> None:
    car = Car.from_bytes(DATA, lazy=lazy)
    if lazy and copied is deep_copy:
        car.extensions  # noqa: B018  # it copies decoded messages only
        car = Car.from_bytes(DATA)
    other = copied(car)
    assert other == car
    assert list(other.extensions) == list(car.extensions)
    other.extensions[speed] = 6
    assert car.extensions[speed] == 5 and other != car


def test_a_declaration_is_one_object_in_copies_and_pickles() -> None:
    for copied in (copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))):
        assert copied(speed) is speed


def test_deep_copies_share_no_lists() -> None:
    for copied in (copy.deepcopy, deep_copy):
        car = full()
        other = copied(car)
        other.extensions[numbers].append(3)
        other.extensions[part].n = 9
        assert car.to_bytes() == DATA


def test_merging_replaces_numbers_extends_lists_and_merges_messages() -> None:
    car, other = full(), Car()
    other.extensions[speed] = 7
    other.extensions[part] = Part(n=2)
    other.extensions[numbers] = [4]
    car.merge_from(other)
    assert car.extensions[speed] == 7
    assert car.extensions[part] == Part(n=2, s="q")
    assert car.extensions[numbers] == [1, 300, 4]
    again = Car.from_bytes(DATA + other.to_bytes())
    assert again == car == Car.from_bytes(DATA + other.to_bytes(), lazy=True)
    again.CopyFrom(other)
    assert again == other


def test_comparison_does_not_depend_on_how_values_are_held() -> None:
    assert Car.from_bytes(b"\xf0\x07\x85\x00") == Car.from_bytes(b"\xf0\x07\x05")
    assert Car.from_bytes(b"\x98\x08\x01\x98\x08\xac\x02") == Car.from_bytes(b"\x9a\x08\x03\x01\xac\x02")
    assert full() != Car(name="x", last=3)
    assert Car() != full() and full() == full()
    empty = Car()
    empty.extensions[parts].clear()
    assert empty == Car() and Car() == empty


def test_fields_and_extensions_are_listed_by_number() -> None:
    assert [field.number for field, _ in full().ListFields()] == [1, 110, 126, 130, 131, 133, 500]


def test_repr_shows_extensions() -> None:
    car = Car(name="x")
    assert repr(car) == "Car(name='x')"
    car.extensions[speed] = 5
    assert repr(car) == "Car(name='x', extensions={test.speed: 5})"
    assert repr(speed) == "<extension test.speed = 126>"


def test_unknown_fields_are_all_fields_that_the_class_does_not_declare() -> None:
    car = Car.from_bytes(b"\xf0\x07\x05" + UNKNOWN)
    assert car.unknown_fields == b"\xf0\x07\x05" + UNKNOWN
    car.unknown_fields = b"\xf0\x07\x06"
    assert car.extensions[speed] == 6
    car.unknown_fields = b""
    assert car == Car()
    assert Car(unknown_fields=b"\xf0\x07\x06").extensions[speed] == 6


def test_an_unknown_number_of_a_closed_enum_stays_unknown() -> None:
    car = Car.from_bytes(b"\xa0\x08\x07\xa0\x06\x07")
    assert car.extensions[color] is None
    assert car.to_bytes() == b"\xa0\x06\x07\xa0\x08\x07"


def test_a_value_of_another_wire_type_stays_unknown() -> None:
    car = Car.from_bytes(b"\xf2\x07\x01\x05")
    assert car.extensions[speed] is None
    assert car.to_bytes() == b"\xf2\x07\x01\x05"


@pytest.mark.parametrize("lazy", [False, True])
def test_an_extension_that_is_registered_late_is_found_in_messages_that_exist(lazy: bool) -> None:
    number = 150 + lazy
    data = Car(name="a").to_bytes() + bytes([number << 3 & 0x7F | 0x80, number >> 4, 4]) + UNKNOWN
    car, twin = Car.from_bytes(data, lazy=lazy), Car.from_bytes(data)
    car.extensions[speed] = 5
    held = car.extensions[parts]
    late = pb.Extension[int | None](f"test.late{number}", Car, pb.int32(number))
    assert car.extensions[late] == 4
    assert text.dumps(twin) == f'name: "a"\n[test.late{number}]: 4\n'
    assert json.to_dict(twin) == {"name": "a", f"[test.late{number}]": 4}
    held.append(Part(n=3))
    assert car.extensions[parts] == [Part(n=3)]
    twin.extensions[speed] = 5
    twin.extensions[parts].append(Part(n=3))
    assert twin == car


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\xf2\x06\x03\x12\x01\xff", r"not UTF-8 at byte 5: \[test\.part\]\.s"),
        (b"\x92\x08\x02\x08\x01\x92\x08\x03\x12\x01\xff", r"not UTF-8 at byte 10: \[test\.parts\]\[1\]\.s"),
        (b"\xf2\x06\x01\x08", r"truncated inside a number at byte 4: \[test\.part\]\.n"),
        (b"\xaa\x08\x06\xf2\x06\x03\x12\x01\xff", r"not UTF-8 at byte 8: \[test\.inner\]\[test\.part\]\.s"),
    ],
)
def test_damage_is_refused_or_found_when_the_extension_is_used(data: bytes, words: str) -> None:
    with pytest.raises(pbwire.DecodeError, match=f"^{words}"):
        Car.from_bytes(data)
    car = Car.from_bytes(data, lazy=True)
    with pytest.raises(pbwire.DecodeError):
        repr(car)


def test_nesting_stops_at_the_depth_of_the_call() -> None:
    car = Car()
    for _ in range(4):
        outer = Car()
        outer.extensions[inner] = car
        car = outer
    data = car.to_bytes()
    assert Car.from_bytes(data, max_depth=4) == car
    with pytest.raises(pbwire.DecodeError, match="nested too deeply"):
        Car.from_bytes(data, max_depth=3)
    for dumps, loads in ((text.dumps, text.loads), (json.dumps, json.loads)):
        assert loads(dumps(car), Car, max_depth=5) == car
        with pytest.raises(pbwire.Error, match="nested"):
            loads(dumps(car), Car, max_depth=3)
        with pytest.raises(pbwire.EncodeError, match="nested"):
            dumps(car, max_depth=3)


@pytest.mark.parametrize(
    ("extension", "value", "words"),
    [
        (speed, "x", r"\[test\.speed\]: expected an integer, got str 'x'"),
        (speed, 1 << 31, r"\[test\.speed\]: 2,147,483,648 is out of range for int32"),
        (numbers, [1, "x"], r"\[test\.numbers\]\[1\]: expected an integer"),
        (part, Part(s=3), r"\[test\.part\]\.s: expected a str, got int 3"),  # type: ignore[arg-type]  # the error tested
        (part, Car(), r"\[test\.part\]: expected a Part, got Car"),
        (color, 9, r"\[test\.color\]: 9 is not a member of Color"),
    ],
)
@pytest.mark.parametrize("write", [Car.to_bytes, text.dumps, json.dumps])
def test_a_wrong_value_is_refused_when_it_is_written(write: Any, extension: Any, value: Any, words: str) -> None:
    car = Car()
    car.extensions[extension] = value
    with pytest.raises(pbwire.EncodeError, match=f"^{words}"):
        write(car)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("[test.sped]: 1", '1:1: test.Car has no extension "test.sped"; did you mean "test.speed"?'),
        ("[test.speed]: x", '1:15: expected an integer for field "[test.speed]"'),
        ("[test.speed]: 1\n[test.speed]: 2", '2:1: "[test.speed]" is set already, and it is not repeated'),
        ("[test.part] { n: 'x' }", '1:18: expected an integer for field "n"'),
        ("[test.speed] { }", '1:14: expected ":" between "test.speed" and its value'),
        ("[test.part]: 3", '1:14: expected "{" to open the message "[test.part]"'),
        ("[a/test.part] { }", "1:1: expected the name of an extension in brackets"),
        ("speed: 3", '1:1: test.Car has no field "speed"'),
        ("[test.part] { [test.speed]: 3 }", "1:15: test.Part has no extensions"),
    ],
)
def test_a_wrong_text_is_refused(source: str, words: str) -> None:
    with pytest.raises(pbwire.TextFormatError) as caught:
        text.loads(source, Car)
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize(
    "source",
    [
        "[test.speed]: 5 [test.numbers]: [1, 2] [test.numbers]: 3",
        "[ test . speed ] : 5, [test.numbers]: 1; [test.numbers]: 2 [test.numbers]: 3",
        "[test.numbers]: [1]\n[test.numbers]: [2, 3]\n[test.speed # speed\n]: 5",
        "".join(f"[test.numbers]: {n}\n" for n in (1, 2, 3)) + "[test.speed]: 0x5",
    ],
)
def test_extensions_are_parsed_in_all_forms_of_fields(source: str) -> None:
    car = Car()
    car.extensions[speed], car.extensions[numbers] = 5, [1, 2, 3]
    assert text.loads(source, Car) == car


def test_strings_in_several_parts_and_messages_in_brackets() -> None:
    car = text.loads("[test.part] { s: 'a'\n'b' } [test.parts]: [{ n: 1 }, < n: 2 >] [test.inner]: { name: 'i' }", Car)
    assert car.extensions[part] == Part(s="ab")
    assert car.extensions[parts] == [Part(n=1), Part(n=2)]
    assert car.extensions[inner] == Car(name="i")


def test_text_that_merges_replaces_and_merges() -> None:
    car = text.loads("[test.speed]: 1 [test.part] { n: 1 } [test.speed]: 2 [test.part] { s: 'x' }", Car, merge=True)
    assert car.extensions[speed] == 2 and car.extensions[part] == Part(n=1, s="x")


def test_unknown_extensions_are_skipped_on_demand() -> None:
    source = "name: 'x' [test.nope]: [1, 2] [test.other] { a { } } last: 3"
    assert text.Parse(source, Car(), allow_unknown_extension=True) == Car(name="x", last=3)
    assert text.loads(source, Car, allow_unknown_field=True) == Car(name="x", last=3)
    with pytest.raises(pbwire.TextFormatError, match='has no field "nope"'):
        text.Parse("nope: 3", Car(), allow_unknown_extension=True)


@pytest.mark.parametrize("options", [{}, {"pointy_brackets": True}, {"force_colon": True}, {"use_index_order": True}])
def test_every_style_prints_extensions(options: Any) -> None:
    printed = text.MessageToString(full(), **options)
    assert text.loads(printed, Car) == full()
    assert ("<" in printed) == ("pointy_brackets" in options)


def test_a_large_lazy_message_is_printed_whole() -> None:
    car = Car(name="x" * 100_000)
    car.extensions[parts] = [Part(s="y" * 50_000), Part(s="z" * 50_000)]
    car.extensions[part] = Part(s="w" * 70_000)
    lazy = Car.from_bytes(car.to_bytes(), lazy=True)
    assert text.dumps(lazy) == text.dumps(car) and json.dumps(lazy) == json.dumps(car)
    assert b"".join(car.to_buffers()) == car.to_bytes()


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ('{"[test.sped]": 1}', 'Car has no field "[test.sped]"; did you mean "[test.speed]"?'),
        ('{"[test.speed]": "x"}', '[test.speed]: expected an integer, got "x"'),
        ('{"[test.part]": {"n": "x"}}', '[test.part].n: expected an integer, got "x"'),
        ('{"[test.parts]": [{}, {"n": "x"}]}', '[test.parts][1].n: expected an integer, got "x"'),
        ('{"[test.speed]": 1, "nope": 2}', 'Car has no field "nope"'),
        ('{"[test.speed]": 1, "[test.speed]": 2}', 'duplicate key "[test.speed]" in an object'),
        ('{"test.speed": 1}', 'Car has no field "test.speed"'),
    ],
)
def test_wrong_json_is_refused(source: str, words: str) -> None:
    with pytest.raises(pbwire.JsonError) as caught:
        json.loads(source, Car)
    assert str(caught.value).startswith(words)


def test_json_options() -> None:
    assert json.loads('{"[test.nope]": 1, "[test.speed]": 2}', Car, ignore_unknown_fields=True).extensions[speed] == 2
    car = full()
    json.Parse('{"[test.speed]": null, "[test.part]": {"n": 1}, "[test.numbers]": [7]}', car)
    assert speed not in car.extensions
    assert car.extensions[part] == Part(n=1, s="q") and car.extensions[numbers] == [7]
    always = json.to_dict(full(), always_print_fields_with_no_presence=True, preserving_proto_field_name=True)
    assert always == json.to_dict(full())
    assert list(json.to_dict(full())) == [
        "name", "[test.part]", "[test.speed]", "[test.parts]", "[test.numbers]", "[test.inner]", "last",
    ]  # fmt: skip


def test_raw_records_have_the_fields_of_extensions() -> None:
    records = [(record.depth, record.field and record.field.text_name) for record in raw.walk(DATA, cls=Car)]
    assert records[:6] == [
        (0, "name"),
        (0, "last"),
        (0, "[test.part]"),
        (1, "s"),
        (0, "[test.speed]"),
        (0, "[test.parts]"),
    ]
    with pytest.raises(pbwire.DecodeError, match=r"\[test\.part\]\.n"):
        list(raw.walk(b"\xf2\x06\x02\x08\xff", cls=Car))


def test_messages_in_fields_lists_and_maps_have_extensions() -> None:
    @pb.message("test.Fleet", syntax="proto2")
    class Fleet(pb.Message):
        first: Car | None = pb.field(Car, 1)
        cars: list[Car] = pb.repeated(Car, 2)
        by_name: dict[str, Car] = pb.map(pb.string, Car, 3)
        grouped: Car | None = pb.field(Car, 4, group=True)
        only: Car | None = pb.field(Car, 5, oneof="kind")

    fleet = Fleet(first=full(), cars=[full(), Car()], by_name={"a": full()}, grouped=full(), only=full())
    data = fleet.to_bytes()
    for lazy in (False, True):
        again = Fleet.from_bytes(data, lazy=lazy)
        assert again == fleet and again.to_bytes() == data
        assert text.loads(text.dumps(Fleet.from_bytes(data, lazy=lazy)), Fleet) == fleet
        assert json.loads(json.dumps(Fleet.from_bytes(data, lazy=lazy)), Fleet) == fleet
    assert deep_copy(fleet) == fleet == copy.deepcopy(fleet)
