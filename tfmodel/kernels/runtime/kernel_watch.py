"""A function that is called before each kernel, to count what a run is about to compute, and to stop it.

with watch_kernels(budget.spend):
    session.run(feeds, outputs)         # budget.spend(node, inputs) is called for each node
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias

from ...errors import RunError
from ...messages import NodeDef

Watch: TypeAlias = Callable[[NodeDef, Sequence[Any]], None]


class RunStopped(RunError):
    """The function that watches a run has stopped it."""


_WATCH: ContextVar[Watch | None] = ContextVar("watch", default=None)


@contextmanager
def watch_kernels(watch: Watch | None) -> Iterator[None]:
    """Call `watch` with the node and the inputs of each kernel in this context; errors that it raises end the run."""
    token = _WATCH.set(watch)
    try:
        yield
    finally:
        _WATCH.reset(token)


def announce(node: NodeDef, inputs: Sequence[Any]) -> None:
    """Tell the watching function, if there is one, that a kernel is about to run."""
    watch = _WATCH.get()
    if watch is not None:
        watch(node, inputs)
