"""`tfmodel.GraphEditor`, `extract`, `splice`, `append_preprocessing`, `reduce`: `tfmodel.editing` for models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Concatenate, ParamSpec, TypeVar

from . import editing
from .editing.editor import Editor, edited_source
from .editing.reduction.report import Reduced
from .model import Model
from .source.model_source import Given, ModelSource, Names

P = ParamSpec("P")
R = TypeVar("R")


class GraphEditor(Editor):
    __doc__ = Editor.__doc__

    @property
    def model(self) -> Model:
        """The model with the edited graph; signatures, collections, savers and assets name the new nodes."""
        return Model(edited_source(self))


def extract(model: Given, inputs: Names = None, outputs: Names = None) -> Model:
    """Return the part of a model that computes `outputs` from `inputs`; each input becomes a Placeholder.

    Names are the keys of the signature, or those of tensors, "x" or "x:1"; the default are the model's own. Nodes that
    the outputs do not need are removed, functions that no node calls too. Variables and the checkpoint stay. The result
    has one signature, "serving_default", whose keys are those of the old one where the tensors are the same.

    Raises ModelError if there are no outputs, and GraphError or TransformError for a name that does not exist.
    """
    return Model(editing.extract(model, inputs, outputs))


def splice(
    a: Given, b: Given, connect: Mapping[str, str], *, scope: str | None = None, keep_outputs: bool = False
) -> Model:
    """Return one model that runs `a` and feeds its results into `b`.

    connect        maps tensors of `a` to inputs of `b`; both are keys of signatures, or names of tensors
    scope          the scope for the nodes of `b`: "" adds none (default: none, or "b" if a name is taken)
    keep_outputs   whether the outputs of `a` are outputs of the result too, and not only those of `b`

    The inputs of the result are those of `a`, and those of `b` that are not connected. A model with variables is frozen
    first. Types must be equal, and shapes must fit. The graph counts as written by the older of the two writers, since
    loaders refuse ops that were removed before a graph was written.

    Raises GraphError for names that do not exist or are taken, and for tensors that do not fit; ModelError for models
    with files of assets, and for a model without certain outputs.
    """
    return Model(editing.splice(a, b, connect, scope=scope, keep_outputs=keep_outputs))


def append_preprocessing(model: Given, input: str, steps: str | Iterable[str]) -> Model:
    """Return the model with preprocessing in front of an input.

    `input` is the key or the tensor of an input; `steps` are words, in one string or several: see
    `tfmodel.editing.preprocessing`. Raises GraphError for an unknown step, for values that do not fit the input, and
    for an input that is not a Placeholder.
    """
    return Model(editing.append_preprocessing(model, input, steps))


@dataclass(frozen=True, repr=False)
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
    from .editing.reduction import reducing

    reduced = reducing.reduce(
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
        improved=_of_source(improved) if improved is not None else None,
        progress=progress,
    )
    return ReduceReport(**vars(reduced))


def _of_source(function: Callable[Concatenate[Model, P], R]) -> Callable[Concatenate[ModelSource, P], R]:
    """Return a function of a `ModelSource` that calls a function of a `Model`."""

    def call(source: ModelSource, /, *args: P.args, **options: P.kwargs) -> R:
        return function(Model(source), *args, **options)

    return call
