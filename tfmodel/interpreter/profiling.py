"""Profiling: observers of a run, the time of each node, and an observer that prints nodes and sums up their times."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

import numpy as np

from ..kernels.data_flow.variants import TensorList
from ..messages import NodeDef
from ..values.report import Report
from ..values.terminal import escape

T = TypeVar("T")

READING: Final = NodeDef(op="(reading the checkpoint)")
"""The node, without a name, that observers get when values of a checkpoint are read."""


class Spent(NamedTuple):
    """The seconds that a node took.

    own      without the functions that it calls, and without reading a checkpoint, so that times of nodes can be added
             up
    total    with the functions that it calls, and with reading a checkpoint
    """

    own: float
    total: float


Observer: TypeAlias = "Callable[[NodeDef, Sequence[Any], Sequence[Any], Spent], None]"
"""A function that is called with each node that a kernel computed, its inputs, outputs and time; also with READING."""


class NodeTimer:
    """Measures nodes, which may call functions, and calls an observer for each.

    The time of the observer counts only in the total of a node that calls functions.
    """

    __slots__ = ("_inner", "_observer")

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self._inner = 0.0

    def node(self, node: NodeDef, inputs: Sequence[Any], compute: Callable[[], list[Any]]) -> list[Any]:
        """Compute the outputs of a node, and measure it."""
        return self._time(node, inputs, compute, lambda outputs: outputs)

    def reading(self, read: Callable[[], T]) -> T:
        """Read a value of a checkpoint, and measure that. For the node that needs it, this counts only in `total`."""
        return self._time(READING, (), read, lambda value: ())

    def _time(
        self, node: NodeDef, inputs: Sequence[Any], compute: Callable[[], T], outputs: Callable[[T], Sequence[Any]]
    ) -> T:
        outside, self._inner = self._inner, 0.0
        start = time.perf_counter()
        try:
            result = compute()
            total = time.perf_counter() - start
            self._observer(node, inputs, outputs(result), Spent(total - self._inner, total))
            return result
        finally:
            self._inner = outside + time.perf_counter() - start


class LargestValues:
    """The largest finite magnitude of the float32 that each node computes, by the name of the node."""

    def __init__(self) -> None:
        self.by_node: dict[str, float] = {}

    def record(self, node: str, values: Iterable[Any]) -> None:
        for value in values:
            if isinstance(value, np.ndarray) and value.dtype == np.float32 and value.size:
                magnitudes = np.abs(value)
                top = float(magnitudes.max(initial=0, where=np.isfinite(magnitudes)))
                self.by_node[node] = max(self.by_node.get(node, 0.0), top)


MAX_ROWS = 10
MAX_ELEMENTS_SHOWN = 8


@dataclass(frozen=True, slots=True)
class OpTime:
    """The seconds that all nodes of an op took, without the functions that they called, and the number of runs."""

    op: str
    seconds: float
    runs: int


@dataclass(frozen=True, slots=True)
class NodeTime:
    """The seconds that a node took in all of its runs, without the functions that it called."""

    node: str
    op: str
    seconds: float


@dataclass(frozen=True, slots=True, repr=False)
class Profile(Report):
    """The time of a run by op and node, slowest first.

    The times of `ops`, `reading` (of the checkpoint) and `between` (the interpreter itself) add up to `seconds`.
    """

    seconds: float
    ops: list[OpTime]
    nodes: list[NodeTime]
    reading: float
    between: float

    def to_text(self) -> str:
        """Return the slowest ops, with shares that add up to 100 %, and the slowest nodes."""
        lines = [f"{self.seconds * 1e3:,.1f} ms in all", "", f"{'ms':>10}  {'share':>6}  {'runs':>6}  op"]
        lines += [self._row(row.seconds, row.runs, row.op) for row in self.ops[:MAX_ROWS]]
        others = self.ops[MAX_ROWS:]
        if others:
            what = f"({len(others):,} other op{'s' * (len(others) > 1)})"
            lines.append(self._row(sum(row.seconds for row in others), sum(row.runs for row in others), what))
        if self.reading:
            lines.append(self._row(self.reading, None, READING.op))
        lines.append(self._row(self.between, None, "(between nodes)"))
        lines += ["", f"{'ms':>10}  node"]
        for row in self.nodes[:MAX_ROWS]:
            lines.append(f"{row.seconds * 1e3:10,.1f}  {escape(row.node)} ({escape(row.op)})")
        return "\n".join(lines)

    def _row(self, seconds: float, runs: int | None, what: str) -> str:
        share = seconds / self.seconds if self.seconds else 0
        count = "" if runs is None else f"{runs:,}"
        return f"{seconds * 1e3:10,.1f}  {share:6.1%}  {count:>6}  {escape(what)}"

    def as_dict(self) -> dict[str, Any]:
        """Return the data for JSON: all ops and nodes, with seconds."""
        return asdict(self)


class Trace:
    """An observer that sums up the times of nodes. `print_line` is called with a line for each node that has run.

    trace = Trace(print)
    session.run(feeds, fetches, observer=trace)
    print(trace.profile().to_text())
    """

    def __init__(self, print_line: Callable[[str], None] | None = None) -> None:
        self._print = print_line
        self._seconds: defaultdict[tuple[str, str], float] = defaultdict(float)
        self._runs: Counter[str] = Counter()
        self._reading = 0.0

    def __call__(self, node: NodeDef, inputs: Sequence[Any], outputs: Sequence[Any], spent: Spent) -> None:
        if node is READING:
            self._reading += spent.own
        else:
            self._seconds[node.name, node.op] += spent.own
            self._runs[node.op] += 1
        if self._print is not None:
            what = "; ".join(map(describe_value, outputs)) or "nothing"
            self._print(f"{escape(node.name)}  {escape(node.op)}  {_milliseconds(spent)}  {what}".lstrip())

    def profile(self, total: float | None = None) -> Profile:
        """Return the profile. `total` is the measured time of the run in seconds; default: the sum of all times."""
        ops: defaultdict[str, float] = defaultdict(float)
        for (_, op), seconds in self._seconds.items():
            ops[op] += seconds
        measured = sum(ops.values()) + self._reading
        total = measured if total is None else total
        return Profile(
            total,
            sorted((OpTime(op, seconds, self._runs[op]) for op, seconds in ops.items()), key=_negative_seconds),
            sorted((NodeTime(*key, seconds) for key, seconds in self._seconds.items()), key=_negative_seconds),
            self._reading,
            max(total - measured, 0.0),
        )


def _negative_seconds(row: OpTime | NodeTime) -> float:
    return -row.seconds


def _milliseconds(spent: Spent) -> str:
    """Return the own time of a node as text, and its total time if that is longer."""
    inner = f" ({spent.total * 1e3:.3f} ms with what it calls)" if spent.total - spent.own > 1e-6 else ""
    return f"{spent.own * 1e3:.3f} ms{inner}"


def type_of(value: Any) -> str:
    """Return the type of an output: "string", a name of NumPy, or that of a value that is not a tensor."""
    if isinstance(value, np.ndarray | np.generic):
        return "string" if value.dtype.kind == "O" else str(value.dtype.name)
    if value is None:
        return "done"
    return "variant" if isinstance(value, TensorList) else "resource"


def describe_value(value: Any) -> str:
    """Return a tensor as one line: type, shape, and its elements if there are at most 8, otherwise their range."""
    if not isinstance(value, np.ndarray):
        return type_of(value)
    text = f"{type_of(value)}[{','.join(map(str, value.shape))}]"
    if value.size <= MAX_ELEMENTS_SHOWN:
        return f"{text} = {_elements(value)}"
    return text + _range(value)


def _elements(value: Any) -> str:
    if value.dtype == object:
        return escape(str(value.tolist()))
    return " ".join(np.array2string(value, precision=6, separator=", ", max_line_width=10_000).split())


def _range(value: Any) -> str:
    if value.dtype.kind == "b":
        return f", {int(value.sum()):,} true"
    if value.dtype.kind not in "fiu":
        return ""
    finite = value[np.isfinite(value)] if value.dtype.kind == "f" else value
    if not finite.size:
        return ", nothing finite"
    not_finite = value.size - finite.size
    return f" from {finite.min():.6g} to {finite.max():.6g}" + (f", {not_finite:,} not finite" if not_finite else "")
