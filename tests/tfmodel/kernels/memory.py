"""The peak memory of a kernel, compared with the estimate made before it ran."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.kernel_cases import Case
from tfmodel.errors import Error
from tfmodel.kernels.runtime import KERNELS
from tfmodel.kernels.runtime.binding import bind, output_dtypes
from tfmodel.kernels.runtime.memory_limit import bytes_needed, bytes_of, limit_memory
from tfmodel.messages import NodeDef
from tfmodel.ops import OPS

__all__ = ["LIMIT", "Measured", "grown", "measured"]

LIMIT = 1 << 16
"""Bytes that a node may take, as --max-bytes says them."""
SLACK = 1 << 15
"""Bytes that any call may take besides: Python's own objects."""
FACTOR = 9
"""The memory a kernel may take, in multiples of its inputs and outputs: a byte becomes an index, a float doubles.
Kernels that take more claim it."""


@dataclass(frozen=True)
class Measured:
    """The outcome of a call, and its memory.

    size    the bytes of its inputs and outputs, of the limit if it was refused
    peak    the most bytes that it had allocated, inputs not counted
    """

    problem: str
    size: int
    peak: int

    @property
    def is_refused(self) -> bool:
        """Return whether the call was refused for its memory."""
        return " bytes" in self.problem

    @property
    def is_large(self) -> bool:
        """Return whether the call is a measurement of memory: large data was computed or refused."""
        return self.is_refused or (not self.problem and self.size >= LIMIT // 8)

    @property
    def is_modest(self) -> bool:
        return self.peak <= FACTOR * self.size + SLACK


def measured(node: NodeDef, inputs: Sequence[Any]) -> Measured:
    """Run a node under the limit, as the interpreter does. Errors that are not the project's pass through."""
    types = output_dtypes(node, OPS[node.op])
    size = sum(map(bytes_of, inputs))
    bound = bind(node)
    assert bound.kernel is KERNELS[node.op]
    tracemalloc.start()
    try:
        try:
            needed = bytes_needed(node, inputs, types)
            if needed > LIMIT:
                return Measured(f"its outputs need {needed} bytes", size + LIMIT, tracemalloc.get_traced_memory()[1])
            with limit_memory(LIMIT):
                outputs = bound(inputs)
        except Error as error:
            return Measured(str(error), size + LIMIT, tracemalloc.get_traced_memory()[1])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    output_bytes = sum(map(bytes_of, outputs))
    if output_bytes > LIMIT:
        return Measured(f"its outputs are {output_bytes} bytes", size + LIMIT, peak)
    return Measured("", size + max(output_bytes, needed), peak)


def grown(case: Case, size: int = LIMIT // 2) -> Iterator[list[Any]]:
    """Yield the inputs of a case, repeated in several ways until they have about this number of bytes."""
    arrays = [np.asarray(array) for array in case.arrays]
    for axis in (0, -1):
        lengths = dict.fromkeys(array.shape[axis] for array in arrays if array.ndim and array.size)
        for length in lengths:
            yield _repeated(arrays, [array.ndim > 0 and array.shape[axis] == length for array in arrays], axis, size)
        for place, array in enumerate(arrays):
            if array.ndim and array.size:
                yield _repeated(arrays, [place == other for other in range(len(arrays))], axis, size)
    for place, array in enumerate(arrays):
        if array.dtype == object and array.size:
            yield [
                np.full(array.shape, b"ab c,d" * (size // 6 // array.size), object) if other == place else value
                for other, value in enumerate(arrays)
            ]
        elif not array.ndim:
            yield [
                np.full(size // array.itemsize, array) if other == place else value
                for other, value in enumerate(arrays)
            ]


def _repeated(arrays: Sequence[Any], chosen: Sequence[bool], axis: int, size: int) -> list[Any]:
    total = sum(map(bytes_of, (array for array, is_chosen in zip(arrays, chosen, strict=True) if is_chosen)))
    times = max(1, size // max(1, total))
    return [
        np.repeat(array, times, axis) if is_chosen else array for array, is_chosen in zip(arrays, chosen, strict=True)
    ]
