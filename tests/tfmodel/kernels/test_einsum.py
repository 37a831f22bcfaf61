"""Einsum takes one tensor or two, as TensorFlow's does."""

from __future__ import annotations

import pytest

from tests.kernel_cases import Case, f32
from tfmodel.errors import RunError
from tfmodel.kernels.runtime import evaluate


@pytest.mark.parametrize(
    ("count", "equation", "problem"),
    [
        (3, b"a,b,c->", "it takes one or two tensors, not 3"),
        (2, b"a->", '"a->" has 1 terms for 2 tensors'),
        (1, b"a,b->", '"a,b->" has 2 terms for 1 tensors'),
    ],
)
def test_wrong_numbers_of_tensors_are_refused(count: int, equation: bytes, problem: str) -> None:
    case = Case("Einsum", [[f32(4)] * count], equation=equation)
    with pytest.raises(RunError, match=problem):
        evaluate(case.node, case.arrays)
