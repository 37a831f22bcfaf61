"""Verify an optimized graph: run it and the original model on NumPy with the same feeds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from pbwire.errors import Error, compose

from ..analysis.choice import Choice
from ..compare.verify.comparison import Renamed, Verification, begin_comparison
from ..compare.verify.report import VerifyReport
from ..compare.verify.shown_runs import count_kernels, kernels_of, shown
from ..errors import FeedError, Hint, TransformError
from ..graph.error_text import quote
from ..interpreter.session import Session, ignore_log
from ..kernels.runtime.kernel_watch import RunStopped
from ..kernels.runtime.memory_limit import limit_memory
from ..messages import GraphDef
from ..source.model_source import ModelSource
from ..transforms.constant_folding.run_budget import RunBudget
from ..values.names import TensorName
from ..values.shape import Shape
from .report import Optimized

_MAX_SCRATCH = 1 << 28
"""The limit of the memory that a kernel may take besides its results, and of the strings that a node may make."""


@dataclass(frozen=True, slots=True)
class Original:
    """The reference model with its inputs and outputs.

    writes       whether a run writes to its variables
    old_shapes   by tensor: the shapes of inputs in the model, if the graph may have other shapes
    """

    source: ModelSource
    chosen: Choice
    writes: bool = False
    old_shapes: Mapping[str, Shape | None] = field(default_factory=dict)

    def session(self, seed: int) -> Session:
        return Session(self.source, seed=seed, log=ignore_log)


def verified(
    optimized: Optimized,
    original: Original,
    verification: Verification,
    *,
    is_limited: bool,
    is_short: bool,
    progress: Callable[[str], object],
) -> Optimized:
    """Return the result with the differences between its outputs and those of the model, or with the reason for none.

    Unless `is_limited`, any difference is accepted. If `is_short`, verification stops if it takes too long for the size
    of the graph. `progress` is called with a `Step` before each kernel.

    Raises TransformError if the difference is too large, or if the model can be run but the graph cannot; GraphError if
    a fed tensor does not exist; FeedError if a feed or a shape does not fit.
    """
    graph = optimized.graph
    if is_short:
        verification = replace(verification, watch=RunBudget.of(graph).spend)
    try:
        report, unverified = _verify(
            original, graph, optimized.report.renames, verification, is_limited=is_limited, progress=progress
        )
    except RunStopped as error:
        return replace(optimized, unverified=compose(error, "; ", Hint.VERIFY_LONG))
    if report is not None and optimized.zero_weights:
        report = replace(report, zero_weights=(optimized.zero_weights,))
    return replace(optimized, verification=report, unverified=unverified)


@limit_memory(_MAX_SCRATCH)
def _verify(
    original: Original,
    graph: GraphDef,
    renames: Mapping[TensorName, TensorName],
    verification: Verification,
    *,
    is_limited: bool,
    progress: Callable[[str], object],
) -> tuple[VerifyReport | None, str]:
    """Return the differences between the outputs of the graph and of the model, and ""; or None and the reason.

    `renames` maps tensors of the model to their names in the graph, if these differ. If the model writes to variables,
    it is run a second time, since its outputs may change then, while those of the graph stay the same.
    """
    chosen, seed = original.chosen, verification.seed or 0
    try:
        model, changed = original.session(seed), Renamed(verification.session(graph), renames)
    except Error as error:
        return None, str(error)
    feeds = {
        model.tensor(name, chosen.input_keys).numbered: value for name, value in (verification.feeds or {}).items()
    }
    for name in feeds:
        if not changed.has(name):
            raise FeedError(
                f"{quote(name)} is fed but not in the optimized graph: name it as an input, or do not feed it"
            )
    try:
        kernels = kernels_of(model, chosen.inputs, chosen.outputs) + count_kernels(graph.node, graph)
        verification = replace(verification, watch=shown(progress, "verifying", kernels, verification.watch))
        comparison = begin_comparison(
            replace(verification, feeds=feeds),
            model,
            chosen.outputs,
            chosen.inputs,
            changed=changed,
            old_shapes=original.old_shapes,
        )
    except (FeedError, RunStopped):
        raise  # the caller's mistake, or the limit
    except Error as error:
        return None, str(error)
    try:
        actual = comparison.run(changed)
        actual_again = comparison.run(changed) if original.writes else {}
    except RunStopped:
        raise
    except Error as error:
        raise TransformError("the model can be run on NumPy, but the optimized graph cannot: ", error) from error
    report = replace(comparison, accepts_differences=not is_limited).report(actual)
    if is_limited and not report.same:
        again = comparison.run_reference(original.session(seed + 1), chosen.outputs)
        if not comparison.report(again).same:
            return None, "the outputs of the model differ from run to run: it uses random numbers"
        raise TransformError("the optimized graph computes other outputs than the model: ", report.summary)
    if original.writes:
        second = replace(comparison, expected=comparison.run_reference(model, chosen.outputs))
        if not any(second.report(values).same for values in (comparison.expected, actual_again)):
            return None, "the outputs of the model differ in its second run: they depend on variables that it wrote"
    return report, ""
