"""Whether two graphs compute the same: both are run on the same feeds, and what they give is compared.

    report = verify("before.pb", "after.pb", {"x": array}, ["y:0"])
    assert report.same, report.to_text()

A float may differ from that of the first graph by `rtol` times the largest magnitude in its tensor: sums that are made
in another order differ by that, whatever single elements cancel out to. Without `rtol` that is 1e-4, and more where the
first graph computes in half precision: see `precision`. `atol` may be added; without it, 1e-6 is allowed where nothing
but zeros is expected (or less than the smallest normal number), of which there is no share. All else must be equal.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..errors import GraphError, RunError
from ..graph.error_text import TRY_FEEDS
from ..io.terminal import printable
from ..messages import GraphDef, NodeDef
from ..parameters.zero_weights import zero_weights
from ..source import CheckpointSource, Given, Tags, source_pair
from .comparison import ATOL, RTOL, usual_rtol
from .feeds import check_seed, default_feeds, inputs_needed, random_feeds
from .profiling import Spent
from .session import MOST_STEPS, Session

__all__ = [
    "ATOL",
    "RTOL",
    "OutputDifference",
    "Verification",
    "VerifyReport",
    "check_tolerances",
    "compare",
    "first_difference",
    "naming_model",
    "session_pair",
    "verify",
    "verify_sessions",
]


@dataclass(frozen=True, slots=True)
class OutputDifference:
    """How one output of two graphs differs.

    absolute    the largest difference of two elements
    relative    that, divided by the largest magnitude in the first graph's tensor
    top1        of floats with at least two dimensions, in how many rows the largest element is the same one: a share
    problem     what makes them incomparable: types, shapes, strings; empty if nothing does
    within      whether the difference is in the tolerance
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    absolute: float = 0.0
    relative: float = 0.0
    top1: float | None = None
    problem: str = ""
    within: bool = True


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """How the outputs of two graphs differ; `first` is the first node of the same name that does, if it was looked for.

    `rtol` is what was allowed; `atol` is None where only what should be zero was allowed for. Where several feeds were
    tried, an output has the largest difference of all. `made_up` has the inputs that had random values: differences on
    these are often much smaller than on real inputs. `zero_weights` says for each model whose weights were probably
    stripped that they are zero, so that equal outputs mean little.
    """

    outputs: list[OutputDifference]
    rtol: float
    atol: float | None = None
    first: str = ""
    feeds: int = field(default=1)
    made_up: tuple[str, ...] = ()
    zero_weights: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        return all(each.within for each in self.outputs)

    @property
    def summary(self) -> str:
        """All of it in a few words."""
        worst = max(self.outputs, key=lambda each: (not each.within, each.relative), default=None)
        if worst is None or (worst.within and not worst.absolute):
            return f"outputs equal{self._inputs(is_equal=True)}"
        if not worst.within:
            return _line(worst) + self._inputs(is_equal=False)
        return f"outputs differ by {worst.relative:.2g} of the largest at most{self._inputs(is_equal=False)}"

    def _inputs(self, *, is_equal: bool) -> str:
        """What to add to a line about an output if inputs were made up."""
        if not self.made_up:
            return ""
        return " on random inputs" if is_equal else f" (on random inputs; {TRY_FEEDS})"

    def to_text(self) -> str:
        """A line for each output."""
        lines = [_line(each) + self._inputs(is_equal=_is_equal(each)) for each in self.outputs]
        if self.first:
            lines.append(f"they part at {printable(self.first)}")
        return "\n".join(lines)

    def to_json(self) -> str:
        rows = [{slot: getattr(each, slot) for slot in OutputDifference.__slots__} for each in self.outputs]
        whole: dict[str, Any] = {"same": self.same, "rtol": self.rtol, "atol": self.atol, "feeds": self.feeds}
        whole |= {"made_up": list(self.made_up), "zero_weights": list(self.zero_weights), "outputs": rows}
        return json.dumps(whole | ({"first": self.first} if self.first else {}), indent=2)


def _is_equal(output: OutputDifference) -> bool:
    return not output.absolute and not output.problem


def _line(output: OutputDifference) -> str:
    what = f"{printable(output.name)}: {output.dtype}[{','.join(map(str, output.shape))}]"
    if output.problem:
        return f"{what}: {output.problem}"
    if not output.absolute:
        return f"{what}: equal"
    top1 = f", top-1 agrees in {output.top1:.2%}" if output.top1 is not None else ""
    verdict = "" if output.within else ", which is too much"
    return f"{what}: differs by {output.absolute:.3g} at most, {output.relative:.3g} of the largest{top1}{verdict}"


class Verification:
    """Whether one graph after another computes what the first did: what `transform(..., verify=...)` asks after a step.

        verification = Verification({"x": array}, rtol=1e-5)
        verification.begin(graph, ["y:0"])
        report = verification.compare(changed_graph)

    What is not fed is made up: the inputs that are declared, whatever they are, and Placeholders, as far as the outputs
    need them. A PlaceholderWithDefault takes its default; for others, see `random_feeds`. Tolerances that are not given
    are as above. A run that takes more than `max_steps` is stopped: RunError.
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
        max_steps: int | None = MOST_STEPS,
    ) -> None:
        check_tolerances(rtol, atol)
        self._max_steps = max_steps
        self._given = dict(feeds or {})
        self._rtol, self._atol = rtol, atol
        self._shapes = dict(shapes or {})
        self._batch_size, self._seed = batch_size, seed
        self._limit = RTOL
        self._feeds: dict[str, Any] = {}
        self._made_up: list[str] = []
        self._outputs: list[str] = []
        self._values: dict[str, Any] = {}

    def begin(self, graph: GraphDef, outputs: Iterable[str], inputs: Iterable[str] = ()) -> None:
        """Run the graph that is right. Raises RunError if it cannot be run, or if there are no outputs to compare."""
        self._outputs = list(outputs)
        if not self._outputs:
            raise RunError("to verify a graph is to compare its outputs: name some")
        session = self._session(graph)
        needed = inputs_needed(session, inputs, self._outputs, self._given)
        sized = {session.tensor(name, {}) for name in self._shapes}
        with_defaults = (name for name in needed if session.tensor(name, {}) not in sized)
        feeds = default_feeds(session, with_defaults, max_steps=self._max_steps)
        missing = [name for name in needed if name not in feeds]
        made = random_feeds(session, missing, shapes=self._shapes, batch_size=self._batch_size, seed=self._seed)
        check_seed(self._seed, made, session)
        feeds |= self._given | made
        self._feeds, self._made_up = feeds, sorted(made)
        self._limit = usual_rtol(session, feeds, self._outputs) if self._rtol is None else self._rtol
        self._values = session.run(feeds, self._outputs, max_steps=self._max_steps)

    def compare(self, graph: GraphDef) -> VerifyReport:
        """How what another graph computes differs. Raises RunError if it cannot be run."""
        values = self._session(graph).run(self._feeds, self._outputs, max_steps=self._max_steps)
        pairs = ((name, one, values[name]) for name, one in self._values.items())
        rows = [compare(*pair, rtol=self._limit, atol=self._atol) for pair in pairs]
        return VerifyReport(rows, self._limit, self._atol, made_up=tuple(self._made_up))

    def _session(self, graph: GraphDef) -> Session:
        return Session(graph, seed=self._seed or 0, log=_silent)


def check_tolerances(rtol: float | None, atol: float | None = None) -> None:
    """Raise ValueError for what is no tolerance: with NaN, numbers would differ from themselves."""
    if not all(each is None or 0 <= each < math.inf for each in (rtol, atol)):
        raise ValueError(f"tolerances are finite and not negative, not rtol={rtol!r}, atol={atol!r}")


def verify(
    a: Given,
    b: Given,
    feeds: Mapping[str, Any] | Iterable[Mapping[str, Any]],
    outputs: str | Iterable[str] | None = None,
    *,
    rtol: float | None = None,
    atol: float | None = None,
    checkpoint: CheckpointSource = None,
    signature: str | None = None,
    tags: Tags = None,
    bisect: bool = False,
    max_steps: int | None = None,
    max_bytes: int | None = None,
) -> VerifyReport:
    """How what two models compute from the same feeds differs.

    `feeds` are those of one run, or of several. `outputs` are tensors, or those of the signature. Floats may differ by
    `rtol` of the largest in the tensor (1e-4, and more if the first model computes in half precision), and by `atol` (0
    unless all is zero). `checkpoint`, `signature` and `tags` are for whichever of the two has a use for them. With
    `bisect` a difference is followed back to the first node that both have which differs. `max_steps` and `max_bytes`
    limit each run of each model, as those of `run` do. Raises RunError and GraphError of `run`.
    """
    runs = [feeds] if isinstance(feeds, Mapping) else list(feeds)
    names = [outputs] if isinstance(outputs, str) else None if outputs is None else list(outputs)
    first, second = session_pair(a, b, checkpoint=checkpoint, signature=signature, tags=tags)
    return verify_sessions(
        first, second, runs, names, rtol=rtol, atol=atol, bisect=bisect, max_steps=max_steps, max_bytes=max_bytes
    )


def session_pair(
    a: Given,
    b: Given,
    *,
    checkpoint: CheckpointSource = None,
    signature: str | None = None,
    tags: Tags = None,
    seed: int = 0,
) -> tuple[Session, Session]:
    """Open two models that are to be compared.

    `tags` are for those that are SavedModels, `signature` for those with signatures and `checkpoint` for those with
    variables. Raises FileFormatError or RunError for one of these that neither model has a use for, and what Session
    raises.
    """
    sources = source_pair(a, b, tags=tags)
    signed = [source.has_signatures for source in sources]
    restoring = [source.takes_checkpoint for source in sources]
    first, second = (
        Session(
            source,
            checkpoint=checkpoint if restores or not any(restoring) else None,
            signature=signature if has_some or not any(signed) else None,
            seed=seed,
            log=_silent,
        )
        for source, has_some, restores in zip(sources, signed, restoring, strict=True)
    )
    return first, second


def verify_sessions(
    first: Session,
    second: Session,
    runs: Sequence[Mapping[str, Any]],
    names: Iterable[str] | None = None,
    *,
    rtol: float | None = None,
    atol: float | None = None,
    bisect: bool = False,
    max_steps: int | None = None,
    max_bytes: int | None = None,
    made_up: Sequence[str] = (),
) -> VerifyReport:
    """The same for models that are open already; `made_up` names the feeds that are random."""
    check_tolerances(rtol, atol)
    limits: dict[str, Any] = {"max_steps": max_steps, "max_bytes": max_bytes}
    names = list(first.outputs or second.outputs) if names is None else list(names)
    if not names or not runs:
        raise RunError(f"nothing would be compared: there are no {'feeds' if names else 'outputs'}, name some")
    rtol = usual_rtol(first, runs[0], names) if rtol is None else rtol
    found: dict[str, list[OutputDifference]] = {}
    for feed in runs:
        with naming_model(first, "the first model"):
            one = first.run(feed, names, **limits)
        with naming_model(second, "the second model"):
            other = second.run(feed, names, **limits)
        for name, value in one.items():
            found.setdefault(name, []).append(compare(name, value, other[name], rtol=rtol, atol=atol))
    report = VerifyReport(
        list(map(_worst, found.values())),
        rtol,
        atol,
        feeds=len(runs),
        made_up=tuple(made_up),
        zero_weights=tuple(dict.fromkeys(_zeros(first, "the first model") + _zeros(second, "the second model"))),
    )
    if report.same or not bisect:
        return report
    parting = first_difference(first, second, runs[0], names, rtol=rtol, atol=atol, **limits)
    return replace(report, first=parting)


def _zeros(session: Session, name: str) -> list[str]:
    """What to say if the weights of a model are zero. `name` is what it is called if it is not from a file."""
    zeros = zero_weights(session.graph)
    return [f"{_called(session, name)}: {zeros}"] if zeros else []


@contextmanager
def naming_model(session: Session, name: str = "the model") -> Iterator[None]:
    """Let an error in a run say which of two models it is about; `name` is for one that is not from a file."""
    try:
        yield
    except (GraphError, RunError) as error:
        raise type(error)(f"{_called(session, name)}: {error}") from error


def _called(session: Session, name: str) -> str:
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
    """The first node, in the order in which the first session runs them, whose tensors differ from those of the node of
    its name in the second; "" if there is none. All tensors of a run are kept meanwhile."""
    names = None if outputs is None else list(outputs)
    limit = usual_rtol(first, feeds, first.outputs if names is None else names) if rtol is None else rtol
    known: dict[str, list[Any]] = {}

    def keep(node: NodeDef, inputs: Any, values: Any, spent: Spent) -> None:
        known.setdefault(node.name, list(values))

    second.run(feeds, names, max_steps=max_steps, max_bytes=max_bytes, observer=keep)
    parting: list[str] = []

    def look(node: NodeDef, inputs: Any, values: Any, spent: Spent) -> None:
        others = known.pop(node.name, None)
        if parting or others is None or len(others) != len(values):
            return
        if not all(
            compare(node.name, one, other, rtol=limit, atol=atol).within
            for one, other in zip(values, others, strict=True)
            if isinstance(one, np.ndarray)
        ):
            parting.append(node.name)

    first.run(feeds, names, max_steps=max_steps, max_bytes=max_bytes, observer=look)
    return parting[0] if parting else ""


def _silent(text: str) -> None:
    """What a model prints is of no interest here."""


def compare(name: str, one: Any, other: Any, *, rtol: float = RTOL, atol: float | None = None) -> OutputDifference:
    """How one tensor differs from another; without `atol`, 1e-6 is allowed where all of the first is zero."""
    if not isinstance(one, np.ndarray) or not isinstance(other, np.ndarray):
        problem = "" if one is other or type(one) is type(other) else "only one of them is a tensor"
        return OutputDifference(name, type(one).__name__, (), problem=problem, within=not problem)
    problem = _mismatch(one, other)
    if problem:
        return OutputDifference(name, one.dtype.name, one.shape, problem=problem, within=False)
    if one.dtype.kind not in "fciu" or not one.size:
        same = bool(np.array_equal(one, other))
        problem = "" if same else f"{int((one != other).sum())} of {one.size} elements differ"
        return OutputDifference(name, one.dtype.name, one.shape, problem=problem, within=same)
    return _distance(name, one, other, rtol, atol)


def _mismatch(one: Any, other: Any) -> str:
    if one.dtype != other.dtype:
        return f"the other one is {other.dtype.name}"
    if one.shape != other.shape:
        return f"the other one has shape [{','.join(map(str, other.shape))}]"
    return ""


def _distance(name: str, one: Any, other: Any, rtol: float, atol: float | None) -> OutputDifference:
    wide = np.complex128 if one.dtype.kind == "c" else np.float64
    x, y = one.astype(wide), other.astype(wide)
    with np.errstate(all="ignore"):
        apart = np.asarray(np.abs(x - y))
        apart[(x == y) | (np.isnan(x) & np.isnan(y))] = 0
        if np.isnan(apart).any() or np.isinf(apart).any():
            wrong = int((~np.isfinite(apart)).sum())
            problem = f"{wrong} of {one.size} elements are not finite in one of them only"
            return OutputDifference(name, one.dtype.name, one.shape, problem=problem, within=False)
        finite = np.abs(x[np.isfinite(x)])
    largest = float(finite.max()) if finite.size else 0.0
    absolute = float(apart.max())
    relative = absolute / largest if largest else float(absolute > 0)
    exact = one.dtype.kind in "iu"
    if atol is None:
        atol = 0.0 if exact or largest >= np.finfo(one.dtype).tiny else ATOL
    within = absolute == 0 if exact else absolute <= atol + rtol * largest
    return OutputDifference(name, one.dtype.name, one.shape, absolute, relative, _top1(one, other), "", within)


def _top1(one: Any, other: Any) -> float | None:
    if one.ndim < 2 or one.dtype.kind != "f" or one.shape[-1] < 2:
        return None
    return float((one.argmax(-1) == other.argmax(-1)).mean())


def _worst(runs: list[OutputDifference]) -> OutputDifference:
    """The worst of several runs; how often the largest element agrees is the mean of all."""
    shares = [each.top1 for each in runs if each.top1 is not None]
    worst = max(runs, key=lambda each: (not each.within, bool(each.problem), each.absolute))
    return replace(worst, top1=sum(shares) / len(shares)) if shares else worst
