"""`tfmodel.values.terminal`: rows that line up."""

from __future__ import annotations

from itertools import count, islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfmodel.values.terminal import LOOK_AHEAD, MAX_NAME_WIDTH, align_columns, fit_tables


def test_columns_are_as_wide_as_they_need_to_be():
    rows = [("name", "op"), ("x", "Placeholder"), ("longer/name", "Relu")]
    assert list(align_columns(rows)) == ["name         op", "x            Placeholder", "longer/name  Relu"]


def test_empty_columns_take_no_place_and_empty_cells_leave_no_spaces():
    assert list(align_columns([("a", "", "b"), ("c", "", "")])) == ["a  b", "c"]


def test_columns_flushed_right():
    rows = [("n", "size", ""), ("x", "7", "!")]
    assert list(align_columns(rows, right=(1,), indent=2)) == ["  n  size", "  x     7  !"]


def test_a_long_cell_shifts_the_next_ones_until_columns_are_aligned_again():
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


BLOCKS = [f"StatefulPartitionedCall/model/block_{number}_expand/BatchNorm/ReadVariableOp" for number in (1, 2, 12)]
TABLE = [("name", "bytes"), *((name, "7") for name in BLOCKS), ("x", "7")]


def columns_of_bytes(lines):
    return {len(line) for line in lines}


def test_long_names_do_not_break_columns():
    lines = list(align_columns(TABLE, widest=(8, 8), right=(1,), names=(0,)))
    assert columns_of_bytes(lines) == {len(BLOCKS[-1]) + len("  bytes")}
    assert all(name in "\n".join(lines) for name in BLOCKS)


def test_a_name_of_any_length_leaves_the_other_lines_alone():
    lines = list(align_columns([*TABLE, ("n" * (MAX_NAME_WIDTH + 1), "7")], right=(1,), names=(0,)))
    assert columns_of_bytes(lines[:-1]) == {len(BLOCKS[-1]) + len("  bytes")}


def test_names_are_shortened_to_the_line_of_a_terminal():
    rows = [("StatefulPartitionedCall/model/block_12_expand/kernel", "7"), ("x", "7")]
    with fit_tables(40):
        lines = list(align_columns(rows, names=(0,)))
    assert lines == ["StatefulPartitio...k_12_expand/kernel  7", "x                                      7"]


def test_different_names_stay_different():
    names = [f"model/{'deep/' * 6}layer_{number}/{'part/' * 6}kernel" for number in range(20)]
    with fit_tables(40):
        lines = list(align_columns([(name, "7") for name in names], names=(0,)))
    assert len(set(lines)) == len(names)


@pytest.mark.parametrize(("line_width", "whole_names"), [(None, False), (40, True)])
def test_names_are_whole_outside_of_terminals_and_where_they_are_copied(line_width, whole_names):
    with fit_tables(line_width):
        lines = list(align_columns(TABLE, names=(0,), whole_names=whole_names))
    assert lines[1].startswith(f"{BLOCKS[0]} ")


def layers(count):
    return [f"model/block_{number}_expand/{part}/Read" for number in range(count) for part in ("Conv2D", "BiasAdd")]


def fitted(rows, width=60, **how):
    with fit_tables(width):
        return list(align_columns(rows, names=(0,), **how))


def test_other_texts_become_shorter_but_numbers_and_kept_columns_stay():
    rows = [(name, "FusedBatchNormV3", "[112,112,3,64]", "1,234,567") for name in layers(3)]
    lines = fitted(rows, right=(3,), kept=(2,))
    assert max(map(len, lines)) <= 60
    assert all(line.endswith("  1,234,567") and "  [112,112,3,64]  " in line for line in lines)
    assert {line.index("[") for line in lines} == {lines[0].index("[")}


def test_short_names_keep_the_parts_that_differ():
    lines = fitted([(name, "x" * 30) for name in layers(4)], kept=(1,))
    assert max(map(len, lines)) <= 60
    assert len({line.split()[0] for line in lines}) == len(lines)
    assert lines[0].split()[0] == "block_0_expand/Conv2D"


def test_optional_columns_go_before_names_become_too_short():
    rows = [(name, "y" * 12, "99%") for name in layers(4)]
    assert "99%" in fitted(rows, 60, kept=(1,), optional=(2,))[0]
    assert "99%" not in fitted(rows, 36, kept=(1,), optional=(2,))[0]


def test_sentences_go_on_in_the_next_line():
    sentence = "a loop whose condition stays true as far as constants and counters tell"
    lines = fitted([("endless", sentence), ("b", "short")], 40, wrapped=True)
    assert max(map(len, lines)) <= 40
    assert " ".join(line[9:] for line in lines[:-1]) == sentence
    assert lines[0].startswith("endless  a loop") and lines[-1] == "b        short"


def test_a_word_is_never_broken():
    assert any("w" * 100 in line for line in fitted([("b", "w" * 100)], 40, wrapped=True))


@given(
    st.lists(st.tuples(*[st.text("ab/.-_", max_size=80)] * 3), min_size=1, max_size=20),
    st.integers(1, 120),
)
def test_fitting_never_loses_rows_or_fails(rows, width):
    assert len(fitted(rows, width)) == len(rows)
    assert len(fitted(rows, width, wrapped=True)) >= len(rows)
    assert fitted(rows, width, whole_names=True) == list(align_columns(rows, names=(0,)))
