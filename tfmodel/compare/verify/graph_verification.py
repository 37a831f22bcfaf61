"""Verify changed graphs against a first one: run each on the same feeds, and compare the outputs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...errors import RunError
from ...hints import Hint
from ...interpreter.feed_sources import random_names
from ...interpreter.feeds import check_seed, default_feeds, inputs_needed, random_feeds
from ...interpreter.profiling import LargestValues
from ...interpreter.session import MAX_CHECK_STEPS, Session, ignore_log
from ...kernels.runtime.kernel_watch import Watch, watch_kernels
from ...messages import GraphDef
from ...values.names import TensorName, node_name, rename_tensor
from .built_in_batch import built_in_batch
from .comparison import RTOL, check_tolerances, compare, default_rtol
from .verification import VerifyReport

__all__ = ["Verification"]


class Verification:
    """A comparison of changed graphs with a first one; `transform(..., verify=...)` compares after each step.

        verification = Verification({"x": array}, rtol=1e-5)
        verification.begin(graph, ["y:0"])
        report = verification.compare(changed_graph)

    Inputs that the outputs need and that are not fed get random values: declared inputs of any op, and Placeholders. A
    PlaceholderWithDefault that is not in `shapes` gets its default; for others, see `random_feeds`. The default
    tolerances are those of `verify`. A run of more than `max_steps` steps raises RunError.

    With `compares=False`, `transform` compares nothing: the feeds are only for transforms that look at values, such as
    `convert_float16(keep_overflow=true)`. `watch` is called before each kernel runs: see `watch_kernels`.
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
        compares: bool = True,
        watch: Watch | None = None,
    ) -> None:
        check_tolerances(rtol, atol)
        self._max_steps = max_steps
        self._watch = watch
        self.compares = compares
        self._user_feeds = dict(feeds or {})
        self._rtol, self._atol = rtol, atol
        self._shapes = dict(shapes or {})
        self._batch_size, self._seed = batch_size, seed
        self._limit = RTOL
        self._accepts_differences = False
        self._feeds: dict[str, Any] = {}
        self._made_up: list[str] = []
        self._outputs: list[str] = []
        self._values: dict[str, Any] = {}

    def begin(self, graph: GraphDef, outputs: Iterable[str], inputs: Iterable[str] = ()) -> None:
        """Run the first graph. Raises RunError if it cannot be run, or if there are no outputs to compare."""
        self._outputs = list(outputs)
        if not self._outputs:
            raise RunError("there are no outputs to compare: ", Hint.NAME_OUTPUTS)
        session = self._session(graph)
        needed = inputs_needed(session, inputs, self._outputs, self._user_feeds)
        with_shapes = {session.tensor(name, {}) for name in self._shapes}
        with_defaults = (name for name in needed if session.tensor(name, {}) not in with_shapes)
        feeds = default_feeds(session, with_defaults, max_steps=self._max_steps)
        missing = [name for name in needed if name not in feeds]
        random = random_feeds(session, missing, shapes=self._shapes, batch_size=self._batch_size, seed=self._seed)
        check_seed(self._seed, [*random, *random_names(self._user_feeds)], session)
        feeds |= self._user_feeds | random
        self._feeds, self._made_up = feeds, sorted(random)
        self._limit = default_rtol(session, feeds, self._outputs) if self._rtol is None else self._rtol
        try:
            self._values = self._run(session, feeds, self._outputs)
        except RunError:
            batch_size = self._built_in_batch(session, random)
            if batch_size is None:
                raise
            feeds |= random_feeds(session, random, shapes=self._shapes, batch_size=batch_size, seed=self._seed)
            self._values = self._run(session, feeds, self._outputs)

    def _built_in_batch(self, session: Session, random: Iterable[str]) -> int | None:
        """Return the batch size that the graph has built in, if the caller leaves it open."""
        if self._batch_size is not None or self._shapes or self._user_feeds:
            return None
        return built_in_batch(session.graph, [session.tensor(name, {}) for name in random])

    def compare(self, graph: GraphDef, renames: Mapping[TensorName, TensorName] | None = None) -> VerifyReport:
        """Compare the outputs of another graph with those of the first. Raises RunError if it cannot be run.

        `renames` maps tensors of the first graph to their names in the other, where these differ.
        """
        renames = renames or {}
        feeds = {rename_tensor(name, renames): value for name, value in self._feeds.items()}
        fetches = {name: rename_tensor(name, renames) for name in self._outputs}
        values = self._run(self._session(graph), feeds, list(fetches.values()))
        pairs = ((name, one, values[fetches[name]]) for name, one in self._values.items())
        rows = [compare(*pair, rtol=self._limit, atol=self._atol) for pair in pairs]
        if self._accepts_differences:
            rows = [replace(row, within=not row.problem) for row in rows]
        return VerifyReport(rows, self._limit, self._atol, made_up=tuple(self._made_up))

    def _run(self, session: Session, feeds: Mapping[str, Any], fetches: Sequence[str]) -> dict[str, Any]:
        with watch_kernels(self._watch):
            return session.run(feeds, fetches, max_steps=self._max_steps)

    def accept_differences(self) -> None:
        """Accept all finite differences from now on, unless the caller gave a tolerance."""
        self._accepts_differences = self._rtol is None and self._atol is None

    def largest_values(
        self, graph: GraphDef, renames: Mapping[TensorName, TensorName] | None = None
    ) -> dict[str, float]:
        """Run a graph on the feeds, and return the largest finite magnitude of the float32 that each node computes.

        `renames` is that of `compare`. Nodes of functions are included by their names there, and fed tensors by those
        of their nodes. Raises RunError if the graph cannot be run.
        """
        largest = LargestValues()
        renames = renames or {}
        feeds = {rename_tensor(name, renames): value for name, value in self._feeds.items()}
        for name, value in feeds.items():
            largest.record(node_name(name), [np.asarray(value)])
        self._session(graph).run(
            feeds,
            [rename_tensor(name, renames) for name in self._outputs],
            max_steps=self._max_steps,
            observer=lambda node, inputs, outputs, spent: largest.record(node.name, outputs),
        )
        return largest.by_node

    def _session(self, graph: GraphDef) -> Session:
        return Session(graph, seed=self._seed or 0, log=ignore_log)
