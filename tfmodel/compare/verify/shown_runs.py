"""The progress of runs: the share of the kernels that have run. Loops may run more than were counted; see `shown`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ...graph.functions import MAX_CALL_DEPTH, function_name, named_functions
from ...interpreter.plan import Kind
from ...interpreter.session import Session
from ...kernels.runtime.kernel_watch import Watch
from ...messages import GraphDef, NodeDef
from ...values.steps import Step


def kernels_of(session: Session, feeds: Iterable[str], fetches: Iterable[str]) -> int:
    """Return the number of kernels of a run: those of functions each time they are called, those of loops once."""
    steps = session.plan(feeds, fetches).steps
    return count_kernels((step.node for step in steps if step.kind is Kind.KERNEL), session.graph)


def count_kernels(nodes: Iterable[NodeDef], graph: GraphDef) -> int:
    """Return the number of kernels of some nodes of a graph, with those of the functions that they call."""
    bodies = {function_name(body): body.node_def for body in graph.library.function} if graph.library else {}
    counts: dict[str, int] = {}

    def count(nodes: Iterable[NodeDef], depth: int) -> int:
        running = [node for node in nodes if node.op != "Const"]
        names = [name for node in running for name in named_functions(node.attr.values())]
        return len(running) + sum(of_function(name, depth) for name in names)

    def of_function(name: str, depth: int) -> int:
        if name not in counts:
            counts[name] = 0  # of a function that calls itself
            counts[name] = count(bodies.get(name, ()), depth + 1) if depth < MAX_CALL_DEPTH else 0
        return counts[name]

    return count(nodes, 0)


def shown(progress: Callable[[str], object], name: str, kernels: int, watch: Watch | None) -> Watch:
    """Return a function that watches runs for `watch`, and tells `progress` the share of the kernels as a `Step`.

    If more kernels run than were counted, the share is not known, and the name has none.
    """
    done = 0

    def count(node: NodeDef, inputs: Sequence[Any]) -> None:
        nonlocal done
        progress(Step(name, done / kernels) if done < kernels else name)
        done += node.op != "Const"
        if watch is not None:
            watch(node, inputs)

    return count
