"""The releases of TensorFlow in which ops and attributes are new."""

from __future__ import annotations

import pytest

from tfmodel.ops import OPS
from tfmodel.ops.release_table import ATTRIBUTES
from tfmodel.ops.release_table import OPS as NEW_OPS
from tfmodel.ops.releases import find_release, is_before, latest, release_of, release_of_consumer


@pytest.mark.parametrize(
    ("op", "attribute", "release"),
    [  # as TensorFlow's notes of these releases say
        ("Conv2D", "", "1.0"),
        ("Conv2D", "dilations", "1.5"),
        ("Conv2D", "explicit_paddings", "1.14"),
        ("Conv2D", "padding", "1.0"),
        ("FusedBatchNormV3", "", "1.14"),
        ("FusedBatchNormV3", "exponential_avg_factor", "2.2"),
        ("StatefulPartitionedCall", "", "1.10"),
        ("BatchMatMulV3", "Ta", "2.6"),
        ("NoSuchOp", "", ""),
        ("_Internal", "", ""),
    ],
)
def test_ops_and_attributes_have_a_release(op: str, attribute: str, release: str) -> None:
    assert release_of(op, attribute) == release


def test_every_row_is_an_op_or_an_attribute() -> None:
    rows = {name for table in (NEW_OPS, ATTRIBUTES) for line in table.split("\n") for name in line.split()[1:]}
    declared = {*OPS} | {f"{name}.{attr.name}" for name, op in OPS.items() for attr in op.attr}
    assert rows <= declared


@pytest.mark.parametrize(
    ("version", "release"), [("1.12", "1.12"), ("1.12.3", "1.12"), ("v2.0.0", "2.0"), ("2.4.0rc1", "2.4")]
)
def test_a_version_belongs_to_a_release(version: str, release: str) -> None:
    assert find_release(version) == release


@pytest.mark.parametrize("version", ["", "1", "1.16", "0.12", "2.99", "1.12-beta", "two"])
def test_other_versions_are_refused(version: str) -> None:
    with pytest.raises(ValueError, match=r'".*" is not a release of TensorFlow from 1.0 to 2.12'):
        find_release(version)


def test_releases_are_in_the_order_of_time() -> None:
    assert is_before("1.9", "1.14")
    assert is_before("2.0", "1.15")
    assert not is_before("1.12", "1.12")
    assert latest(["1.9", "1.14", "1.3"]) == "1.14"
    assert latest([]) == "1.0"


@pytest.mark.parametrize(("consumer", "release"), [(0, "1.0"), (22, "1.2"), (100, "2.0"), (120, "1.15"), (9999, "")])
def test_a_consumer_version_belongs_to_a_release(consumer: int, release: str) -> None:
    assert release_of_consumer(consumer) == release
