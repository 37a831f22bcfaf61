"""A result has only ops that the producer version allows, or the version is lowered."""

from __future__ import annotations

import pytest

from tests.support.case_tables import each_case
from tests.tfmodel.transforms.graph_notation import graph
from tfmodel.errors import TransformError
from tfmodel.messages import GraphDef, VersionDef
from tfmodel.ops import OPS
from tfmodel.transforms.framework.pipeline import transform
from tfmodel.transforms.framework.report import TransformReport

ARRAY = """
    size = Const[dtype=int32, value=int32{2}()]
    a = TensorArrayV3(size)[dtype=float]
    n = TensorArraySizeV3(a, a:1)
"""
REMOVED = {name: op.deprecation.version for name, op in OPS.items() if op.deprecation is not None}
BACKPORT = "backport_tensor_array_v3"


def made(text: str, producer: int) -> GraphDef:
    result = graph(text)
    result.versions = VersionDef(producer=producer, min_consumer=12, bad_consumers=[7])
    return result


@pytest.mark.parametrize("producer", [0, 1, 21, 22, 25, 26, 27, 1395])
def test_backported_tensor_arrays_lower_the_producer(producer: int) -> None:
    before = made(ARRAY, producer)
    report = TransformReport()
    after = transform(before, "", "n", BACKPORT, report=report)
    assert [node.op for node in after.node] == ["Const", "TensorArrayV2", "Const", "TensorArraySizeV2"]
    assert after.versions == VersionDef(producer=min(producer, 25), min_consumer=12, bad_consumers=[7])
    assert before.versions is not None and before.versions.producer == producer
    assert bool(report.steps[0].notes) == (producer > 25)
    assert report.steps[0].bytes_after == after.ByteSize()


def test_ops_renamed_in_functions_lower_the_producer() -> None:
    text = "f: (a: float) -> (r: float = a)\nf: n = Neg(a)[T=float]\nx = Placeholder[dtype=float]"
    after = transform(made(text, 1395), "", "", "rename_op(old_op_name=Neg, new_op_name=TextLineReader)")
    assert after.versions is not None and after.versions.producer == 25


@each_case("op", {op: op for op in REMOVED})
def test_every_op_that_was_removed_is_allowed_or_refused(op: str) -> None:
    before, step = made("x = NoOp\ny = Old(x)\nz = Other", 1395), f"rename_op(old_op_name=Other, new_op_name={op})"
    if REMOVED[op] <= 22 and op != "Old":
        with pytest.raises(TransformError, match=f"the op {op} was removed in GraphDef version {REMOVED[op]}, "):
            transform(before, "", "", step)
        return
    after = transform(before, "", "", step)
    assert after.versions is not None
    assert after.versions.producer == (1395 if op == "Old" else REMOVED[op] - 1)  # Old was there before


def test_ops_that_were_not_allowed_before_are_ignored() -> None:
    before = made("a = TensorArrayV2(size)[dtype=float] @ /cpu:0\nsize = Const[dtype=int32]", 1395)
    assert transform(before, "", "", "remove_device").versions == before.versions
