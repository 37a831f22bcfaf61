"""What folding may do grows with the constants that there are."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernel_cases import Case, f32
from tfmodel.errors import RunError
from tfmodel.transforms.folding.effort import Effort

LARGE = np.broadcast_to(np.float32(1), (3_000, 3_000))
PRODUCT = Case("MatMul", [f32(2, 2), f32(2, 2)]).node


def test_a_product_of_large_matrices_takes_too_long() -> None:
    with pytest.raises(RunError, match="constants take more than 10,000,000,000 operations"):
        Effort().begin(PRODUCT, [LARGE, LARGE], (3_000, 3_000))


def test_but_not_where_there_are_large_matrices() -> None:
    effort = Effort()
    effort.give([np.ones((3_000, 3_000), np.float32)])
    effort.begin(PRODUCT, [LARGE, LARGE], (3_000, 3_000))


def test_one_value_for_many_is_no_large_matrix() -> None:
    effort = Effort()
    effort.give([LARGE])
    with pytest.raises(RunError):
        effort.begin(PRODUCT, [LARGE, LARGE], (3_000, 3_000))


def test_work_adds_up() -> None:
    effort = Effort()
    half = np.broadcast_to(np.float32(1), (1_500, 1_500))
    effort.begin(PRODUCT, [half, half], (1_500, 1_500))
    with pytest.raises(RunError):
        effort.begin(PRODUCT, [half, half], (1_500, 1_500))


def test_strings_are_read_slowly() -> None:
    node = Case("StringLower", [np.array(b"", object)]).node
    effort = Effort()
    effort.begin(node, [np.array(b"a" * 9_000_000, object)], ())
    with pytest.raises(RunError):
        effort.begin(node, [np.array(b"a" * 9_000_000, object)], ())


def test_what_is_dropped_leaves_room() -> None:
    effort = Effort()
    value = np.broadcast_to(np.float32(1), (1 << 25,))
    effort.hold([value])
    effort.drop(value)
    effort.hold([value, value])
    with pytest.raises(RunError, match="new constants are 16 times larger than those that there are"):
        effort.hold([value])


def test_one_value_may_not_stand_for_very_many() -> None:
    node = Case("Neg", [f32(1)]).node
    with pytest.raises(RunError, match="much larger than the constants that it comes from"):
        Effort().begin(node, [np.broadcast_to(np.float32(1), (1 << 40,))], None)
