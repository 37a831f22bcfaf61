"""Hostile .proto files and descriptor sets."""

from __future__ import annotations

import os

import pytest

from pbwire import proto
from pbwire.proto import descriptor_messages as d
from tests.hostile.proto_statements import ACTIONS, STATEMENTS, seconds

HEAD = 'syntax = "proto3";\n'
SMALL, LARGE = 250, 2_000


def refused(source: str) -> str:
    with pytest.raises(proto.ProtoError) as caught:
        proto.load_text(source, "a.proto")
    assert len(str(caught.value)) < 1000
    return str(caught.value)


@pytest.mark.parametrize(
    "source",
    [
        HEAD + "message M {" * 100_000,
        HEAD + 'import "google/protobuf/descriptor.proto"; option (a) = ' + "{ a " * 100_000,
        'syntax = "proto2"; ' + "message M { repeated group A = 1 {" * 10_000,
        HEAD + "message M { " + "map<int32, " * 100_000,
        HEAD + "message M { reserved " + "1 to 2, " * 10,
    ],
    ids=["messages", "values", "groups", "maps", "ranges"],
)
def test_deep_nesting(source):
    """Attack: declarations nested a hundred thousand levels deep.

    Naive: recursion ends the interpreter.
    Stopped by: pbwire.proto.parser.parse
    """
    refused(source)


def test_deep_values_of_options():
    """Attack: the value of an option, nested deeply in text format.

    Naive: recursion ends the interpreter.
    Stopped by: pbwire.proto.options.interpret
    """
    source = (
        'syntax = "proto2"; import "google/protobuf/descriptor.proto"; message M { optional M a = 1; }'
        "extend google.protobuf.FileOptions { optional M m = 50000; } option (m) = "
    )
    assert "nested" in refused(source + "{ a " * 5000 + "{ }" + " }" * 5000 + ";")


@pytest.mark.parametrize("digits", ["9" * 100_000, "0x" + "f" * 100_000, "0" * 100_000 + "7" * 100])
def test_huge_numbers(digits):
    """Attack: numbers with a hundred thousand digits.

    Naive: the conversion takes time quadratic in the digits, or Python refuses it with an error of its own.
    Stopped by: pbwire.proto.parser.parse
    """
    refused(HEAD + f"message M {{ int32 x = {digits}; }}")


@pytest.mark.parametrize(
    "name", ["../secret.proto", "/etc/passwd", "a/../../secret.proto", "a\\\\b.proto", "./a.proto", "", "c:/a"]
)
def test_imports_do_not_leave_the_include_folders(name, tmp_path):
    """Attack: an import of a file outside of the include folders.

    Naive: reads any file, and shows its first line in an error.
    Stopped by: pbwire.proto.loader.Loader
    """
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "secret.proto").write_text("password")
    (inside / "a.proto").write_text(f'{HEAD}import "{name}";\n')
    with pytest.raises(proto.ProtoError, match="is not the name of a file in an include folder") as caught:
        proto.load(inside / "a.proto", include=[inside])
    assert "password" not in str(caught.value)


def test_links_do_not_leave_the_include_folders(tmp_path):
    """Attack: a symbolic link in an include folder to a file outside of it.

    Naive: reads any file.
    Stopped by: pbwire.proto.loader.Loader
    """
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "secret.proto").write_text("password")
    try:
        os.symlink(tmp_path / "secret.proto", inside / "link.proto")
    except OSError:
        pytest.skip("the system has no links")
    (inside / "a.proto").write_text(f'{HEAD}import "link.proto";\n')
    with pytest.raises(proto.ProtoError, match="is a link that leaves the include folder"):
        proto.load(inside / "a.proto", include=[inside])


def test_an_import_circle_through_itself(tmp_path):
    """Attack: a file that imports itself.

    Naive: endless recursion.
    Stopped by: pbwire.proto.loader.Loader
    """
    (tmp_path / "a.proto").write_text(f'{HEAD}import "a.proto";\n')
    with pytest.raises(proto.ProtoError, match=r"a circle: a\.proto -> a\.proto"):
        proto.load(tmp_path / "a.proto", include=[tmp_path])


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("statement", STATEMENTS)
def test_the_time_is_linear(statement, action):
    """Attack: very many statements of one kind.

    Naive: compares each with each, or copies what is known so far for each.
    Stopped by: pbwire.proto.linker.link
    """

    def of(count: int) -> float:
        return seconds(ACTIONS[action], STATEMENTS[statement](count))

    of(2)
    assert any(of(LARGE) / max(of(SMALL), 0.005) < 14 for _ in range(3))  # 8 is linear


def test_names_do_not_grow_with_those_around_them():
    """Attack: a message with a name of 60,000 letters, and very many fields, whose full names have it too.

    Naive: keeps 60,000 characters for each field.
    Stopped by: pbwire.proto.linker.link
    """
    fields = "".join(f"int32 f{n} = {n + 1};" for n in range(2_000))
    assert "full names of this file" in refused(f"{HEAD} message {'M' * 60_000} {{ {fields} }}")
    assert "more than 65,535" in refused(f"{HEAD} message {'M' * 66_000} {{ }}")


@pytest.mark.parametrize(
    ("package", "is_valid"),
    [("a.b", True), (".".join("a" * 101), True), ("a" * 511, True), (".".join("a" * 102), False), ("a" * 512, False)],
)
def test_packages_have_the_limits_of_protoc(package, is_valid):
    """Attack: a package of 100,000 parts, in each of which a name is looked up.

    Naive: makes the names of all packages around it, for each name.
    Stopped by: pbwire.proto.linker.link
    """
    source = f"{HEAD} package {package}; message M {{ M m = 1; }}"
    assert f"{package}.M" in proto.load_text(source) if is_valid else "name of the package" in refused(source)


@pytest.mark.parametrize(
    "file",
    [
        d.FileDescriptorProto(name="a", public_dependency=[5]),
        d.FileDescriptorProto(name="a", syntax="proto9"),
        d.FileDescriptorProto(name="a", dependency=["a"]),
        d.FileDescriptorProto(name="a", message_type=[d.DescriptorProto(name="M", field=[d.FieldDescriptorProto()])]),
        d.FileDescriptorProto(
            name="a",
            message_type=[
                d.DescriptorProto(
                    name="M", field=[d.FieldDescriptorProto(name="x", number=1, label=1, type=5, oneof_index=7)]
                )
            ],
        ),
        d.FileDescriptorProto(
            name="a",
            message_type=[
                d.DescriptorProto(
                    name="M", nested_type=[d.DescriptorProto(name="E", options=d.MessageOptions(map_entry=True))]
                )
            ],
        ),
        d.FileDescriptorProto(
            name="a",
            message_type=[
                d.DescriptorProto(
                    name="M",
                    field=[d.FieldDescriptorProto(name="x", number=1, label=1, type=5, default_value="9" * 9999)],
                )
            ],
        ),
    ],
    ids=["import", "syntax", "itself", "empty field", "oneof", "entry", "default"],
)
def test_descriptors_that_no_parser_makes(file):
    """Attack: descriptors with indices, numbers and texts that no compiler writes.

    Naive: an IndexError, or a class that breaks later.
    Stopped by: pbwire.proto.loader.load_descriptor_set
    """
    with pytest.raises(proto.ProtoError):
        for cls in proto.load_set(d.FileDescriptorSet(file=[file])).values():
            cls()
