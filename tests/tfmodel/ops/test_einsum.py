"""Einsum takes one tensor or two, as TensorFlow's does."""

from __future__ import annotations

import pytest

from tests.kernel_cases import Case, f32
from tfmodel.errors import RunError
from tfmodel.ops.runtime import evaluate


@pytest.mark.parametrize(
    ("count", "equation", "problem"),
    [
        (3, b"a,b,c->", "it takes one tensor or two, and there are 3"),
        (2, b"a->", '"a->" is about 1 tensors, and there are 2'),
        (1, b"a,b->", '"a,b->" is about 2 tensors, and there are 1'),
    ],
)
def test_wrong_numbers_of_tensors_are_refused(count: int, equation: bytes, problem: str) -> None:
    case = Case("Einsum", [[f32(4)] * count], equation=equation)
    with pytest.raises(RunError, match=problem):
        evaluate(case.node, case.arrays)
