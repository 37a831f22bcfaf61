"""Tolerances of comparisons.

`verify` compares outputs: a difference may be `atol` plus `rtol` times the largest element of the output. `value_diff`
compares stored values: |a - b| may be `atol` plus `rtol` times |b|, element by element.
"""

from __future__ import annotations

import math


def check_tolerances(rtol: float | None, atol: float | None = None) -> None:
    """Raise ValueError for tolerances that are not finite and >= 0: with NaN, numbers would differ from themselves."""
    if not all(tolerance is None or 0 <= tolerance < math.inf for tolerance in (rtol, atol)):
        raise ValueError(f"tolerances must be finite and >= 0, got rtol={rtol!r}, atol={atol!r}")
