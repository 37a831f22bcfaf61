"""Whether a model can be run: which of its ops have kernels."""

from __future__ import annotations

from collections import Counter

from pbwire.message import Message

from ..freezing.sources import FileSource, Tags, open_source
from ..graph import CONTROL_FLOW
from ..ops.kernels import KERNELS

__all__ = ["can_run", "ops_of"]

_GIVEN = frozenset({"Placeholder", "PlaceholderV2", "_Arg", "_Retval"})


def can_run(op: str) -> bool:
    """Whether the interpreter can run nodes of an op of TensorFlow's."""
    return op in KERNELS or op in CONTROL_FLOW or op in _GIVEN


def ops_of(model: Message | FileSource, *, tags: Tags = None) -> tuple[Counter[str], set[str]]:
    """How many nodes of each op a model has, in its graph and its functions, and which of these ops can be run.

    An op that is a function of the model can be run; its nodes are counted where they are.
    """
    graph = open_source(model, tags).graph
    functions = graph.library.function if graph.library is not None else []
    counts = Counter(node.op for node in graph.node)
    for function in functions:
        counts.update(node.op for node in function.node_def)
    own = {function.signature.name for function in functions if function.signature is not None}
    return counts, {op for op in counts if can_run(op) or op in own}
