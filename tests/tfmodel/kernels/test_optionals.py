"""Values that may be absent, from one kernel to the next."""

from __future__ import annotations

import numpy as np
import pytest

from tfmodel.errors import RunError
from tfmodel.kernels.runtime import KERNELS

A, B = np.float32([1, 2]), np.int64(3)


def test_an_optional_returns_its_values() -> None:
    (optional,) = KERNELS["OptionalFromValue"].function(A, B)
    assert bool(KERNELS["OptionalHasValue"].function(optional))
    first, second = KERNELS["OptionalGetValue"].function(optional)
    assert first is A and second is B


def test_an_empty_optional_has_no_value() -> None:
    (optional,) = KERNELS["OptionalNone"].function()
    assert not KERNELS["OptionalHasValue"].function(optional)
    with pytest.raises(RunError, match="has no value"):
        KERNELS["OptionalGetValue"].function(optional)


def test_a_tensor_is_not_an_optional() -> None:
    with pytest.raises(RunError, match="its input must be an optional"):
        KERNELS["OptionalHasValue"].function(A)
