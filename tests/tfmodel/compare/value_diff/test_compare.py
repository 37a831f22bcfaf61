"""`tfmodel.compare_values`: which tensors correspond to each other, and what is said about each pair."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfmodel
from tests.tfmodel.files.checkpoints.golden import NAMES, golden
from tfmodel import TensorComparison, ValuesReport, compare_values

TRAINED = Path(__file__).resolve().parents[3] / "data" / "trained"
RANDOM = np.random.default_rng(1).normal(size=(4, 6))


def statuses(report: ValuesReport) -> dict[str, str]:
    return {tensor.name: tensor.status for tensor in report}


def only(report: ValuesReport) -> TensorComparison:
    (tensor,) = report
    return tensor


# --- one tensor ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "status"),
    [
        (RANDOM, RANDOM, "same"),
        (RANDOM, RANDOM + 1, "changed"),
        (RANDOM, RANDOM[:3], "changed"),
        (RANDOM, RANDOM.reshape(3, 8) + 1, "changed"),
        (RANDOM, RANDOM.reshape(2, 2, 6), "reshaped"),
        (RANDOM, RANDOM.T, "reshaped"),
        (RANDOM, RANDOM.astype("f4"), "retyped"),
        (RANDOM, RANDOM.astype("f4").reshape(24), "retyped"),
        (np.arange(4), np.arange(4, dtype="u1"), "retyped"),
        (np.array([True, False]), np.array([False, False]), "changed"),
        (np.array([b"a", b"b"]), np.array([b"a", b"c"]), "changed"),
        (np.array([b"a", b"b"]), np.array(["a", "b"]), "same"),
        (np.array([b"1"]), np.array([1.0]), "retyped"),
        (np.zeros((0, 3)), np.zeros((0, 3)), "same"),
        (np.zeros((0, 3)), np.zeros((3, 0)), "reshaped"),
        (np.float32(1), np.float32(1), "same"),
        (np.float32(0.0), np.float32(-0.0), "changed"),
        (np.array([1 + 2j]), np.array([1 - 2j]), "changed"),
        (np.array([1.5], ml_dtypes.bfloat16), np.array([1.75], ml_dtypes.bfloat16), "changed"),
        (np.array([1.5], ml_dtypes.bfloat16), np.array([1.5], ml_dtypes.float8_e5m2), "retyped"),
        (np.array([3], ml_dtypes.int4), np.array([-3], ml_dtypes.int4), "changed"),
    ],
)
def test_the_status_of_a_tensor(before: Any, after: Any, status: str) -> None:
    assert only(compare_values({"w": before}, {"w": after})).status == status


@pytest.mark.parametrize("order", [(1, 0), (2, 0, 1), (3, 2, 0, 1)])
def test_a_transposed_tensor(order: tuple[int, ...]) -> None:
    array = np.random.default_rng(0).normal(size=(4, 3, 4, 2)[-len(order) :])
    row = only(compare_values({"w": array}, {"w": array.transpose(order)}))
    assert (row.status, row.transposed) == ("reshaped", order)


def test_a_square_matrix_is_transposed_too() -> None:
    row = only(compare_values({"w": RANDOM[:, :4]}, {"w": RANDOM[:, :4].T}))
    assert (row.status, row.transposed) == ("reshaped", (1, 0))


def test_a_tolerance_makes_tensors_the_same() -> None:
    before, after = {"w": RANDOM}, {"w": RANDOM + 1e-6}
    assert not compare_values(before, after, atol=1e-7).same
    row = only(compare_values(before, after, atol=1e-5))
    assert (row.status, row.different) == ("same", 0)
    assert row.max_absolute == pytest.approx(1e-6)
    assert only(compare_values(before, {"w": RANDOM.T + 1e-6}, atol=1e-5)).transposed == (1, 0)


def test_the_numbers_of_a_changed_tensor() -> None:
    after = RANDOM.copy()
    after[2, 3] += 0.5
    after[0, 0] = np.nan
    row = only(compare_values({"w": RANDOM}, {"w": after}))
    assert (row.different, row.not_finite, row.max_at, row.change) == (2, 1, (2, 3), float("inf"))
    assert row.max_absolute == pytest.approx(0.5)
    assert row.before is not None and row.after is not None
    assert row.before.norm == pytest.approx(np.linalg.norm(RANDOM))
    assert (row.before.nan, row.after.nan) == (0, 1)


def test_another_number_of_elements_leaves_the_norms() -> None:
    row = only(compare_values({"w": np.full(4, 3.0)}, {"w": np.full(9, 1.0)}))
    assert row.before is not None and row.after is not None
    assert (row.before.norm, row.after.norm, row.different, row.change) == (6, 3, None, None)


# --- the tensors of two checkpoints ----------------------------------------------------------------------------------


def test_added_removed_and_renamed_tensors() -> None:
    before = {"a": RANDOM, "gone": np.ones(2), "old/kernel": RANDOM + 1, "same": np.zeros(3)}
    after = {"a": RANDOM, "new": np.ones(3), "layer/kernel": RANDOM + 1, "same": np.zeros(3)}
    report = compare_values(before, after)
    assert statuses(report) == {
        "a": "same", "same": "same", "old/kernel": "renamed", "gone": "removed", "new": "added",
    }  # fmt: skip
    row = report["old/kernel"]
    assert row.after is not None
    assert (row.after.name, row.ties) == ("layer/kernel", 1)


def test_a_renamed_and_reshaped_tensor() -> None:
    row = only(compare_values({"a": RANDOM}, {"b": RANDOM.reshape(24)}))
    assert (row.status, row.before and row.before.shape, row.after and row.after.shape) == ("renamed", (4, 6), (24,))


def test_ties_are_counted_and_the_last_part_of_a_name_decides() -> None:
    before = {"x/m": np.zeros(4), "x/v": np.zeros(4)}
    after = {"y/v": np.zeros(4), "y/m": np.zeros(4), "z": np.zeros(4)}
    report = compare_values(before, after)
    pairs = {row.name: (row.after and row.after.name, row.ties) for row in report.with_status("renamed")}
    assert pairs == {"x/m": ("y/m", 3), "x/v": ("y/v", 3)}
    assert statuses(report)["z"] == "added"


def test_equal_elements_in_another_shape_do_not_rename() -> None:
    assert {*statuses(compare_values({"a": np.zeros((2, 3))}, {"b": np.zeros((3, 2))})).values()} == {
        "removed",
        "added",
    }


def test_tensors_are_sorted_by_change() -> None:
    before = dict.fromkeys("abcd", RANDOM)
    after = {"a": RANDOM * 1.1, "b": RANDOM * -1, "c": RANDOM, "d": RANDOM * 1.5}
    assert [row.name for row in compare_values(before, after)] == ["b", "d", "a", "c"]


arrays = st.one_of(
    st.lists(st.floats(width=32), max_size=5).map(lambda values: np.array(values, "f4")),
    st.lists(st.integers(-4, 4), max_size=5).map(lambda values: np.array(values, "i4")),
    st.lists(st.binary(max_size=3), max_size=3).map(lambda values: np.array([*values, None], object)[:-1]),
)
checkpoints = st.dictionaries(st.sampled_from("abcdefgh"), arrays, max_size=6)


@given(checkpoints, checkpoints)
def test_every_tensor_of_both_sides_is_in_one_row(before: dict[str, Any], after: dict[str, Any]) -> None:
    report = compare_values(before, after)
    assert sorted(row.before.name for row in report if row.before is not None) == sorted(before)
    assert sorted(row.after.name for row in report if row.after is not None) == sorted(after)
    for row in report:
        old = before[row.before.name] if row.before is not None else None
        new = after[row.after.name] if row.after is not None else None
        is_equal = old is not None and new is not None and (old.dtype, old.tolist()) == (new.dtype, new.tolist())
        is_equal = is_equal and (old.dtype == object or old.tobytes() == new.tobytes())
        if row.status in ("same", "renamed") and not (old.dtype.kind == "f" and np.isnan(old).any()):
            assert is_equal
        elif row.status == "changed":
            assert not is_equal
    json.loads(report.to_json())
    assert report.to_text(all=True).count("\n") >= len(report)


# --- checkpoints that TensorFlow wrote -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_checkpoint_is_the_same_as_its_arrays(name: str) -> None:
    with tfmodel.Checkpoint(golden(name).path) as checkpoint:
        report = compare_values(checkpoint, dict(checkpoint))
        assert {row.name for row in report} == {*checkpoint} - {"_CHECKPOINTABLE_OBJECT_GRAPH"}
    assert {row.status for row in report} <= {"same", "retyped"}
    for row in report.with_status("retyped"):  # types that arrays of NumPy lack
        assert row.different in (0, None)


@pytest.mark.parametrize("name", NAMES)
def test_a_changed_element_is_found_wherever_it_is_stored(name: str) -> None:
    with tfmodel.Checkpoint(golden(name).path) as checkpoint:
        arrays = {key: array.copy() for key, array in checkpoint.items() if array.dtype.kind in "fiu" and array.size}
        places = {key: tuple(size // 2 for size in array.shape) for key, array in arrays.items()}
        for key, array in arrays.items():
            array[places[key]] = 1 if array[places[key]] == 0 else 0
        report = compare_values(checkpoint, arrays)
        for key, array in arrays.items():
            row, was = report[key], float(checkpoint[key][places[key]])
            assert row.different == 1
            if np.isfinite(was):
                assert (row.max_at, row.max_absolute) == (places[key], abs(float(array[places[key]]) - was))
            else:
                assert row.not_finite == 1
