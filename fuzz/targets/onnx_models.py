"""ONNX models: recognized, decoded, described, and printed with a line for each node."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hypothesis import strategies as st

from fuzz.target import Case, Files, Target
from pbwire import text
from tests.support.strategies import messages
from tfmodel import load, summarize_onnx
from tfmodel.onnx_messages import ModelProto
from tfmodel.reports.onnx.tree import onnx_tree

FOLDER = Path(__file__).parents[2] / "tests" / "data" / "onnx"
FILE = "model.onnx"


def seeds() -> Iterator[Files]:
    weights = {"weights.bin": (FOLDER / "weights.bin").read_bytes()}
    for path in sorted(FOLDER.glob("*.onnx")):
        yield {FILE: path.read_bytes(), **(weights if path.stem == "external" else {})}


def models() -> st.SearchStrategy[Files]:
    return messages(ModelProto).map(lambda model: {FILE: model.to_bytes()})


def check(files: Files, case: Case) -> object:
    path = case.write(files) / FILE
    model = load(path, ModelProto)
    written = model.to_bytes()
    assert ModelProto.from_bytes(written).to_bytes() == written
    assert load(path, ModelProto, lazy=True).to_bytes(deterministic=True) == model.to_bytes(deterministic=True)
    report = summarize_onnx(model)
    assert report.to_text(all=True).replace("\n", "").isprintable()
    assert report.to_json()
    lines = list(onnx_tree(model))
    assert lines and all(line.isprintable() for line in lines)
    return text.dumps(model)


TARGETS = (
    Target(
        "onnx",
        "ONNX models: decoded, described, printed",
        seeds,
        models,
        check,
        seconds=1.0,
        seconds_per_byte=200e-6,
        memory=600.0,
        refusals=(OSError,),
    ),
)
