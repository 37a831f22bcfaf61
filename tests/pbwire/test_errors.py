"""Messages of errors, and errors after copying and pickling."""

from __future__ import annotations

import copy
import pickle

import pytest

from pbwire.errors import DecodeError, EncodeError, Error, JsonError, TextFormatError


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (DecodeError("truncated"), "truncated"),
        (DecodeError("truncated", offset=0), "truncated at byte 0"),
        (DecodeError("truncated", offset=1234567), "truncated at byte 1,234,567"),
        (DecodeError("truncated", path="node[3]"), "truncated: node[3]"),
        (DecodeError("field number 0", offset=5, path="node[3]"), "field number 0 at byte 5: node[3]"),
        (DecodeError("truncated", offset=5, detail="needs 2 bytes"), "truncated at byte 5: needs 2 bytes"),
        (
            DecodeError(
                "truncated",
                offset=1234567,
                path='graph_def.node[17].attr["value"].tensor.tensor_content',
                detail="needs 2,097,152 bytes, 12 are left",
            ),
            'truncated at byte 1,234,567: graph_def.node[17].attr["value"].tensor.tensor_content '
            "needs 2,097,152 bytes, 12 are left",
        ),
        (EncodeError("expected str, got int"), "expected str, got int"),
        (EncodeError("expected str, got int", path="node[3].name"), "node[3].name: expected str, got int"),
        (JsonError("expected a number", path="node[3].id"), "node[3].id: expected a number"),
        (JsonError("expected a comma", line=3, column=17), "3:17: expected a comma"),
        (JsonError("no such field", path="node", line=3, column=17), "3:17: node: no such field"),
        (TextFormatError("the text ends too early"), "the text ends too early"),
        (TextFormatError("the text ends too early", line=7), "7: the text ends too early"),
        (TextFormatError("the text ends too early", line=7, column=1), "7:1: the text ends too early"),
    ],
)
def test_an_error_shows_its_problem_path_and_offset(error, text):
    assert str(error) == text


def test_a_path_grows_from_the_inside_out():
    error = DecodeError("truncated", offset=9)
    for segment in ("tensor", 'attr["value"]', "[17]", "node", "", "graph_def"):
        assert error.within(segment) is error
    assert error.path == 'graph_def.node[17].attr["value"].tensor'


@pytest.mark.parametrize("cls", [EncodeError, JsonError])
def test_every_error_with_a_path_can_grow_it(cls):
    assert str(cls("bad").within("b").within("a")) == "a.b: bad"


def test_a_text_error_underlines_what_is_wrong():
    error = TextFormatError(
        'expected a number for field "size"', line=3012, column=11, source="dim { size: twelve }", width=6
    )
    assert str(error).splitlines() == [
        '3012:11: expected a number for field "size"',
        "    dim { size: twelve }",
        "              ^^^^^^",
    ]


@pytest.mark.parametrize(
    ("source", "column", "width", "shown", "carets"),
    [
        ("a\tb", 3, 1, "    a b", "      ^"),
        ("a\x1b[31mb", 2, 1, "    a?[31mb", "     ^"),
        ("abc", 4, 1, "    abc", "       ^"),
        ("abc", 2, 99, "    abc", "     ^^"),
        ("abc", 2, 0, "    abc", "     ^"),
        ("abc\n", 1, 1, "    abc?", "    ^"),
        ("x" * 70 + "!" + "y" * 1000, 71, 1, "    " + "x" * 50 + "!" + "y" * 49, "    " + " " * 50 + "^"),
    ],
)
def test_the_line_shown_is_safe_and_short(source, column, width, shown, carets):
    assert str(TextFormatError("bad", line=1, column=column, source=source, width=width)).splitlines()[1:] == [
        shown,
        carets,
    ]


@pytest.mark.parametrize(
    "error",
    [
        Error("something"),
        DecodeError("truncated", offset=3, path="a.b", detail="needs 2 bytes").within("c"),
        EncodeError("bad", path="a").within("b"),
        TextFormatError("bad", line=1, column=2, source="abc", width=2),
        JsonError("bad", path="a", line=1, column=2),
    ],
)
def test_errors_pickle_and_copy(error):
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(twin) is type(error)
        assert str(twin) == str(error)
        assert vars(twin) == vars(error)


def test_all_errors_have_one_root():
    assert all(issubclass(cls, Error) for cls in (DecodeError, EncodeError, TextFormatError, JsonError))
    assert not issubclass(Error, ValueError)
