"""Kernels give what TensorFlow gives: the cases of tests/kernel_cases, its answers in tests/golden/kernels."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.golden.kernels import photos
from tests.golden.kernels.answers import answers, regenerate
from tests.golden.kernels.archives import Recorded, stale
from tests.kernel_cases import Case, cases_of, families, named_cases
from tfmodel.errors import Error
from tfmodel.kernels import group_of
from tfmodel.kernels.runtime import KERNELS, evaluate
from tfmodel.ops import OPS

FEWEST = 10  # cases of each op
WITHOUT_ANSWERS = {"EncodeJpeg", "EncodeJpegVariableQuality", "EncodePng"}
"""Ops whose files are not those of TensorFlow byte by byte: test_photos.py decodes them again."""


@cache
def _cases_per_op() -> Counter[str]:
    counts = Counter(case.op for family in families() for case in cases_of(family))
    return counts + Counter(row.op for row in photos.recorded())


def _in_programs(op: str) -> bool:
    """Return whether the tests of sessions cover an op: it has state, calls functions or controls the flow."""
    return KERNELS[op].takes_runtime or group_of(KERNELS[op].function.__module__) == "control_flow"


@pytest.mark.parametrize("family", families())
def test_kernels_give_what_tensorflow_gives(family: str) -> None:
    recorded, cases = answers(family), named_cases(family)
    assert not recorded.keys() ^ cases.keys(), f"cases and answers do not match: run `{regenerate(family)}`"
    old = [f"{name}: {problem}" for name, case in cases.items() if (problem := stale(case, recorded[name]))]
    assert not old, f"recorded before the case changed; run `{regenerate(family)}`:\n" + "\n".join(old[:20])
    wrong = [f"{name}: {problem}" for name, case in cases.items() if (problem := difference(case, recorded[name]))]
    assert not wrong, f"{len(wrong)} differ:\n" + "\n".join(wrong[:20])


def test_every_op_has_cases_of_all_kinds() -> None:
    counts = _cases_per_op()
    modules = {KERNELS[op].function.__module__ for op in counts}
    ours = [op for op in KERNELS if KERNELS[op].function.__module__ in modules]
    ours = [op for op in ours if op in counts or not (_in_programs(op) or op in WITHOUT_ANSWERS)]
    varied = [op for op in ours if OPS[op].input_arg or OPS[op].attr]  # of NoOp, there is but one
    assert {op: counts[op] for op in varied if counts[op] < FEWEST} == {}


def difference(case: Case, recorded: Recorded) -> str:
    """Describe what is wrong with the outputs that we compute from the recorded inputs; "" if nothing is."""
    expected = recorded.outputs
    arrays = [array.copy() for array in recorded.inputs]
    try:
        actual = evaluate(recorded.node, arrays)
    except Error as error:
        return "" if expected is None else f"refused: {error}"
    if expected is None:
        return "TensorFlow refuses this"
    if any(differ(one, other, case) for one, other in zip(arrays, recorded.inputs, strict=True)):
        return "it changed an input"
    if len(actual) != len(expected):
        return f"{len(actual)} outputs, not {len(expected)}"
    if case.eigen:
        actual = arranged(*actual, *expected)
    ports = case.only or range(len(actual))
    return next(
        (f"output {port}: {problem}" for port in ports if (problem := differ(actual[port], expected[port], case))), ""
    )


def arranged(values: Any, vectors: Any, others: Any, other_vectors: Any) -> list[Any]:
    """Return eigenvalues in the order of the nearest of others, and their vectors with the phases of others."""
    if not vectors.ndim or values.shape != others.shape or vectors.shape != other_vectors.shape:
        return [_nearest(values, others)[0], vectors]
    values, order = _nearest(values, others)
    vectors = np.take_along_axis(vectors, order[..., None, :], -1)
    products = (vectors.conj() * other_vectors).sum(-2, keepdims=True)
    return [values, vectors * np.where(products == 0, 1, products / np.abs(products))]


def _nearest(values: Any, others: Any) -> tuple[Any, Any]:
    """Return each of the numbers along the last axis at the place of the nearest of the others, and their order."""
    order = np.zeros(values.shape, np.int64)
    for index in np.ndindex(values.shape[:-1]):
        left = list(range(values.shape[-1]))
        for place, other in enumerate(others[index]):
            order[(*index, place)] = nearest = min(left, key=lambda one: abs(values[index][one] - other))
            left.remove(nearest)
    return np.take_along_axis(values, order, -1), order


def differ(actual: Any, expected: Any, case: Case) -> str:
    actual, expected = np.asarray(actual), np.asarray(expected)
    if actual.dtype != expected.dtype:
        return f"{actual.dtype}, not {expected.dtype}"
    if actual.shape != expected.shape:
        return f"{actual.shape}, not {expected.shape}"
    if expected.dtype.kind not in "fc":
        same = actual == expected
    else:
        both_nan = np.isnan(actual) & np.isnan(expected)
        same = (actual == expected) | both_nan | _near(actual, expected, case)
    same = np.asarray(same, bool)
    if same.all():
        return ""
    index = tuple(int(positions[0]) for positions in np.nonzero(~same)) if same.shape else ()
    return (
        f"{actual[index]!r}, not {expected[index]!r} at {list(index)}, and {int((~same).sum())} of {same.size} differ"
    )


def _near(actual: Any, expected: Any, case: Case) -> Any:
    with np.errstate(all="ignore"):
        return np.isfinite(actual) & (np.abs(actual - expected) <= _room(expected, case))


def _room(expected: Any, case: Case) -> Any:
    with np.errstate(all="ignore"):
        finite = np.abs(np.where(np.isfinite(expected), expected, 0))
        spacing = np.spacing(finite.astype(expected.real.dtype))
        largest = finite.max() if finite.size else 0
        return np.maximum(case.ulps * spacing, case.rtol * largest)
