"""Verify that two models compute the same outputs: run both on the same feeds, and compare.

    report = verify("before.pb", "after.pb", {"x": array}, ["y:0"])
    assert report.same, report.to_text()

A float or complex number may differ from that of the first model by `rtol` times the largest magnitude in its tensor:
sums in another order can differ by that much, even if the result is near zero. The default `rtol` is 1e-4, and more if
the first model computes in half precision: see `differences`. `atol` is added to this tolerance. Its default is 1e-6
for tensors of zeros (or of numbers below the smallest normal one), for which a relative tolerance is meaningless, and
otherwise 0. Elements of other types must be equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from pbwire.errors import join

from ...errors import RunError
from ...files.decoding import Tags
from ...interpreter.profiling import Spent
from ...interpreter.session import Session
from ...messages import NodeDef
from ...parameters.zero_weights import zero_weights
from ...source.model_source import CheckpointSource, Given
from .comparison import Comparison, Verification
from .differences import RTOL, OutputDifference, default_rtol
from .model_pair import Matched, Pair, model_name, naming_model
from .report import VerifyReport
from .shown_runs import kernels_of, shown


def verify(
    a: Given,
    b: Given,
    feeds: Mapping[str, Any] | Iterable[Mapping[str, Any]] | None = None,
    outputs: str | Iterable[str] | Mapping[str, str] | None = None,
    *,
    inputs: Mapping[str, str] | None = None,
    bind: Mapping[str, Any] | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    batch_size: int | None = None,
    seed: int | None = None,
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

    `feeds` are those of one run, or of several. Without them, random feeds are generated from `shapes`, `batch_size`
    and `seed`: see `Verification`. `outputs` are tensors of the first model; default: those of the
    signature, or else the likely ones. The tensors of the second model may have other names: see `correspondence`;
    `outputs` and `inputs` may map names in the first model to names in the second. `bind` has values of tensors that
    become constants in each model that has them.

    Floats may differ by `rtol` times the largest in the tensor (default: 1e-4, and more if the first model computes in
    half precision), plus `atol` (default: 0, or 1e-6 if all are zero). `checkpoint`, `signature` and `tags` apply to
    those of the models that have variables, signatures and tags. With `bisect`, the report names the first node whose
    values in the first run differ from those of the node of that name in the other model. `max_steps` and `max_bytes`
    limit each run of each model, as those of `run`. Raises the errors of `run`, RunError for inputs and outputs that
    cannot be matched, and ValueError for invalid tolerances, and for `shapes`, `batch_size` or `seed` with `feeds`.
    """
    verification = Verification(
        rtol=rtol,
        atol=atol,
        shapes=shapes,
        batch_size=batch_size,
        seed=seed,
        max_steps=max_steps,
        max_bytes=max_bytes,
    )
    if feeds is not None and not (shapes is None and batch_size is None and seed is None):
        raise ValueError("shapes, batch_size and seed are for random inputs: leave out either these or the feeds")
    runs: list[Mapping[str, Any]] = [feeds] if isinstance(feeds, Mapping) else list(feeds or ())
    names = [outputs] if isinstance(outputs, str) else outputs
    pair = Pair(a, b, checkpoint=checkpoint, signature=signature, tags=tags)
    matched = pair.match(names, inputs, dict.fromkeys(name for feed in runs for name in feed), bind=bind)
    made_up: dict[str, Any] = {}
    notes: list[str] = []
    if feeds is None:
        made_up, notes = matched.generate_inputs(verification)
        runs = [made_up]
    return verify_sessions(matched, runs, verification, bisect=bisect, made_up=tuple(made_up), notes=notes)


def verify_sessions(
    models: Matched,
    runs: Sequence[Mapping[str, Any]],
    verification: Verification,
    *,
    bisect: bool = False,
    made_up: Sequence[str] = (),
    notes: Sequence[str] = (),
    progress: Callable[[str], object] | None = None,
) -> VerifyReport:
    """Compare the outputs of two open models on the feeds of each run, as `verify` does.

    `made_up` are the names of the random feeds. The error of a run of the first model has the `notes` on these.
    `progress` is called with a `Step` before each kernel.
    """
    first, second, outputs = models.first, models.second, models.correspondence.outputs
    if not outputs or not runs:
        raise RunError(f"there is nothing to compare: there are no {'feeds' if outputs else 'outputs'}, name some")
    fetches = {pair.name: pair.first for pair in outputs}
    other_fetches = {pair.name: pair.second for pair in outputs}
    feeds = [models.correspondence.feeds(feed) for feed in runs]
    default = RTOL
    if verification.rtol is None:
        with naming_model(first, "the first model"):
            default = default_rtol(first, feeds[0][0], fetches.values())
    if progress is not None:
        sides = (first, feeds[0][0], fetches), (second, feeds[0][1], other_fetches)
        kernels = sum(kernels_of(session, fed, named.values()) for session, fed, named in sides)
        watch = shown(progress, "running both", len(runs) * kernels, verification.watch)
        verification = replace(verification, watch=watch)
    differences: dict[str, list[OutputDifference]] = {}
    for feed, other_feed in feeds:
        try:
            with naming_model(first, "the first model"):
                comparison = Comparison(verification, feed, verification.run(first, feed, fetches), default)
        except RunError as error:
            if not notes:
                raise
            raise RunError(error, "; ", join("; ", notes)) from error
        with naming_model(second, "the second model"):
            values = verification.run(second, other_feed, other_fetches)
        for row in comparison.differences(values):
            differences.setdefault(row.name, []).append(row)
    zeros = _zero_weight_warnings(first, "the first model") + _zero_weight_warnings(second, "the second model")
    report = VerifyReport(
        list(map(_worst, differences.values())),
        comparison.rtol,
        verification.atol,
        feeds=len(runs),
        made_up=tuple(made_up),
        zero_weights=tuple(dict.fromkeys(zeros)),
        pairs=models.correspondence.pairs,
        notes=tuple(notes),
    )
    if report.same or not bisect:
        return report
    sides = (first, feeds[0][0], fetches), (second, feeds[0][1], other_fetches)
    return replace(report, first=_first_difference(comparison, *sides))


def _zero_weight_warnings(session: Session, name: str) -> list[str]:
    """Return a warning if the weights of a model are zero. `name` is the name of a model without a file."""
    zeros = zero_weights(session.graph)
    return [f"{model_name(session, name)}: {zeros}"] if zeros else []


_Run: TypeAlias = "tuple[Session, Mapping[str, Any], Mapping[str, str]]"
"""A session with its feeds and fetches."""


def _first_difference(comparison: Comparison, first: _Run, second: _Run) -> str:
    """Return the first node whose tensors differ from those of the node of that name in the second session.

    Nodes are compared in the order in which the first session runs them, and only in their first iteration or call.
    Return "" if all agree. All tensors of a run of the second session are kept in memory meanwhile.
    """
    second_values: dict[str, list[Any]] = {}

    def record_values(node: NodeDef, inputs: Any, values: Any, spent: Spent) -> None:
        second_values.setdefault(node.name, list(values))

    comparison.verification.run(*second, observer=record_values)
    differing: list[str] = []

    def compare_values(node: NodeDef, inputs: Any, values: Any, spent: Spent) -> None:
        others = second_values.pop(node.name, None)
        if differing or others is None or len(others) != len(values):
            return
        pairs = zip(values, others, strict=True)
        arrays = ((one, other) for one, other in pairs if isinstance(one, np.ndarray))
        if not all(comparison.difference(node.name, *pair).within for pair in arrays):
            differing.append(node.name)

    comparison.verification.run(*first, observer=compare_values)
    return differing[0] if differing else ""


def _worst(runs: list[OutputDifference]) -> OutputDifference:
    """Return the worst of the differences of several runs, with the mean of `top1`."""
    shares = [run_result.top1 for run_result in runs if run_result.top1 is not None]
    worst = max(runs, key=lambda run_result: (not run_result.within, bool(run_result.problem), run_result.absolute))
    return replace(worst, top1=sum(shares) / len(shares)) if shares else worst
