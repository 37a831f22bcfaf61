"""Search for kernels that take more memory than a limit allows: `python -m tests.hostile.kernel_memory PART PARTS`.

Each kernel is run with its cases made long in several ways, one or two dimensions at a time, and with attributes and
small inputs at extremes. What it is given and what it takes at its peak must be at most twice the limit, whether it
computes or refuses. Before that, each kernel is run with its cases as they are: its first calls in a process make the
tables that it keeps, which are claimed by no one, so they must be small. Each finding is a line. The test runs this
module in a child process with little memory.
"""

from __future__ import annotations

import signal
import sys
import time
import tracemalloc
import warnings
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import numpy as np

from tests.kernel_cases import Case, cases_of, families
from tests.support.effort import LONG
from tfmodel.errors import Error
from tfmodel.kernels.runtime import bind, memory_limit
from tfmodel.kernels.runtime.binding import output_dtypes
from tfmodel.kernels.runtime.memory_limit import bytes_needed, bytes_of, limit_memory
from tfmodel.messages import AttrValue, NodeDef
from tfmodel.ops import OPS

__all__ = ["LIMIT", "SLACK", "cases_by_op", "problem_of"]

LIMIT = 1 << 20
SLACK = 1 << 18
"""Bytes that a call may take besides: Python's own objects, and blocks of a fixed size."""
TRIES = 16 if LONG else 8
_LONGEST, _PATIENCE = 0.3, 0.6
"""Seconds of a call, and of all calls of an op."""
_SIZES = (0, 1, 2, 3, 7, 60, 1000, 30_000, 200_000, 1 << 20, 1 << 24, 1 << 31)


def cases_by_op() -> dict[str, list[Case]]:
    cases: dict[str, list[Case]] = {}
    for family in families():
        for case in cases_of(family):
            cases.setdefault(case.op, []).append(case)
    return cases


def variants(cases: Sequence[Case], random: Random) -> Iterator[tuple[NodeDef, list[Any]]]:
    """Yield the cases of an op with longer inputs, and with attributes and sizes at extremes."""
    for number in range(TRIES):
        case = random.choice(cases)
        node, arrays = NodeDef.from_bytes(case.node.to_bytes()), [np.array(array) for array in case.arrays]
        for _ in range(number % 4):
            arrays = _longer(arrays, random)
        for _ in range(random.choice([0, 1, 1, 2])):
            _set_extreme(node, arrays, random)
        yield node, arrays


def _longer(arrays: list[Any], random: Random) -> list[Any]:
    """Repeat one input, or all inputs that share a size, along one axis."""
    axis, times = random.choice([0, -1]), random.choice([2, 30, 300, 3000, 30_000])
    lengths = [array.shape[axis] for array in arrays if array.ndim]
    if not lengths:
        return arrays
    length, only = random.choice(lengths), random.choice([None, random.randrange(len(arrays))])
    chosen = [array.ndim > 0 and array.shape[axis] == length and only in (None, i) for i, array in enumerate(arrays)]
    total = sum(bytes_of(array) for array, is_chosen in zip(arrays, chosen, strict=True) if is_chosen)
    times = min(times, max(1, LIMIT // 3 // max(1, total)))
    return [
        np.repeat(array, times, axis) if is_chosen else array for array, is_chosen in zip(arrays, chosen, strict=True)
    ]


def _set_extreme(node: NodeDef, arrays: list[Any], random: Random) -> None:
    small = [array for array in arrays if array.dtype.kind in "iu" and 0 < array.size < 20]
    if small and random.random() < 0.6:
        array, size = random.choice(small), random.choice(_SIZES)
        array.reshape(-1)[random.randrange(array.size)] = min(size, int(np.iinfo(array.dtype).max))
        return
    numbers = [row for row in OPS[node.op].attr if row.type in ("int", "list(int)")]
    if not numbers:
        return
    row = random.choice(numbers)
    value = node.attr.get(row.name, row.default_value)
    if row.type == "int":
        node.attr[row.name] = AttrValue(i=random.choice([-1, *_SIZES]))
    elif value is not None and value.list is not None and value.list.i:
        sizes = list(value.list.i)
        sizes[random.randrange(len(sizes))] = random.choice(_SIZES)
        node.attr[row.name] = AttrValue(list=AttrValue.ListValue(i=sizes))


class _TooLong(BaseException):
    """A call takes long, which says nothing about its memory. No kernel catches it."""


def _stop(number: int, frame: object) -> None:
    raise _TooLong


def problem_of(node: NodeDef, arrays: list[Any], longest: float = _LONGEST) -> str:
    """Return how much a kernel took if that is too much; "" otherwise."""
    given = sum(map(bytes_of, arrays))
    left = LIMIT - given
    if left < 0:
        return ""
    outcome = "computed"
    tracemalloc.start()
    signal.setitimer(signal.ITIMER_VIRTUAL, longest)
    try:
        types = output_dtypes(node, OPS[node.op])
        needed = bytes_needed(node, arrays, types)
        if needed <= left:
            with limit_memory(left, needed):
                bind(node)(arrays)
    except Error as error:
        outcome = str(error)[:100]
    except _TooLong:
        outcome = "stopped"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    if given + peak <= 2 * LIMIT + SLACK:
        return ""
    inputs = [f"{array.dtype}{list(array.shape)}" for array in arrays]
    return f"{node.op}: {given:,} bytes given, {peak:,} taken, {outcome}: {inputs} {dict(node.attr)}"


def first_problem(cases: Sequence[Case], allowed: int) -> str:
    """Return which case of an op takes more memory than allowed, in a process that has not run it yet; "" if none.

    A call that takes more than it claims makes a table, or imports a module.
    """
    for case in cases:
        tracemalloc.start()
        try:
            with limit_memory(allowed):
                bind(case.node)(case.arrays)
        except Error:
            pass
        finally:
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        if peak > allowed:
            return f"{case}: {peak:,} bytes taken by its first call"
    return ""


def main(part: int, parts: int) -> int:
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGVTALRM, _stop)
    small, memory_limit.FREE_BYTES = memory_limit.FREE_BYTES, 0  # at this scale, nothing is small
    found = 0
    for op, cases in sorted(cases_by_op().items())[part::parts]:
        if problem := first_problem(cases, small):
            print(problem[:600], flush=True)
            found += 1
        start = time.process_time()
        for node, arrays in variants(cases, Random(op)):
            if time.process_time() - start > _PATIENCE:
                break
            if problem_of(node, arrays):
                problem_of(node, arrays, 10)  # tables are made once
            if problem := problem_of(node, arrays):
                print(problem[:600], flush=True)
                found += 1
                break
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
