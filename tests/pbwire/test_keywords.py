"""Every keyword parameter of pbwire has an effect, or is refused if it would have none.

See `tests.support.keyword_effects`.
"""

from __future__ import annotations

import io
from json import dumps as plain_dumps
from typing import Any

import pytest

from pbwire import Message, json, raw, table_of, text, wellknown
from pbwire import table as pb
from tests.support.keyword_effects import (
    Effect,
    Refused,
    Row,
    check_effect,
    check_refusal,
    check_table,
    effects,
    refusals,
)

PACKAGES = ["pbwire", "pbwire.json", "pbwire.raw", "pbwire.table", "pbwire.text", "pbwire.wellknown"]

WHEN = "it says when sub-messages are decoded, not what they are"


@pb.enum("test.Color")
class Color(pb.Enum):
    RED = 0
    BLUE = 1


@pb.message("test.Inner")
class Inner(pb.Message):
    n: int = pb.int32(1)


@pb.message("test.Extended", syntax="proto2", extensions=[range(100, 200)])
class Extended(pb.ExtendableMessage):
    pass


@pb.message("test.Sample")
class Sample(pb.Message):
    inner: Inner | None = pb.field(Inner, 9)
    zero: int = pb.int32(1)
    single: float = pb.float(2)
    double: float = pb.double(3)
    numbers: list[int] = pb.repeated(pb.int32, 4)
    in_words: str = pb.string(5)
    color: Color = pb.field(Color, 6)
    big: int = pb.int64(7)
    any: wellknown.Any | None = pb.field(wellknown.Any, 8)
    names: dict[str, int] = pb.map(pb.string, pb.int32, 10)
    extended: Extended | None = pb.field(Extended, 11)


SAMPLE = Sample(
    inner=Inner(n=1),
    single=1 / 3,
    double=2 / 3,
    numbers=[1, 2],
    in_words="é",
    color=Color.BLUE,
    big=3,
    names={"b": 1, "a": 2},
)
WITH_ANY = Sample(any=wellknown.Any(type_url="type.googleapis.com/test.Inner", value=Inner(n=4).to_bytes()))
WITH_UNKNOWN = Sample.from_bytes(SAMPLE.to_bytes() + b"\xf8\x3f\x01")
DATA = SAMPLE.to_bytes()
TYPES = {"test.Inner": Inner}
ANY = {"message": WITH_ANY}
EXPANDED = {"document": "any { [type.googleapis.com/test.Inner] { n: 4 } }"}
EXPANDED_JSON = {"document": {"any": {"@type": "type.googleapis.com/test.Inner", "n": 4}}}


def formatter(message: Any, indent: int, as_one_line: bool) -> str | None:
    return "inner" if isinstance(message, Inner) else None


def declared(field: Any, **options: Any) -> str:
    """The row of a field, in a message of its own."""
    body = {"__annotations__": {"a": "Any"}, "a": field, "__module__": __name__}
    body_class: Any = pb.message("test.Body", **{"syntax": "proto2"} | options)(type("Body", (pb.Message,), body))
    return repr(table_of(body_class).fields[0])


def message_field(kind: Any = Inner, **options: Any) -> str:
    return declared(pb.field(kind, 1, **options))


def list_field(kind: Any = pb.int32, **options: Any) -> str:
    return declared(pb.repeated(kind, 1, **options))


def walked(data: bytes = DATA, **options: Any) -> list[tuple[object, ...]]:
    return [(record.offset, record.field, record.nested) for record in raw.walk(data, **options)]


def written(call: Any) -> Any:
    """Return a function that returns the text which `call` writes to a file."""

    def as_text(message: Message = SAMPLE, **options: Any) -> str:
        out = io.StringIO()
        call(message, out, **options)
        return out.getvalue()

    return as_text


TO_JSON: dict[str, Any] = {
    "always_print_fields_with_no_presence": Effect(True),
    "preserving_proto_field_name": Effect(True),
    "use_integers_for_enums": Effect(True),
}
AS_JSON = TO_JSON | {"indent": Effect(None), "sort_keys": Effect(True), "ensure_ascii": Effect(False)}
NUMBERS = {"float_precision": Effect(2), "unquote_int64_if_possible": Effect(True)}
OF_JSON: dict[str, Any] = {"ignore_unknown_fields": Effect(True, {"document": {"nope": 1}})}
AS_TEXT: dict[str, Any] = {
    "as_utf8": Effect(True),
    "as_one_line": Effect(True),
    "print_unknown_fields": Effect(True, {"message": WITH_UNKNOWN}),
    "use_short_repeated_primitives": Effect(True),
}
STYLES = AS_TEXT | {
    "pointy_brackets": Effect(True),
    "use_index_order": Effect(True),
    "float_format": Effect(".3g"),
    "double_format": Effect(".3g"),
    "use_field_number": Effect(True),
    "descriptor_pool": Effect(TYPES, ANY),
    "indent": [Effect(2), Refused(-1, "indent must be >= 0, got -1")],
    "message_formatter": Effect(formatter),
    "force_colon": Effect(True),
}
OF_TEXT: dict[str, Any] = {
    "allow_field_number": Effect(True, {"document": "1: 3"}),
    "allow_unknown_field": Effect(True, {"document": "nope: 3"}),
}
UNKNOWN_EXTENSION = Effect(True, {"document": "extended { [test.nope]: 3 }"})
POOL = OF_TEXT | {"descriptor_pool": Effect(TYPES, EXPANDED), "allow_unknown_extension": UNKNOWN_EXTENSION}
SINGULAR: dict[str, Any] = {
    "oneof": [Effect("o"), Refused("o", "a required field can be neither optional nor a member", {"required": True})],
    "optional": [
        Effect(True),
        Refused(True, "a required field can be neither optional nor a member of a oneof", {"required": True}),
        Refused(True, "members of a oneof are optional already", {"oneof": "o"}),
    ],
    "required": Effect(True),
    "implicit": Refused(True, "only scalars outside of oneofs, in editions, can be implicit"),
    "json_name": Effect("@x"),
    "name": Effect("other"),
}


def declared_enum(**arguments: Any) -> Any:
    # mypy takes the functional API's result for an instance of Enum
    made: Any = pb.enum("test.Made", **arguments)(pb.Enum("Made", ["A"]))  # type: ignore[arg-type]  # a functional enum
    return made.__closed__, [member.name for member in made], made.__json_names__


def lines(call: Any) -> Any:
    return lambda document="", **options: call([document], Sample(), **options)


def whole(call: Any) -> Any:
    return lambda document="", **options: call(document, Sample(), **options)


NESTED = {"document": {"inner": {"n": 1}}}
TABLE = {
    "pbwire.Message.from_bytes": Row(
        lambda **options: Sample.from_bytes(DATA, **options), {"lazy": WHEN, "max_depth": Effect(0)}
    ),
    "pbwire.Message.merge_from_bytes": Row(
        lambda **options: Sample().merge_from_bytes(DATA, **options), {"max_depth": Effect(0)}
    ),
    "pbwire.Message.to_bytes": Row(SAMPLE.to_bytes, {"deterministic": Effect(True)}),
    "pbwire.Message.to_buffers": Row(
        lambda **options: b"".join(SAMPLE.to_buffers(**options)), {"deterministic": Effect(True)}
    ),
    "pbwire.Message.SerializeToString": Row(SAMPLE.SerializeToString, {"deterministic": Effect(True)}),
    "pbwire.json.dumps": Row(
        lambda message=SAMPLE, **options: json.dumps(message, **options),
        AS_JSON | {"types": Effect(TYPES, ANY), "max_depth": Effect(1)},
    ),
    "pbwire.json.dump": Row(written(json.dump), AS_JSON | {"types": Effect(TYPES, ANY), "max_depth": Effect(1)}),
    "pbwire.json.to_dict": Row(
        lambda message=SAMPLE, **options: json.to_dict(message, **options),
        TO_JSON | {"types": Effect(TYPES, ANY), "max_depth": Effect(1)},
    ),
    "pbwire.json.MessageToJson": Row(
        lambda message=SAMPLE, **options: json.MessageToJson(message, **options),
        AS_JSON | NUMBERS | {"descriptor_pool": Effect(TYPES, ANY)},
    ),
    "pbwire.json.MessageToDict": Row(
        lambda message=SAMPLE, **options: json.MessageToDict(message, **options),
        TO_JSON | NUMBERS | {"descriptor_pool": Effect(TYPES, ANY)},
    ),
    "pbwire.json.loads": Row(
        lambda document=None, **options: json.loads(plain_dumps(document or {}), Sample, **options),
        OF_JSON | {"types": Effect(TYPES, EXPANDED_JSON), "max_depth": Effect(1, NESTED)},
    ),
    "pbwire.json.from_dict": Row(
        lambda document=None, **options: json.from_dict(document or {}, Sample, **options),
        OF_JSON | {"types": Effect(TYPES, EXPANDED_JSON), "max_depth": Effect(1, NESTED)},
    ),
    "pbwire.json.Parse": Row(
        lambda document=None, **options: json.Parse(plain_dumps(document or {}), Sample(), **options),
        OF_JSON | {"descriptor_pool": Effect(TYPES, EXPANDED_JSON), "max_recursion_depth": Effect(1, NESTED)},
    ),
    "pbwire.json.ParseDict": Row(
        lambda document=None, **options: json.ParseDict(document or {}, Sample(), **options),
        OF_JSON | {"descriptor_pool": Effect(TYPES, EXPANDED_JSON), "max_recursion_depth": Effect(1, NESTED)},
    ),
    "pbwire.raw.looks_like_message": Row(
        lambda **options: raw.looks_like_message(b"\x0b\x0c\xff", **options),
        {"start": Refused(5, "5:3 is out of range for 3 bytes"), "end": Effect(2), "max_depth": Effect(0, {"end": 2})},
    ),
    "pbwire.raw.walk": Row(
        walked,
        {
            "start": [Effect(5), Refused(len(DATA) + 1, "is out of range")],
            "end": [Effect(5), Refused(len(DATA) + 1, "is out of range")],
            "cls": Effect(Sample),
            "guess": Effect(True),
            "max_depth": Effect(0, {"cls": Sample}),
        },
    ),
    "pbwire.table.enum": Row(
        declared_enum,
        {"closed": Effect(True), "names": Effect({"A": "None"}), "json_names": Effect({"A": "a"})},
    ),
    "pbwire.table.field": Row(
        message_field,
        SINGULAR
        | {
            "default": [Effect(Color.BLUE, {"kind": Color}), Refused(5, "a message has no default")],
            "group": [
                Effect(True),
                Refused(True, "a group holds a message, not pb.int32", {"kind": pb.int32}),
                Refused(True, "a group holds a message", {"kind": Color}),
            ],
        },
    ),
    "pbwire.table.map": Row(
        lambda **options: declared(pb.map(pb.string, pb.int32, 1, **options)),
        {"name": Effect("other"), "json_name": Effect("@x")},
    ),
    "pbwire.table.message": Row(
        lambda **options: declared(pb.repeated(pb.int32, 1), **options),
        {
            "syntax": [Effect("proto3"), Refused("proto4", "syntax is 'proto2', 'proto3' or 'editions', not")],
            "extensions": Refused([range(9, 20)], "a message with extensions is a pb.ExtendableMessage"),
            "reserved": Refused(["a"], "the name 'a' is reserved"),
            "message_set": Refused(True, "a MessageSet declares numbers for extensions"),
        },
    ),
    "pbwire.table.repeated": Row(
        list_field,
        {
            "packed": [
                Effect(True),
                Refused(True, "only numbers, bools and enums can be packed, not string", {"kind": pb.string}),
                Refused(True, "only numbers, bools and enums can be packed, not message", {"kind": Inner}),
            ],
            "group": [Effect(True, {"kind": Inner}), Refused(True, "a group holds a message, not pb.int32")],
            "name": Effect("other"),
            "json_name": Effect("@x"),
        },
    ),
    "pbwire.text.dumps": Row(
        lambda message=SAMPLE, **options: text.dumps(message, **options),
        AS_TEXT | {"types": Effect(TYPES, ANY), "max_depth": Effect(0)},
    ),
    "pbwire.text.dump": Row(
        written(text.dump),
        AS_TEXT
        | {
            "types": Effect(TYPES, ANY),
            "max_depth": Effect(0),
            "longest": [Effect(0), Refused(1, "as_one_line excludes longest and most", {"as_one_line": True})],
            "most": [Effect(1), Refused(1, "as_one_line excludes longest and most", {"as_one_line": True})],
        },
    ),
    "pbwire.text.loads": Row(
        lambda document="", **options: text.loads(document, Sample, **options),
        OF_TEXT
        | {
            "merge": Effect(True, {"document": "zero: 1 zero: 2"}),
            "types": Effect(TYPES, EXPANDED),
            "max_depth": Effect(0, {"document": "inner { n: 1 }"}),
        },
    ),
    "pbwire.text.MessageToString": Row(
        lambda message=SAMPLE, **options: text.MessageToString(message, **options), STYLES
    ),
    "pbwire.text.PrintMessage": Row(written(text.PrintMessage), STYLES),
    "pbwire.text.Parse": Row(whole(text.Parse), POOL),
    "pbwire.text.Merge": Row(whole(text.Merge), POOL),
    "pbwire.text.ParseLines": Row(lines(text.ParseLines), POOL),
    "pbwire.text.MergeLines": Row(lines(text.MergeLines), POOL),
}


def test_the_table_has_every_keyword() -> None:
    check_table(TABLE, PACKAGES)


@pytest.mark.parametrize(("call", "name", "case"), effects(TABLE))
def test_a_keyword_has_an_effect(call: Any, name: str, case: Effect) -> None:
    check_effect(call, name, case)


@pytest.mark.parametrize(("call", "name", "case"), refusals(TABLE))
def test_a_keyword_without_effect_is_refused(call: Any, name: str, case: Refused) -> None:
    check_refusal(call, name, case)


@pytest.mark.parametrize(
    "options",
    [
        {"required": True, "oneof": "o"},
        {"required": True, "optional": True},
        {"optional": True, "oneof": "o"},
    ],
)
def test_scalars_take_the_keywords_of_fields(options: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="oneof"):
        declared(pb.int32(1, **options))
