"""Compare the elements of two tensors."""

from __future__ import annotations

import math
from dataclasses import replace

from ...messages import TensorProto
from ...values.elements import ElementDifferences, aligned, flat_chunks, index_at
from ...values.tensors import to_ndarray
from .report import Rules
from .values import TensorDifference

_CHUNK = 1 << 20  # elements that are compared at a time, to keep temporary arrays small


def compare_elements(before: TensorProto, after: TensorProto, rules: Rules) -> TensorDifference | None:
    """Return the difference of two tensors of one type; None if they are the same. Raises TensorError."""
    one, other = to_ndarray(before), to_ndarray(after)
    if one.shape != other.shape:
        return TensorDifference(problem="the shape differs")
    differences = ElementDifferences(atol=rules.atol, rtol=rules.rtol)
    for a, b, weight in aligned(flat_chunks(one, _CHUNK), flat_chunks(other, _CHUNK)):
        differences.add(a, b, weight)
    if not differences.different:
        return None
    difference = TensorDifference(one.size, differences.different, first=index_at(differences.first, one.shape))
    if not differences.is_numeric:
        return difference
    is_infinite = bool(differences.not_finite)
    return replace(
        difference,
        max_absolute=math.inf if is_infinite else float(differences.max_absolute),
        max_relative=math.inf if is_infinite else differences.max_relative,
    )
