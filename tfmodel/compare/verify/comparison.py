"""Compare the results of changed graphs with those of a reference, on the same feeds.

    verification = Verification({"x": array}, rtol=1e-5)     # feeds, tolerances and limits
    comparison = verification.begin(graph, ["y:0"])          # the results of the reference
    report = comparison.compare(changed_graph)               # the differences of another graph

Everything that compares results by running models is built on `Comparison`: `verify`, transforms with `verify=`, and
the verification of `optimize`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...errors import FeedError, Hint, RunError
from ...graph.tables import first_to_run, table_fillers
from ...interpreter.feed_sources import FeedSource, random_names
from ...interpreter.feeds import check_seed, default_feeds, input_shape, inputs_needed, random_feeds
from ...interpreter.initializers import Initializers
from ...interpreter.profiling import LargestValues, Observer
from ...interpreter.session import MAX_CHECK_STEPS, Session, ignore_log
from ...kernels.runtime.kernel_watch import RunStopped, Watch, watch_kernels
from ...messages import GraphDef
from ...source.model_source import Given
from ...values.names import TensorName, node_name, rename_tensor, shortest
from ...values.shape import Shape
from ..tolerances import check_tolerances
from .batch_parts import join_outputs, split_feeds
from .built_in_batch import built_in_batch
from .changed_session import ChangedSession, UnknownValueError
from .differences import RTOL, OutputDifference, compare, default_rtol
from .likely_feeds import likely_feeds
from .report import VerifyReport


@dataclass(frozen=True, slots=True)
class Verification:
    """The feeds, tolerances and limits with which changed graphs are compared with a first one.

    `transform(..., verify=...)` compares the result of each transform with the graph that it is given.

    Inputs that the outputs need and that are not fed get random values: declared inputs of any op, and Placeholders. A
    PlaceholderWithDefault that is not in `shapes` gets its default; for others, see `random_feeds`. The default
    tolerances are those of `verify`. A run of more than `max_steps` steps, or with outputs of more than `max_bytes`
    bytes, raises RunError.

    With `compares=False`, `transform` compares nothing: the feeds are only for transforms that look at values, such as
    `convert_float16(keep_overflow=true)`. `watch` is called before each kernel runs: see `watch_kernels`.
    """

    feeds: Mapping[str, Any] | None = None
    _: KW_ONLY
    rtol: float | None = None
    atol: float | None = None
    shapes: Mapping[str, Sequence[int]] | None = None
    batch_size: int | None = None
    seed: int | None = None
    max_steps: int | None = MAX_CHECK_STEPS
    max_bytes: int | None = None
    compares: bool = True
    watch: Watch | None = None

    def __post_init__(self) -> None:
        check_tolerances(self.rtol, self.atol)

    def begin(self, model: Given, outputs: Iterable[str], inputs: Iterable[str] = ()) -> Comparison:
        """Run a model or a graph, with the values of variables in its checkpoint, and return its results.

        Raises RunError if it cannot be run, or if there are no outputs to compare.
        """
        return self.begin_session(self.session(model), outputs, inputs)

    def begin_session(self, session: Session, outputs: Iterable[str], inputs: Iterable[str]) -> Comparison:
        """Do as `begin` for a model in a session."""
        names, fed = list(outputs), list(inputs)
        if not names:
            raise RunError("there are no outputs to compare: ", Hint.NAME_OUTPUTS)
        return begin_comparison(self, as_plain(session, names, fed), names, fed)

    def session(self, model: Given) -> Session:
        """Return a session of a model or a graph that prints nothing."""
        return Session(model, seed=self.seed or 0, log=ignore_log)

    def run(
        self, session: Session, feeds: Mapping[str, Any], fetches: Mapping[str, str], observer: Observer | None = None
    ) -> dict[str, Any]:
        """Run a model within the limits, and return the values of `fetches`, tensors by the names of their values."""
        with self.watching():
            values = session.run(
                feeds, list(fetches.values()), max_steps=self.max_steps, max_bytes=self.max_bytes, observer=observer
            )
        return {name: values[tensor] for name, tensor in fetches.items()}

    def watching(self) -> AbstractContextManager[None]:
        """Return a context in which `watch` is called before each kernel runs."""
        return watch_kernels(self.watch) if self.watch is not None else nullcontext()


@dataclass(frozen=True, slots=True)
class Comparison:
    """The results of a reference, with which those of other graphs and models are compared.

    verification          the tolerances and limits
    feeds                 the values of inputs, by their names in the reference
    expected              the values of the outputs of the reference, by their names
    default_rtol          the relative tolerance if the verification has none
    made_up               the inputs with random values
    old_shapes            by input: the shapes in the reference, if changed graphs may have others
    accepts_differences   whether all finite differences are within the tolerance
    reference             the session of the reference, whose variables the changed graphs have
    """

    verification: Verification
    feeds: Mapping[str, Any] = field(default_factory=dict)
    expected: Mapping[str, Any] = field(default_factory=dict)
    default_rtol: float = RTOL
    made_up: tuple[str, ...] = ()
    old_shapes: Mapping[str, Shape | None] = field(default_factory=dict)
    accepts_differences: bool = False
    reference: Session | None = None

    @property
    def rtol(self) -> float:
        """The relative tolerance."""
        return self.default_rtol if self.verification.rtol is None else self.verification.rtol

    def compare(self, graph: GraphDef, renames: Mapping[TensorName, TensorName] | None = None) -> VerifyReport:
        """Compare the outputs of another graph with those of the reference.

        `renames` maps tensors of the reference to their names in the other graph, where these differ. Raises RunError
        if the graph cannot be run, and UnknownValueError if it has variables that the reference does not have.
        """
        changed = self._changed(graph, renames)
        with telling_of_unknown_values(changed.session):
            return self.report(self.run(changed))

    def begin_again(
        self,
        graph: GraphDef,
        renames: Mapping[TensorName, TensorName],
        outputs: Iterable[str],
        inputs: Iterable[str],
    ) -> Comparison:
        """Return a comparison with a changed graph as the reference. Raises errors as `compare` does."""
        session = self._changed(graph, renames).session
        with telling_of_unknown_values(session):
            begun = self.verification.begin_session(session, outputs, inputs)
        return replace(begun, accepts_differences=self.accepts_differences)

    def _changed(self, graph: GraphDef, renames: Mapping[TensorName, TensorName] | None) -> Renamed:
        if self.reference is None:
            return Renamed(self.verification.session(graph), renames)
        session = ChangedSession(graph, self.reference, renames, seed=self.verification.seed or 0)
        changed = Renamed(session, renames)
        as_plain(changed.session, map(changed.new_name, self.expected), changed.new_names(self.feeds))
        return changed

    def run_reference(self, session: Session, outputs: Iterable[str]) -> dict[str, Any]:
        """Run a reference on the feeds, in parts if its batch is smaller, and return its outputs."""
        fetches = {name: name for name in outputs}
        parts = split_feeds(self.feeds, self.old_shapes)
        return join_outputs([self.verification.run(session, part, fetches) for part in parts])

    def run(self, changed: Renamed, observer: Observer | None = None) -> dict[str, Any]:
        """Run a changed graph on the feeds, and return its outputs by their names in the reference."""
        fetches = {name: changed.new_name(name) for name in self.expected}
        return self.verification.run(changed.session, changed.new_names(self.feeds), fetches, observer)

    def differences(self, values: Mapping[str, Any]) -> list[OutputDifference]:
        """Return the differences of values from those of the reference, by the same names."""
        return [self.difference(name, one, values[name]) for name, one in self.expected.items()]

    def difference(self, name: str, one: Any, other: Any) -> OutputDifference:
        """Return the difference of a value from that of the reference, `one`."""
        row = compare(shortest(name), one, other, rtol=self.rtol, atol=self.verification.atol)
        return replace(row, within=not row.problem) if self.accepts_differences else row

    def report(self, values: Mapping[str, Any]) -> VerifyReport:
        """Return the report of the differences of values from those of the reference, by the same names."""
        return VerifyReport(
            self.differences(values), self.rtol, self.verification.atol, made_up=tuple(map(shortest, self.made_up))
        )

    def accepting_differences(self) -> Comparison:
        """Return a comparison that accepts all finite differences, unless the caller gave a tolerance."""
        has_tolerance = self.verification.rtol is not None or self.verification.atol is not None
        return replace(self, accepts_differences=not has_tolerance)

    def largest_values(
        self, graph: GraphDef, renames: Mapping[TensorName, TensorName] | None = None
    ) -> dict[str, float]:
        """Run a graph on the feeds, and return the largest finite magnitude of the float32 that each node computes.

        `renames` is that of `compare`. Nodes of functions are included by their names there, and fed tensors by those
        of their nodes. Raises RunError if the graph cannot be run.
        """
        largest = LargestValues()
        changed = self._changed(graph, renames)
        for name, value in changed.new_names(self.feeds).items():
            largest.record(node_name(name), [np.asarray(value)])
        self.run(changed, lambda node, inputs, outputs, spent: largest.record(node.name, outputs))
        return largest.by_node


class Renamed:
    """A session of a changed graph, in which tensors may have other names than in the reference.

    `renames` maps tensors of the reference to their names in the changed graph. Arguments and results of the methods
    are named as in the reference.
    """

    def __init__(self, session: Session, renames: Mapping[TensorName, TensorName] | None = None) -> None:
        self.session = session
        self._new = renames or {}
        self._old = {new: old for old, new in self._new.items()}

    def new_name(self, name: str) -> str:
        """Return the name of a tensor in the changed graph."""
        return rename_tensor(name, self._new)

    def new_names(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return values by the names of their tensors in the changed graph."""
        return {self.new_name(name): value for name, value in values.items()}

    @cached_property
    def _nodes(self) -> set[str]:
        return {node.name for node in self.session.graph.node}

    def has(self, name: str) -> bool:
        """Return whether the changed graph has the node of a tensor."""
        return TensorName.parse(self.new_name(name)).node in self._nodes

    def add_needed(
        self, names: Iterable[str], inputs: Iterable[str], outputs: Iterable[str], fed: Iterable[str]
    ) -> list[str]:
        """Return the inputs among `names`, and others to be fed, that the changed graph has, as "node:port"."""
        renamed = ([self.new_name(name) for name in tensors] for tensors in (inputs, outputs, fed))
        own = (rename_tensor(name, self._old) for name in inputs_needed(self.session, *renamed))
        every = dict.fromkeys(TensorName.parse(name).numbered for name in (*names, *own))
        return [name for name in every if self.has(name)]

    def built_in_batch(self, inputs: Iterable[str]) -> int | None:
        """Return the batch size that the changed graph has built in; None if it has none."""
        return built_in_batch(self.session.graph, [self.session.tensor(self.new_name(name), {}) for name in inputs])

    def read_feeds(self, feeds: Mapping[str, Any], how: Verification) -> dict[str, Any]:
        """Return feeds with arrays in place of expressions and files, of the shapes of the changed graph."""
        sources = {name: value for name, value in feeds.items() if isinstance(value, FeedSource)}
        if not sources:
            return dict(feeds)
        fetches = {name: self.new_name(name) for name in sources}
        return {**feeds, **how.run(self.session, self.new_names(sources), fetches)}

    def random_feeds(self, names: Iterable[str], how: Verification) -> dict[str, Any]:
        """Return random values of inputs, of the shapes that they have in the changed graph, and valid as indices.

        Shapes that are not known are likely ones: see `likely_feeds`.
        """
        renamed = {self.new_name(name): name for name in names}
        shapes, facts = self.new_names(how.shapes or {}), self.session.facts
        tensors = {self.session.tensor(name, {}): name for name in renamed if name not in shapes}
        # in graphs of the first versions of TensorFlow, a placeholder may be declared as () although it has a shape
        known = {tensor: input_shape(self.session, tensor) or facts.shapes.get(tensor) for tensor in tensors}
        likely = likely_feeds(facts.index, facts.shapes, known, how.batch_size or 1)
        random = random_feeds(
            self.session,
            renamed,
            shapes={tensors[tensor]: shape for tensor, shape in likely.shapes.items()} | shapes,
            batch_size=how.batch_size,
            seed=how.seed,
            own_names=renamed,
            limits={tensors[tensor]: limit for tensor, limit in likely.limits.items()},
        )
        return {renamed[name]: value for name, value in random.items()}


def begin_comparison(
    verification: Verification,
    reference: Session,
    outputs: Sequence[str],
    inputs: Sequence[str] = (),
    *,
    changed: Renamed | None = None,
    old_shapes: Mapping[str, Shape | None] | None = None,
) -> Comparison:
    """Run the reference on the feeds, and on defaults and random values of the inputs that are not fed.

    If there is one `changed` graph to compare with the reference, its inputs are fed too, and random values have the
    shapes of its inputs. `old_shapes` are those of the inputs in the reference, if the changed graph may have others:
    see `split_feeds`. If the reference fails on random values alone, it is run again with the batch size that the graph
    has built in, or with two.
    """
    sizes, old_shapes = verification.shapes or {}, old_shapes or {}
    given, random_of = dict(verification.feeds or {}), changed or Renamed(reference)
    with verification.watching():
        needed = inputs_needed(reference, inputs, outputs, given)
        if changed is not None:
            needed = changed.add_needed(needed, inputs, outputs, given)
        resized = {reference.tensor(name, {}) for name in (*sizes, *old_shapes)}
        with_defaults = [name for name in needed if reference.tensor(name, {}) not in resized]
        defaults = default_feeds(reference, with_defaults, max_steps=verification.max_steps)
        random = random_of.random_feeds([name for name in needed if name not in defaults], verification)
        sessions = [reference, *([changed.session] if changed is not None else [])]
        check_seed(verification.seed, [*random, *random_names(given)], *sessions)
        feeds = random_of.read_feeds(given, verification) | defaults | random
        default = default_rtol(reference, feeds, outputs) if verification.rtol is None else RTOL
        comparison = Comparison(verification, feeds, {}, default, tuple(random), old_shapes)
        try:
            expected = comparison.run_reference(reference, outputs)
        except RunStopped:
            raise
        except RunError as error:
            if given or old_shapes or sizes or verification.batch_size is not None:
                raise
            try:
                feeds |= _with_other_batch(random_of, random, verification)
            except FeedError:  # no input has an open batch
                raise error from None
            comparison = replace(comparison, feeds=feeds)
            expected = comparison.run_reference(reference, outputs)
    return replace(comparison, expected=expected, reference=reference)


def _with_other_batch(random_of: Renamed, names: Iterable[str], verification: Verification) -> dict[str, Any]:
    """Return random values in the batch size that a graph has built in, or of two, if it is not made for one.

    A batch of one is lost where a Squeeze has no axes, and has no halves where a graph splits it.
    """
    batch_size = random_of.built_in_batch(names) or 2
    return random_of.random_feeds(names, replace(verification, batch_size=batch_size))


def as_plain(session: Session, outputs: Iterable[str], inputs: Iterable[str]) -> Session:
    """Return a session that names tensors and runs first only what fills the tables that the outputs read.

    Keys of the signature may be names of other tensors. Other initializers of the model are not in all changed graphs.
    """
    session.inputs, session.outputs = {}, {}
    fillers = table_fillers(session.graph, map(node_name, outputs), {*map(node_name, inputs)})
    session.initializers = Initializers(session.graph, first_to_run(session.graph, fillers))
    return session


@contextmanager
def telling_of_unknown_values(session: Session) -> Iterator[None]:
    """Raise UnknownValueError in place of the RunError of a variable that the model does not have."""
    try:
        yield
    except RunError as error:
        if isinstance(session, ChangedSession) and session.unknown:
            raise UnknownValueError(session.unknown[0]) from error
        raise
