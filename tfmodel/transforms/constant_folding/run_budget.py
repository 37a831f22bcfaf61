"""The work of running a graph to verify it: counted before each node runs, and limited by the size of the model.

    budget = RunBudget.of(graph)
    with watch_kernels(budget.spend):       # raises RunStopped before the node that would exceed the limit
        session.run(feeds, outputs)

A graph of 300 bytes may describe hours of work. Models whose constants take megabytes have a limit that they never
reach. Operations are those of `cost_model`, of about half a nanosecond each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...graph.error_text import describe
from ...kernels.runtime.kernel_watch import RunStopped
from ...kernels.runtime.memory_limit import first_output_shape
from ...messages import GraphDef, NodeDef
from .cost_model import operations

BASE_OPERATIONS = 10**10
OPERATIONS_PER_BYTE = 10**5
"""The work of a run: some seconds for any graph, and more for each byte of its constants."""

_PER_SECOND = 2 * 10**9
_UNKNOWN_PER_ELEMENT = 1000
"""Operations per element of an op whose cost is unknown. Folding assumes the worst; a run need not."""
_PRODUCTS = frozenset({"Conv2D", "_FusedConv2D", "Conv3D", "MatMul", "BatchMatMul", "BatchMatMulV2", "Einsum"})
_PRODUCTS_ARE_FASTER = 20
"""Folding counts products of small matrices of any type; in models, most of them are large matrices of floats."""


class RunBudget:
    """The operations of a run that are done, and their limit. `exceeded` is called once instead of an error, if given.

    `done` includes the node that is about to run.
    """

    def __init__(self, constant_bytes: int, exceeded: Callable[[str], None] | None = None) -> None:
        self.limit = BASE_OPERATIONS + OPERATIONS_PER_BYTE * constant_bytes
        self.done = 0
        self._exceeded = exceeded
        self._is_told = False

    @classmethod
    def of(cls, *graphs: GraphDef, exceeded: Callable[[str], None] | None = None) -> RunBudget:
        """Return the budget of some graphs, by the size of the largest one."""
        return cls(max((_constant_bytes(graph) for graph in graphs), default=0), exceeded)

    def spend(self, node: NodeDef, inputs: Sequence[Any]) -> None:
        """Count a node that is about to run. Raises RunStopped if it would exceed the limit."""
        needed = _operations(node, inputs)
        self.done += needed
        if self.done <= self.limit or self._is_told:
            return
        text = (
            f"{describe(node)} alone takes about {_duration(needed)}"
            if needed > self.limit
            else f"the nodes up to {describe(node)} take about {_duration(self.done)}"
        )
        if self._exceeded is None:
            raise RunStopped(f"{text}, more than the {_duration(self.limit)} that a model of its size may take")
        self._is_told = True
        self._exceeded(text)


def _duration(count: int) -> str:
    seconds = count / _PER_SECOND
    return f"{count:.2g} operations, {seconds:,.0f} s" if seconds < 600 else f"{count:.2g} operations"


def _operations(node: NodeDef, inputs: Sequence[Any]) -> int:
    arrays = [value if hasattr(value, "dtype") else () for value in inputs]
    shape = first_output_shape(node, inputs)
    count = operations(node, arrays, shape)
    if count is None:
        return _UNKNOWN_PER_ELEMENT * max((value.size for value in arrays if hasattr(value, "size")), default=0)
    return count // _PRODUCTS_ARE_FASTER if node.op in _PRODUCTS else count


def _constant_bytes(graph: GraphDef) -> int:
    total = 0
    for node in graph.node:
        value = node.attr.get("value") if node.op == "Const" else None
        if value is not None and value.tensor is not None:
            total += value.tensor.ByteSize()
    return total
