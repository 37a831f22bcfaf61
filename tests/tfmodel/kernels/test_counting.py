"""Counts of sparse and ragged tensors that are not sound. TensorFlow 2.12 writes outside of its buffers for some."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernel_cases import Case, i32, i64
from tfmodel.errors import RunError
from tfmodel.kernels.runtime import evaluate

NONE = np.zeros(0, np.float32)
LENGTHS = {"minlength": -1, "maxlength": -1, "binary_output": False}


@pytest.mark.parametrize(
    ("indices", "values", "shape", "problem"),
    [
        ([[0, 0], [1, 1]], [-1, 2], [2, 2], "must not be negative"),
        ([[0, 0], [2, 1]], [1, 2], [2, 2], "an index is outside"),
        ([[0, 0], [-1, 1]], [1, 2], [2, 2], "an index is outside"),
        ([[0], [1]], [1, 2, 3], [4], "do not fit 3 values of 1 dimensions"),
        ([[0, 0, 0]], [1], [2, 2, 2], "not a tensor of 3 dimensions"),
        ([[0, 0]], [1], [-2, 2], "sizes must not be negative"),
        ([[0, 0]], [[1]], [2, 2], "values must be a vector"),
    ],
)
def test_a_sparse_tensor_that_is_not_sound_is_refused(indices, values, shape, problem):
    inputs = [i64(indices), i64(values), i64(shape)]
    with pytest.raises(RunError, match=problem):
        evaluate(Case("SparseBincount", [*inputs, i64(5), NONE], binary_output=False).node, [*inputs, i64(5), NONE])
    with pytest.raises(RunError, match=problem):
        evaluate(Case("SparseCountSparseOutput", [*inputs, NONE], **LENGTHS).node, [*inputs, NONE])


@pytest.mark.parametrize(
    ("splits", "values", "problem"),
    [
        ([0, 2], [-1, 3], "must not be negative"),
        ([0, 5], [1, 2], "the last split must be the number of values, 2, and is 5"),
        ([1, 2], [1, 2], "the first split must be 0"),
        ([0, 3, 1, 3], [1, 2, 3], "splits must be sorted"),
        ([], [], "splits must be a vector with a number"),
    ],
)
def test_a_ragged_tensor_that_is_not_sound_is_refused(splits, values, problem):
    inputs = [i64(splits), i32(values)]
    with pytest.raises(RunError, match=problem):
        evaluate(Case("RaggedBincount", [*inputs, i32(5), NONE], binary_output=False).node, [*inputs, i32(5), NONE])
    with pytest.raises(RunError, match=problem):
        evaluate(Case("RaggedCountSparseOutput", [*inputs, NONE], **LENGTHS).node, [*inputs, NONE])
