"""Heat maps of weights: values if they fit, root mean squares of blocks otherwise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tfmodel.drawing.page.heat_maps import LEVELS, heat_map, side_of


def test_a_small_matrix_has_a_cell_for_each_value():
    found = heat_map(np.array([[-2.0, 0.0, 1.0], [2.0, np.nan, np.inf]]), 16)
    assert found == {
        "rows": 2,
        "columns": 3,
        "cells": "".join(LEVELS[level] for level in (1, 32, 48, 63, 32, 32)),
        "most": 2.0,
        "values": [2, 3],
        "signed": True,
    }


def test_a_filter_is_a_matrix_of_inputs_and_neurons():
    found = heat_map(np.ones((3, 3, 2, 5), np.float32), 64)
    assert (found["rows"], found["columns"], found["values"]) == (18, 5, [18, 5])


def test_blocks_of_a_large_matrix_are_root_mean_squares():
    matrix = np.zeros((100, 40))
    matrix[50:, :20] = [-3, 4] * 10
    found = heat_map(matrix, 2)
    assert found["cells"] == "AA_A"
    assert found["most"] == pytest.approx(12.5**0.5, rel=1e-3)
    assert not found["signed"]


def test_one_value_for_billions_of_elements_is_not_copied():
    found = heat_map(np.broadcast_to(np.float32(-3), (2000, 1000, 1000)), 16)
    assert found["values"] == [2_000_000, 1000]
    assert (found["cells"], found["most"]) == ("_" * 256, 3.0)


@pytest.mark.parametrize(
    "array", [np.zeros(5), np.zeros((5, 1)), np.zeros((1, 5)), np.zeros((0, 5)), np.full((2, 2), b"a", object)]
)
def test_vectors_and_strings_have_no_map(array):
    assert heat_map(array, 16) is None


@given(arrays(np.float32, st.tuples(st.integers(2, 40), st.integers(2, 40))), st.integers(2, 16))
def test_cells_are_shares_of_the_largest(array, side):
    found = heat_map(array, side)
    assert len(found["cells"]) == found["rows"] * found["columns"] <= side * side
    levels = [LEVELS.index(cell) for cell in found["cells"]]
    if found["most"]:
        assert max(levels) == 63 or min(levels) == 1
    assert np.isfinite(found["most"])


def test_many_maps_are_smaller():
    assert [side_of(count) for count in (1, 6, 7, 24, 25, 1000)] == [64, 64, 32, 32, 16, 16]
