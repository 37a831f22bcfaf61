"""The result of `tfmodel.reduce`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pbwire.errors import compose, join

from ...analysis.choice import choose
from ...ops.traits import PLACEHOLDERS
from ...source.model_source import ModelSource
from ...values.report import Report

_GIVEN = PLACEHOLDERS | {"Const"}


@dataclass(frozen=True, repr=False)
class Reduced(Report):
    """The smallest graph that was found.

    source     the reduced model; its signature names the outputs that show the problem
    before     the number of nodes of the original
    feeds      the values of the inputs that are left, by tensor
    checks     the number of checks that were made, and `remembered` of those that were answered before
    seconds    the time that it took
    steps      one line for each step that made the graph smaller
    """

    source: ModelSource
    before: int
    feeds: Mapping[str, Any]
    checks: int
    remembered: int
    seconds: float
    steps: Sequence[str]

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return len(self.source.graph.node)

    @property
    def outputs(self) -> list[str]:
        """The outputs that show the problem."""
        return choose(self.source).output_names

    @property
    def ops(self) -> list[str]:
        """The nodes that compute something: all but inputs and constants."""
        return [f'{node.op} "{node.name}"' for node in self.source.graph.node if node.op not in _GIVEN]

    def to_text(self) -> str:
        """Return the report as text."""
        return join("", (compose(line, "\n") for line in self.lines()))

    def lines(self) -> list[str]:
        """Return the report line by line."""
        remembered = f", {self.remembered:,} answered before" if self.remembered else ""
        lines = [*self.steps]
        lines.append(f"{self.before:,} -> {self.nodes:,} nodes in {self.checks:,} checks{remembered}")
        shown = ", ".join(self.ops[:5]) + (f" and {len(self.ops) - 5:,} more" if len(self.ops) > 5 else "")
        lines.append(f"left: {shown or 'inputs and constants'}")
        return lines

    def as_dict(self) -> dict[str, Any]:
        """Return the report as a document for JSON."""
        return {
            "before": self.before,
            "nodes": self.nodes,
            "ops": self.ops,
            "outputs": self.outputs,
            "feeds": {name: list(getattr(value, "shape", ())) for name, value in self.feeds.items()},
            "checks": self.checks,
            "remembered": self.remembered,
            "seconds": round(self.seconds, 3),
            "steps": list(self.steps),
        }
