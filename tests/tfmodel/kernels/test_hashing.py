"""Hashes that TensorFlow leaves undefined are defined here."""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, strings
from tfmodel.kernels.runtime import evaluate
from tfmodel.kernels.string.hashing import fingerprint64


def test_the_fingerprint_of_a_row_without_strings_is_that_of_no_hashes() -> None:
    case = Case("Fingerprint", [np.zeros((2, 0), object), strings("farmhash64")])
    (result,) = evaluate(case.node, case.arrays)
    assert [row.tobytes() for row in result] == [fingerprint64(b"").to_bytes(8, "little")] * 2
