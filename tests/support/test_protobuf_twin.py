"""The twin has Google's own classes for exactly the messages of the facts."""

from __future__ import annotations

import os
import subprocess
import sys
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import any_pb2, text_format
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.internal import api_implementation
from google.protobuf.message import DecodeError

from tests.support import schema_facts
from tests.support.case_tables import each_case
from tests.support.corpus import corpus, needs_corpus
from tests.support.protobuf_twin import (
    IS_4_25,
    SAMPLE_FACTS,
    Job,
    Refused,
    answer,
    is_repeated,
    is_required,
    pool,
    pure_python,
    twin,
)

FACTS = {path.stem: schema_facts.load(path) for path in (schema_facts.SCHEMA_FACTS, SAMPLE_FACTS)}
MESSAGES = {name: fact for family in FACTS.values() for name, fact in family.messages.items()}
ENUMS = {name: fact for family in FACTS.values() for name, fact in family.enums.items()}


def graph_bytes() -> bytes:
    """GraphDef{node{name: "a" op: "Const" attr{"T": type: DT_FLOAT}} versions{producer: 22}}, laid out by hand."""
    attr = b"\x0a\x01T" + b"\x12\x02" + b"\x30\x01"
    node = b"\x0a\x01a" + b"\x12\x05Const" + b"\x2a" + bytes([len(attr)]) + attr
    return b"\x0a" + bytes([len(node)]) + node + b"\x22\x02\x08\x16"


def test_a_graph_of_tensorflow_is_read_correctly():
    graph = twin("tensorflow.GraphDef").FromString(graph_bytes())
    assert [(node.name, node.op) for node in graph.node] == [("a", "Const")]
    attr = graph.node[0].attr["T"]
    assert (attr.type, attr.WhichOneof("value")) == (1, "type")
    assert graph.versions.producer == 22
    assert graph.SerializeToString(deterministic=True) == graph_bytes()
    assert text_format.MessageToString(graph, as_one_line=True) == (
        'node { name: "a" op: "Const" attr { key: "T" value { type: DT_FLOAT } } } versions { producer: 22 }'
    )


def test_our_class_or_its_full_name_is_the_same_question():
    from tests.support import samples

    assert twin(samples.Scalars) is twin("sample.Scalars")
    assert twin(samples.Nesting.Inner).DESCRIPTOR.full_name == "sample.Nesting.Inner"


@each_case("fact", MESSAGES, attrgetter("file"))
def test_a_descriptor_says_what_the_facts_say(fact):
    descriptor = twin(fact.full_name).DESCRIPTOR
    assert descriptor.file.name == fact.file
    if not fact.file.startswith("google/"):
        assert descriptor.file.serialized_pb.endswith(b"proto3") == (fact.syntax == "proto3")
    assert [of_descriptor(field) for field in descriptor.fields] == [of_fact(field, fact) for field in fact.fields]


def of_descriptor(field: FieldDescriptor) -> dict[str, Any]:
    real = field.containing_oneof
    synthetic = real is not None and real.name == f"_{field.name}" and len(real.fields) == 1
    return {
        "number": field.number,
        "name": field.name,
        "type": type_of(field),
        "repeated": is_repeated(field),
        "required": is_required(field),
        "packed": field.GetOptions().packed,
        "oneof": None if real is None or synthetic else real.name,
        "optional": synthetic,
        "group": field.type == field.TYPE_GROUP,
        "default": field.has_default_value,
        "presence": field.has_presence,
        "json": field.json_name,
    }


def type_of(field: FieldDescriptor) -> str:
    if field.message_type is not None:
        if field.message_type.GetOptions().map_entry:
            key, value = field.message_type.fields
            assert (key.name, key.number, value.name, value.number) == ("key", 1, "value", 2)
            return f"map<{type_of(key)},{type_of(value)}>"
        return field.message_type.full_name
    if field.enum_type is not None:
        return field.enum_type.full_name
    names = {number: name for name, number in vars(FieldDescriptor).items() if name.startswith("TYPE_")}
    return names[field.type].removeprefix("TYPE_").lower()


def of_fact(field: schema_facts.FactField, fact: schema_facts.FactMessage) -> dict[str, Any]:
    repeated = field.repeated or field.map_types is not None
    words = field.name.split("_")
    return {
        "number": field.number,
        "name": field.name,
        "type": field.type,
        "repeated": repeated,
        "required": field.required,
        "packed": field.packed,
        "oneof": field.oneof,
        "optional": field.optional,
        "group": field.group,
        "default": field.default is not None,
        "presence": not repeated
        and (fact.syntax == "proto2" or field.optional or field.oneof is not None or field.type in MESSAGES),
        "json": words[0] + "".join(word[:1].upper() + word[1:] for word in words[1:]),
    }


@pytest.mark.parametrize("fact", ENUMS.values(), ids=ENUMS)
def test_an_enum_has_the_values_of_the_facts_and_is_closed_where_they_say_so(fact):
    descriptor = pool().FindEnumTypeByName(fact.full_name)
    assert [(v.number, v.name) for v in descriptor.values] == [(v.number, v.name) for v in fact.values]
    assert descriptor.is_closed == fact.closed


def test_defaults_are_those_of_the_facts():
    empty = twin("sample.Proto2")()
    assert (empty.d_double, empty.d_float, empty.d_int32) == (float("inf"), float("-inf"), -(2**31))
    assert empty.nan_double != empty.nan_double and empty.nan_float != empty.nan_float
    assert (empty.d_uint64, empty.d_bool, empty.d_false) == (2**64 - 1, True, False)
    assert (empty.d_string, empty.d_bytes) == ('say "hé"\n\tback\\slash', b'\x00\x01\xff "q"')
    assert (empty.d_empty, empty.d_unicode) == ("", "naïve☃")
    assert (empty.d_shade, empty.d_order, empty.a_order) == (-1, 1, 3)


SCALAR_VALUES = {
    "double": -1.5,
    "float": 0.25,
    "int32": -(2**31),
    "int64": -(2**63),
    "uint32": 2**32 - 1,
    "uint64": 2**64 - 1,
    "sint32": -(2**31),
    "sint64": -(2**63),
    "fixed32": 2**32 - 1,
    "fixed64": 2**64 - 1,
    "sfixed32": -(2**31),
    "sfixed64": -(2**63),
    "bool": True,
    "string": "é☃",
    "bytes": b"\xff\x00",
}


@pytest.mark.parametrize(
    ("name", "prefix"),
    [
        ("sample.Scalars", "a_"),
        ("sample.Optionals", "a_"),
        ("sample.Repeated", "a_"),
        ("sample.Unpacked", "a_"),
        ("sample.Maps", "of_"),
        ("sample.Proto2", "a_"),
        ("sample.Proto2", "d_"),
        ("sample.Proto2", "r_"),
        ("sample.Proto2", "p_"),
    ],
)
def test_every_kind_round_trips(name, prefix):
    cls = twin(name)
    message = cls()
    for kind, value in SCALAR_VALUES.items():
        field = cls.DESCRIPTOR.fields_by_name.get(prefix + kind)
        if field is None:
            assert kind in ("string", "bytes"), "they cannot be packed"
        elif prefix == "of_":
            getattr(message, field.name)["key"] = value
        elif is_repeated(field):
            getattr(message, field.name).extend([value, value])
        else:
            setattr(message, field.name, value)
    again = cls.FromString(message.SerializeToString())
    assert again == message
    assert len(again.ListFields()) >= 13
    for field, value in again.ListFields():
        expected = SCALAR_VALUES[field.name.removeprefix(prefix)]
        if prefix == "of_":
            assert value["key"] == expected
        else:
            assert value == ([expected, expected] if is_repeated(field) else expected)


def test_groups_lie_between_tags():
    groups = twin("sample.Groups")()
    groups.single.number = 1
    groups.single.deep.far.numbers.append(-1)
    groups.many.add().inner.add().flag = True
    far = b"\x83\x01" + b"\x0a\x01\x01" + b"\x84\x01"
    assert groups.SerializeToString() == (
        b"\x0b\x08\x01" + b"\x13" + far + b"\x14" + b"\x0c" + b"\x13\x1b\x08\x01\x1c\x14"
    )
    assert text_format.MessageToString(groups, as_one_line=True) == (
        "Single { number: 1 Deep { Far { numbers: -1 } } } Many { Inner { flag: true } }"
    )


def test_unknown_values_of_a_closed_enum_become_unknown_fields():
    closed = twin("sample.ClosedEnums").FromString(b"\x08\x63\x10\x01\x10\x63")
    assert (closed.HasField("single"), list(closed.many)) == (False, [1])
    assert closed.SerializeToString() == b"\x10\x01\x08\x63\x10\x63"


def test_an_open_enum_keeps_unknown_values():
    assert twin("sample.Scalars").FromString(b"\x80\x01\x63").a_mood == 99


def test_missing_required_fields_are_refused_when_writing():
    assert answer(Job("sample.Required", b"\x08\x01")) == Refused(
        "EncodeError: Message sample.Required is missing required fields: name,part"
    )


def test_an_any_is_expanded_with_the_pool():
    packed = any_pb2.Any(type_url="type.googleapis.com/sample.Leaf", value=b"\x08\x07").SerializeToString()
    plain = Job("google.protobuf.Any", packed, "text", {"as_one_line": True})
    assert answer(plain) == 'type_url: "type.googleapis.com/sample.Leaf" value: "\\010\\007"'
    expanded = plain._replace(options={"as_one_line": True, "descriptor_pool": True})
    assert answer(expanded) == "[type.googleapis.com/sample.Leaf] { number: 7 }"
    assert pure_python([plain, expanded]) == [answer(plain), answer(expanded)]


def test_the_default_pool_is_left_alone():
    from google.protobuf import descriptor_pool

    twin("sample.Scalars")
    with pytest.raises(KeyError):
        descriptor_pool.Default().FindMessageTypeByName("sample.Scalars")


class TestPurePython:
    def test_it_answers_job_by_job(self):
        jobs = [
            Job("tensorflow.GraphDef", graph_bytes()),
            Job("tensorflow.GraphDef", graph_bytes(), "bytes"),
            Job("tensorflow.GraphDef", graph_bytes(), "text"),
            Job("tensorflow.GraphDef", graph_bytes()[:-1]),
            Job("sample.Empty", b""),
        ]
        answers = pure_python(jobs)
        assert answers[0] == answers[1] == graph_bytes()
        assert answers[2] == answer(jobs[2])
        assert answers[3] == Refused("DecodeError: Truncated message.")
        assert answers[4] == b""

    def test_it_sorts_the_keys_of_maps_and_upb_does_so_in_its_own_way(self):
        graph = twin("tensorflow.NodeDef")()
        for key in ("seed2", "seed", "b", ""):
            graph.attr[key].i = 1
        data = graph.SerializeToString()
        [sorted_bytes] = pure_python([Job("tensorflow.NodeDef", data)])
        assert isinstance(sorted_bytes, bytes)
        positions = [sorted_bytes.index(b"\n" + bytes([len(key)]) + key) for key in (b"", b"b", b"seed", b"seed2")]
        assert positions == sorted(positions)

    def test_it_does_not_see_what_upb_sees(self):
        """Neither backend alone is a sufficient reference."""
        minus_zero, overlong_tag = b"\x09" + bytes(7) + b"\x80", b"\x98\x00\x07"
        jobs = [Job("sample.Scalars", minus_zero), Job("sample.Scalars", overlong_tag)]
        assert pure_python(jobs) == ([b"", overlong_tag] if IS_4_25 else [minus_zero, overlong_tag])
        if api_implementation.Type() == "upb":
            assert [answer(job) for job in jobs] == [minus_zero, b"\x18\x07"]


@pytest.mark.slow(reason="starts processes")
def test_the_tests_of_this_file_pass_with_the_other_backend():
    if api_implementation.Type() != "upb":
        pytest.skip("this is the other backend")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "not real_model", __file__],
        env=os.environ | {"PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": "python"},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_truncated_bytes_are_refused():
    with pytest.raises(DecodeError):
        twin("tensorflow.GraphDef").FromString(graph_bytes()[:-1])


@needs_corpus
def test_a_real_model_is_understood_to_the_last_byte():
    assert corpus is not None
    data = (corpus / "generated" / "conv_train.meta").read_bytes()
    model = twin("tensorflow.MetaGraphDef").FromString(data)
    assert len(model.graph_def.node) == 6594
    known = text_format.MessageToString(model, as_one_line=True)
    assert text_format.MessageToString(model, as_one_line=True, print_unknown_fields=True) == known
