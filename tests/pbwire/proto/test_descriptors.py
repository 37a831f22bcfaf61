"""Descriptors equal those of protoc, byte for byte."""

from __future__ import annotations

import pytest

from pbwire import proto
from pbwire.proto import descriptor_messages as d
from pbwire.proto.loader import load_files
from tests import builtin_protos
from tests.golden.proto.protoc import DESCRIPTORS, LIBRARY, LIBRARY_DESCRIPTORS, SETS
from tests.pbwire.proto.files import FILES, FOLDER

PROTOC = {target.stem: proto.read_set(target.read_bytes()).file for target in SETS}
OURS = {
    target.stem: proto.descriptors(*(FOLDER / file for file in files), include=[FOLDER]).file
    for target, files in SETS.items()
}


@pytest.mark.parametrize("name", PROTOC)
def test_the_files_are_in_the_order_of_protoc(name):
    assert [file.name for file in OURS[name]] == [file.name for file in PROTOC[name]]


@pytest.mark.parametrize(
    ("name", "index"),
    [
        (name, index)
        for name in PROTOC
        for index, file in enumerate(PROTOC[name])
        if file.name != "google/protobuf/descriptor.proto"  # that of protoc 31; ours has edition 2026
    ],
)
def test_a_descriptor_equals_that_of_protoc(name, index):
    assert OURS[name][index] == PROTOC[name][index]
    assert OURS[name][index].to_bytes() == PROTOC[name][index].to_bytes()


def test_a_copy_of_descriptor_proto_has_its_own_options(tmp_path):
    """Repositories keep copies of Google's files in folders other than include folders."""
    copy = tmp_path / "third_party/google/protobuf/descriptor.proto"
    copy.parent.mkdir(parents=True)
    copy.write_bytes((builtin_protos.INCLUDE / "google/protobuf/descriptor.proto").read_bytes())
    (file,) = proto.descriptors(copy, include=[tmp_path]).file
    assert file.name == "third_party/google/protobuf/descriptor.proto"
    assert file.options.java_package == "com.google.protobuf"


def test_descriptors_of_edition_2024_equal_those_of_protoc():
    expected = proto.read_set(LIBRARY_DESCRIPTORS.read_bytes())
    ours = proto.descriptors(*(FOLDER / file for file in LIBRARY), include=[FOLDER], imports=False)
    assert [file.name for file in ours.file] == LIBRARY
    for file, theirs in zip(ours.file, expected.file, strict=True):
        assert file == theirs
        assert file.to_bytes() == theirs.to_bytes()


def test_imports_for_options_are_in_a_set():
    names = [file.name for file in proto.descriptors(FOLDER / LIBRARY[-1], include=[FOLDER]).file]
    assert names.index("library/notes.proto") < names.index("library/book.proto")


def test_a_descriptor_set_of_edition_2024_is_read_without_the_imports_for_options():
    files = proto.descriptors(FOLDER / LIBRARY[-1], include=[FOLDER]).file
    types = proto.load_set(proto.FileDescriptorSet(file=[f for f in files if "notes" not in f.name]))
    loaded = proto.load(FOLDER / LIBRARY[-1], include=[FOLDER])
    assert rows(types["library.Book"]) == rows(loaded["library.Book"])


def test_the_table_module_of_descriptors_equals_descriptor_proto():
    types = proto.load("google/protobuf/descriptor.proto")
    for name, cls in types.items():
        ours = getattr_path(d, name.removeprefix("google.protobuf."))
        if isinstance(cls, type) and hasattr(cls, "__table__"):
            assert rows(ours) == rows(cls), name
        else:
            assert [(member.name, int(member)) for member in ours] == [(member.name, int(member)) for member in cls]
            assert ours.__closed__ == cls.__closed__


def getattr_path(scope, path):
    for part in path.split("."):
        scope = getattr(scope, part)
    return scope


def rows(cls):
    fields = cls.__table__.fields
    return [(f.name, f.number, f.kind, f.label, f.packed, f.required, f.default, f.presence) for f in fields]


def test_a_descriptor_set_gives_the_same_types_as_the_files():
    types = proto.load_set(DESCRIPTORS.read_bytes())
    ours = proto.load(*(FOLDER / file for file in FILES), include=[FOLDER])
    assert {name for name in set(types) ^ set(ours) if ".ProtoLimitsFeature" not in name} == set()
    messages = [name for name in types if name in types.messages and name.startswith("shop.")]
    assert [rows(types[name]) for name in messages] == [rows(ours[name]) for name in messages]


def test_without_imports_a_set_has_the_given_files_alone():
    found = proto.descriptors(FOLDER / FILES[0], include=[FOLDER], imports=False)
    assert [file.name for file in found.file] == [FILES[0]]


@pytest.mark.parametrize("name", builtin_protos.PRINTED)
def test_the_built_in_files_are_printed_from_their_descriptors(name):
    """`python -m tests.builtin_protos` writes them."""
    pool, _ = load_files([builtin_protos.INCLUDE / name], [builtin_protos.INCLUDE])
    printed = builtin_protos.print_file(pool.files[name].proto)
    assert printed == (builtin_protos.INCLUDE / name).read_text(encoding="utf-8")
