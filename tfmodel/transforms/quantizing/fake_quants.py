"""Ranges that a model was trained with: FakeQuantWithMinMaxVars becomes codes of that range.

    FakeQuant(Relu(x), lo, hi)   ->   Relu(FakeQuant(x, lo, hi))
    FakeQuant(x, lo, hi)         ->   Dequantize(Requantize(QuantizeV2(x, lo, hi), lo, hi))

The first moves it to where numbers come from, so that all behind it can stay codes; it moves over up to three nodes at
a time, and only over those that give the same if what they take is rounded first.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

from ...graph import attr, changed
from ...messages import DataType, GraphDef, NodeDef
from ...names import TensorName
from ..framework.matching import Match
from ..framework.patterns import Anything, Op
from ..framework.replacing import replace_matches
from ..framework.report import Refusal, StepReport
from .nodes import dequantize, ports, quantize, requantize

__all__ = ["FAKE", "hoist_fake_quants", "requantize_fake_quants"]

FAKE = "FakeQuantWithMinMaxVars"
RANGE = Op("Const", as_="low"), Op("Const", as_="high")
MOST = 3

STEPPING = "|".join(
    [
        "Relu",
        "Relu6",
        "MaxPool",
        "AvgPool",
        "Identity",
        "Squeeze",
        "Snapshot",
        "StopGradient",
        "PreventGradient",
        "CheckNumerics",
        "EnsureShape",
    ]
)
"""Ops that a fake quantization may come before: it changes nothing, or no more than a step."""

REQUANTIZED = Op(FAKE, Anything(as_="x"), *RANGE, as_="fake")


def hoist_fake_quants(
    graph: GraphDef, *, inputs: Collection[TensorName], outputs: Collection[TensorName], report: StepReport
) -> GraphDef:
    """Move fake quantizations towards the inputs."""
    for depth in range(MOST, 0, -1):
        chain: Op | Anything = Anything(as_="x")
        for place in range(depth, 0, -1):
            chain = Op(STEPPING, chain, as_=str(place))
        pattern = Op(FAKE, chain, *RANGE, as_="fake")
        rewrite = partial(_hoisted, depth=depth)
        graph = replace_matches(graph, pattern, rewrite, keep=outputs, fed=inputs, report=report, functions=False)
    return graph


def _hoisted(match: Match, depth: int) -> list[NodeDef] | Refusal:
    if problem := _range_problem(match):
        return Refusal(problem)
    fake = match["fake"]
    chain = [match[str(place)] for place in range(1, depth + 1)]
    for place, node in enumerate(chain, 1):
        if not match.only_consumer(str(place)):
            return Refusal(f"its {node.op} is used elsewhere")
    moved = (fake, match["low"], match["high"])
    waited = {TensorName.parse(text).node for node in moved for text in node.input if text[:1] == "^"}
    if not waited.isdisjoint(node.name for node in chain):
        return Refusal("it waits for what it would come before")
    name = match.fresh_name(f"{fake.name}_hoisted")
    first = changed(fake, name=name, input=[chain[-1].input[0], *fake.input[1:]])
    chain[-1] = changed(chain[-1], input=[name, *chain[-1].input[1:]])
    chain[0] = changed(chain[0], name=fake.name)
    return [first, match["low"], match["high"], *chain, match["x"]]


def requantize_fake_quants(
    graph: GraphDef, *, inputs: Collection[TensorName], outputs: Collection[TensorName], report: StepReport
) -> GraphDef:
    """Make codes of their ranges where numbers are rounded as if they were."""
    return replace_matches(graph, REQUANTIZED, _requantized, keep=outputs, fed=inputs, report=report, functions=False)


def _requantized(match: Match) -> list[NodeDef] | Refusal:
    if problem := _range_problem(match):
        return Refusal(problem)
    fake = match["fake"]
    if attr(fake, "num_bits", int, 8) != 8:
        return Refusal("it has not 8 bits")
    codes, narrowed = (match.fresh_name(f"{fake.name}_eightbit/{part}") for part in ("quantize", "requantize"))
    first = quantize(codes, [*fake.input[:3], *match.control_inputs("fake")], DataType.DT_QINT32)
    second = requantize(narrowed, codes, *fake.input[1:3])
    return [match["x"], match["low"], match["high"], first, second, dequantize(fake.name, ports(narrowed))]


def _range_problem(match: Match) -> str:
    """Codes have zero in their range; a fake quantization moves one that has not."""
    low, high = match.array("low"), match.array("high")
    if low.size != 1 or high.size != 1:
        return "its range is not two numbers"
    if not low.ravel()[0] <= 0 <= high.ravel()[0]:
        return "zero is not in its range"
    return "" if low.ravel()[0] < high.ravel()[0] else "its range is zero alone"
