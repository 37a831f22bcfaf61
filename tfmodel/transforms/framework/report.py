"""What a transform did: how often it fired, and which matches it left alone and why.

Notes about arguments that choose nodes, of which a graph has none.

The C++ tool passes over them in silence, and lists that are used on many graphs rely on that, so they are no errors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ...graph.error_text import Guesses, quoted
from ...messages import GraphDef
from ...ops import OPS

__all__ = ["Refusal", "Report", "StepReport", "missing_nodes", "missing_ops"]


NAMED = 3  # nodes that are named with a reason


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a match is left as it is: what a rewrite returns in place of nodes."""

    reason: str


@dataclass(slots=True)
class StepReport:
    """One transform of a list.

    `fired` counts rewrites; `refusals` has, for each reason, the nodes that were left alone for it. `error` is that of
    a step whose errors are to be ignored, `verdict` what running the graph told. Bytes are those of the graph in binary
    form. A transform that takes no report never counts, which is what `counts` is about. `notes` are what a user should
    know even if he did not ask: a misspelt op, for example.
    """

    name: str
    fired: int = 0
    refusals: dict[str, list[str]] = field(default_factory=dict)
    nodes_before: int = 0
    nodes_after: int = 0
    bytes_before: int = 0
    bytes_after: int = 0
    seconds: float = 0.0
    error: str = ""
    verdict: str = ""
    notes: list[str] = field(default_factory=list)
    counts: bool = True

    def fire(self, times: int = 1) -> None:
        """Count rewrites."""
        self.fired += times

    def refuse(self, node: str, reason: str) -> None:
        """Note that a node was left alone."""
        self.refusals.setdefault(reason, []).append(node)

    @property
    def refused(self) -> int:
        """How many nodes were left alone."""
        return sum(map(len, self.refusals.values()))

    def to_text(self) -> str:
        """What `--verbose` tells of it: a line for the step, and one for each reason."""
        fired = f"; fired {self.fired:,}x" if self.counts and not self.error else ""
        lines = [f"{self.name}: {self.changes()}{fired}"]
        for reason, names in self.refusals.items():
            shown = ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED:,} more" if len(names) > NAMED else "")
            lines.append(f"  left {len(names):,} alone: {reason}: {shown}")
        return "\n".join(lines)

    def changes(self) -> str:
        """Nodes, bytes and seconds in a line: `6 -> 4 nodes, 1,210 -> 980 bytes, 0.01 s`."""
        if self.error:
            return f"error ignored: {self.error}"
        nodes = _change(self.nodes_before, self.nodes_after)
        bytes_ = _change(self.bytes_before, self.bytes_after)
        more = [f"; {each}" for each in (self.verdict, *self.notes) if each]
        return f"{nodes} {'node' if nodes == '1' else 'nodes'}, {bytes_} bytes, {self.seconds:.2f} s{''.join(more)}"


@dataclass(slots=True)
class Report:
    """What a list of transforms did, step by step. `planned` is how many steps there are going to be."""

    steps: list[StepReport] = field(default_factory=list)
    planned: int = 0

    def begin(self, name: str) -> StepReport:
        """The report of a step that begins."""
        self.steps.append(StepReport(name))
        return self.steps[-1]

    @property
    def total(self) -> StepReport:
        """All steps as one, without the reasons."""
        total = StepReport("total", sum(step.fired for step in self.steps))
        total.seconds = sum(step.seconds for step in self.steps)
        if self.steps:
            first, last = self.steps[0], self.steps[-1]
            total.nodes_before, total.bytes_before = first.nodes_before, first.bytes_before
            total.nodes_after, total.bytes_after = last.nodes_after, last.bytes_after
        return total

    def to_text(self, *, verbose: bool = True) -> str:
        """A line for each step; if `verbose`, with how often it fired, and a line for each reason behind it."""
        if verbose:
            return "\n".join(step.to_text() for step in self.steps)
        return "\n".join(f"{step.name}: {step.changes()}" for step in self.steps)


def _change(before: int, after: int) -> str:
    return f"{after:,}" if before == after else f"{before:,} -> {after:,}"


def missing_ops(asked: Iterable[str], graph: GraphDef, *, functions: bool = True) -> Iterator[str]:
    """Yield a note if no node has one of these ops, and one for each name that is no op, with a suggestion.

    So `op=Identity, op=CheckNumerics`, as many lists have it, is about a graph that has one of them. Without
    `functions`, nodes in functions do not count, as for a transform that leaves them alone.
    """
    there = {node.op for node in graph.node}
    ops = list(dict.fromkeys(asked))
    missing = [op for op in ops if op != "*" and op not in there]
    library = graph.library.function if missing and graph.library is not None else []
    inside = {node.op for function in library for node in function.node_def}
    guess = Guesses()
    for op in missing:
        if op not in OPS and op not in inside:
            yield f"no node has the op {quoted(op)}{guess(op, there | inside)}"
    known = [op for op in missing if op in OPS or op in inside]
    if len(missing) == len(ops) and not (functions and inside.intersection(known)):
        for op in known:
            yield f"no node{' outside of functions' * (op in inside)} has the op {quoted(op)}"


def missing_nodes(argument: str, asked: Iterable[str], graph: GraphDef) -> Iterator[str]:
    """Yield a note for each name that is no node of the graph, functions not counted."""
    there = {node.name: None for node in graph.node}
    guess = Guesses()
    for name in dict.fromkeys(asked):
        if name not in there:
            yield f"{argument}: there is no node {quoted(name)}{guess(name, there)}"
