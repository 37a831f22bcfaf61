"""Kernels claim memory before they allocate it, if a limit is set."""

from __future__ import annotations

import numpy as np
import pytest

from tfmodel.errors import RunError
from tfmodel.kernels.runtime.memory_limit import claim, claim_array, collect_strings, limit_memory


def test_without_a_limit_there_is_room_for_all() -> None:
    claim(1 << 80)


def test_memory_up_to_the_limit_is_allowed() -> None:
    with limit_memory(100):
        claim(100)
        with pytest.raises(RunError, match=r"it needs 101 bytes to compute, and 100 of the allowed bytes are left"):
            claim(101)
    claim(101)


def test_a_limit_inside_of_another_holds_as_long_as_it_lasts() -> None:
    with limit_memory(100):
        with limit_memory(10), pytest.raises(RunError):
            claim(11)
        claim(100)


def test_an_array_takes_its_elements() -> None:
    with limit_memory(48):
        claim_array((3, 4), np.float32)
        with pytest.raises(RunError, match="it needs 96 bytes"):
            claim_array((3, 4), np.float64)


def test_the_product_of_a_shape_does_not_wrap_around() -> None:
    with limit_memory(100), pytest.raises(RunError):
        claim_array([np.int64(2**62), np.int64(4)], np.float32)


def test_strings_are_made_up_to_the_limit() -> None:
    produced = []

    def words():
        for _ in range(1000):
            produced.append(b"word")
            yield produced[-1]

    with limit_memory(100), pytest.raises(RunError, match="it needs 135 bytes"):
        collect_strings(words())
    assert len(produced) == 3
