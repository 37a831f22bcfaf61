"""Verify that two models compute the same: run both on the same feeds, and compare the outputs.

    report = verify("before.pb", "after.pb", {"x": array}, ["y:0"])
    assert report.same, report.to_text()

A float may differ from that of the first model by `rtol` times the largest magnitude in its tensor: sums in another
order can differ by that much, even if the result is near zero. The default `rtol` is 1e-4, and more if the first model
computes in half precision: see `comparison`. `atol` is added to this tolerance. Its default is 1e-6 for tensors of
zeros (or of numbers below the smallest normal one), for which a relative tolerance is meaningless, and otherwise 0.
Other types must be equal.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..errors import GraphError, RunError
from ..graph.error_text import TRY_FEEDS
from ..io.terminal import escape
from ..messages import GraphDef, NodeDef
from ..names import TensorName, rename_tensor
from ..parameters.zero_weights import zero_weights
from ..source import CheckpointSource, Given, Tags, source_pair
from .comparison import RTOL, OutputDifference, check_tolerances, compare, default_rtol
from .feeds import check_seed, default_feeds, inputs_needed, random_feeds
from .profiling import Spent
from .session import MAX_CHECK_STEPS, Session

__all__ = [
    "Verification",
    "VerifyReport",
    "first_difference",
    "naming_model",
    "session_pair",
    "verify",
    "verify_sessions",
]


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """The differences of the outputs of two models.

    outputs         the largest difference of each output over all feeds
    rtol, atol      the tolerances; `atol` is None if it applies only to outputs that should be zero
    first           the first node whose values differ from those of the node of that name in the other model; empty
                    unless requested
    feeds           the number of runs
    made_up         the inputs with random values; with real values, differences are often much larger
    zero_weights    a warning for each model with zero weights, probably stripped: equal outputs mean little then
    """

    outputs: list[OutputDifference]
    rtol: float
    atol: float | None = None
    first: str = ""
    feeds: int = field(default=1)
    made_up: tuple[str, ...] = ()
    zero_weights: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        return all(output.within for output in self.outputs)

    @property
    def summary(self) -> str:
        """The result in a few words."""
        worst = max(self.outputs, key=lambda output: (not output.within, output.relative), default=None)
        if worst is None or (worst.within and not worst.absolute):
            return f"outputs equal{self._inputs(is_equal=True)}"
        if not worst.within:
            return _line(worst) + self._inputs(is_equal=False)
        return f"outputs differ by {worst.relative:.2g} of the largest at most{self._inputs(is_equal=False)}"

    def _inputs(self, *, is_equal: bool) -> str:
        """Return the note about random inputs for a line about an output."""
        if not self.made_up:
            return ""
        return " on random inputs" if is_equal else f" (on random inputs; {TRY_FEEDS})"

    def to_text(self) -> str:
        """Return a line for each output."""
        lines = [_line(output) + self._inputs(is_equal=_is_equal(output)) for output in self.outputs]
        if self.first:
            lines.append(f"the first node that differs is {escape(self.first)}")
        return "\n".join(lines)

    def to_json(self) -> str:
        rows = [{slot: getattr(output, slot) for slot in OutputDifference.__slots__} for output in self.outputs]
        document: dict[str, Any] = {"same": self.same, "rtol": self.rtol, "atol": self.atol, "feeds": self.feeds}
        document |= {"made_up": list(self.made_up), "zero_weights": list(self.zero_weights), "outputs": rows}
        return json.dumps(document | ({"first": self.first} if self.first else {}), indent=2)


def _is_equal(output: OutputDifference) -> bool:
    return not output.absolute and not output.problem


def _line(output: OutputDifference) -> str:
    what = f"{escape(output.name)}: {output.dtype}[{','.join(map(str, output.shape))}]"
    if output.problem:
        return f"{what}: {output.problem}"
    if not output.absolute:
        return f"{what}: equal"
    top1 = f", top-1 agrees in {output.top1:.2%}" if output.top1 is not None else ""
    verdict = "" if output.within else ", which is too much"
    return f"{what}: differs by {output.absolute:.3g} at most, {output.relative:.3g} of the largest{top1}{verdict}"


class Verification:
    """A comparison of graphs with a first one, as `transform(..., verify=...)` makes it after each step.

        verification = Verification({"x": array}, rtol=1e-5)
        verification.begin(graph, ["y:0"])
        report = verification.compare(changed_graph)

    Inputs that the outputs need and that are not fed get random values: declared inputs of any op, and Placeholders. A
    PlaceholderWithDefault gets its default; for others, see `random_feeds`. The default tolerances are those of
    `verify`. A run of more than `max_steps` steps raises RunError.
    """

    def __init__(
        self,
        feeds: Mapping[str, Any] | None = None,
        *,
        rtol: float | None = None,
        atol: float | None = None,
        shapes: Mapping[str, Sequence[int]] | None = None,
        batch_size: int | None = None,
        seed: int | None = None,
        max_steps: int | None = MAX_CHECK_STEPS,
    ) -> None:
        check_tolerances(rtol, atol)
        self._max_steps = max_steps
        self._user_feeds = dict(feeds or {})
        self._rtol, self._atol = rtol, atol
        self._shapes = dict(shapes or {})
        self._batch_size, self._seed = batch_size, seed
        self._limit = RTOL
        self._feeds: dict[str, Any] = {}
        self._made_up: list[str] = []
        self._outputs: list[str] = []
        self._values: dict[str, Any] = {}

    def begin(self, graph: GraphDef, outputs: Iterable[str], inputs: Iterable[str] = ()) -> None:
        """Run the first graph. Raises RunError if it cannot be run, or if there are no outputs to compare."""
        self._outputs = list(outputs)
        if not self._outputs:
            raise RunError("there are no outputs to compare: name some")
        session = self._session(graph)
        needed = inputs_needed(session, inputs, self._outputs, self._user_feeds)
        with_shapes = {session.tensor(name, {}) for name in self._shapes}
        with_defaults = (name for name in needed if session.tensor(name, {}) not in with_shapes)
        feeds = default_feeds(session, with_defaults, max_steps=self._max_steps)
        missing = [name for name in needed if name not in feeds]
        random = random_feeds(session, missing, shapes=self._shapes, batch_size=self._batch_size, seed=self._seed)
        check_seed(self._seed, random, session)
        feeds |= self._user_feeds | random
        self._feeds, self._made_up = feeds, sorted(random)
        self._limit = default_rtol(session, feeds, self._outputs) if self._rtol is None else self._rtol
        self._values = session.run(feeds, self._outputs, max_steps=self._max_steps)

    def compare(self, graph: GraphDef, renames: Mapping[TensorName, TensorName] | None = None) -> VerifyReport:
        """Compare the outputs of another graph with those of the first. Raises RunError if it cannot be run.

        `renames` maps tensors of the first graph to their names in the other, where these differ.
        """
        renames = renames or {}
        feeds = {rename_tensor(name, renames): value for name, value in self._feeds.items()}
        fetches = {name: rename_tensor(name, renames) for name in self._outputs}
        values = self._session(graph).run(feeds, list(fetches.values()), max_steps=self._max_steps)
        pairs = ((name, one, values[fetches[name]]) for name, one in self._values.items())
        rows = [compare(*pair, rtol=self._limit, atol=self._atol) for pair in pairs]
        return VerifyReport(rows, self._limit, self._atol, made_up=tuple(self._made_up))

    def _session(self, graph: GraphDef) -> Session:
        return Session(graph, seed=self._seed or 0, log=_silent)


def verify(
    a: Given,
    b: Given,
    feeds: Mapping[str, Any] | Iterable[Mapping[str, Any]],
    outputs: str | Iterable[str] | None = None,
    *,
    rtol: float | None = None,
    atol: float | None = None,
    checkpoint: CheckpointSource = None,
    signature: str | None = None,
    tags: Tags = None,
    bisect: bool = False,
    max_steps: int | None = None,
    max_bytes: int | None = None,
) -> VerifyReport:
    """Compare the outputs that two models compute from the same feeds.

    `feeds` are those of one run, or of several. `outputs` are tensors; default: those of the signature. Floats may
    differ by `rtol` times the largest in the tensor (default: 1e-4, and more if the first model computes in half
    precision), plus `atol` (default: 0, unless all are zero). `checkpoint`, `signature` and `tags` apply to those of
    the models that have variables, signatures and tags. With `bisect`, the report names the first node whose values
    differ from those of the node of that name in the other model. `max_steps` and `max_bytes` limit each run of each
    model, as those of `run`. Raises the errors of `run`.
    """
    runs = [feeds] if isinstance(feeds, Mapping) else list(feeds)
    names = [outputs] if isinstance(outputs, str) else None if outputs is None else list(outputs)
    first, second = session_pair(a, b, checkpoint=checkpoint, signature=signature, tags=tags)
    return verify_sessions(
        first, second, runs, names, rtol=rtol, atol=atol, bisect=bisect, max_steps=max_steps, max_bytes=max_bytes
    )


def session_pair(
    a: Given,
    b: Given,
    *,
    checkpoint: CheckpointSource = None,
    signature: str | None = None,
    tags: Tags = None,
    seed: int = 0,
) -> tuple[Session, Session]:
    """Open two models to compare.

    `tags` are for SavedModels, `signature` is for models with signatures and `checkpoint` for models with variables.
    Raises FileFormatError or RunError for one of these that neither model can use, and the errors of Session.
    """
    sources = source_pair(a, b, tags=tags)
    have_signatures = [source.has_signatures for source in sources]
    take_checkpoint = [source.takes_checkpoint for source in sources]
    first, second = (
        Session(
            source,
            checkpoint=checkpoint if takes_checkpoint or not any(take_checkpoint) else None,
            signature=signature if has_signatures or not any(have_signatures) else None,
            seed=seed,
            log=_silent,
        )
        for source, has_signatures, takes_checkpoint in zip(sources, have_signatures, take_checkpoint, strict=True)
    )
    return first, second


def verify_sessions(
    first: Session,
    second: Session,
    runs: Sequence[Mapping[str, Any]],
    names: Iterable[str] | None = None,
    *,
    rtol: float | None = None,
    atol: float | None = None,
    bisect: bool = False,
    max_steps: int | None = None,
    max_bytes: int | None = None,
    made_up: Sequence[str] = (),
) -> VerifyReport:
    """Compare the outputs of two open models, as `verify` does; `made_up` names the feeds that are random."""
    check_tolerances(rtol, atol)
    limits: dict[str, Any] = {"max_steps": max_steps, "max_bytes": max_bytes}
    names = list(first.outputs or second.outputs) if names is None else list(names)
    if not names or not runs:
        raise RunError(f"there is nothing to compare: there are no {'feeds' if names else 'outputs'}, name some")
    rtol = default_rtol(first, runs[0], names) if rtol is None else rtol
    differences: dict[str, list[OutputDifference]] = {}
    for feed in runs:
        with naming_model(first, "the first model"):
            one = first.run(feed, names, **limits)
        with naming_model(second, "the second model"):
            other = second.run(feed, names, **limits)
        for name, value in one.items():
            differences.setdefault(name, []).append(compare(name, value, other[name], rtol=rtol, atol=atol))
    report = VerifyReport(
        list(map(_worst, differences.values())),
        rtol,
        atol,
        feeds=len(runs),
        made_up=tuple(made_up),
        zero_weights=tuple(
            dict.fromkeys(
                _zero_weight_warnings(first, "the first model") + _zero_weight_warnings(second, "the second model")
            )
        ),
    )
    if report.same or not bisect:
        return report
    node_name = first_difference(first, second, runs[0], names, rtol=rtol, atol=atol, **limits)
    return replace(report, first=node_name)


def _zero_weight_warnings(session: Session, name: str) -> list[str]:
    """Return a warning if the weights of a model are zero. `name` is for a model that is not from a file."""
    zeros = zero_weights(session.graph)
    return [f"{_model_name(session, name)}: {zeros}"] if zeros else []


@contextmanager
def naming_model(session: Session, name: str = "the model") -> Iterator[None]:
    """Add the name of the model to errors in a run; `name` is for a model that is not from a file."""
    try:
        yield
    except (GraphError, RunError) as error:
        raise type(error)(f"{_model_name(session, name)}: {error}") from error


def _model_name(session: Session, name: str) -> str:
    return session.file.name if session.file is not None else name


def first_difference(
    first: Session,
    second: Session,
    feeds: Mapping[str, Any],
    outputs: Iterable[str] | None = None,
    *,
    rtol: float | None = None,
    atol: float | None = None,
    max_steps: int | None = None,
    max_bytes: int | None = None,
) -> str:
    """Return the first node whose tensors differ from those of the node of that name in the second session.

    Nodes are compared in the order in which the first session runs them. Return "" if all agree. Meanwhile, all tensors
    of a run of the second session are kept in memory.
    """
    names = None if outputs is None else list(outputs)
    limit = default_rtol(first, feeds, first.outputs if names is None else names) if rtol is None else rtol
    second_values: dict[str, list[Any]] = {}

    def record_values(node: NodeDef, inputs: Any, values: Any, spent: Spent) -> None:
        second_values.setdefault(node.name, list(values))

    second.run(feeds, names, max_steps=max_steps, max_bytes=max_bytes, observer=record_values)
    differing: list[str] = []

    def compare_values(node: NodeDef, inputs: Any, values: Any, spent: Spent) -> None:
        others = second_values.pop(node.name, None)
        if differing or others is None or len(others) != len(values):
            return
        if not all(
            compare(node.name, one, other, rtol=limit, atol=atol).within
            for one, other in zip(values, others, strict=True)
            if isinstance(one, np.ndarray)
        ):
            differing.append(node.name)

    first.run(feeds, names, max_steps=max_steps, max_bytes=max_bytes, observer=compare_values)
    return differing[0] if differing else ""


def _silent(text: str) -> None:
    """Ignore the text that a model prints."""


def _worst(runs: list[OutputDifference]) -> OutputDifference:
    """Return the worst of several runs, with the mean of `top1`."""
    shares = [run_result.top1 for run_result in runs if run_result.top1 is not None]
    worst = max(runs, key=lambda run_result: (not run_result.within, bool(run_result.problem), run_result.absolute))
    return replace(worst, top1=sum(shares) / len(shares)) if shares else worst
