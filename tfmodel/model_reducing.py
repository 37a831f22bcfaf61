"""`tfmodel.reduce`: that of `tfmodel.editing.reduction`, whose checks and whose result have a `Model`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .editing import reduction
from .model import Model
from .source.model_source import Given, ModelSource, Names


@dataclass(frozen=True)
class ReduceReport(reduction.Reduced):
    __doc__ = reduction.Reduced.__doc__

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
    found = reduction.reduce(
        model,
        _of_source(check) if callable(check) else check,
        differs_from=differs_from,
        fails=fails,
        outputs=outputs,
        feeds=feeds,
        samples=samples,
        seed=seed,
        shapes=shapes,
        match=match,
        timeout=timeout,
        repeat=repeat,
        rtol=rtol,
        state=state,
        improved=(lambda source, feeds: improved(Model(source), feeds)) if improved is not None else None,
        progress=progress,
    )
    return ReduceReport(
        found.source, found.before, found.feeds, found.checks, found.remembered, found.seconds, found.steps
    )


def _of_source(check: Callable[[Model], bool]) -> Callable[[ModelSource], bool]:
    return lambda source: check(Model(source))
