"""Whether a graph computes what a model does: both are run on NumPy, with the same feeds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pbwire.errors import Error
from pbwire.message import Message

from ..errors import FeedError, TransformError
from ..freezing.sources import FileSource, Tags
from ..graph.wording import quoted
from ..interpreter.feeding import feeds_needed, random_feeds
from ..interpreter.session import CheckpointSource, Session
from ..interpreter.verifying import ATOL, RTOL, VerifyReport, check_tolerances, compare
from ..messages import GraphDef
from ..names import TensorName
from .choosing import Choice

__all__ = ["MOST_STEPS", "Original", "Trial", "verified"]

MOST_STEPS = 1_000_000
"""How many nodes are run to see what a model computes: it may be one that never ends."""


@dataclass(frozen=True, slots=True)
class Original:
    """The model that is right, and how it is opened."""

    model: Message | FileSource
    checkpoint: CheckpointSource
    tags: Tags
    chosen: Choice

    def session(self, seed: int) -> Session:
        return Session(
            self.model, checkpoint=self.checkpoint, signature=self.chosen.some_signature, tags=self.tags, seed=seed,
            log=_silent,
        )


@dataclass(frozen=True, slots=True)
class Trial:
    """What is fed, how the rest is made up, and how much outputs may differ; without `rtol`, as much as they do."""

    feeds: Mapping[str, Any] = field(default_factory=dict)
    shapes: Mapping[str, Any] = field(default_factory=dict)
    batch_size: int = 1
    seed: int = 0
    rtol: float | None = RTOL

    def __post_init__(self) -> None:
        check_tolerances(self.rtol or 0.0)


def verified(original: Original, graph: GraphDef, trial: Trial) -> tuple[VerifyReport | None, str]:
    """How what the graph computes differs from what the model does; or None, and why that is not known.

    Raises TransformError if the difference is too large, or if the graph cannot be run and the model can; GraphError if
    what is fed is not there; FeedError if it does not fit, or a shape does not.
    """
    outputs, keys = original.chosen.outputs, original.chosen.keys
    try:
        first, second = original.session(trial.seed), Session(graph, seed=trial.seed, log=_silent)
    except Error as error:
        return None, str(error)
    given = {_spelled(first.tensor(name, keys)): value for name, value in trial.feeds.items()}
    sizes = {_spelled(first.tensor(name, keys)): shape for name, shape in trial.shapes.items()}
    there = {node.name for node in graph.node} if given else {}
    for name in given:
        if TensorName.parse(name).node not in there:
            raise FeedError(f"{quoted(name)} is fed, and nothing is left of it: name it as an input, or do not feed it")
    try:
        needed = [second.tensor(name, {}) for name in (*original.chosen.inputs, *feeds_needed(second, outputs))]
        missing = [name for name in dict.fromkeys(map(_spelled, needed)) if name not in given]
        feeds = given | random_feeds(second, missing, shapes=sizes, batch_size=trial.batch_size, seed=trial.seed)
        expected = first.run(feeds, outputs, max_steps=MOST_STEPS)
    except FeedError:
        raise  # the model is not to blame
    except Error as error:
        return None, str(error)
    try:
        report = _compared(expected, second.run(feeds, outputs, max_steps=MOST_STEPS), trial.rtol)
    except Error as error:
        if trial.rtol is None:
            return None, str(error)
        raise TransformError(f"the model can be run on NumPy, what became of it cannot: {error}") from error
    if report.same or trial.rtol is None:
        return report, ""
    again = original.session(trial.seed + 1).run(feeds, outputs, max_steps=MOST_STEPS)
    if not _compared(expected, again, trial.rtol).same:
        return None, "the model gives other numbers each time: there are random ones in it"
    raise TransformError(f"it would not compute what the model does: {report.summary}")


def _compared(expected: Mapping[str, Any], found: Mapping[str, Any], rtol: float | None) -> VerifyReport:
    limit = RTOL if rtol is None else rtol
    rows = [compare(name, value, found[name], rtol=limit, atol=ATOL) for name, value in expected.items()]
    if rtol is None:
        rows = [replace(row, within=not row.problem) for row in rows]
    return VerifyReport(rows, limit, ATOL)


def _spelled(tensor: TensorName) -> str:
    """With its port, so that no key of a signature is the same."""
    return f"{tensor.node}:{max(tensor.port, 0)}"


def _silent(text: str) -> None:
    """What a model prints is of no interest here."""
