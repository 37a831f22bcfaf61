"""One transform, run on a graph in the notation of `notation`: what becomes of it, and what is left alone."""

from __future__ import annotations

from tests.tfmodel.transforms.graph_notation import node as parsed
from tests.tfmodel.transforms.graph_notation import spelled
from tfmodel.messages import GraphDef
from tfmodel.transforms.framework.pipeline import transform
from tfmodel.transforms.framework.report import Report, StepReport

__all__ = ["after", "graph_of"]


def graph_of(text: str) -> GraphDef:
    """The graph with a node in each line."""
    return GraphDef(node=[parsed(line.strip()) for line in text.splitlines() if line.strip()])


def after(text: str, step: str, inputs: str = "", outputs: str = "") -> tuple[dict[str, str], StepReport]:
    """The nodes behind a step, spelled, by name and in order; and its report. The graph before stays as it is."""
    given = graph_of(text)
    before = given.to_bytes(deterministic=True)
    report = Report()
    result = transform(given, inputs, outputs, step, report=report)
    assert given.to_bytes(deterministic=True) == before
    return {node.name: spelled(node).partition(" = ")[2] for node in result.node}, report.steps[0]
