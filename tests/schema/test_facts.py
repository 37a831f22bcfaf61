"""Every table equals the descriptors of TensorFlow and of ONNX, and every descriptor has a table."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from enum import EnumType
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pbwire import table as pb
from pbwire import wellknown
from tests.support import schema_facts
from tests.support.case_tables import each_case
from tests.support.schema_facts import FactEnum, FactField, FactMessage
from tfmodel import messages, onnx_messages

TENSORFLOW, ONNX = schema_facts.load(), schema_facts.load(schema_facts.ONNX_FACTS)
FACTS = schema_facts.Facts(TENSORFLOW.messages | ONNX.messages, TENSORFLOW.enums | ONNX.enums)
OURS = {name: fact for name, fact in FACTS.messages.items() if not name.startswith("google.")}
GOOGLE = {name: fact for name, fact in FACTS.messages.items() if name not in OURS}
FILES = {file: declared for file, declared in FACTS.files().items() if not file.startswith("google/")}

FACTS_FILES = "tests/data/*_facts.tsv"
FOLDER = Path(messages.__file__).resolve().parents[1] / "schema"
MODULES = {
    ".".join(path.relative_to(FOLDER).with_suffix("").parts): path
    for path in sorted(FOLDER.rglob("*.py"))
    if path.stem != "__init__"
}


def table_module(name: str) -> ModuleType:
    return importlib.import_module(f"tfmodel._schema.{name}")


def is_table(value: object) -> bool:
    return isinstance(value, type) and (isinstance(value, EnumType) or "__table__" in vars(value))


def full_name(cls: Any) -> str:
    return cls.__full_name__ if isinstance(cls, EnumType) else pb.table_of(cls).full_name


def defined_in(scope: Any, module: str) -> Iterator[Any]:
    """Return the messages and enums of a module or class, at any depth."""
    for value in list(vars(scope).values()):
        if is_table(value) and value.__module__ == module:
            yield value
            yield from defined_in(value, module)


CLASSES = {
    full_name(cls): cls
    for module in [wellknown, *map(table_module, MODULES)]
    for cls in defined_in(module, module.__name__)
}


def rows(fact: FactMessage) -> set[tuple[Any, ...]]:
    """Return a message's fields in the form of the facts."""
    return {
        (f.number, f.name, kind(f), label(f), f.packed, f.oneof, FACTS.presence(f, fact.syntax)) for f in fact.fields
    }


def kind(field: FactField) -> str | tuple[str, str]:
    if field.map_types:
        return field.map_types
    return field.type


def label(field: FactField) -> str:
    return "map" if field.map_types else "repeated" if field.repeated else "singular"


def kind_of(field: pb.Field) -> str | tuple[str, str]:
    """Return a field's kind in the notation of the facts: the full name for a message or an enum."""
    if field.label == "map":
        assert field.key is not None and field.value is not None
        assert (field.key.number, field.value.number) == (1, 2)
        return kind_of(field.key), kind_of(field.value)
    if field.type is None:
        return field.kind
    assert field.kind == ("enum" if isinstance(field.type, EnumType) else "message")
    return full_name(field.type)


def table_name(file: str) -> str:
    """Return the module of a .proto file. TensorFlow's stand together, those of ONNX in a folder."""
    stem = Path(file).stem.replace("-", "_")
    return f"onnx.{stem}" if file.startswith("onnx/") else stem


def module_of(file: str) -> str:
    if file.startswith("google/"):
        return "pbwire/wellknown.py"
    return f"schema/{table_name(file).replace('.', '/')}.py"


def describe_difference(source: str, tables: set[Any], facts: set[Any]) -> str:
    """Return a sentence that names the rows that only the tables or only the facts have."""
    sides = ((source, tables - facts), (FACTS_FILES, facts - tables))
    only = [f"only in {place}: {sorted(rows, key=str)}" for place, rows in sides if rows]
    return f"every row belongs in {source} and in {FACTS_FILES}; {'; '.join(only)}"


def test_there_is_a_class_for_every_fact_and_a_fact_for_every_class():
    facts_of_ours = {fact.full_name for declared in FILES.values() for fact in declared}
    ours = {name for name in CLASSES if not name.startswith("google.")}
    assert ours == facts_of_ours, describe_difference("schema/", ours, facts_of_ours)
    assert set(CLASSES) >= set(GOOGLE)


def test_there_is_a_module_for_every_proto_file():
    files = {table_name(file) for file in FILES}
    assert {*MODULES} == files, describe_difference("schema/", {*MODULES}, files)
    assert len(files) == len(FILES)


@pytest.mark.parametrize("file", FILES)
def test_a_module_has_the_declarations_of_its_proto_file_and_names_it(file):
    module = table_module(table_name(file))
    ours, facts = {full_name(cls) for cls in defined_in(module, module.__name__)}, {x.full_name for x in FILES[file]}
    assert ours == facts, describe_difference(module_of(file), ours, facts)
    assert (module.__doc__ or "").startswith(f"{file}: "), f'the docstring of {module_of(file)} begins with "{file}: "'
    assert sorted(module.__all__) == sorted(name for name, value in vars(module).items() if is_own(value, module))


def is_own(value: object, module: ModuleType) -> bool:
    return is_table(value) and getattr(value, "__module__", None) == module.__name__


@each_case("fact", FACTS.messages, attrgetter("file"))
def test_a_message_has_the_fields_of_the_facts(fact):
    table = pb.table_of(CLASSES[fact.full_name])
    assert table.syntax == fact.syntax
    ours = {(f.number, f.name, kind_of(f), f.label, bool(f.packed), f.oneof, f.presence) for f in table.fields}
    assert ours == rows(fact), describe_difference(module_of(fact.file), ours, rows(fact))
    assert len(table.fields) == len(fact.fields)
    assert not [f.name for f in table.fields if f.required or f.default is not None]


@each_case("fact", FACTS.messages, attrgetter("file"))
def test_the_oneofs_of_a_message_are_those_of_the_facts(fact):
    expected: dict[str, set[str]] = {}
    for field in fact.fields:
        if field.oneof:
            expected.setdefault(field.oneof, set()).add(field.name)
    table = pb.table_of(CLASSES[fact.full_name])
    assert {name: {f.name for f in members} for name, members in table.oneofs.items()} == expected


@each_case("fact", FACTS.messages, attrgetter("file"))
def test_annotations_agree_with_rows(fact):
    def last_name(full_name: str) -> str:
        return full_name.rpartition(".")[2]

    written = {name: re.sub(r"(\w+\.)+", "", text) for name, text in CLASSES[fact.full_name].__annotations__.items()}
    wrong = [
        f"{field.name}: {annotation} is annotated as {written.get(field.name)}"
        for field in fact.fields
        if (annotation := FACTS.annotation(field, fact.syntax, last_name)) != written.get(field.name)
    ]
    assert not wrong, f"annotations in {module_of(fact.file)} differ from {FACTS_FILES}"


@each_case("fact", FACTS.enums, attrgetter("file"))
def test_an_enum_has_the_values_of_the_facts(fact: FactEnum):
    cls = CLASSES[fact.full_name]
    ours, facts = (
        {(name, int(value)) for name, value in cls.__members__.items()},
        {(v.name, v.number) for v in fact.values},
    )
    assert ours == facts, describe_difference(module_of(fact.file), ours, facts)
    assert next(iter(cls)) == fact.values[0].number
    assert cls.__closed__ == fact.closed


SCOPES = {"google": wellknown, "onnx": onnx_messages, "tensorflow": messages}


@each_case("name", {name: name for name in CLASSES}, lambda name: CLASSES[name].__module__)
def test_a_class_is_in_the_module_that_its_full_name_says(name):
    cls = CLASSES[name]
    path = re.sub(r"^(google\.protobuf|tensorflow\.error|tensorflow\.profiler|tensorflow|onnx)\.", "", name)
    assert cls.__qualname__ == path
    top, *nested = path.split(".")
    scope = SCOPES[name.partition(".")[0]]
    assert hasattr(scope, top), f"{top} is missing in tfmodel/message_index.py: run python -m tests.index"
    attribute = getattr(scope, top)
    for part in nested:
        attribute = getattr(attribute, part)
    assert attribute is cls


@each_case("name", {name: name for name in CLASSES}, lambda name: CLASSES[name].__module__)
def test_every_message_and_enum_is_documented(name):
    doc = vars(CLASSES[name]).get("__doc__")
    assert doc and doc != f"{name}." and not doc.startswith(CLASSES[name].__name__ + "(")


def test_deprecated_fields_are_marked():
    silent = []
    for fact in OURS.values():
        source = MODULES[table_name(fact.file)].read_text(encoding="utf-8")
        body = source[source.index(f'@pb.message("{fact.full_name}"') :]
        for field in fact.fields:
            if field.deprecated:
                row = re.search(rf"((?: *#.*\n)*) *{field.name}: .*", body)
                if row is None or "deprecated" not in row[0]:
                    silent.append(f"{fact.full_name}.{field.name}")
    assert not silent


def test_the_messages_of_onnx_are_not_among_those_of_tensorflow():
    names = set(ONNX.messages)
    assert {"onnx.TensorProto", "onnx.TensorShapeProto", "onnx.TypeProto.Tensor"} <= names
    assert not names & set(messages.TYPES)
    assert not [name for name in sorted(names) if name in messages.TYPES]
    assert messages.TensorProto is not onnx_messages.TensorProto


def test_scalars_of_onnx_that_are_zero_are_written_and_absent_ones_are_not():
    assert onnx_messages.ModelProto().to_bytes() == b""
    assert onnx_messages.ModelProto(ir_version=0, domain="").to_bytes() == b"\x08\x00\x22\x00"
    assert onnx_messages.ModelProto.from_bytes(b"\x08\x00") == onnx_messages.ModelProto(ir_version=0)
