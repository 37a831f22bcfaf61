"""What happened in a run: an observer that prints a line for each node, and knows which took longest."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from heapq import nlargest
from operator import itemgetter
from typing import Any

import numpy as np

from ..messages import NodeDef
from ..printable import printable

__all__ = ["Trace", "described"]

_SLOWEST = 10
_MOST_SHOWN = 8


class Trace:
    """An observer of a run. `print_line` gets a line for every node as it is done.

        trace = Trace(print)
        session.run(feeds, fetches, observer=trace)
        print(trace.profile())
    """

    def __init__(self, print_line: Callable[[str], None] | None = None) -> None:
        self._print = print_line
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._ops: defaultdict[str, float] = defaultdict(float)
        self._counts: Counter[str] = Counter()
        self._op_of: dict[str, str] = {}

    def __call__(self, node: NodeDef, inputs: Sequence[Any], outputs: Sequence[Any], seconds: float) -> None:
        self._seconds[node.name] += seconds
        self._ops[node.op] += seconds
        self._counts[node.op] += 1
        self._op_of[node.name] = node.op
        if self._print is not None:
            what = "; ".join(map(described, outputs)) or "nothing"
            self._print(f"{printable(node.name)}  {printable(node.op)}  {seconds * 1e3:.3f} ms  {what}")

    def profile(self, total: float | None = None) -> str:
        """The ops and the nodes that took longest. Of a node that calls functions, theirs is part of its time."""
        total = total if total is not None else sum(self._ops.values())
        lines = [f"{total * 1e3:,.1f} ms in all", "", f"{'ms':>10}  {'share':>6}  {'nodes':>6}  op"]
        for op, seconds in _slowest(self._ops):
            share = seconds / total if total else 0
            lines.append(f"{seconds * 1e3:10,.1f}  {share:6.1%}  {self._counts[op]:6,}  {printable(op)}")
        lines += ["", f"{'ms':>10}  node"]
        for name, seconds in _slowest(self._seconds):
            lines.append(f"{seconds * 1e3:10,.1f}  {printable(name)} ({printable(self._op_of[name])})")
        return "\n".join(lines)


def _slowest(seconds: Mapping[str, float]) -> list[tuple[str, float]]:
    return nlargest(_SLOWEST, seconds.items(), key=itemgetter(1))


def described(value: Any) -> str:
    """A tensor in a line: type, shape, range, and its elements if they are few."""
    if value is None:
        return "done"
    if not isinstance(value, np.ndarray):
        return type(value).__name__
    kind = "string" if value.dtype == object else value.dtype.name
    text = f"{kind}[{','.join(map(str, value.shape))}]"
    if value.size <= _MOST_SHOWN:
        return f"{text} = {_elements(value)}"
    return text + _range(value)


def _elements(value: Any) -> str:
    if value.dtype == object:
        return printable(str(value.tolist()))
    return " ".join(np.array2string(value, precision=6, separator=", ", max_line_width=10_000).split())


def _range(value: Any) -> str:
    if value.dtype.kind == "b":
        return f", {int(value.sum()):,} true"
    if value.dtype.kind not in "fiu":
        return ""
    finite = value[np.isfinite(value)] if value.dtype.kind == "f" else value
    if not finite.size:
        return ", nothing finite"
    odd = value.size - finite.size
    return f" from {finite.min():.6g} to {finite.max():.6g}" + (f", {odd:,} not finite" if odd else "")
