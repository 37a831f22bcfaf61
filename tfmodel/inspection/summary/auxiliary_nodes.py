"""Which nodes of a graph serve something else than to compute its outputs.

    saver       writes checkpoints and reads them
    summaries   for TensorBoard
    gradients   and what follows from them
    training    updates of variables
    init        first values of variables, contents of tables
    checks      assertions

A training graph has more of these than of anything else. Where they begin is told by ops and, for gradients, by names;
from there it is followed along the edges:

    filename -> SaveV2             what only tells the saver where: saver
    gradients/... -> Mul -> Apply  what is made of gradients: gradients
    random -> Assign               a first value, if no input of the graph is part of it: init
    Equal -> Assert                a condition that is only checked: checks
    NoOp(^a, ^b)                   what a and b are

Where a training graph compares what the model says with what is true.

    SoftmaxCrossEntropyWithLogits(logits, labels)      an op that does nothing else
    Sub(prediction, label)                             a difference of what variables are part of and of what is fed

The first of them says which node tells what the model says. A difference counts only in a graph with gradients, and
only if the two sides are made of different inputs: residual layers and normalisations have them as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ...graph import GraphIndex
from ...graph.functions import Functions, named_functions
from ...messages import NodeDef
from ...names import is_control_input
from ...parameters.roles import PASS_THROUGH, Relevance, rate_relevance
from .op_kinds import (
    ASSIGNS,
    CHECKS,
    COMPARISONS,
    CONDITIONS,
    INITIALIZERS,
    INPUTS,
    LOSSES,
    PIPELINES,
    SAVERS,
    SOURCES,
    VARIABLES,
)

__all__ = ["CHECKED", "CONTROL", "GRADIENTS", "INIT", "SAVER", "SUMMARIES", "TRAINING", "aside", "fed_by", "losses_of"]


SAVER, SUMMARIES, GRADIENTS, TRAINING, INIT, CHECKED, CONTROL = (
    "saver",
    "summaries",
    "gradients",
    "training",
    "init",
    "checks",
    "control flow",
)

# Ops of gradients end so. BackpropInput makes images larger too.
_GRADIENT_OPS = ("Grad", "BackpropFilter", "BackpropFilterV2", "GradientArgs")
_WAITING = frozenset({"Identity", "NoOp"})  # ops that stand for what they wait for
_FOLLOWED = (GRADIENTS, SAVER, SUMMARIES)
_FILENAMES = 3  # what a saver has as inputs before the tensors


def aside(index: GraphIndex) -> list[str]:
    """For each node, by position, which of these it is part of; "" for those that compute."""
    savers = _saving(index.functions)
    marks = [_told_by_op(node, savers) for node in index.nodes]
    order = index.forward_order
    _forward(index, order, marks)
    _backward(index, order, marks, _is_filename, SAVER)
    fed = fed_by(index, order, (at for at in range(len(index)) if not marks[at] and _is_input(index, at)))
    assigned = (at for at, node in enumerate(index.nodes) if node.op in ASSIGNS)
    for at in assigned:
        if not marks[at] and not any(fed[source] for source in _data(index, at)[1:] if source >= 0):
            marks[at] = INIT
        marks[at] = marks[at] or TRAINING
    _backward(index, order, marks, lambda node, place: place > 0 or node.op not in ASSIGNS, INIT, unless=fed)
    _backward(index, order, marks, lambda node, place: True, CHECKED, only=CONDITIONS)
    _groups(index, order, marks)
    return marks


def fed_by(index: GraphIndex, order: Iterable[int], starts: Iterable[int]) -> bytearray:
    """For each node, by position, whether a tensor of one of those at `starts` is part of what it computes."""
    fed = bytearray(len(index))
    for at in starts:
        fed[at] = True
    for at in order:
        if not fed[at]:
            fed[at] = any(source >= 0 and fed[source] for source in _data(index, at))
    return fed


def _is_input(index: GraphIndex, at: int) -> bool:
    """Whether something is computed of what a node takes in, more than to store it."""
    op = index.nodes[at].op
    return op in PIPELINES or (op in INPUTS and any(index.nodes[user].op not in ASSIGNS for user in index.targets[at]))


def _data(index: GraphIndex, at: int) -> list[int]:
    """The positions that the data inputs of a node are from."""
    inputs = index.nodes[at].input
    return [source for text, source in zip(inputs, index.sources[at], strict=True) if not is_control_input(text)]


def _saving(functions: Functions) -> set[str]:
    """The functions that save or restore, or call one that does."""
    callers: dict[str, list[str]] = {}
    found: list[str] = []
    for name, function in functions.items():
        for node in function.node_def:
            if node.op in SAVERS:
                found.append(name)
            for called in functions.called_by(node):
                callers.setdefault(called, []).append(name)
    saving = set()
    while found:
        name = found.pop()
        if name not in saving:
            saving.add(name)
            found += callers.get(name, ())
    return saving


def _told_by_op(node: NodeDef, savers: set[str]) -> str:
    op = node.op
    if op in SAVERS or (
        savers and "Call" in op and any(name in savers for name in named_functions(node.attr.values()))
    ):
        return SAVER
    if op in ASSIGNS:
        return ""  # it depends
    if "Summary" in op:
        return SUMMARIES
    if op in INITIALIZERS:
        return INIT
    if op in CHECKS:
        return CHECKED
    if rate_relevance("", "", node.name) is Relevance.GRADIENT or op.endswith(_GRADIENT_OPS):
        return GRADIENTS
    return TRAINING if rate_relevance(op, "", node.name) is Relevance.UPDATE else ""


def _forward(index: GraphIndex, order: Iterable[int], marks: list[str]) -> None:
    """What is made of gradients, or of what was restored; and what stands for having saved."""
    for at in order:
        if not marks[at]:
            made_of = (marks[source] for source in _data(index, at) if source >= 0 and marks[source] in _FOLLOWED)
            marks[at] = next(made_of, "")
        if not marks[at] and index.nodes[at].op in _WAITING and SAVER in _awaited(index, at, marks):
            marks[at] = SAVER


def _is_filename(node: NodeDef, place: int) -> bool:
    return place < _FILENAMES or node.op not in ("SaveV2", "Save", "SaveSlices")


def _backward(
    index: GraphIndex,
    order: list[int],
    marks: list[str],
    leads_to: Callable[[NodeDef, int], bool],
    mark: str,
    *,
    unless: bytearray | None = None,
    only: frozenset[str] | None = None,
) -> None:
    """Give a mark to nodes that are used, and by nothing else than nodes with that mark, as the inputs that count."""
    used_otherwise = bytearray(len(index))
    used = bytearray(len(index))
    for at in reversed(order):
        if not marks[at] and used[at] and not used_otherwise[at]:
            op = index.nodes[at].op
            if (only is None or op in only) and not (unless is not None and unless[at]):
                marks[at] = mark
        node = index.nodes[at]
        for place, source in enumerate(index.sources[at]):
            if source >= 0:
                counts = marks[at] == mark and leads_to(node, place)
                (used if counts else used_otherwise)[source] = True


def _groups(index: GraphIndex, order: Iterable[int], marks: list[str]) -> None:
    """Nodes that only stand for others, which have to run first; and what only steers conditionals."""
    for at in order:
        node = index.nodes[at]
        if marks[at]:
            continue
        if node.op == "NoOp":
            awaited = _awaited(index, at, marks)
            marks[at] = next((mark for mark in awaited if mark in (SAVER, INIT, TRAINING)), "")
        elif node.op == "Identity" and index.sources[at] and index.sources[at][0] >= 0:
            switch = index.nodes[index.sources[at][0]]
            if switch.op == "Switch" and len(switch.input) > 1 and switch.input[0] == switch.input[1]:
                marks[at] = CONTROL


def _awaited(index: GraphIndex, at: int, marks: list[str]) -> list[str]:
    """The marks of the nodes that one waits for."""
    pairs = zip(index.nodes[at].input, index.sources[at], strict=True)
    return [marks[source] for text, source in pairs if source >= 0 and is_control_input(text)]


_UNCHANGED = PASS_THROUGH | {"Reshape"}
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
            if source < 0 or is_control_input(text):
                continue
            if index.nodes[source].op in SOURCES:
                found.add(text.removesuffix(":0"))
            elif source not in seen:
                seen.add(source)
                stack.append(source)
    return found
