"""Values of enums have the strings in JSON that the option (pb.enumvalue.json) of edition 2026 gives them.

protobuf 7.36.2 prints the same text for such messages.
"""

from __future__ import annotations

import json as json_module
import subprocess
import sys

import pytest

from pbwire import json, proto
from pbwire.errors import JsonError
from pbwire.proto import descriptor_messages as d
from pbwire.text import dumps as text_of

SOURCE = r"""
edition = "2026";
package k;
import option "google/protobuf/json_options.proto";
export enum Armor {
  option allow_alias = true;
  NONE = 0;
  HELM = 1 [(pb.enumvalue.json).string = "gr8 helm"];
  GORGET = 2;
  GAUNTLET = 3 [(pb.enumvalue.json).string = "a\"b"];
  COIF = 5 [(pb.enumvalue.json).string = ""];
  PAULDRON = 6 [(pb.enumvalue.json).string = "p\taul\ndron\303\274"];
  SABATON = 7 [(pb.enumvalue.json).string = "sabaton"];
  SOLLERET = 7 [(pb.enumvalue.json).string = "solleret"];
  NINTH = 8 [(pb.enumvalue.json).string = "9"];
  NINE = 9;
}
export message Knight {
  Armor armor = 1;
  repeated Armor armors = 2;
  map<string, Armor> by_name = 3;
}
"""
TYPES = proto.load_text(SOURCE, "k.proto")
Knight = TYPES["k.Knight"]
STRINGS = {
    0: "NONE",
    1: "gr8 helm",
    2: "GORGET",
    3: 'a"b',
    5: "",
    6: "p\taul\ndron\u00fc",
    7: "sabaton",
    8: "9",
    9: "NINE",
    99: 99,
}


@pytest.mark.parametrize("number", STRINGS)
def test_a_value_is_printed_as_its_string_and_read_again(number):
    knight = Knight(armor=number, armors=[number], by_name={"x": number})
    expected = {"armor": STRINGS[number], "armors": [STRINGS[number]], "byName": {"x": STRINGS[number]}}
    for printed in (json.dumps(knight), json.dumps(knight, indent=None), json_module.dumps(json.to_dict(knight))):
        assert json_module.loads(printed) == expected
        assert json.loads(printed, Knight) == knight
    assert json.loads(json.dumps(knight, use_integers_for_enums=True), Knight) == knight


@pytest.mark.parametrize(
    ("value", "number"),
    [('"HELM"', 1), ('"gr8 helm"', 1), ('"SOLLERET"', 7), ('"solleret"', 7), ('"9"', 8), ("9", 9), ('"2"', 2)],
)
@pytest.mark.parametrize("form", ['{{"armor": {}}}', '{{\n  "armor": {}\n}}'])
def test_names_strings_and_numbers_are_read(form, value, number):
    assert json.loads(form.format(value), Knight).armor == number


def test_another_string_is_refused():
    with pytest.raises(JsonError, match="Armor has no value"):
        json.loads('{"armor": "gr8"}', Knight)


def test_text_format_has_the_names():
    assert text_of(Knight(armor=1)) == "armor: HELM\n"


def test_a_compiled_module_keeps_the_strings(tmp_path):
    (tmp_path / "k.proto").write_text(SOURCE, encoding="utf-8")
    compile_it = [sys.executable, "-m", "pbwire", "compile", "k.proto", "-o", "out"]
    subprocess.run(compile_it, cwd=tmp_path, check=True, capture_output=True)
    script = "import k; from pbwire import json; print(json.dumps(k.Knight(armor=6), indent=None))"
    run = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path / "out", check=True, capture_output=True, text=True
    )
    assert json_module.loads(run.stdout) == {"armor": STRINGS[6]}


def test_a_string_without_text_is_empty():
    source = SOURCE.replace("GORGET = 2;", "GORGET = 2 [(pb.enumvalue.json) = {}];")
    knight = proto.load_text(source, "k.proto")["k.Knight"]
    assert json.dumps(knight(armor=2), indent=None) == '{"armor": ""}'


@pytest.mark.parametrize("content", [b"\x0a\x7f", b"\x0a\x01\xff", b"\xff", b"\x0b"])
def test_a_damaged_option_of_a_descriptor_set_is_an_error(content):
    option = b"\xb2\x3e" + bytes([len(content)]) + content
    enum = d.EnumDescriptorProto(name="E", value=[d.EnumValueDescriptorProto(name="A", number=0)])
    enum.value[0].options = d.EnumValueOptions.from_bytes(option)
    file = d.FileDescriptorProto(name="a.proto", enum_type=[enum])
    with pytest.raises(proto.ProtoError, match=r"the option \(pb.enumvalue.json\) of \"A\" is damaged"):
        proto.load_set(d.FileDescriptorSet(file=[file]).to_bytes())["E"]


def test_a_field_of_this_number_that_holds_no_message_is_skipped():
    enum = d.EnumDescriptorProto(name="E", value=[d.EnumValueDescriptorProto(name="A", number=0)])
    enum.value[0].options = d.EnumValueOptions.from_bytes(b"\xb0\x3e\x01")
    file = d.FileDescriptorProto(name="a.proto", enum_type=[enum])
    assert proto.load_set(d.FileDescriptorSet(file=[file]).to_bytes())["E"].__json_names__ == {}
