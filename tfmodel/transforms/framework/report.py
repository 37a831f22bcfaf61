"""What a transform did: how often it fired, and which matches it left alone and why."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Refusal", "Report", "StepReport"]

NAMED = 3  # nodes that are named with a reason


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a match is left as it is: what a rewrite returns in place of nodes."""

    reason: str


@dataclass(slots=True)
class StepReport:
    """One transform of a list.

    `fired` counts rewrites; `refusals` has, for each reason, the nodes that were left alone for it. `error` is that of
    a step whose errors are to be ignored. Sizes are bytes of the graph in binary form.
    """

    name: str
    fired: int = 0
    refusals: dict[str, list[str]] = field(default_factory=dict)
    nodes_before: int = 0
    nodes_after: int = 0
    seconds: float = 0.0
    error: str = ""

    def fire(self, times: int = 1) -> None:
        """Count rewrites."""
        self.fired += times

    def refuse(self, node: str, reason: str) -> None:
        """Note that a node was left alone."""
        self.refusals.setdefault(reason, []).append(node)

    def to_text(self) -> str:
        """A line for the step, and one for each reason."""
        change = self.nodes_after - self.nodes_before
        nodes = f"{self.nodes_after:,} nodes" + (f" ({change:+,})" if change else "")
        outcome = f"error ignored: {self.error}" if self.error else f"fired {self.fired:,}x, {nodes}"
        lines = [f"{self.name}: {outcome}"]
        for reason, names in self.refusals.items():
            shown = ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED:,} more" if len(names) > NAMED else "")
            lines.append(f"  left {len(names):,} alone: {reason}: {shown}")
        return "\n".join(lines)


@dataclass(slots=True)
class Report:
    """What a list of transforms did, step by step."""

    steps: list[StepReport] = field(default_factory=list)

    def begin(self, name: str) -> StepReport:
        """The report of a step that begins."""
        self.steps.append(StepReport(name))
        return self.steps[-1]

    def to_text(self) -> str:
        """All steps, as `--verbose` prints them."""
        return "\n".join(step.to_text() for step in self.steps)
