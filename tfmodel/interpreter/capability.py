"""Whether a model can be run: which of its ops have kernels."""

from __future__ import annotations

from collections import Counter

from pbwire.message import Message

from ..freezing.sources import FileSource, Tags, open_source
from ..graph import CONTROL_FLOW
from ..ops.kernels import KERNELS

__all__ = ["ops_of", "runnable_ops"]

_GIVEN = frozenset({"Placeholder", "PlaceholderV2", "_Arg", "_Retval"})


def runnable_ops() -> frozenset[str]:
    """The ops that the interpreter can run. Functions of a model are not among them, which it can call."""
    return frozenset(KERNELS) | CONTROL_FLOW | _GIVEN


def ops_of(model: Message | FileSource, *, tags: Tags = None) -> tuple[Counter[str], set[str]]:
    """How many nodes of each op a model has, in its graph and its functions, and which of these ops can be run.

    An op that is a function of the model can be run; its nodes are counted where they are.
    """
    graph = open_source(model, tags).graph
    functions = graph.library.function if graph.library is not None else []
    counts = Counter(node.op for node in graph.node)
    for function in functions:
        counts.update(node.op for node in function.node_def)
    runnable = runnable_ops()
    own = {function.signature.name for function in functions if function.signature is not None}
    return counts, {op for op in counts if op in own or op in runnable}
