"""The layer answers as protobuf 6.31.1, which it calls itself. The answers here are that version's."""

from __future__ import annotations

import io
import math

import pytest

from pbwire import EncodeError, wellknown
from pbwire.compat import compat_class, delimited, descriptors, json_format, proto_formats, text_format, wire_formats
from pbwire.compat.databases import DescriptorDatabase, DescriptorDatabaseConflictingDefinitionError
from pbwire.compat.pools import DescriptorPool, default_pool
from pbwire.compat.text_tokens import CEscape, CUnescape
from pbwire.proto import descriptor_messages as d

Field = compat_class(d.FieldDescriptorProto)
File = compat_class(d.FileDescriptorProto)
FIELDS = Field.DESCRIPTOR.fields_by_name


def loaded(**keywords):
    """Return the descriptor of a file in a pool of its own."""
    return DescriptorPool().Add(File(name="a.proto", package="a", **keywords))


# --- text ------------------------------------------------------------------------------------------------------------


def test_str_has_fields_by_number():
    field = {"type": 5, "label": 1}
    fields = [{"name": "late", "number": 9, **field}, {"name": "early", "number": 1, **field}]
    made = loaded(message_type=[{"name": "M", "field": fields}]).message_types_by_name["M"]._concrete_class
    assert str(made(late=1, early=2)) == repr(made(late=1, early=2)) == "early: 2\nlate: 1\n"


def test_control_characters_are_octal_escapes():
    message = compat_class(wellknown.StringValue)(value="\u00fc\x7f\x01\t")
    text = 'value: "\u00fc\\177\\001\\t"\n'
    out = io.StringIO()
    text_format.PrintMessage(message, out)
    assert text_format.MessageToString(message) == out.getvalue() == str(message) == text
    assert text_format.MessageToString(message, as_utf8=False) == text.replace("\u00fc", "\\303\\274")


@pytest.mark.parametrize("value", [wellknown.Struct(), wellknown.ListValue(values=[wellknown.Value(bool_value=True)])])
def test_an_any_of_a_struct_or_a_list_is_expanded(value):
    any_message = compat_class(wellknown.Any)()
    any_message.Pack(compat_class(type(value)).FromString(value.to_bytes()))
    text = text_format.MessageToString(any_message, as_one_line=True)
    assert text.startswith(f"[type.googleapis.com/{type(value).__table__.full_name}] {{")
    assert text_format.Parse(text, compat_class(wellknown.Any)()) == any_message


def test_a_group_has_its_field_name_in_str_and_its_type_name_in_text_format():
    part = {"name": "Part", "field": [{"name": "a", "number": 1, "type": 5, "label": 1}]}
    group = {"name": "part", "number": 2, "type": 10, "label": 1, "type_name": ".a.M.Part"}
    made = loaded(message_type=[{"name": "M", "nested_type": [part], "field": [group]}])
    message = made.message_types_by_name["M"]._concrete_class(part={"a": 2})
    assert str(message) == "part {\n  a: 2\n}\n"
    assert text_format.MessageToString(message) == "Part {\n  a: 2\n}\n"


def test_an_error_knows_its_line_and_column():
    with pytest.raises(text_format.ParseError) as caught:
        text_format.Parse("name: 'a'\n name: 'b'", Field())
    assert (caught.value.GetLine(), caught.value.GetColumn()) == (2, 2)


@pytest.mark.parametrize(
    ("field", "value", "options", "printed"),
    [
        ("name", "a\x01\u00fc", {}, 'name: "a\\001\u00fc"\n'),
        ("name", "\u00fc", {"as_utf8": False}, 'name: "\\303\\274"\n'),
        ("number", 0, {}, "number: 0\n"),
        ("number", 3, {"as_one_line": True, "indent": 2}, "  number: 3 "),
        ("type", 5, {}, "type: TYPE_INT32\n"),
        ("type", 99, {}, "type: 99\n"),
        ("proto3_optional", True, {}, "proto3_optional: true\n"),
        ("options", {"packed": True}, {}, "options {\n  packed: true\n}\n"),
        ("options", {"packed": True}, {"indent": 2}, "  options {\n    packed: true\n  }\n"),
        ("options", {"packed": True}, {"as_one_line": True}, "options { packed: true } "),
        ("options", {}, {"as_one_line": True}, "options { } "),
        (
            "options",
            {"packed": True},
            {"pointy_brackets": True, "force_colon": True},
            "options: <\n  packed: true\n>\n",
        ),
    ],
)
def test_one_field_is_printed(field, value, options, printed):
    out = text_format.TextWriter(as_utf8=True)
    value = compat_class(d.FieldOptions)(**value) if isinstance(value, dict) else value
    text_format.PrintField(FIELDS[field], value, out, **options)
    assert out.getvalue() == printed


def refused(function, *arguments):
    with pytest.raises(ValueError) as caught:
        function(*arguments)
    return str(caught.value)


def test_words_are_parsed():
    assert [text_format.ParseInteger(text, is_signed=True) for text in ("1", "0x10", "010", "-1")] == [1, 16, 8, -1]
    assert text_format.ParseInteger("4294967295") == (1 << 32) - 1
    assert refused(text_format.ParseInteger, "-1") == "Value out of range: -1"
    assert refused(text_format.ParseInteger, "4294967296") == "Value out of range: 4294967296"
    assert refused(text_format.ParseInteger, "1.0") == "Couldn't parse integer: 1.0"
    assert [text_format.ParseFloat(text) for text in ("1.5f", "-inf", "Infinity", "1e5")] == [
        1.5,
        -math.inf,
        math.inf,
        1e5,
    ]
    assert math.isnan(text_format.ParseFloat("nan"))
    assert refused(text_format.ParseFloat, "0x1") == "Couldn't parse float: 0x1"
    assert refused(text_format.ParseFloat, "010") == "Invalid octal float: 010"
    assert [text_format.ParseBool(text) for text in ("true", "1", "f")] == [True, True, False]
    assert refused(text_format.ParseBool, "x") == 'Expected "true" or "false".'
    assert [text_format.ParseEnum(FIELDS["type"], text) for text in ("TYPE_INT32", "5")] == [5, 5]
    assert "has no value with number 99" in refused(text_format.ParseEnum, FIELDS["type"], "99")
    assert "has no value named nope" in refused(text_format.ParseEnum, FIELDS["type"], "nope")


def test_the_tokens_of_a_text_are_read():
    tokens = text_format.Tokenizer(["a: 'x' \"y\" # c", "b { c: -1.5 d: 0x1f e: true }"])
    assert tokens.ConsumeIdentifier() == "a"
    tokens.Consume(":")
    assert tokens.ConsumeString() == "xy"
    assert (tokens.ConsumeIdentifier(), tokens.TryConsume("{"), tokens.TryConsume("x")) == ("b", True, False)
    assert (tokens.LookingAt("c"), tokens.ConsumeIdentifier(), tokens.TryConsume(":")) == (True, "c", True)
    assert tokens.ConsumeFloat() == -1.5
    with pytest.raises(text_format.ParseError, match="Couldn't parse integer: d") as caught:
        tokens.ConsumeInteger()
    assert (caught.value.GetLine(), caught.value.GetColumn()) == (2, 13)
    assert tokens.ParseErrorPreviousToken("x").GetColumn() == 8
    tokens.NextToken()
    tokens.NextToken()
    assert (tokens.ConsumeInteger(), tokens.ConsumeIdentifier(), tokens.TryConsume(":")) == (31, "e", True)
    assert (tokens.ConsumeBool(), tokens.TryConsume("}"), tokens.AtEnd()) == (True, True, True)


def test_signs_are_parts_of_numbers() -> None:
    tokens = text_format.Tokenizer(["-inF -1 +1 -.5"])
    assert (tokens.ConsumeFloat(), tokens.ConsumeInteger()) == (-math.inf, -1)
    with pytest.raises(text_format.ParseError, match=r"Couldn't parse integer: \+1"):
        tokens.ConsumeInteger()
    tokens.NextToken()
    assert tokens.ConsumeFloat() == -0.5


def test_errors_are_made_with_line_and_column() -> None:
    error = text_format.ParseError("not so", 3, 4)
    assert (str(error), error.GetLine(), error.GetColumn()) == ("3:4: not so", 3, 4)
    assert text_format.ParseError("not so").GetLine() is None


def test_a_printer_has_a_file_and_options() -> None:
    out = io.StringIO()
    printer = text_format.Printer(out, indent=2, pointy_brackets=True)
    message = Field(name="a", options={"packed": True})
    printer.PrintMessage(message)
    printer.PrintField(FIELDS["number"], 5)
    printer.PrintFieldValue(FIELDS["number"], 5)
    assert out.getvalue() == '  name: "a"\n  options <\n    packed: true\n  >\n  number: 5\n5'


@pytest.mark.parametrize(
    ("options", "printed"),
    [
        ({"indent": 2}, '  name: "a"\n  options {\n    packed: true\n  }\n'),
        ({"indent": 2, "as_one_line": True}, '  name: "a"   options {   packed: true } '),
        ({"indent": 1, "pointy_brackets": True}, ' name: "a"\n options <\n   packed: true\n >\n'),
    ],
)
def test_a_message_is_printed_to_a_file_with_indentation(options: dict[str, object], printed: str) -> None:
    out, writer = io.StringIO(), text_format.TextWriter(True)
    message = Field(name="a", options={"packed": True})
    text_format.PrintMessage(message, out, **options)
    text_format.PrintMessage(message, writer, **options)
    assert out.getvalue() == writer.getvalue() == printed


def test_comments_are_tokens_if_they_are_asked_for():
    tokens = text_format.Tokenizer(["# x", " a: 1 # y"], skip_comments=False)
    assert tokens.ConsumeComment() == "# x"
    for _ in range(3):
        tokens.NextToken()
    assert tokens.ConsumeCommentOrTrailingComment() == (True, "# y")


def test_escapes_are_those_of_protobuf():
    assert CEscape("a\x01\u00fc\n\x7f", True) == "a\\001\u00fc\\n\\177"
    assert CEscape("a\x01\u00fc\n", False) == "a\\001\\303\\274\\n"
    assert (CEscape(b"\xff\x01", False), CEscape(b"\xc3\xbc", True)) == ("\\377\\001", "\u00fc")
    assert CUnescape("a\\n\\x41\\377\u00fc") == b"a\nA\xff\xc3\xbc"


# --- JSON ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("AQI", b"\1\2"),
        ("AQI*", b"\1\2"),
        ("A Q I D", b"\1\2\3"),
        ("-_-_", b"\xfb\xff\xbf"),
        ("AQI==", b"\1\2"),
        ("=====", b""),
        ("\u00fc", b""),
        ("AQI\n", b"\1\2"),
    ],
)
def test_base64_is_read_leniently(text, value):
    assert json_format.ParseDict(text, compat_class(wellknown.BytesValue)()).value == value
    pair = json_format.ParseDict(
        {"@type": "x/google.protobuf.BytesValue", "value": text}, compat_class(wellknown.Any)()
    )
    assert wellknown.BytesValue.from_bytes(pair.value).value == value


@pytest.mark.parametrize("text", ["A", "A=", "AQIDB"])
def test_base64_of_an_impossible_length_is_refused(text):
    with pytest.raises(json_format.ParseError):
        json_format.ParseDict(text, compat_class(wellknown.BytesValue)())


# --- descriptors -----------------------------------------------------------------------------------------------------


def test_the_maps_of_all_descriptors_give_lists():
    message, file = Field.DESCRIPTOR, loaded(service=[{"name": "S"}], message_type=[{"name": "M"}])
    enum = message.enum_types[0]
    owners = (message, enum, file, file.services_by_name["S"], FIELDS["type"].message_type or message)
    maps = [getattr(owner, name) for owner in owners for name in dir(owner) if "_by_" in name]
    assert len(maps) > 12
    for one in maps:
        assert [type(part) for part in (one.keys(), one.values(), one.items())] == [list] * 3
        assert one.items() == [*zip(one.keys(), one.values(), strict=True)]
    assert isinstance(message.fields_by_name["name"], descriptors.FieldDescriptor)


def test_a_descriptor_is_copied_back_as_it_came():
    fields = [
        {"name": "one_two", "number": 1, "type": 5, "label": 1},
        {"name": "b", "number": 2, "type": 5, "label": 1, "json_name": "b"},
    ]
    file, back = loaded(message_type=[{"name": "M", "field": fields}]), File()
    file.CopyToProto(back)
    assert [field.json_name for field in back.message_type[0].field] == ["", "b"]
    assert File.FromString(file.serialized_pb) == back
    field = Field()
    file.message_types_by_name["M"].fields_by_name["one_two"].CopyToProto(field)
    assert (field.json_name, file.message_types_by_name["M"].fields[0].json_name) == ("", "oneTwo")


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("google.protobuf.Type", "google/protobuf/type.proto"),
        ("google.protobuf.Api", "google/protobuf/api.proto"),
        ("google.protobuf.SourceContext", "google/protobuf/source_context.proto"),
        ("google.protobuf.compiler.CodeGeneratorRequest", "google/protobuf/compiler/plugin.proto"),
    ],
)
def test_files_of_google_without_tables_are_in_the_pool(name, file):
    made = default_pool().FindMessageTypeByName(name)
    assert made.file.name == file
    assert made._concrete_class().SerializeToString() == b""


def test_plugins_read_what_protoc_writes():
    request = default_pool().FindMessageTypeByName("google.protobuf.compiler.CodeGeneratorRequest")._concrete_class()
    request.proto_file.add(name="a.proto").message_type.add(name="M")
    request.compiler_version.major = 6
    assert type(request).FromString(request.SerializeToString()) == request
    assert isinstance(request.proto_file[0], File)


def test_a_database_finds_files_by_what_they_declare():
    database = DescriptorDatabase()
    file = File(name="a.proto", package="a", message_type=[{"name": "M", "nested_type": [{"name": "N"}]}])
    database.Add(file)
    database.Add(file)
    assert all(database.FindFileContainingSymbol(name) == file for name in ("a.M", "a.M.N", "a.M.field"))
    with pytest.raises(KeyError):
        database.FindFileContainingSymbol("b.M")
    with pytest.raises(DescriptorDatabaseConflictingDefinitionError):
        database.Add(File(name="a.proto"))


# --- modules ---------------------------------------------------------------------------------------------------------


def test_tags_and_sizes_are_those_of_the_encoding():
    assert wire_formats.UnpackTag(wire_formats.PackTag(16, 2)) == (16, 2)
    assert [wire_formats.ZigZagDecode(wire_formats.ZigZagEncode(n)) for n in (0, -1, 1, -(2**63))] == [
        0,
        -1,
        1,
        -(2**63),
    ]
    assert wire_formats.Int32ByteSize(1, -1) == 11
    assert wire_formats.StringByteSize(16, "\u00fc") == 5
    assert [wire_formats.FIELD_TYPE_TO_WIRE_TYPE[kind] for kind in (1, 2, 3, 9, 10, 18)] == [1, 5, 0, 2, 3, 0]
    assert wire_formats.MessageSetItemByteSize(128, Field(name="a")) == 4 + 2 + 1 + 3
    for size in (wire_formats.UInt64ByteSize, wire_formats.Int64ByteSize):
        with pytest.raises(EncodeError, match="out of range"):
            size(1, 1 << 64)
    with pytest.raises(EncodeError, match="Unknown wire type: 6"):
        wire_formats.PackTag(1, 6)
    assert all(map(delimited.IsDefaultScalarValue, (0, 0.0, "", b"", False)))
    assert not any(map(delimited.IsDefaultScalarValue, (-0.0, 1, "a", True)))
    assert wire_formats.ToShortestFloat(wire_formats.TruncateToFourByteFloat(0.1)) == 0.1
    assert wire_formats.GetTypeChecker(FIELDS["number"]).CheckValue(3) == 3


def test_json_and_text_have_modules_of_their_own():
    message = Field(name="a", number=1)
    document = proto_formats.proto_json.serialize(message)
    assert proto_formats.proto_json.parse(Field, document) == message
    assert proto_formats.proto_text.parse(Field, proto_formats.proto_text.serialize(message)) == message
