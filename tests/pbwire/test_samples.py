"""The sample tables against the sample facts, both ways, with defaults, groups and required fields."""

from __future__ import annotations

from typing import Any

import pytest

from pbwire import table as pb
from tests.support import samples, schema_facts
from tests.support.protobuf_twin import SAMPLE_FACTS
from tests.support.sample_classes import CLASSES, full_name
from tests.support.schema_facts import FactEnum, FactField, FactMessage

FACTS = schema_facts.load(SAMPLE_FACTS)


def of_fact(field: FactField, syntax: str) -> dict[str, Any]:
    """Return the description of a field in the facts."""
    is_message = field.type in FACTS.messages
    singular = not field.repeated and not field.map_types
    return {
        "number": field.number,
        "type": field.map_types or field.type,
        "kind": "map" if field.map_types else of_type(field.type, field.group),
        "label": "map" if field.map_types else "repeated" if field.repeated else "singular",
        "packed": field.packed,
        "oneof": field.oneof,
        "required": field.required,
        "default": None if field.default is None else repr(default(field)),
        "presence": singular and (syntax == "proto2" or is_message or field.optional or field.oneof is not None),
    }


def of_type(name: str, group: bool = False) -> str:
    return "enum" if name in FACTS.enums else "group" if group else "message" if name in FACTS.messages else name


def default(field: FactField) -> Any:
    """The value that the text of a default stands for."""
    text = field.default
    assert text is not None
    if field.type in FACTS.enums:
        return CLASSES[field.type][text]
    match field.type:
        case "bool":
            return {"true": True, "false": False}[text]
        case "double" | "float":
            return float(text)
        case "string" | "bytes":
            unescaped = text.encode().decode("unicode_escape").encode("latin-1")
            return unescaped.decode() if field.type == "string" else unescaped
        case _:
            return int(text)


def of_row(field: pb.Field) -> dict[str, Any]:
    """Return the same description for a row of a table."""
    kind, type_ = field.kind, of_reference(field)
    if field.label == "map":
        assert field.key is not None and field.value is not None
        assert (field.key.number, field.value.number) == (1, 2)
        kind, type_ = "map", (of_reference(field.key), of_reference(field.value))
    return {
        "number": field.number,
        "type": type_,
        "kind": kind,
        "label": field.label,
        "packed": bool(field.packed),
        "oneof": field.oneof,
        "required": field.required,
        "default": None if field.default is None else repr(field.default),
        "presence": field.presence,
    }


def of_reference(field: pb.Field) -> str:
    return field.kind if field.type is None else full_name(field.type)


def test_there_is_a_class_for_every_fact_and_a_fact_for_every_class():
    assert set(CLASSES) == {fact.full_name for fact in FACTS}
    assert set(samples.__all__) == {name for name in dir(samples) if f"sample.{name}" in CLASSES}


@pytest.mark.parametrize("fact", FACTS.messages.values(), ids=FACTS.messages)
def test_a_message_has_the_fields_of_the_facts_in_their_order(fact: FactMessage):
    table = pb.table_of(CLASSES[fact.full_name])
    assert table.syntax == fact.syntax
    assert {field.name: of_row(field) for field in table.fields} == {
        field.name: of_fact(field, fact.syntax) for field in fact.fields
    }
    assert [field.name for field in table.fields] == [field.name for field in fact.fields]


@pytest.mark.parametrize("fact", FACTS.enums.values(), ids=FACTS.enums)
def test_an_enum_has_the_values_of_the_facts(fact: FactEnum):
    cls = CLASSES[fact.full_name]
    assert [(int(member), name) for name, member in cls.__members__.items()] == [
        (value.number, value.name) for value in fact.values
    ]
    assert cls.__closed__ == fact.closed


def test_the_samples_have_every_kind_in_every_place():
    """Tests on the samples cover only the kinds and places that are listed here."""
    kinds = {*schema_facts.SCALARS, "enum", "message"}
    packable = kinds - {"string", "bytes", "message"}
    places: dict[str, set[str]] = {}
    for fact in FACTS.messages.values():
        for field in fact.fields:
            place = of_fact(field, fact.syntax)
            if field.map_types:
                key, value = map(of_type, field.map_types)
                places.setdefault("key", set()).add(key)
                places.setdefault(f"value in {fact.syntax}", set()).add(value)
            elif field.repeated:
                packed = "packed " if field.packed else ""
                places.setdefault(f"{packed}repeated in {fact.syntax}", set()).add(place["kind"])
            else:
                what = "oneof" if field.oneof else "required" if field.required else "singular"
                optional = "optional " if field.optional else ""
                default = " with default" if field.default is not None else ""
                places.setdefault(f"{optional}{what} in {fact.syntax}{default}", set()).add(place["kind"])

    assert places["singular in proto3"] >= kinds
    assert places["optional singular in proto3"] >= kinds
    assert places["packed repeated in proto3"] == packable
    assert places["repeated in proto3"] >= kinds
    assert places["singular in proto2"] >= kinds | {"group"}
    assert places["singular in proto2 with default"] == kinds - {"message"}
    assert places["packed repeated in proto2"] == packable
    assert places["repeated in proto2"] >= kinds | {"group"}
    assert places["oneof in proto2"] >= {"enum", "message", "group", "int32", "string"}
    assert places["required in proto2"] >= {"enum", "message", "int32", "string"}
    assert places["key"] == schema_facts.SCALARS - {"double", "float", "bytes"}
    assert places["value in proto3"] == kinds
    assert places["value in proto2"] >= {"enum", "message", "string"}
