"""Classes that are made of .proto files at run time behave as those of table modules."""

from __future__ import annotations

import pytest

import pbwire
from pbwire import DecodeError, json, proto, text
from pbwire import table as pb
from pbwire.proto.descriptor_messages import FieldOptions
from tests.pbwire.proto.files import shop


def test_a_message_is_encoded_and_printed():
    order = shop()["shop.Order"](id="a", items={"x": 3}, state=shop()["shop.State"].SENT)
    assert type(order).from_bytes(order.to_bytes()) == order
    assert text.dumps(order) == 'id: "a"\nitems {\n  key: "x"\n  value: 3\n}\nstate: SENT\n'
    assert json.loads(json.dumps(order), type(order)) == order


def test_names_that_python_does_not_allow_have_an_underscore():
    order = text.loads("in { from: 3 }", shop()["shop.Order"])
    assert order.in_.from_ == 3
    assert text.loads('to_bytes: "x"', shop()["shop.Order"]).to_bytes_ == "x"
    assert text.dumps(order) == "in {\n  from: 3\n}\n"


@pytest.mark.parametrize("name", ["None", "True", "mro", "name", "value", "real", "__x", "__x__", "_x_", "_"])
def test_an_enum_can_have_any_name(name):
    source = f'syntax = "proto3"; enum E {{ ZERO = 0; {name} = 1; }} message M {{ E e = 1; repeated E l = 2; }}'
    cls = proto.load_text(source)["M"]
    assert text.dumps(text.loads(f"e: {name} l: [ZERO, {name}]", cls)) == f"e: {name}\nl: ZERO\nl: {name}\n"
    assert json.loads(json.dumps(cls(e=1)), cls) == cls(e=1)
    assert name in json.dumps(cls(e=1))


@pytest.mark.parametrize("name", ["class", "None", "to_bytes", "from_bytes", "__init__", "__x", "_y", "__", "_unknown"])
def test_a_field_can_have_any_name(name):
    cls = proto.load_text(f'syntax = "proto3"; message M {{ int32 {name} = 1; }}')["M"]
    message = text.loads(f"{name}: 5", cls)
    assert message.to_bytes() == b"\x08\x05"
    assert text.dumps(cls.from_bytes(b"\x08\x05")) == f"{name}: 5\n"


@pytest.mark.parametrize("name", ["class", "None", "to_bytes", "__init__", "__x", "_y", "Message"])
def test_a_message_can_have_any_name(name):
    types = proto.load_text(f'syntax = "proto3"; message {name} {{ {name} x = 1; message {name} {{ }} }}')
    assert {pbwire.table_of(cls).full_name for cls in types.values()} == {name, f"{name}.{name}"}


def test_proto2_has_defaults_groups_and_required_fields():
    money = shop()["shop.Money"]
    assert pbwire.get(money(), "currency") == "EUR"
    assert pbwire.get(money(), "mark") == b'\x01"a\xff'
    assert pbwire.get(money(), "rounding") == 2
    assert pbwire.get(money(), "units") == float("inf")
    assert pbwire.get(money(), "mask") == (1 << 64) - 1
    with pytest.raises(pbwire.EncodeError, match="currency"):
        money().to_bytes()
    assert money(currency="", split=[shop()["shop.Money.Split"](share=1)]).to_bytes() == b"\x0a\x003\x08\x02\x34"


def test_an_unknown_number_of_a_closed_enum_is_an_unknown_field():
    assert shop()["shop.Money"].from_bytes(b"\x0a\x00\x28\x07").unknown_fields == b"\x28\x07"
    assert shop()["shop.Order"].from_bytes(b"\x18\x07").state == 7


def test_features_of_editions_belong_to_fields():
    item = shop()["shop.stock.Item"]
    assert item(name="", count=0, place=0).to_bytes() == b"\x0a\x00\x18\x00"
    assert item(place=1, sizes=[1, 2], colors=[1, 2]).to_bytes() == b"\x18\x01\x20\x01\x20\x02\x2a\x02\x01\x02"
    assert item(place=1, parent=item(place=2)).to_bytes() == b"\x18\x01\x33\x18\x02\x34"
    assert item(place=1).HasField("place") and not item(place=1).HasField("name")
    with pytest.raises(ValueError, match="presence"):
        item().HasField("count")
    assert item.from_bytes(b"\x18\x01\x38\x09").unknown_fields == b"\x38\x09"


def test_extensions_are_declared_with_the_class_of_their_message():
    data = b"\x0a\x00\xa2\x06\x01x"
    money = shop()["shop.Money"].from_bytes(data)
    assert money.extensions[shop().extensions["shop.note"]] == "x"
    assert money.to_bytes() == data


def test_custom_options_are_extensions():
    options = shop()["google.protobuf.FieldOptions"].from_bytes(b"\x8a\xb5\x18\x05\x0a\x03one")
    assert options.extensions[shop().extensions["shop.unit"]].name == "one"
    assert set(shop().extensions) == {"shop.hidden", "shop.note", "shop.unit"}
    with pytest.raises(KeyError):
        shop().extensions["shop.Money"]


def test_any_of_a_loaded_type_is_expanded():
    source = 'any { [type.googleapis.com/shop.Order] { id: "a" } }'
    types = shop().messages
    cls = proto.load_text(
        'syntax = "proto3"; import "google/protobuf/any.proto"; message M { google.protobuf.Any any = 1; }'
    )["M"]
    assert text.loads(source, cls, types=types).any.value == b"\x0a\x01a"


def test_google_s_own_files_are_built_in():
    names = [
        "any",
        "api",
        "descriptor",
        "duration",
        "empty",
        "field_mask",
        "source_context",
        "struct",
        "timestamp",
        "type",
        "wrappers",
    ]
    types = proto.load(*(f"google/protobuf/{name}.proto" for name in names), include=[])
    assert {"google.protobuf.Any", "google.protobuf.Api", "google.protobuf.Type", "google.protobuf.Value"} <= set(types)


def test_importing_pbwire_does_not_import_the_parser():
    import subprocess
    import sys

    code = "import pbwire, sys; print([name for name in sys.modules if name.startswith('pbwire.proto')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


JSON_NAMES = """
syntax = "proto3";
message M {
  int32 plain_name = 1;
  int32 own_name = 2 [json_name = "@own"];
  repeated int32 list = 3 [json_name = "items"];
  map<string, int32> map = 4 [json_name = "by name"];
}
"""


def test_json_has_the_names_that_the_file_gives():
    cls = proto.load_text(JSON_NAMES)["M"]
    message = cls(plain_name=1, own_name=2, list=[3], map={"x": 4})
    document = {"plainName": 1, "@own": 2, "items": [3], "by name": {"x": 4}}
    assert json.to_dict(message) == document
    assert json.from_dict(document, cls) == message
    own = {"plain_name": 1, "own_name": 2, "list": [3], "map": {"x": 4}}
    assert json.to_dict(message, preserving_proto_field_name=True) == own
    assert json.from_dict(own, cls) == message


def test_nested_classes_are_attributes():
    outer = proto.load_text('syntax = "proto3"; message A { message B { enum E { X = 0; } } B b = 1; }')["A"]
    assert outer.B.__table__.full_name == "A.B"
    assert outer.B.E.X is outer.B.X
    assert outer.B.X == 0
    assert outer(b=outer.B()).b == outer.B()


@pytest.mark.parametrize(
    "source",
    [
        'syntax = "proto2"; message M { optional string s = 1; }',
        'edition = "2023"; message M { string s = 1 [features.utf8_validation = NONE]; }',
    ],
)
def test_strings_are_checked_even_where_a_feature_turns_that_off(source):
    damaged = b"\x0a\x03a\xffb"
    with pytest.raises(DecodeError, match=r"^not UTF-8 at byte 3: s$"):
        proto.load_text(source)["M"].from_bytes(damaged)
    as_bytes = proto.load_text(source.replace("string", "bytes"))["M"].from_bytes(damaged)
    assert as_bytes.s == b"a\xffb"
    assert as_bytes.to_bytes() == damaged


def test_services_are_data():
    types = proto.load_text(
        'syntax = "proto3"; package a; message Ask { } message Answer { int32 x = 1; }'
        "service S { rpc One (Ask) returns (Answer); rpc Many (stream Ask) returns (stream Answer); } service Empty { }"
    )
    assert [*types.services] == ["a.Empty", "a.S"]
    assert types.services["a.Empty"].methods == {}
    one, many = types.services["a.S"].methods.values()
    assert (one.name, one.client_streaming, one.server_streaming) == ("One", False, False)
    assert (many.name, many.client_streaming, many.server_streaming) == ("Many", True, True)
    assert (one.request, one.response) == (types["a.Ask"], types["a.Answer"])
    assert one.response(x=1).to_bytes() == b"\x08\x01"


OPTIONS = """
syntax = "proto2"; package a;
import "google/protobuf/descriptor.proto";
extend google.protobuf.FieldOptions { optional string unit = 50001; repeated int32 limits = 50002; }
extend google.protobuf.MethodOptions { optional M example = 50001; }
message M {
  option deprecated = true;
  optional int32 x = 1 [(unit) = "m", (limits) = 1, (limits) = 9, deprecated = true];
  optional int32 plain = 2;
  oneof choice { int32 y = 3; }
}
enum E { ZERO = 0 [deprecated = true]; }
service S { rpc Ask (M) returns (M) { option idempotency_level = NO_SIDE_EFFECTS; option (example) = { x: 5 }; } }
"""


def test_options_are_read_by_full_name():
    types = proto.load_text(OPTIONS)
    assert types.options("a.M").deprecated
    field, method = types.options("a.M.x"), types.options("a.S.Ask")
    assert field.deprecated
    assert field.extensions[types.extensions["a.unit"]] == "m"
    assert field.extensions[types.extensions["a.limits"]] == [1, 9]
    assert (method.idempotency_level.name, method.extensions[types.extensions["a.example"]].x) == ("NO_SIDE_EFFECTS", 5)
    assert types.options("a.ZERO").deprecated
    assert [types.options(name) for name in ("a.M.plain", "a.M.choice", "a.E", "a.S", "a.unit")] == [None] * 5


def test_options_of_a_file_without_custom_ones():
    types = proto.load_text('syntax = "proto3"; message M { int32 x = 1 [deprecated = true]; }')
    assert types.options("M.x") == FieldOptions(deprecated=True)


@pytest.mark.parametrize("name", ["a", "a.Nothing", "google.protobuf.Any", ""])
def test_names_without_a_declaration_have_no_options(name):
    with pytest.raises(KeyError):
        proto.load_text(OPTIONS).options(name)


def test_custom_options_of_one_number_and_several_types():
    """A module of other files may extend the same options: its extension is registered for the whole process."""
    extension = pb.Extension[list[int]]("other.limits", FieldOptions, pb.repeated(pb.fixed32, 50777, packed=True))
    try:
        types = proto.load_text(OPTIONS.replace("50001", "50777"))
        assert types.options("a.M.x").extensions[types.extensions["a.unit"]] == "m"
    finally:
        del FieldOptions.__table__._registered[extension.number]
        FieldOptions.__table__.__dict__.pop("set_table", None)


def test_a_message_set_without_numbers_for_extensions_is_an_ordinary_message():
    """As in protobuf."""
    cls = proto.load_text('syntax = "proto2"; message Set { option message_set_wire_format = true; }')["Set"]
    item = b"\x0b\x10\x04\x1a\x01a\x0c"
    assert cls.from_bytes(item).to_bytes() == item
