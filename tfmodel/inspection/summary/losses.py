"""Where a training graph compares what the model says with what is true.

    SoftmaxCrossEntropyWithLogits(logits, labels)      an op that does nothing else
    Sub(prediction, label)                             a difference of what variables are part of and of what is fed

The first of them says which node tells what the model says. A difference counts only in a graph with gradients, and
only if the two sides are made of different inputs: residual layers and normalisations have them as well.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...graph import GraphIndex
from ...weighing.roles import PASSES
from .aside import GRADIENTS, fed_by
from .op_kinds import COMPARISONS, LOSSES, SOURCES, VARIABLES

__all__ = ["losses_of"]

_UNCHANGED = PASSES | {"Reshape"}
_BACK = 64
_MOST = 20  # differences that are looked at


def losses_of(index: GraphIndex, marks: Sequence[str], fed: bytearray) -> dict[int, int]:
    """The position of what each loss compares with the truth, by the position of the loss."""
    found = {at: _origin(index, at) for at, node in enumerate(index.nodes) if node.op in LOSSES}
    if not found and GRADIENTS in marks:
        found = _differences(index, marks, fed)
    return {at: told for at, told in found.items() if told >= 0}


def _origin(index: GraphIndex, at: int) -> int:
    """Where the first input of a loss comes from, before it was given another shape."""
    source = index.sources[at][0] if index.sources[at] else -1
    for _ in range(_BACK):
        if source < 0 or index.nodes[source].op not in _UNCHANGED or not index.sources[source]:
            break
        source = index.sources[source][0]
    return source


def _differences(index: GraphIndex, marks: Sequence[str], fed: bytearray) -> dict[int, int]:
    variables = (at for at, node in enumerate(index.nodes) if node.op in VARIABLES)
    learnt = fed_by(index, index.forward_order, variables)
    found: dict[int, int] = {}
    looked_at = 0
    for at, node in enumerate(index.nodes):
        if node.op not in COMPARISONS or marks[at] or len(index.sources[at]) < 2 or looked_at == _MOST:
            continue
        for told, truth in (index.sources[at][:2], index.sources[at][1::-1]):
            if min(told, truth) >= 0 and learnt[told] and fed[told] and fed[truth] and not learnt[truth]:
                looked_at += 1
                if not _inputs_behind(index, told) & _inputs_behind(index, truth):
                    found[at] = told
    return found


def _inputs_behind(index: GraphIndex, start: int) -> set[str]:
    """The tensors that are fed, or taken from a queue, which a node is computed of."""
    found = {index.nodes[start].name} if index.nodes[start].op in SOURCES else set()
    seen, stack = {start}, [start]
    while stack:
        at = stack.pop()
        for text, source in zip(index.nodes[at].input, index.sources[at], strict=True):
            if source < 0 or text[:1] == "^":
                continue
            if index.nodes[source].op in SOURCES:
                found.add(text.removesuffix(":0"))
            elif source not in seen:
                seen.add(source)
                stack.append(source)
    return found
