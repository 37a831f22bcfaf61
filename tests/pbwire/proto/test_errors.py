"""Errors name the file, the line and the column, as those of compilers do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import pbwire
from pbwire import proto
from pbwire import table as pb
from pbwire.proto import descriptor_messages as d
from tests.golden.proto.protoc import DESCRIPTORS
from tests.pbwire.proto.bad_files import BAD_FILES


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_file_that_protoc_refuses_is_an_error_with_its_place(name):
    source, expected = BAD_FILES[name]
    with pytest.raises(proto.ProtoError) as caught:
        proto.load_text(source, "a.proto")
    assert str(caught.value).startswith(f"a.proto:{expected}")


def test_an_error_shows_the_line_and_underlines_the_place():
    with pytest.raises(proto.ProtoError) as caught:
        proto.load_text('syntax = "proto3";\nmessage M {\n  Missing x = 1;\n}\n', "a.proto")
    expected = 'a.proto:3:3: "Missing" is not defined\n      Missing x = 1;\n      ^^^^^^^'
    assert str(caught.value) == expected


def test_a_circle_of_imports_is_shown(tmp_path):
    for name, imported in (("a", "b"), ("b", "c"), ("c", "a")):
        (tmp_path / f"{name}.proto").write_text(f'syntax = "proto3";\nimport "{imported}.proto";\n')
    with pytest.raises(
        proto.ProtoError, match=r"^c.proto:2:8: the imports are a circle: a.proto -> b.proto -> c.proto -> a"
    ):
        proto.load(tmp_path / "a.proto", include=[tmp_path])


def test_a_missing_import_of_a_defined_name_is_suggested(tmp_path):
    (tmp_path / "a.proto").write_text('syntax = "proto3"; import "b.proto"; message M { T t = 1; }')
    (tmp_path / "b.proto").write_text('syntax = "proto3"; import "c.proto"; message U { T t = 1; }')
    (tmp_path / "c.proto").write_text('syntax = "proto3"; message T {}')
    with pytest.raises(proto.ProtoError, match=r'"T" is not defined, but c\.proto defines it: import that file'):
        proto.load(tmp_path / "a.proto", include=[tmp_path])


def test_a_public_import_passes_its_names_on(tmp_path):
    (tmp_path / "a.proto").write_text('syntax = "proto3"; import "b.proto"; message M { T t = 1; }')
    (tmp_path / "b.proto").write_text('syntax = "proto3"; import public "c.proto";')
    (tmp_path / "c.proto").write_text('syntax = "proto3"; message T {}')
    assert "M" in proto.load(tmp_path / "a.proto", include=[tmp_path])


def _named(message: pb.Message) -> Iterator[Any]:
    """Yield a message and those inside of it that have a name."""
    if getattr(message, "name", None) is not None:
        yield message
    for field, value in message.ListFields():
        if field.is_message and field.label == "repeated":
            for inner in value:
                yield from _named(inner)


def test_descriptors_without_a_name_are_accepted_or_refused_in_words() -> None:
    data = DESCRIPTORS.read_bytes()
    count = sum(1 for _ in _named(proto.read_set(data)))
    assert count > 50
    for place in range(count):
        found = proto.read_set(data)
        [*_named(found)][place].name = None
        try:
            list(proto.load_set(found).values())
        except pbwire.Error as error:
            assert str(error)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ([d.FileDescriptorProto(), d.FileDescriptorProto()], "the set has this file twice"),
        ([d.FileDescriptorProto(dependency=["x"])], 'the set does not have "x" before this file, which imports it'),
        ([d.FileDescriptorProto(syntax="proto9")], 'syntax "proto9" is unknown'),
    ],
)
def test_errors_of_files_without_a_name_have_no_place(files: list[d.FileDescriptorProto], message: str) -> None:
    with pytest.raises(proto.ProtoError) as caught:
        proto.load_set(proto.FileDescriptorSet(file=files))
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("kind", "default"),
    [("INT32", "x"), ("INT32", "2147483648"), ("UINT64", "-1"), ("BOOL", "yes"), ("DOUBLE", "1,5"), ("BYTES", "\\9")],
)
def test_a_default_in_a_descriptor_is_of_the_type_of_its_field(kind: str, default: str) -> None:
    types, labels = d.FieldDescriptorProto.Type, d.FieldDescriptorProto.Label
    field = d.FieldDescriptorProto(name="f", number=1, label=labels.LABEL_OPTIONAL, type=types[f"TYPE_{kind}"])
    field.default_value = default
    file = d.FileDescriptorProto(name="a.proto", message_type=[d.DescriptorProto(name="M", field=[field])])
    with pytest.raises(proto.ProtoError, match=r"is not a default for the field \"f\""):
        proto.load_set(proto.FileDescriptorSet(file=[file]))
    field.default_value = None
    assert "M" in proto.load_set(proto.FileDescriptorSet(file=[file]))
