"""`tfmodel.io.terminal`: rows that line up."""

from __future__ import annotations

from itertools import count, islice

from tfmodel.io.terminal import LOOK_AHEAD, align_columns


def test_columns_are_as_wide_as_they_need_to_be():
    rows = [("name", "op"), ("x", "Placeholder"), ("longer/name", "Relu")]
    assert list(align_columns(rows)) == ["name         op", "x            Placeholder", "longer/name  Relu"]


def test_empty_columns_take_no_place_and_empty_cells_leave_no_spaces():
    assert list(align_columns([("a", "", "b"), ("c", "", "")])) == ["a  b", "c"]


def test_columns_flushed_right():
    rows = [("n", "size", ""), ("x", "7", "!")]
    assert list(align_columns(rows, right=(1,), indent=2)) == ["  n  size", "  x     7  !"]


def test_a_cell_that_is_too_long_pushes_what_follows_and_the_line_falls_back_into_step():
    rows = [("a", "b", "c")] * 19 + [("long" * 3, "b", "c")]
    lines = list(align_columns(rows, widest=(5, 10, 5)))
    assert lines[0] == "a  b  c"
    assert lines[-1] == "longlonglong  b  c"
    rows = [("a", "b" * 10, "c")] * 19 + [("long" * 2, "b", "c")]
    lines = list(align_columns(rows, widest=(5, 10, 5)))
    assert lines[0].index("c") == lines[-1].index("c")


def test_no_rows():
    assert list(align_columns([])) == []


def test_rows_come_before_the_last_one_is_known():
    lines = align_columns((str(n), "x") for n in count())
    assert len(list(islice(lines, 3 * LOOK_AHEAD))) == 3 * LOOK_AHEAD
