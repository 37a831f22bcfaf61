"""Verify that two models compute the same outputs: run both on the same feeds, and compare.

    report = verify("before.pb", "after.pb", {"x": array}, ["y:0"])
    assert report.same, report.to_text()

A float or complex number may differ from that of the first model by `rtol` times the largest magnitude in its tensor:
sums in another order can differ by that much, even if the result is near zero. The default `rtol` is 1e-4, and more if
the first model computes in half precision: see `comparison`. `atol` is added to this tolerance. Its default is 1e-6 for
tensors of zeros (or of numbers below the smallest normal one), for which a relative tolerance is meaningless, and
otherwise 0. Elements of other types must be equal.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from pbwire.errors import compose, join

from ...errors import RunError
from ...hints import Hint
from ...interpreter.profiling import Spent
from ...interpreter.session import Session
from ...messages import NodeDef
from ...parameters.zero_weights import zero_weights
from ...source.model_source import CheckpointSource, Given, Tags
from ...values.terminal import escape
from .comparison import OutputDifference, check_tolerances, compare, default_rtol
from .correspondence import TensorPair
from .model_pair import Matched, Pair, model_name, naming_model

__all__ = ["VerifyReport", "first_difference", "verify", "verify_sessions"]


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """The differences of the outputs of two models.

    outputs         the largest difference of each output over all feeds
    rtol, atol      the tolerances; `atol` is None for its default, 1e-6 for outputs that should be zero
    first           the first node whose values differ from those of the node of that name in the other model; empty if
                    it was not requested, or if no such node was found
    feeds           the number of runs
    made_up         the inputs with random values; with real values, differences are often much larger
    pairs           the inputs and outputs that were matched, and tensors that the caller bound
    notes           assumptions about the random inputs
    zero_weights    a warning for each model with zero weights, probably stripped: equal outputs mean little then
    """

    outputs: list[OutputDifference]
    rtol: float
    atol: float | None = None
    first: str = ""
    feeds: int = field(default=1)
    made_up: tuple[str, ...] = ()
    zero_weights: tuple[str, ...] = ()
    pairs: tuple[TensorPair, ...] = ()
    notes: tuple[str, ...] = ()

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
            return worst.to_text() + self._inputs(is_equal=False)
        return f"outputs differ by {worst.relative:.2g} of the largest at most" + self._inputs(is_equal=False)

    def _inputs(self, *, is_equal: bool) -> str:
        """Return the note about random inputs for a line about an output."""
        if not self.made_up:
            return ""
        return " on random inputs" if is_equal else compose(" (on random inputs; ", Hint.TRY_FEEDS, ")")

    def to_text(self) -> str:
        """Return a line for each matched input and output, and one for each comparison."""
        lines = [pair.to_text() for pair in self.pairs]
        lines += [output.to_text() + self._inputs(is_equal=_is_equal(output)) for output in self.outputs]
        if self.first:
            lines.append(f"the first node that differs is {escape(self.first)}")
        return join("\n", lines)

    def to_json(self) -> str:
        rows = [{slot: getattr(output, slot) for slot in OutputDifference.__slots__} for output in self.outputs]
        document: dict[str, Any] = {"same": self.same, "rtol": self.rtol, "atol": self.atol, "feeds": self.feeds}
        document |= {"made_up": list(self.made_up), "zero_weights": list(self.zero_weights), "outputs": rows}
        document |= {"pairs": [asdict(pair) for pair in self.pairs], "notes": list(self.notes)}
        return json.dumps(document | ({"first": self.first} if self.first else {}), indent=2)


def _is_equal(output: OutputDifference) -> bool:
    return not output.absolute and not output.problem


def verify(
    a: Given,
    b: Given,
    feeds: Mapping[str, Any] | Iterable[Mapping[str, Any]],
    outputs: str | Iterable[str] | Mapping[str, str] | None = None,
    *,
    inputs: Mapping[str, str] | None = None,
    bind: Mapping[str, Any] | None = None,
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

    `feeds` are those of one run, or of several. `outputs` are tensors of the first model; default: those of the
    signature, or else the likely ones. The tensors of the second model may have other names: see `correspondence`;
    `outputs` and `inputs` may map names in the first model to names in the second. `bind` has values of tensors that
    become constants in each model that has them.

    Floats may differ by `rtol` times the largest in the tensor (default: 1e-4, and more if the first model computes in
    half precision), plus `atol` (default: 0, or 1e-6 if all are zero). `checkpoint`, `signature` and `tags` apply to
    those of the models that have variables, signatures and tags. With `bisect`, the report names the first node whose
    values in the first run differ from those of the node of that name in the other model. `max_steps` and `max_bytes`
    limit each run of each model, as those of `run`. Raises the errors of `run`, RunError for inputs and outputs that
    cannot be matched, and ValueError for invalid tolerances.
    """
    check_tolerances(rtol, atol)
    runs = [feeds] if isinstance(feeds, Mapping) else list(feeds)
    sources = Pair(a, b, checkpoint=checkpoint, signature=signature, tags=tags)
    names = [outputs] if isinstance(outputs, str) else outputs
    matched = sources.match(names, inputs, dict.fromkeys(name for feed in runs for name in feed), bind=bind)
    return verify_sessions(matched, runs, rtol=rtol, atol=atol, bisect=bisect, max_steps=max_steps, max_bytes=max_bytes)


def verify_sessions(
    models: Matched,
    runs: Sequence[Mapping[str, Any]],
    *,
    rtol: float | None = None,
    atol: float | None = None,
    bisect: bool = False,
    max_steps: int | None = None,
    max_bytes: int | None = None,
    made_up: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> VerifyReport:
    """Compare the outputs of two open models, as `verify` does. `made_up` are the names of the random feeds."""
    check_tolerances(rtol, atol)
    first, second, correspondence = models.first, models.second, models.correspondence
    outputs = correspondence.outputs
    if not outputs or not runs:
        raise RunError(f"there is nothing to compare: there are no {'feeds' if outputs else 'outputs'}, name some")
    fetches = [pair.first for pair in outputs], [pair.second for pair in outputs]
    feeds = [correspondence.feeds(feed) for feed in runs]
    with naming_model(first, "the first model"):
        rtol = default_rtol(first, feeds[0][0], fetches[0]) if rtol is None else rtol
    limits: dict[str, Any] = {"rtol": rtol, "atol": atol, "max_steps": max_steps, "max_bytes": max_bytes}
    differences = _compare_runs(models, feeds, notes, **limits)
    zeros = _zero_weight_warnings(first, "the first model") + _zero_weight_warnings(second, "the second model")
    report = VerifyReport(
        list(map(_worst, differences.values())),
        rtol,
        atol,
        feeds=len(runs),
        made_up=tuple(made_up),
        zero_weights=tuple(dict.fromkeys(zeros)),
        pairs=correspondence.pairs,
        notes=tuple(notes),
    )
    if report.same or not bisect:
        return report
    return replace(report, first=_first_difference(first, second, feeds[0], fetches, **limits))


def _compare_runs(
    models: Matched,
    feeds: Iterable[tuple[dict[str, Any], dict[str, Any]]],
    notes: Sequence[str],
    *,
    rtol: float,
    atol: float | None,
    **limits: Any,
) -> dict[str, list[OutputDifference]]:
    """Run both models on each of the feeds, and return the differences of the runs by the names of outputs.

    The error of a run of the first model has the notes on its inputs.
    """
    outputs = models.correspondence.outputs
    fetches, other_fetches = [pair.first for pair in outputs], [pair.second for pair in outputs]
    differences: dict[str, list[OutputDifference]] = {}
    for feed, other_feed in feeds:
        try:
            with naming_model(models.first, "the first model"):
                values = models.first.run(feed, fetches, **limits)
        except RunError as error:
            raise (RunError(error, "; ", join("; ", notes)) if notes else error) from error
        with naming_model(models.second, "the second model"):
            other_values = models.second.run(other_feed, other_fetches, **limits)
        for pair in outputs:
            difference = compare(pair.name, values[pair.first], other_values[pair.second], rtol=rtol, atol=atol)
            differences.setdefault(pair.name, []).append(difference)
    return differences


def _zero_weight_warnings(session: Session, name: str) -> list[str]:
    """Return a warning if the weights of a model are zero. `name` is the name of a model without a file."""
    zeros = zero_weights(session.graph)
    return [f"{model_name(session, name)}: {zeros}"] if zeros else []


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

    Nodes are compared in the order in which the first session runs them, and only in their first iteration or call.
    Return "" if all agree. All tensors of a run of the second session are kept in memory meanwhile.
    """
    names = first.default_fetches if outputs is None else list(outputs)
    limit = default_rtol(first, feeds, names) if rtol is None else rtol
    return _first_difference(
        first, second, (feeds, feeds), (names, names), rtol=limit, atol=atol, max_steps=max_steps, max_bytes=max_bytes
    )


def _first_difference(
    first: Session,
    second: Session,
    feeds: tuple[Mapping[str, Any], Mapping[str, Any]],
    fetches: tuple[list[str], list[str]],
    *,
    rtol: float,
    atol: float | None,
    max_steps: int | None,
    max_bytes: int | None,
) -> str:
    """Return the same as `first_difference`, with the feeds and fetches of each session."""
    second_values: dict[str, list[Any]] = {}

    def record_values(node: NodeDef, inputs: Any, values: Any, spent: Spent) -> None:
        second_values.setdefault(node.name, list(values))

    second.run(feeds[1], fetches[1], max_steps=max_steps, max_bytes=max_bytes, observer=record_values)
    differing: list[str] = []

    def compare_values(node: NodeDef, inputs: Any, values: Any, spent: Spent) -> None:
        others = second_values.pop(node.name, None)
        if differing or others is None or len(others) != len(values):
            return
        if not all(
            compare(node.name, one, other, rtol=rtol, atol=atol).within
            for one, other in zip(values, others, strict=True)
            if isinstance(one, np.ndarray)
        ):
            differing.append(node.name)

    first.run(feeds[0], fetches[0], max_steps=max_steps, max_bytes=max_bytes, observer=compare_values)
    return differing[0] if differing else ""


def _worst(runs: list[OutputDifference]) -> OutputDifference:
    """Return the worst of the differences of several runs, with the mean of `top1`."""
    shares = [run_result.top1 for run_result in runs if run_result.top1 is not None]
    worst = max(runs, key=lambda run_result: (not run_result.within, bool(run_result.problem), run_result.absolute))
    return replace(worst, top1=sum(shares) / len(shares)) if shares else worst
