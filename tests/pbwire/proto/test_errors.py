"""Errors name the file, the line and the column, as those of compilers do."""

from __future__ import annotations

import pytest

from pbwire import proto
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
