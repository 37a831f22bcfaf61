"""`tfmodel.reduce`: open and freeze a model, make its sample feeds and the check, search.

The steps are those of `tfmodel.editing.reduction`, for a `ModelSource`; here, checks and the report have a `Model`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, Concatenate, ParamSpec, TypeVar

from pbwire.errors import compose

from .analysis.choice import choose
from .editing.reduction.checks import DifferenceCheck, check_of
from .editing.reduction.reducer import Search, sample_feeds, starts, with_constants
from .editing.reduction.report import Reduced
from .editing.reduction.state import Answers
from .errors import ModelError, with_name
from .model import Model
from .source.model_source import Given, ModelSource, Names, names_of
from .values.names import TensorName

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class ReduceReport(Reduced):
    __doc__ = Reduced.__doc__

    @cached_property
    def model(self) -> Model:
        """The reduced model."""
        return Model(self.source)


def reduce(
    model: Given,
    check: str | Callable[[Model], bool] | None = None,
    *,
    differs_from: Given | None = None,
    fails: bool = False,
    outputs: Names = None,
    feeds: Mapping[str, Any] | None = None,
    samples: int = 1,
    seed: int = 0,
    shapes: Mapping[str, Sequence[int]] | None = None,
    match: str = "",
    timeout: float | None = None,
    repeat: int = 1,
    rtol: float | None = None,
    state: str = "",
    improved: Callable[[Model, Mapping[str, Any]], object] | None = None,
    progress: Callable[[str], object] | None = None,
) -> ReduceReport:
    """Return the smallest part of a model that still shows a problem. One of three checks says what the problem is:

    check          a function that takes a `Model` and returns whether it shows the problem; or a command, which fails
                   if it does: see `tfmodel.editing.reduction.checks.CommandCheck` for `match` and `timeout`
    differs_from   a model that is right: the problem is a tensor with another value than the tensor of this name there,
                   by more than `rtol` (default: 1e-4) times its largest element
    fails          the problem is the error of a run on NumPy

    outputs     the tensors that show the problem (default: the outputs of the model)
    feeds       values of inputs; other inputs get random values, from `seed`, of the shapes in `shapes`
    samples     how many random samples are tried on the original; the first that shows the problem is used
    repeat      how often a check is asked: the problem is there if one answer is yes
    state       a file for the answers of checks: with the same arguments, a search goes on where it ended
    improved    called with each smaller model, and the feeds for its inputs
    progress    called with texts about the search

    A model with variables is frozen first. Raises ModelError if the original does not show the problem, or if not
    exactly one check is given; and the errors of `freeze`, and of a run for the feeds.
    """
    chosen = [given for given in (check, differs_from, fails or None) if given is not None]
    if len(chosen) != 1:
        raise ModelError("name one check: a function or command, differs_from, or fails")
    if samples < 1 or repeat < 1:
        raise ModelError(f"samples and repeat are at least 1, not {samples} and {repeat}")
    start = time.monotonic()
    frozen = with_constants(ModelSource.of(model).with_functions())
    other = None if differs_from is None else with_constants(ModelSource.of(differs_from))
    names = [TensorName.parse(name).numbered for name in names_of(outputs)]
    if not names:
        with frozen.naming():
            names = choose(frozen).outputs
    key = repr((check if isinstance(check, str) else "", match, fails, names, seed, samples, sorted(feeds or {})))
    answers = Answers(state, key + (frozen.graph.to_bytes(deterministic=True).hex() if state else ""))
    test = _of_source(check) if callable(check) else check
    told = _of_source(improved) if improved is not None else None
    problem = ""
    for number, graph in product(range(samples), starts(frozen, names)):
        sample = sample_feeds(frozen, names, feeds or {}, shapes, seed + number)
        checker = check_of(test, other, sample, match, timeout, rtol)
        search = Search(graph, names, sample, checker, answers, repeat, told, progress)
        if search.begin(other):
            break
        problem = checker.problem if isinstance(checker, DifferenceCheck) else ""
    else:
        why = compose(": its run fails: ", problem) if problem else ""
        raise ModelError(with_name(frozen.name, compose("the model does not show the problem", why)))
    best = search.run()
    return ReduceReport(
        source=best.source(),
        before=len(frozen.graph.node),
        feeds=best.feeds,
        checks=search.checks,
        remembered=search.remembered,
        seconds=time.monotonic() - start,
        steps=search.steps,
    )


def _of_source(function: Callable[Concatenate[Model, P], R]) -> Callable[Concatenate[ModelSource, P], R]:
    """Return a function of a `ModelSource` that calls a function of a `Model`."""

    def call(source: ModelSource, /, *args: P.args, **options: P.kwargs) -> R:
        return function(Model(source), *args, **options)

    return call
