"""Observers of a run, and the time that each node takes: its own, and that of the functions it calls."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from ..messages import NodeDef

__all__ = ["READING", "Observer", "Spent", "Watch"]

T = TypeVar("T")

READING: Final = NodeDef(op="(reading the checkpoint)")
"""Stands for a node, without a name, where an observer is told of values read from a checkpoint."""


class Spent(NamedTuple):
    """Seconds that a node took: `own` without the nodes of functions that it calls and without reading a checkpoint,
    `total` with them. The `own` times of a run add up; `total` times do not."""

    own: float
    total: float


Observer: TypeAlias = "Callable[[NodeDef, Sequence[Any], Sequence[Any], Spent], None]"
"""Is called after each node that a kernel computed: the node, its inputs and outputs, and the time that it took."""


class Watch:
    """Measures nodes, one inside of another, and calls an observer for each. The observer's time is nobody's own."""

    __slots__ = ("_inner", "_observer")

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self._inner = 0.0

    def node(self, node: NodeDef, inputs: Sequence[Any], compute: Callable[[], list[Any]]) -> list[Any]:
        """Compute the outputs of a node."""
        return self._timed(node, inputs, compute, lambda outputs: outputs)

    def reading(self, read: Callable[[], T]) -> T:
        """Read a value of a checkpoint, of which the node that asked for it is not charged."""
        return self._timed(READING, (), read, lambda value: ())

    def _timed(
        self, node: NodeDef, inputs: Sequence[Any], compute: Callable[[], T], outputs: Callable[[T], Sequence[Any]]
    ) -> T:
        outside, self._inner = self._inner, 0.0
        start = time.perf_counter()
        try:
            found = compute()
            total = time.perf_counter() - start
            self._observer(node, inputs, outputs(found), Spent(total - self._inner, total))
            return found
        finally:
            self._inner = outside + time.perf_counter() - start
