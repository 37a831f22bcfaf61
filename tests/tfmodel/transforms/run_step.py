"""Run one transform on a graph in the notation of `graph_notation`."""

from __future__ import annotations

from tests.tfmodel.transforms.graph_notation import node as parsed
from tests.tfmodel.transforms.graph_notation import spelled
from tfmodel.messages import GraphDef
from tfmodel.transforms.framework.pipeline import transform
from tfmodel.transforms.framework.report import StepReport, TransformReport

__all__ = ["after", "graph_of"]


def graph_of(text: str) -> GraphDef:
    """Return the graph with a node per line."""
    return GraphDef(node=[parsed(line.strip()) for line in text.splitlines() if line.strip()])


def after(text: str, step: str, inputs: str = "", outputs: str = "") -> tuple[dict[str, str], StepReport]:
    """Return the nodes after a step, in text form by name and in order, and its report; check that the input graph
    stays.
    """
    original = graph_of(text)
    before = original.to_bytes(deterministic=True)
    report = TransformReport()
    result = transform(original, inputs, outputs, step, report=report)
    assert original.to_bytes(deterministic=True) == before
    return {node.name: spelled(node).partition(" = ")[2] for node in result.node}, report.steps[0]
