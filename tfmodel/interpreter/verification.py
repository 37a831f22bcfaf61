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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from ..errors import GraphError, ModelError, RunError
from ..graph.error_text import GIVE_SHAPE, TRY_FEEDS, quote
from ..io.files import naming_damage
from ..io.terminal import escape
from ..messages import DataType, GraphDef, NodeDef
from ..names import TensorName, node_name, rename_tensor
from ..parameters.zero_weights import zero_weights
from ..source import CheckpointSource, Given, ModelSource, Tags, source_pair, tensors_of
from .comparison import RTOL, OutputDifference, check_tolerances, compare, default_rtol
from .correspondence import GIVEN, Correspondence, TensorPair, match_models
from .feed_sources import random_names
from .feeds import check_seed, default_feeds, input_shape, inputs_needed, random_feeds
from .profiling import LargestValues, Spent
from .session import MAX_CHECK_STEPS, Session

__all__ = [
    "Matched",
    "Pair",
    "Verification",
    "VerifyReport",
    "first_difference",
    "naming_model",
    "verify",
    "verify_sessions",
]


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
        return f"outputs differ by {worst.relative:.2g} of the largest at most{self._inputs(is_equal=False)}"

    def _inputs(self, *, is_equal: bool) -> str:
        """Return the note about random inputs for a line about an output."""
        if not self.made_up:
            return ""
        return " on random inputs" if is_equal else f" (on random inputs; {TRY_FEEDS})"

    def to_text(self) -> str:
        """Return a line for each matched input and output, and one for each comparison."""
        lines = [pair.to_text() for pair in self.pairs]
        lines += [output.to_text() + self._inputs(is_equal=_is_equal(output)) for output in self.outputs]
        if self.first:
            lines.append(f"the first node that differs is {escape(self.first)}")
        return "\n".join(lines)

    def to_json(self) -> str:
        rows = [{slot: getattr(output, slot) for slot in OutputDifference.__slots__} for output in self.outputs]
        document: dict[str, Any] = {"same": self.same, "rtol": self.rtol, "atol": self.atol, "feeds": self.feeds}
        document |= {"made_up": list(self.made_up), "zero_weights": list(self.zero_weights), "outputs": rows}
        document |= {"pairs": [asdict(pair) for pair in self.pairs], "notes": list(self.notes)}
        return json.dumps(document | ({"first": self.first} if self.first else {}), indent=2)


def _is_equal(output: OutputDifference) -> bool:
    return not output.absolute and not output.problem


class Verification:
    """A comparison of changed graphs with a first one; `transform(..., verify=...)` compares after each step.

        verification = Verification({"x": array}, rtol=1e-5)
        verification.begin(graph, ["y:0"])
        report = verification.compare(changed_graph)

    Inputs that the outputs need and that are not fed get random values: declared inputs of any op, and Placeholders. A
    PlaceholderWithDefault that is not in `shapes` gets its default; for others, see `random_feeds`. The default
    tolerances are those of `verify`. A run of more than `max_steps` steps raises RunError.

    With `compares=False`, `transform` compares nothing: the feeds are only for transforms that look at values, such as
    `convert_float16(keep_overflow=true)`.
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
    ) -> None:
        check_tolerances(rtol, atol)
        self._max_steps = max_steps
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
            raise RunError("there are no outputs to compare: name some")
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
        if self._accepts_differences:
            rows = [replace(row, within=not row.problem) for row in rows]
        return VerifyReport(rows, self._limit, self._atol, made_up=tuple(self._made_up))

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
        return Session(graph, seed=self._seed or 0, log=_silent)


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


@dataclass(frozen=True, slots=True)
class Matched:
    """Two open models with the inputs and outputs that correspond to each other."""

    first: Session
    second: Session
    correspondence: Correspondence

    def generate_inputs(
        self,
        fed: Iterable[str] = (),
        *,
        shapes: Mapping[str, Sequence[int]] | None = None,
        batch_size: int | None = None,
        seed: int | None = None,
        max_bytes: int | None = None,
    ) -> tuple[dict[str, Any], list[str]]:
        """Return random values of the inputs that are not in `fed`, and notes on shapes that are not known.

        If one model leaves a dimension open, the size in the other model is taken. An input of unknown rank gets the
        shape [1]; with a `batch_size`, it raises RunError. Also raises the errors of `random_feeds`.
        """
        pairs = self.correspondence.unfed(fed)
        by_name = {pair.name: pair.first for pair in pairs}
        sizes = {by_name.get(name, name): shape for name, shape in (shapes or {}).items()}
        known = {self.first.tensor(name, self.first.inputs) for name in sizes}
        notes = []
        for pair in pairs:
            tensor = self.first.tensor(pair.first, self.first.inputs)
            if tensor in known:
                continue
            shape = self._shape(pair, batch_size)
            if shape is None:
                shape = (1 if batch_size is None else batch_size,)
                if batch_size is not None or self._is_string(pair):
                    continue
                notes.append(f"the shape of {quote(pair.name)} is not known: {GIVE_SHAPE}; [1] is used")
            if None not in shape:
                sizes[pair.first] = [size for size in shape if size is not None]
        with naming_model(self.first, "the first model"):
            random = random_feeds(
                self.first,
                [pair.first for pair in pairs],
                shapes=sizes,
                batch_size=batch_size,
                seed=seed,
                max_bytes=max_bytes,
            )
        return {pair.name: random[pair.first] for pair in pairs}, notes

    def _is_string(self, pair: TensorPair) -> bool:
        tensor = self.first.tensor(pair.first, self.first.inputs)
        types = self.first.types_of(self.first.node(tensor)) or ()
        return tensor.port < len(types) and types[tensor.port] == DataType.DT_STRING

    def _shape(self, pair: TensorPair, batch_size: int | None) -> Sequence[int | None] | None:
        """Return the shape of an input as far as one of the models knows it; None for an unknown rank."""
        shape = input_shape(self.first, self.first.tensor(pair.first, self.first.inputs))
        if not pair.second or (shape is not None and None not in shape):
            return shape
        other = input_shape(self.second, self.second.tensor(pair.second, self.second.inputs))
        if shape is None or other is None or len(shape) != len(other):
            shape = other if shape is None else shape
        else:
            shape = tuple(size if size is not None else also for size, also in zip(shape, other, strict=True))
        if shape and shape[0] is None:
            return (1 if batch_size is None else batch_size, *shape[1:])
        return shape


class Pair:
    """Two models to compare.

    `tags` are for SavedModels, `signature` is for models with signatures and `checkpoint` for models with variables.
    Raises FileFormatError and OSError for models that cannot be read, and FileFormatError for `tags` if neither is a
    SavedModel. `match` raises ModelError for other options that neither model can use.
    """

    def __init__(
        self,
        a: Given,
        b: Given,
        *,
        checkpoint: CheckpointSource = None,
        signature: str | None = None,
        tags: Tags = None,
        seed: int = 0,
    ) -> None:
        sources = source_pair(a, b, tags=tags)
        have_signatures = [source.has_signatures for source in sources]
        take_checkpoint = [source.takes_checkpoint for source in sources]
        self._seed = seed
        self._sources = [
            ModelSource.of(
                source,
                checkpoint=checkpoint if takes_checkpoint or not any(take_checkpoint) else None,
                signature=signature if has_signatures or not any(have_signatures) else None,
            )
            for source, has_signatures, takes_checkpoint in zip(sources, have_signatures, take_checkpoint, strict=True)
        ]
        if signature is None and have_signatures.count(True) == 1:
            number = have_signatures.index(True)
            name = _only_fitting_signature(self._sources[number], self._sources[1 - number])
            self._sources[number] = ModelSource.of(self._sources[number], signature=name)

    def _sessions(self, *bindings: Mapping[str, Any]) -> tuple[Session, Session]:
        first, second = (
            Session(source, bind=values, seed=self._seed, log=_silent)
            for source, values in zip(self._sources, bindings, strict=True)
        )
        return first, second

    def match(
        self,
        outputs: Iterable[str] | Mapping[str, str] | None = None,
        inputs: Iterable[str] | Mapping[str, str] | None = None,
        fed: Iterable[str] = (),
        *,
        bind: Mapping[str, Any] | None = None,
    ) -> Matched:
        """Open both models and match their inputs and outputs: see `match_models`.

        Each model gets the bindings of tensors that it has. If an input is bound in one model only, the corresponding
        input of the other model is bound too. Raises RunError for a binding of a tensor that neither model has.
        """
        with naming_damage(*(source.file for source in self._sources)):
            return self._match(outputs, inputs, fed, bind or {})

    def _match(
        self,
        outputs: Iterable[str] | Mapping[str, str] | None,
        inputs: Iterable[str] | Mapping[str, str] | None,
        fed: Iterable[str],
        bind: Mapping[str, Any],
    ) -> Matched:
        first, second = self._sessions({}, {})
        if not bind:
            return Matched(first, second, match_models(first, second, outputs, inputs, fed))
        bound = [
            {name: tensor for name in bind if (tensor := _find_tensor(session, name)) is not None}
            for session in (first, second)
        ]
        for name in bind:
            if name not in bound[0] and name not in bound[1]:
                raise RunError(f"neither model has a tensor {quote(name)} that could be bound")
        optional = [{tensor.numbered for tensor in tensors.values()} for tensors in bound]
        matched = match_models(first, second, outputs, inputs, fed, optional=optional[0] | optional[1])
        kept = []
        for pair in matched.inputs:
            ends = [_find_tensor(session, name) for session, name in ((first, pair.first), (second, pair.second))]
            names = [
                next((name for name, tensor in tensors.items() if tensor == end), None)
                for end, tensors in zip(ends, bound, strict=True)
            ]
            if names == [None, None]:
                kept.append(pair)
                continue
            bound_name = names[0] or names[1] or ""
            for end, own_name, tensors in zip(ends, names, bound, strict=True):
                if end is not None and own_name is None:
                    tensors[bound_name] = end
        sessions = self._sessions(*({t.numbered: bind[name] for name, t in tensors.items()} for tensors in bound))
        rows = []
        for name in bind:
            spellings = [str(tensors[name]) if name in tensors else "" for tensors in bound]
            rows.append(TensorPair("bound", name, spellings[0], spellings[1], GIVEN))
        return Matched(*sessions, Correspondence(kept, matched.outputs, rows))


def _only_fitting_signature(source: ModelSource, other: ModelSource) -> str | None:
    """Return the only signature whose outputs are nodes without consumers in `other`, a graph without signatures.

    Return None if the model has a default signature, or if not exactly one fits.
    """
    try:
        source.signature()
    except ModelError:
        assert source.meta is not None
        signatures = source.meta.signature_def
    else:
        return None
    used = {name for node in other.graph.node for name in map(node_name, node.input)}
    ends = {node.name for node in other.graph.node} - used
    fitting = [
        key
        for key, signature in signatures.items()
        if signature.outputs and {node_name(name) for name in tensors_of(signature.outputs)} <= ends
    ]
    return fitting[0] if len(fitting) == 1 else None


def _find_tensor(session: Session, name: str) -> TensorName | None:
    """Return the tensor of a name or key; None if the model does not have it."""
    try:
        return session.tensor(name, session.inputs) if name else None
    except GraphError:
        return None


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
    limits: dict[str, Any] = {"max_steps": max_steps, "max_bytes": max_bytes}
    first, second, correspondence = models.first, models.second, models.correspondence
    outputs = correspondence.outputs
    if not outputs or not runs:
        raise RunError(f"there is nothing to compare: there are no {'feeds' if outputs else 'outputs'}, name some")
    fetches, other_fetches = [pair.first for pair in outputs], [pair.second for pair in outputs]
    feeds = [correspondence.feeds(feed) for feed in runs]
    with naming_model(first, "the first model"):
        rtol = default_rtol(first, feeds[0][0], fetches) if rtol is None else rtol
    differences: dict[str, list[OutputDifference]] = {}
    for feed, other_feed in feeds:
        try:
            with naming_model(first, "the first model"):
                values = first.run(feed, fetches, **limits)
        except RunError as error:
            raise (RunError(f"{error}; {'; '.join(notes)}") if notes else error) from error
        with naming_model(second, "the second model"):
            other_values = second.run(other_feed, other_fetches, **limits)
        for pair in outputs:
            difference = compare(pair.name, values[pair.first], other_values[pair.second], rtol=rtol, atol=atol)
            differences.setdefault(pair.name, []).append(difference)
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
        pairs=correspondence.pairs,
        notes=tuple(notes),
    )
    if report.same or not bisect:
        return report
    node_name = _first_difference(
        first,
        second,
        feeds[0],
        (fetches, other_fetches),
        rtol=rtol,
        atol=atol,
        max_steps=max_steps,
        max_bytes=max_bytes,
    )
    return replace(report, first=node_name)


def _zero_weight_warnings(session: Session, name: str) -> list[str]:
    """Return a warning if the weights of a model are zero. `name` is the name of a model without a file."""
    zeros = zero_weights(session.graph)
    return [f"{_model_name(session, name)}: {zeros}"] if zeros else []


@contextmanager
def naming_model(session: Session, name: str = "the model") -> Iterator[None]:
    """Add the name of the model to errors of a run. `name` is the name of a model without a file."""
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


def _silent(text: str) -> None:
    """Ignore the text that a model prints."""


def _worst(runs: list[OutputDifference]) -> OutputDifference:
    """Return the worst of the differences of several runs, with the mean of `top1`."""
    shares = [run_result.top1 for run_result in runs if run_result.top1 is not None]
    worst = max(runs, key=lambda run_result: (not run_result.within, bool(run_result.problem), run_result.absolute))
    return replace(worst, top1=sum(shares) / len(shares)) if shares else worst
