"""Comments belong to the same declarations as in protoc."""

from __future__ import annotations

import json

import pytest

from pbwire.proto.parser import parse
from tests.golden.proto.comments import FILE, NAMES, commented_parts, generated_file

ROWS = [json.loads(line) for line in FILE.read_text().splitlines()]
P3 = 'syntax = "proto3";\n'


def comments_of(text: str) -> list[list[object]]:
    source = parse(text, "a.proto")
    return commented_parts(source.descriptor, source.comments)


def test_the_golden_file_is_that_of_these_files() -> None:
    assert [row["name"] for row in ROWS] == NAMES
    assert sum(len(row["comments"]) for row in ROWS) > 100


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_declarations_have_the_comments_of_protoc(row: dict[str, list[list[object]]]) -> None:
    assert comments_of(generated_file(str(row["name"]))) == row["comments"]


@pytest.mark.parametrize(
    ("text", "comments"),
    [
        (P3 + "message M {\n// a\n}", [[[4, 0], " a\n"]]),
        (P3 + "message M {\n\n// a\n}", []),
        (P3 + "message M { int32 x = 1; // a\n}", [[[4, 0, 2, 0], " a\n"]]),
        (P3 + "message M { int32 x = 1; /* a */ int32 y = 2; }", []),
        (P3 + "message M {} // a", []),
        (P3 + "// a\n\n// b\nmessage M {}", [[[4, 0], " b\n"]]),
        (P3 + "/* a\n * b\n   c\n*/\nmessage M {}", [[[4, 0], " a\n b\nc\n"]]),
        ("// a\n" + P3, []),
        ("// a\nmessage M {}", [[[4, 0], " a\n"]]),
        ("message M {\n// a\noptional group G = 1 {} }", [[[4, 0, 3, 0], " a\n"]]),
    ],
)
def test_comments(text: str, comments: list[list[object]]) -> None:
    assert comments_of(text) == comments
