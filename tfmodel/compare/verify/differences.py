"""Compare tensors of two runs, with tolerances for rounding.

Rounding differences depend on the types that a model computes with. A float32 has 24 significant bits: even after many
sums in another order, a difference of 1e-4 of the largest element is unlikely. A half has 11 bits and a bfloat16 has 8:
a few sums in another order can differ by one or several steps of the type.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import GraphError
from ...graph import Functions
from ...interpreter.profiling import type_of
from ...interpreter.session import Session
from ...messages import DataType, NodeDef
from ...ops.traits import PLACEHOLDERS
from ...values.terminal import escape

_NOT_TENSORS = ("done", "resource", "variant")

RTOL = 1e-4
"""The default relative tolerance: a share of the largest element."""

ATOL = 1e-6
"""The default absolute tolerance for an output whose elements are all zero or nearly zero."""

_STEPS = 4
_HALF_TOLERANCES = {DataType.DT_HALF: _STEPS * 2.0**-10, DataType.DT_BFLOAT16: _STEPS * 2.0**-7}
"""The relative tolerance of types with few bits: a few steps of the type."""

_NOT_COMPUTED = PLACEHOLDERS | {"Const", "Identity"}
"""Ops whose types do not count: weights may be stored in half precision, then cast and used in float."""

MAX_OUTPUTS = 1 << 10
"""Only the types of the first MAX_OUTPUTS outputs of a node are considered."""


def default_rtol(session: Session, feeds: Iterable[str], fetches: Iterable[str]) -> float:
    """Return the default relative tolerance for outputs: 1e-4, or more if they depend on half precision.

    If they depend on a node with an output in half precision, in the graph or in a called function, the tolerance is 4
    steps of the type: 3.9e-3 for half, 3.1e-2 for bfloat16. Placeholders, Const and Identity do not count.

    Raises GraphError for names that do not exist.
    """
    nodes = [step.node for step in session.plan(feeds, fetches).steps]
    functions = Functions(session.graph.library)
    bodies = (functions[name].node_def for name in (functions.reachable(nodes) if functions else ()))
    return max((_rtol(session, node) for body in (nodes, *bodies) for node in body), default=RTOL)


def _rtol(session: Session, node: NodeDef) -> float:
    if node.op in _NOT_COMPUTED:
        return RTOL
    try:
        types = session.types_of(node) or ()
        return max(
            (_HALF_TOLERANCES.get(dtype, RTOL) for dtype in types[:MAX_OUTPUTS] if dtype is not None), default=RTOL
        )
    except GraphError:  # the run raises it
        return RTOL


# --- two tensors -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OutputDifference:
    """The difference of one output of two graphs.

    absolute    the largest difference of corresponding elements, as float64
    relative    the same, divided by the largest finite magnitude in the first graph's tensor; 1 if that is zero and
                elements differ
    top1        for floats with at least two dimensions and rows of at least two elements, the share of rows whose
                largest element has the same index; None for other tensors, and with a `problem`
    problem     a difference without a finite distance: in type, shape, strings, bools, infinities or NaN; otherwise
                empty
    within      whether the difference is within the tolerance
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    absolute: float = 0.0
    relative: float = 0.0
    top1: float | None = None
    problem: str = ""
    within: bool = True

    def to_text(self) -> str:
        """Return a line such as "y:0: float32[1,3]: differs by 0.0012 at most, 0.001 of the largest"."""
        sizes = f"[{','.join(map(str, self.shape))}]" if self.dtype not in _NOT_TENSORS else ""
        what = f"{escape(self.name)}: {self.dtype}{sizes}"
        if self.problem:
            return f"{what}: {self.problem}"
        if not self.absolute:
            return f"{what}: equal"
        top1 = f", top-1 agrees in {self.top1:.2%}" if self.top1 is not None else ""
        verdict = "" if self.within else ", which is too much"
        return f"{what}: differs by {self.absolute:.3g} at most, {self.relative:.3g} of the largest{top1}{verdict}"


def compare(name: str, one: Any, other: Any, *, rtol: float = RTOL, atol: float | None = None) -> OutputDifference:
    """Return the difference of two values. Only floats and complex numbers have tolerances.

    The default of `atol` is 1e-6 if all elements of the first tensor are zero (or nearly zero), and otherwise 0. Values
    that are not tensors, such as handles of resources, are the same if they have the same type.
    """
    if not isinstance(one, np.ndarray) or not isinstance(other, np.ndarray):
        problem = "" if type(one) is type(other) else f"the other one is {type_of(other)}"
        return OutputDifference(name, type_of(one), (), problem=problem, within=not problem)
    problem = _mismatch(one, other)
    if problem:
        return OutputDifference(name, one.dtype.name, one.shape, problem=problem, within=False)
    if one.dtype.kind not in "fciu" or not one.size:
        same = bool(np.array_equal(one, other))
        problem = "" if same else f"{int((one != other).sum())} of {one.size} elements differ"
        return OutputDifference(name, one.dtype.name, one.shape, problem=problem, within=same)
    if one.dtype.kind in "iu":
        return _integer_distance(name, one, other)
    return _distance(name, one, other, rtol, atol)


def _mismatch(one: Any, other: Any) -> str:
    if one.dtype != other.dtype:
        return f"the other one is {other.dtype.name}"
    if one.shape != other.shape:
        return f"the other one has shape [{','.join(map(str, other.shape))}]"
    return ""


def _integer_distance(name: str, one: Any, other: Any) -> OutputDifference:
    """Return the difference of integers. `within` is exact: a float64 cannot hold all values of 64 bits."""
    larger, smaller = np.maximum(one, other).astype(np.uint64), np.minimum(one, other).astype(np.uint64)
    gaps = larger - smaller  # right for negative numbers too: uint64 is computed modulo 2**64
    absolute = float(gaps.max())
    largest = float(np.abs(one.astype(np.float64)).max())
    relative = absolute / largest if largest else float(absolute > 0)
    return OutputDifference(name, one.dtype.name, one.shape, absolute, relative, within=not gaps.any())


def _distance(name: str, one: Any, other: Any, rtol: float, atol: float | None) -> OutputDifference:
    wide = np.complex128 if one.dtype.kind == "c" else np.float64
    x, y = one.astype(wide), other.astype(wide)
    with np.errstate(all="ignore"):
        gaps = np.asarray(np.abs(x - y))
        gaps[(x == y) | (np.isnan(x) & np.isnan(y))] = 0
        if np.isnan(gaps).any() or np.isinf(gaps).any():
            count = int((~np.isfinite(gaps)).sum())
            problem = f"{count} of {one.size} elements do not have a finite difference"
            return OutputDifference(name, one.dtype.name, one.shape, problem=problem, within=False)
        finite = np.abs(x[np.isfinite(x)])
    largest = float(finite.max()) if finite.size else 0.0
    absolute = float(gaps.max())
    relative = absolute / largest if largest else float(absolute > 0)
    if atol is None:
        atol = 0.0 if largest >= np.finfo(one.dtype).tiny else ATOL
    within = absolute <= atol + rtol * largest
    return OutputDifference(name, one.dtype.name, one.shape, absolute, relative, _top1(one, other), "", within)


def _top1(one: Any, other: Any) -> float | None:
    if one.ndim < 2 or one.dtype.kind != "f" or one.shape[-1] < 2:
        return None
    return float((one.argmax(-1) == other.argmax(-1)).mean())
