"""`tfmodel.files.detection.text`: names, levels and shapes, of text format and of JSON."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfmodel.files.detection.text import WRONG, behind_comments, json_outline, text_outline


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ('node { name: "x" }', [(0, "node", "message"), (1, "name", "string")]),
        (
            "a < b: 1 > c: -2 d: - inf e: X",
            [
                (0, "a", "message"),
                (1, "b", "bare"),
                (0, "c", "bare"),
                (0, "d", "bare"),
                (0, "e", "bare"),
            ],
        ),
        ("a: {}, b: {}; c {}", [(0, "a", "message"), (0, "b", "message"), (0, "c", "message")]),
        ("a: 'it\\'s' \"}\" b: 1", [(0, "a", "string"), (0, "b", "bare")]),
        (
            "a: [1, 2] b: ['x]', \"]\"] c: [] d: 1",
            [
                (0, "a", "bare"),
                (0, "b", "string"),
                (0, "c", ""),
                (0, "d", "bare"),
            ],
        ),
        (
            "a: [{b: 1}, <c: 'x'>] d: 1",
            [
                (0, "a", "message"),
                (1, "b", "bare"),
                (1, "c", "string"),
                (0, "d", "bare"),
            ],
        ),
        ("[type.googleapis.com/a.B] { c: 1 }", [(0, "[type.googleapis.com/a.B]", "message"), (1, "c", "bare")]),
        ("# a {\na # b {\n: # c {\n1", [(0, "a", "bare")]),
        ("a { b 1 }\nc: 1", [(0, "a", "message"), (1, WRONG, "")]),
        ("a { b: 1 ]\nc: 1", [(0, "a", "message"), (1, "b", "bare"), (1, WRONG, "")]),
        ("a: [{} 1]\n", [(0, "a", "message"), (0, WRONG, "")]),
        ("a: 1 b", [(0, "a", "bare")]),  # cut off
        ("Dear diary,", [(0, WRONG, "")]),
        (" # nothing\n", []),
    ],
)
def test_of_text(text, entries):
    assert list(text_outline(text)) == entries


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        (
            '{"node": [{"name": "x"}, {"op": "y"}]}',
            [
                (0, "node", "message"),
                (1, "name", "string"),
                (1, "op", "string"),
            ],
        ),
        (
            '{"a": 1, "b": -2.5, "c": true, "d": null, "e": [], "f": [1], "g": ["x"], "h": {}}',
            [
                (0, "a", "bare"),
                (0, "b", "bare"),
                (0, "c", "bare"),
                (0, "d", ""),
                (0, "e", ""),
                (0, "f", "bare"),
                (0, "g", "string"),
                (0, "h", "message"),
            ],
        ),
        ('{ "a" : { "b" : "}{\\"" } , "c" : 1 }', [(0, "a", "message"), (1, "b", "string"), (0, "c", "bare")]),
        ('{"a": {"b', [(0, "a", "message")]),
        ("{}", []),
    ],
)
def test_of_json(text, entries):
    assert list(json_outline(text)) == entries


@pytest.mark.parametrize(
    ("data", "start"),
    [
        (b"", 0),
        (b"node", 0),
        (b" \t\r\n\f\v# x\n  # y", 15),
        (b"# x\nnode", 4),
        (b"\xef\xbb\xbf# \xff\0\nnode", 8),
    ],
)
def test_the_text_begins_after_its_comments(data, start):
    assert behind_comments(data) == start


@given(st.text(alphabet="ab:{}<>[]\"'\\,;#-1 \n") | st.text())
def test_levels_of_any_text_increase_by_at_most_one(text):
    before = 0
    for entry in text_outline(text):
        assert 0 <= entry.level <= before
        before = entry.level + (entry.shape == "message")
    assert len(list(json_outline(text))) <= text.count(":")
