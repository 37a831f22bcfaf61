"""Cases of tests/kernel_cases as ONNX give what TensorFlow gives, or are refused: one of each op that has a converter.

`python -m tests.tfmodel.export.onnx.sweep` tries all cases, in every form.
"""

from __future__ import annotations

import pytest

from tests.tfmodel.export.onnx.sweep import BY_DESIGN, sweep

pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

FEWEST = 265
"""Ops of which a case is tried in the fast run."""


def test_a_case_of_each_op_gives_what_tensorflow_gives() -> None:
    swept = sweep(forms=["constant", "open"], each=1)
    assert swept.wrong == []
    equal = {name for (name, _), found in swept.outcomes.items() if found.kind == "equal"}
    assert len(equal) >= FEWEST


def test_differences_by_design_are_named_once() -> None:
    named = [(op, reason) for reason, ops, _ in BY_DESIGN for op in ops.split()]
    assert len({*named}) == len(named)
