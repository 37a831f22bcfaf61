"""How much there is to do to compute constants: a graph of a few hundred bytes may ask for hours, and for all memory.

    effort = Effort()
    effort.give([weights])                  # what a Const node holds
    effort.begin(node, inputs, (3, 3))      # RunError if it takes too long, with all that was computed before
    effort.hold(outputs)                    # RunError if they are too large, with all that is held
    effort.drop(outputs[0])                 # nobody needs it any more

What may be done grows with what Const nodes hold: large models have much to compute. Operations are those that
`costs` tells, or, where those are fewer, so many for each byte that is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ... import growth
from ...errors import RunError
from ...interpreter.memory_limit import bytes_of
from ...messages import NodeDef
from ...shapes import Shape
from .costs import FEW, operations

__all__ = ["Effort", "operations_of"]

_OPERATIONS, _OPERATIONS_PER_BYTE = 10**10, 10**4
_READING, _READING_STRINGS = 10, 1000  # operations for each byte


class Effort:
    """What was done so far, and how much may be."""

    def __init__(self) -> None:
        self._done = 0
        self._held = 0
        self._given = 0

    def give(self, values: Iterable[Any]) -> None:
        """Count what a Const node holds: of a value that stands for many, nothing."""
        self._given += sum(map(bytes_of, filter(_is_whole, values)))

    def begin(self, node: NodeDef, inputs: Sequence[Any], shape: Shape | None) -> None:
        """Count a node that is about to be computed; its first output has the shape, as far as that is known.

        Raises RunError if it takes too long, all together, or takes one value that stands for very many; and if it has
        many elements and an op of which nobody knows the cost.
        """
        if any(bytes_of(value) > growth.ALWAYS for value in inputs if not _is_whole(value)):
            raise RunError("what it takes is much larger than the constants that it comes from")
        taken = operations_of(node, inputs, shape)
        if taken is None:
            raise RunError(f"it has more than {FEW:,} elements, and what {node.op} costs is not known")
        self._done += taken
        if self._done > _OPERATIONS + _OPERATIONS_PER_BYTE * self._given:
            raise RunError(f"constants take more than {_OPERATIONS:,} operations, and {_OPERATIONS_PER_BYTE:,} a byte")

    def hold(self, values: Iterable[Any]) -> None:
        """Count what was computed. Raises RunError if it is too large, all together."""
        size = sum(map(bytes_of, values))
        if self._held + size > growth.limit_for(self._given):
            problem = f"new constants are {growth.TIMES} times larger than those that there are"
            raise RunError(f"{problem}, and {growth.ALWAYS:,} bytes")
        self._held += size

    def drop(self, value: Any) -> None:
        """What was held is not any more."""
        self._held -= bytes_of(value)


def operations_of(node: NodeDef, inputs: Sequence[Any], shape: Shape | None = None) -> int | None:
    """How many operations a node takes, reading its inputs included; None if it cannot be told."""
    reading = sum(bytes_of(value) * _weight(value) for value in inputs)
    computing = operations(node, inputs, shape)
    return None if computing is None else max(reading, computing)


def _is_whole(value: Any) -> bool:
    return not isinstance(value, np.ndarray) or 0 not in value.strides


def _weight(value: Any) -> int:
    return _READING_STRINGS if isinstance(value, np.ndarray) and value.dtype == object else _READING
