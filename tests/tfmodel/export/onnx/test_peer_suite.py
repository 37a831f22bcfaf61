"""The lane that runs the tests of tf2onnx counts each test by what became of it. It needs neither of the two here."""

from __future__ import annotations

import pytest

from tests.tfmodel.export.onnx.peer_suite import OwnGraphError, Row, StageError, classified, report
from tfmodel.export.onnx.conversion.report import OnnxExportError, RefusedNode

KNOWN = {"Conv2D", "Pad"}


def caused(stage: str, cause: Exception) -> StageError:
    error = StageError(stage)
    error.__cause__ = cause
    return error


def refused(*ops: str) -> StageError:
    nodes = [RefusedNode(f"node{place}", op, "a reason") for place, op in enumerate(ops)]
    return caused("convert", OnnxExportError("cannot", refused=nodes))


@pytest.mark.parametrize(
    ("error", "kind", "ops"),
    [
        (None, "passed", ()),
        (OwnGraphError("nodes"), "own graph", ()),
        (StageError("option"), "option", ()),
        (refused("Pad", "Pad"), "form", ("Pad",)),
        (refused("Pad", "DecodeJpeg"), "no converter", ("DecodeJpeg",)),
        (caused("convert", OnnxExportError("the output is a list")), "error", ()),
        (caused("convert", KeyError("x")), "error", ()),
        (caused("load", RuntimeError("no kernel")), "load", ()),
        (caused("compare", AssertionError("Mismatched elements")), "differs", ()),
        (TypeError("TensorFlow refuses the arguments"), "tensorflow", ()),
    ],
)
def test_a_test_is_counted_by_where_it_fails(error: Exception | None, kind: str, ops: tuple[str, ...]) -> None:
    row = classified("test", error, KNOWN)
    assert (row.kind, row.ops) == (kind, ops)


def test_the_share_leaves_out_ops_without_converter() -> None:
    rows = [
        Row("a", "passed"), Row("b", "passed"), Row("c", "passed"), Row("d", "form", ("Pad",), "computed"),
        Row("e", "no converter", ("DecodeJpeg",)), Row("f", "skipped"), Row("g", "own graph"),
    ]  # fmt: skip
    text = report(rows)
    assert "3 of 4 whose ops have a converter pass: 75.0 %" in text
    assert "no converter: DecodeJpeg 1\nform: Pad 1\n" in text
    assert text.endswith("form       d: computed")
