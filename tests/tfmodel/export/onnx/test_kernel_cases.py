"""Each case of tests/kernel_cases whose op has a converter: as ONNX it gives what TensorFlow gives, or is refused."""

from __future__ import annotations

import pytest

from tests.kernel_cases import families
from tests.tfmodel.export.onnx.sweep import BY_DESIGN, FORMS, sweep

pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

FEWEST = 300
"""Ops of which a case is tried in the fast run."""


def test_a_case_of_each_op_gives_what_tensorflow_gives() -> None:
    swept = sweep(forms=["constant", "open"], each=1)
    assert swept.wrong == []
    equal = {name for (name, _), found in swept.outcomes.items() if found.kind == "equal"}
    assert len(equal) >= FEWEST


@pytest.mark.slow(reason="runs thousands of ONNX models")
@pytest.mark.parametrize("family", families())
def test_all_cases_give_what_tensorflow_gives(family: str) -> None:
    swept = sweep([family], FORMS)
    assert swept.wrong == []


def test_differences_by_design_are_named_once() -> None:
    named = [(op, reason) for reason, ops, _ in BY_DESIGN for op in ops.split()]
    assert len({*named}) == len(named)
