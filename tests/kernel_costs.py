"""Measure what kernels cost against what constant folding counts: `python -m tests.kernel_costs [OP ...]`.

Each op is computed with the inputs of its cases made long; see `tests.tfmodel.kernels.memory.grown`. The reference is
the sum of two arrays of half floats, `MIN_PER_ELEMENT` operations for each element, so that the ratios say much the
same on any machine with one version of NumPy: 1 is a cost that is counted as it is, 2 one of which half is counted. Ops
without a rule are compared with `UNKNOWN_PER_ELEMENT`. The worst ratio of each op is printed with the case that has it.
Set OPENBLAS_NUM_THREADS=1: only the time of this thread counts. (The CPU time of the process moves in steps of some
milliseconds while a timer limits a call.)
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tests.kernel_cases import Case, cases_of, families
from tests.tfmodel.kernels.memory import grown
from tfmodel.analysis.shapes import Shape, infer_shapes
from tfmodel.errors import Error
from tfmodel.kernels.runtime import KERNELS
from tfmodel.kernels.runtime.binding import bind, output_dtypes
from tfmodel.kernels.runtime.memory_limit import bytes_needed, limit_memory
from tfmodel.messages import AttrValue, GraphDef, NodeDef
from tfmodel.ops import OPS, is_stateful
from tfmodel.transforms.constant_folding.cost_model import (
    MIN_PER_ELEMENT,
    UNKNOWN_PER_ELEMENT,
    count_operations,
    is_known,
)
from tfmodel.values.tensors import from_ndarray

__all__ = ["folded_ops", "worst"]

_LONGEST = 2.0
"""Seconds after which a call is given up."""
_PATIENCE = 6.0
"""Seconds for the cases of an op."""
_SHORTEST = 2e-4
"""Seconds below which a call says nothing: binding its arguments takes as long."""
_MOST = 2.0
"""The ratio above which an op is measured again."""
_MOST_CASES = 8
"""The number of cases of an op, besides one for each combination of types."""


class _TooLong(BaseException):
    """A call took longer than _LONGEST. No kernel catches it."""


def folded_ops() -> list[str]:
    """The ops that constant folding may compute."""
    return [op for op in KERNELS if not (KERNELS[op].takes_runtime or (op in OPS and is_stateful(OPS[op])))]


def seconds(kernel: Any, inputs: Sequence[Any]) -> float:
    """The best CPU time of three calls, of one if it takes long."""
    best = _LONGEST
    try:
        for _ in range(3):
            signal.setitimer(signal.ITIMER_VIRTUAL, _LONGEST)
            start = time.thread_time()
            kernel(inputs)
            best = min(best, time.thread_time() - start)
            if best > _LONGEST / 10:
                break
    except _TooLong:
        pass
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return best


def of_an_operation() -> float:
    """The seconds of an operation, by the reference."""
    halves = np.ones(1 << 18, np.float16)
    return seconds(lambda inputs: np.add(*inputs), [halves, halves]) / (MIN_PER_ELEMENT * halves.size)


def first_shape(case: Case, inputs: Sequence[Any]) -> Shape | None:
    """The shape of the first output as shape inference tells it for constant inputs."""
    node = case.node
    constants = [
        NodeDef(
            name=name,
            op="Const",
            attr={
                "dtype": AttrValue(type=dtype),
                "value": AttrValue(tensor=from_ndarray(value, dtype)),
            },
        )
        for name, value, dtype in zip(node.input, inputs, case.types, strict=True)
    ]
    try:
        return next(iter(infer_shapes(GraphDef(node=[*constants, node])).of(node)), None)
    except Error:
        return None


def chosen(cases: Sequence[Case]) -> list[Case]:
    """Return a case of an op for each combination of its types, then some of the others.

    Types matter most: complex numbers take longer than real ones, and halves are computed as floats.
    """
    of_types: dict[object, Case] = {}
    for case in cases:
        of_types.setdefault((*case.types, None, *output_dtypes(case.node, OPS[case.op])), case)
    others = cases[:: max(1, len(cases) // _MOST_CASES)]
    return list({id(case): case for case in (*of_types.values(), *others)}.values())


def calls(cases: Sequence[Case], size: int) -> Iterator[tuple[Case, list[Any]]]:
    """Yield long inputs of the chosen cases of an op."""
    for case in chosen(cases):
        try:
            bind(case.node)(case.arrays)
        except Error:
            continue
        for inputs in grown(case, size):
            yield case, inputs


def worst(cases: Sequence[Case], size: int, unit: float) -> tuple[float, str]:
    """The largest ratio of what a call takes to what is counted for it, and which call that is."""
    largest, description = 0.0, ""
    start = time.thread_time()
    for case, inputs in calls(cases, size):
        if time.thread_time() - start > _PATIENCE:
            break
        counted = count_operations(case.node, inputs, first_shape(case, inputs))
        if bytes_needed(case.node, inputs, output_dtypes(case.node, OPS[case.op])) > 64 * size:
            continue  # as the interpreter and folding do; two numbers can ask for many gigabytes
        if counted is None:
            counted = UNKNOWN_PER_ELEMENT * max(map(np.size, inputs), default=0)
        try:
            with limit_memory(64 * size):
                taken = seconds(bind(case.node), inputs)
        except Error:
            continue
        ratio = taken / (unit * max(counted, 1))
        if taken > _SHORTEST and ratio > largest:
            largest, description = ratio, f"{[np.shape(array) for array in inputs]} of {case}"
    return largest, description


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bytes", type=int, default=400_000, help="of the inputs; default: 400,000")
    parser.add_argument("ops", nargs="*", metavar="OP", help="default: all that may be folded")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGVTALRM, _stop)
    cases: dict[str, list[Case]] = {}
    for case in (case for family in families() for case in cases_of(family)):
        cases.setdefault(case.op, []).append(case)
    for op in arguments.ops or sorted(folded_ops()):
        ratio, description = worst(cases.get(op, []), arguments.bytes, of_an_operation())
        if ratio > _MOST:  # once more: other programs slow caches down, even if only CPU time counts
            ratio, description = min((ratio, description), worst(cases.get(op, []), arguments.bytes, of_an_operation()))
        print(f"{ratio:8.2f}  {op}{'' if is_known(op) else ' (no rule)'}  {description[:200]}", flush=True)
    return 0


def _stop(number: int, frame: object) -> None:
    raise _TooLong


if __name__ == "__main__":
    sys.exit(main())
