"""Verify an optimized graph: run it and the original model on NumPy with the same feeds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pbwire.errors import Error, compose

from ..analysis.choice import Choice
from ..compare.verify.built_in_batch import built_in_batch
from ..compare.verify.comparison import check_tolerances, compare, default_rtol
from ..compare.verify.verification import VerifyReport
from ..errors import FeedError, RunError, TransformError
from ..graph.error_text import quote
from ..hints import Hint
from ..interpreter.feeds import check_seed, default_feeds, inputs_needed, random_feeds
from ..interpreter.session import MAX_CHECK_STEPS, Session, ignore_log
from ..kernels.runtime.kernel_watch import RunStopped, watch_kernels
from ..kernels.runtime.memory_limit import limit_memory
from ..messages import GraphDef
from ..source.model_source import ModelSource
from ..transforms.constant_folding.run_budget import RunBudget
from ..values.names import TensorName, rename_tensor
from ..values.shape import Shape

__all__ = ["Original", "Trial", "verify_result"]

_MAX_SCRATCH = 1 << 28
"""The limit of the memory that a kernel may take besides its results, and of the strings that a node may make."""


@dataclass(frozen=True, slots=True)
class Original:
    """The reference model with its inputs and outputs, and whether a run writes to its variables."""

    source: ModelSource
    chosen: Choice
    writes: bool = False

    def session(self, seed: int) -> Session:
        return Session(self.source, seed=seed, log=ignore_log)


@dataclass(frozen=True, slots=True)
class Trial:
    """The feeds, and the tolerance of outputs.

    feeds        the values of inputs
    seed         for the values of other inputs
    rtol         the relative tolerance; None stands for the default
    is_limited   if False, any difference is accepted
    is_short     whether verification stops if it takes too long for the size of the graph
    old_shapes   by tensor: the shapes of inputs in the model, if the graph may have other shapes
    """

    feeds: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    rtol: float | None = None
    is_limited: bool = True
    old_shapes: Mapping[str, Shape | None] = field(default_factory=dict)
    is_short: bool = True

    def __post_init__(self) -> None:
        check_tolerances(self.rtol)


def verify_result(
    original: Original, graph: GraphDef, renames: Mapping[TensorName, TensorName], trial: Trial
) -> tuple[VerifyReport | None, str]:
    """Do as `_verify_result`, unless that takes too long; then return None and the reason."""
    budget = RunBudget.of(graph)
    try:
        with watch_kernels(budget.spend if trial.is_short else None):
            return _verify_result(original, graph, renames, trial)
    except RunStopped as error:
        return None, compose(error, "; ", Hint.VERIFY_LONG)


@limit_memory(_MAX_SCRATCH)
def _verify_result(
    original: Original, graph: GraphDef, renames: Mapping[TensorName, TensorName], trial: Trial
) -> tuple[VerifyReport | None, str]:
    """Return the differences between the outputs of the graph and of the model, and ""; or None and the reason.

    `renames` maps tensors of the model to their names in the graph, if these differ. If the model writes to variables,
    it is run a second time, since its outputs may change then, while those of the graph stay the same.

    Raises TransformError if the difference is too large, or if the model can be run but the graph cannot; GraphError if
    a fed tensor does not exist; FeedError if a feed or a shape does not fit.
    """
    outputs, keys = original.chosen.outputs, original.chosen.input_keys
    try:
        model_session = original.session(trial.seed or 0)
        graph_session = _RenamedSession(Session(graph, seed=trial.seed or 0, log=ignore_log), renames)
    except Error as error:
        return None, str(error)
    feeds_of_model = {_spell(model_session.tensor(name, keys)): value for name, value in trial.feeds.items()}
    for name in feeds_of_model:
        if not graph_session.has(name):
            raise FeedError(
                f"{quote(name)} is fed but not in the optimized graph: name it as an input, or do not feed it"
            )
    try:
        defaults, made_up = _generate_feeds(original, model_session, graph_session, feeds_of_model, trial)
        feeds = feeds_of_model | defaults | made_up
        rtol = default_rtol(model_session, feeds, outputs) if trial.rtol is None else trial.rtol
        try:
            expected = _run_model(model_session, feeds, outputs, trial.old_shapes)
        except RunStopped:
            raise
        except RunError:
            batch_size = None if feeds_of_model or trial.old_shapes else graph_session.built_in_batch(made_up)
            if batch_size is None:
                raise
            made_up |= graph_session.random_feeds(made_up, seed=trial.seed, batch_size=batch_size)
            feeds |= made_up
            expected = _run_model(model_session, feeds, outputs, trial.old_shapes)
        if expected is None:
            return None, "its inputs have shapes that the model does not take"
    except (FeedError, RunStopped):
        raise  # the caller's mistake, or the limit
    except Error as error:
        return None, str(error)
    try:
        actual = graph_session.run(feeds, outputs, max_steps=MAX_CHECK_STEPS)
        actual_again = graph_session.run(feeds, outputs, max_steps=MAX_CHECK_STEPS) if original.writes else {}
    except RunStopped:
        raise
    except Error as error:
        raise TransformError("the model can be run on NumPy, but the optimized graph cannot: ", error) from error
    report = replace(_compare(expected, actual, rtol, is_limited=trial.is_limited), made_up=tuple(made_up))
    if trial.is_limited and not report.same:
        again = original.session((trial.seed or 0) + 1).run(feeds, outputs, max_steps=MAX_CHECK_STEPS)
        if not _compare(expected, again, rtol).same:
            return None, "the outputs of the model differ from run to run: it uses random numbers"
        raise TransformError("the optimized graph computes other outputs than the model: ", report.summary)
    if original.writes:
        after = model_session.run(feeds, outputs, max_steps=MAX_CHECK_STEPS)
        if not any(_compare(after, result, rtol).same for result in (expected, actual_again)):
            return None, "the outputs of the model differ in its second run: they depend on variables that it wrote"
    return report, ""


_MAX_PARTS = 32
"""The maximum number of runs of a model whose batches are smaller than those of the graph."""


def _run_model(
    session: Session, feeds: Mapping[str, Any], outputs: Sequence[str], old_shapes: Mapping[str, Shape | None]
) -> dict[str, Any] | None:
    """Return the outputs of the model.

    If the batch of the model is smaller than that of the graph, the feeds are split into parts. Then the model is run
    with each part, and the outputs are joined. Return None if the model cannot take the feeds in parts.
    """
    batch_sizes = {}
    for name, shape in old_shapes.items():
        if name in feeds and shape is not None and not _fits(np.shape(feeds[name]), shape):
            actual = np.shape(feeds[name])
            if not actual or not shape or not shape[0] or not _fits(actual[1:], shape[1:]) or actual[0] % shape[0]:
                return None
            batch_sizes[name] = shape[0]
    counts = {len(feeds[name]) // size for name, size in batch_sizes.items()}
    if not counts:
        return session.run(feeds, outputs, max_steps=MAX_CHECK_STEPS)
    if len(counts) > 1 or (count := counts.pop()) > _MAX_PARTS:
        return None
    parts = [
        session.run(
            {**feeds, **{name: feeds[name][i * size : (i + 1) * size] for name, size in batch_sizes.items()}},
            outputs,
            max_steps=MAX_CHECK_STEPS,
        )
        for i in range(count)
    ]
    if any(np.ndim(value) == 0 for value in parts[0].values()):
        return None
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _fits(shape: Sequence[int], known: Shape) -> bool:
    return len(shape) == len(known) and all(size in (None, actual) for actual, size in zip(shape, known, strict=True))


def _generate_feeds(
    original: Original,
    model_session: Session,
    graph_session: _RenamedSession,
    feeds: Mapping[str, Any],
    trial: Trial,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return feeds for the inputs of the model or the graph that are not in `feeds`: defaults, and random values."""
    inputs, outputs = original.chosen.inputs, original.chosen.outputs
    needed = [
        *inputs_needed(model_session, inputs, outputs, feeds),
        *graph_session.inputs_needed(inputs, outputs, feeds),
    ]
    names = dict.fromkeys(_spell(TensorName.parse(name)) for name in needed if graph_session.has(name))
    with_defaults = (name for name in names if name not in trial.old_shapes)
    defaults = default_feeds(model_session, with_defaults, max_steps=MAX_CHECK_STEPS)
    missing = [name for name in names if name not in defaults]
    made_up = graph_session.random_feeds(missing, seed=trial.seed)
    check_seed(trial.seed, made_up, model_session, graph_session.session)
    return defaults, made_up


def _compare(
    expected: Mapping[str, Any], actual: Mapping[str, Any], rtol: float, *, is_limited: bool = True
) -> VerifyReport:
    rows = [compare(name, value, actual[name], rtol=rtol) for name, value in expected.items()]
    if not is_limited:
        rows = [replace(row, within=not row.problem) for row in rows]
    return VerifyReport(rows, rtol)


class _RenamedSession:
    """A session of the optimized graph that takes and returns tensors by their names in the model."""

    def __init__(self, session: Session, renames: Mapping[TensorName, TensorName]) -> None:
        self.session = session
        self._new = renames
        self._old = {new: old for old, new in renames.items()}
        self._nodes = {node.name for node in session.graph.node}

    def has(self, name: str) -> bool:
        """Return whether the graph has the node of a tensor."""
        return TensorName.parse(rename_tensor(name, self._new)).node in self._nodes

    def run(self, feeds: Mapping[str, Any], outputs: Sequence[str], *, max_steps: int) -> dict[str, Any]:
        fetches = {name: rename_tensor(name, self._new) for name in outputs}
        values = self.session.run(self._rename_keys(feeds), list(fetches.values()), max_steps=max_steps)
        return {name: values[fetch] for name, fetch in fetches.items()}

    def inputs_needed(self, inputs: Sequence[str], outputs: Sequence[str], feeds: Mapping[str, Any]) -> list[str]:
        inputs, outputs = ([rename_tensor(name, self._new) for name in names] for names in (inputs, outputs))
        needed = inputs_needed(self.session, inputs, outputs, self._rename_keys(feeds))
        return [rename_tensor(name, self._old) for name in needed]

    def built_in_batch(self, inputs: Iterable[str]) -> int | None:
        names = [TensorName.parse(rename_tensor(name, self._new)) for name in inputs]
        return built_in_batch(self.session.graph, names)

    def random_feeds(self, names: Iterable[str], *, seed: int | None, batch_size: int | None = None) -> dict[str, Any]:
        renamed = [rename_tensor(name, self._new) for name in names]
        random = random_feeds(self.session, renamed, seed=seed, batch_size=batch_size)
        return {rename_tensor(name, self._old): value for name, value in random.items()}

    def _rename_keys(self, values: Mapping[str, Any]) -> dict[str, Any]:
        return {rename_tensor(name, self._new): value for name, value in values.items()}


def _spell(tensor: TensorName) -> str:
    """Return the name of a tensor with its port, so that it differs from every key of a signature."""
    return f"{tensor.node}:{max(tensor.port, 0)}"
