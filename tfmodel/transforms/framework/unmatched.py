"""Notes about arguments that choose nodes, of which a graph has none.

The C++ tool passes over them in silence, and lists that are used on many graphs rely on that, so they are no errors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...graph.error_text import Guesses, quoted
from ...messages import GraphDef
from ...ops import OPS

__all__ = ["missing_nodes", "missing_ops"]


def missing_ops(asked: Iterable[str], graph: GraphDef, *, functions: bool = True) -> Iterator[str]:
    """Yield a note if no node has one of these ops, and one for each name that is no op, with a suggestion.

    So `op=Identity, op=CheckNumerics`, as many lists have it, is about a graph that has one of them. Without
    `functions`, nodes in functions do not count, as for a transform that leaves them alone.
    """
    there = {node.op for node in graph.node}
    ops = list(dict.fromkeys(asked))
    missing = [op for op in ops if op != "*" and op not in there]
    library = graph.library.function if missing and graph.library is not None else []
    inside = {node.op for function in library for node in function.node_def}
    guess = Guesses()
    for op in missing:
        if op not in OPS and op not in inside:
            yield f"no node has the op {quoted(op)}{guess(op, there | inside)}"
    known = [op for op in missing if op in OPS or op in inside]
    if len(missing) == len(ops) and not (functions and inside.intersection(known)):
        for op in known:
            yield f"no node{' outside of functions' * (op in inside)} has the op {quoted(op)}"


def missing_nodes(argument: str, asked: Iterable[str], graph: GraphDef) -> Iterator[str]:
    """Yield a note for each name that is no node of the graph, functions not counted."""
    there = {node.name: None for node in graph.node}
    guess = Guesses()
    for name in dict.fromkeys(asked):
        if name not in there:
            yield f"{argument}: there is no node {quoted(name)}{guess(name, there)}"
