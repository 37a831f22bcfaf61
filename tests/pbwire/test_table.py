"""Declaring messages: valid and invalid class bodies, and type names that are resolved later."""

import dataclasses

import pytest

from pbwire import table as pb
from pbwire import table_of
from tests.support import samples
from tfmodel.messages import AttrValue, NodeDef


def declare(**rows):
    body = type("Body", (pb.Message,), {**rows, "__annotations__": dict.fromkeys(rows, "object")})
    return pb.message("test.Body")(body)


@pb.message("test.Outer")
class Outer(pb.Message):
    @pb.message("test.Outer.Inner")
    class Inner(pb.Message):
        sibling: "Outer.Other | None" = pb.field("Other", 1)
        later: "Later | None" = pb.field("Later", 2)

    @pb.message("test.Outer.Other")
    class Other(pb.Message):
        number: int = pb.int32(1)

    inner: Inner | None = pb.field(Inner, 1)
    dotted: "Outer.Other | None" = pb.field("Outer.Other", 2)


@pb.message("test.Later")
class Later(pb.Message):
    again: "Outer | None" = pb.field("Outer", 1)


def test_a_type_given_by_name_is_found_around_the_class_and_in_its_module():
    inner = table_of(Outer.Inner)
    assert inner.by_name["sibling"].type is Outer.Other
    assert inner.by_name["later"].type is Later
    assert table_of(Outer).by_name["dotted"].type is Outer.Other
    message = Outer(inner=Outer.Inner(sibling=Outer.Other(number=1), later=Later(again=Outer())))
    assert Outer.from_bytes(message.to_bytes()) == message


def test_an_undefined_type_name_is_refused():
    cls = declare(x=pb.field("Nowhere", 1))
    with pytest.raises(TypeError, match="refers to 'Nowhere'"):
        cls.from_bytes(b"\x0a\x00")


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ({"x": pb.int32(0)}, "0 is not a field number"),
        ({"x": pb.int32(1 << 29)}, "is not a field number"),
        ({"x": pb.int32(19_500)}, "is not a field number"),
        ({"x": pb.int32(1), "y": pb.string(1)}, "1 is already the number of x"),
        ({"to_bytes": pb.int32(1)}, "would hide Message.to_bytes"),
        ({"__len__": pb.int32(1)}, 'Python reserves; call the attribute len_ and give its field name="__len__"'),
        ({"x": pb.int32(1, name="no name")}, "'no name' is not a valid field name"),
        ({"x": pb.int32(1, name="y"), "y": pb.int32(2)}, "'y' is also the name of x"),
        ({"x": pb.int32(1, default=5)}, "need syntax='proto2'"),
        ({"x": pb.int32(1, required=True)}, "need syntax='proto2'"),
        ({"x": pb.int32(1, optional=True, oneof="k")}, "optional already"),
    ],
)
def test_invalid_tables_are_refused(rows, text):
    with pytest.raises((TypeError, ValueError), match=text):
        declare(**rows)


def test_a_message_cannot_be_the_base_of_another():
    with pytest.raises(TypeError, match="the only message among the bases"):
        pb.message("test.Sub")(type("Sub", (Later,), {"__annotations__": {}}))


def test_an_enum_needs_its_decorator():
    with pytest.raises(TypeError, match=r"Bare needs @pb\.enum"):
        pb.field(pb.Enum("Bare", "A B"), 1)


def test_a_field_called_self():
    cls = declare(self=pb.int32(1))
    assert cls(self=1).self == 1


def test_a_row_needs_an_annotation():
    with pytest.raises(TypeError, match="needs an annotation"):
        pb.message("test.Bare")(type("Bare", (pb.Message,), {"x": pb.int32(1), "__annotations__": {}}))


@pytest.mark.parametrize("kind", [pb.double, pb.float, pb.bytes])
def test_a_map_key_is_a_string_a_bool_or_an_integer(kind):
    with pytest.raises(TypeError, match="a map key is"):
        pb.map(kind, pb.int32, 1)


def test_a_class_without_a_table():
    with pytest.raises(TypeError, match="is not a message class"):
        table_of(int)


def test_a_field_has_its_descriptor():
    attr = table_of(NodeDef).by_name["attr"]
    assert (attr.number, attr.label, attr.key.kind, attr.value.type) == (5, "map", "string", AttrValue)
    case = table_of(AttrValue).by_name["i"]
    assert (case.kind, case.oneof, case.presence) == ("int64", "value", True)
    assert [field.name for field in table_of(AttrValue).oneofs["value"]][:2] == ["s", "i"]


def test_fields_above_fifteen_and_many_fields():
    rows = {f"f{number}": pb.int32(number) for number in (1, 2, 3, 15, 16, 17, 2047, 2048, 1 << 28)}
    cls = declare(**rows)
    message = cls(**{name: number for number, name in enumerate(rows, 1)})
    assert cls.from_bytes(message.to_bytes()) == message


def test_enums_give_names_and_values():
    assert (samples.Mood.Name(1), samples.Mood.Value("HAPPY")) == ("HAPPY", samples.Mood.HAPPY)
    with pytest.raises(ValueError, match="no name for the number 77"):
        samples.Mood.Name(77)
    with pytest.raises(ValueError, match="no value 'NOPE'"):
        samples.Mood.Value("NOPE")


def test_members_of_nested_enums_are_attributes_of_the_message():
    @pb.message("sample.Light")
    class Light(pb.Message):
        @pb.enum("sample.Light.Color")
        class Color(pb.Enum):
            NONE = 0
            RED = 1
            name = 2
            clear = 3

        color: Color = pb.field(Color, 1)
        name: str = pb.string(2)

    assert Light.RED is Light.Color.RED
    assert Light(name="a", color=Light.RED).name == "a", "a field keeps its name"
    assert Light.clear is pb.Message.clear, "a method keeps its name"
    assert [field.name for field in dataclasses.fields(Light)] == ["color", "name", "unknown_fields"]
