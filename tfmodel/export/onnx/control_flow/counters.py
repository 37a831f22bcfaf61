"""Variables of a loop that count the rounds, conditions that compare them with a limit, and lists written in order."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TypeAlias

from ....graph import attr
from ....messages import NameAttrList, NodeDef
from ....ops.traits import ENTER, EXIT, LOOP_COND, MERGE, NEXT_ITERATION, SWITCH, UNCHANGED
from ..conversion.body import Body

Limits: TypeAlias = "list[tuple[str, str]]"
"""Counters with the tensors that they must stay below, by their keys in the condition."""

_PASSING = (UNCHANGED - ENTER - EXIT) | SWITCH | NEXT_ITERATION | LOOP_COND
_IFS = frozenset({"If", "StatelessIf"})
_SUMS = frozenset({"Add", "AddV2"})
_WRITES: dict[str, tuple[int, int | None, int]] = {
    "TensorArrayWriteV3": (3, 1, 2),
    "TensorArrayWriteV2": (3, 1, 2),
    "TensorListSetItem": (0, 1, 2),
    "TensorListPushBack": (0, None, 1),
}
"""Ops that write one place of a list, with their inputs for the list, the place (None for the end) and the item."""


def trace(body: Body, key: str) -> str:
    """Follow a tensor back through nodes that pass it on."""
    while (node := body.producer(key)) is not None and node.op in _PASSING:
        key = body.inputs(node)[0]
    return key


def start_of(outer: Body, initial: str) -> int | None:
    """Return where a counter starts; None if that is computed."""
    array = outer.constant(trace(outer, initial))
    return None if array is None or array.size != 1 else int(array.ravel()[0])


def is_counter(body: Body, argument: str, new: str) -> bool:
    """Return whether the new value of a variable is the old one plus 1."""
    node = body.producer(trace(body, new))
    if node is None or node.op not in _SUMS or body.shape(argument) not in ((), None):
        return False
    if body.dtype(argument).name not in ("DT_INT32", "DT_INT64"):
        return False
    one, other = body.inputs(node)
    return (trace(body, one) == argument and _is_one(body, other)) or (
        trace(body, other) == argument and _is_one(body, one)
    )


def _is_one(body: Body, key: str) -> bool:
    array = body.constant(trace(body, key))
    return array is not None and array.shape == () and int(array) == 1


def find_limits(body: Body, test: str, counters: Collection[str], is_fixed: Callable[[str], bool]) -> Limits | None:
    """Return the limits, if a condition says nothing else than that counters are less than fixed numbers."""
    node = body.producer(trace(body, test))
    if node is None:
        return None
    if node.op == "LogicalAnd":
        parts = [find_limits(body, key, counters, is_fixed) for key in body.inputs(node)]
        return None if None in parts else [limit for part in parts if part for limit in part]
    pair = _compared(body, node)
    if pair is None:
        return None
    counter, limit = trace(body, pair[0]), _fixed(body, pair[1], is_fixed)
    return [(counter, limit)] if counter in counters and limit is not None else None


def _compared(body: Body, node: NodeDef) -> tuple[str, str] | None:
    if node.op not in ("Less", "Greater"):
        return None
    one, other = body.inputs(node)
    return (one, other) if node.op == "Less" else (other, one)


def _fixed(body: Body, key: str, is_fixed: Callable[[str], bool]) -> str | None:
    key = trace(body, key)
    return key if is_fixed(key) else None


def written_item(body: Body, argument: str, new: str, counters: Collection[str] | None) -> str | None:
    """Return the key of what a round writes into a list; None if it does more with the list than that.

    The place must be one of `counters`, unless that is None. The list may be made longer before.
    """
    node = body.producer(trace(body, new))
    if node is None or node.op not in _WRITES:
        return None
    of_list, of_place, of_item = _WRITES[node.op]
    keys = body.inputs(node)
    if _resized(body, keys[of_list]) != argument:
        return None
    if counters is None:
        return keys[of_item]
    is_next = of_place is None or trace(body, keys[of_place]) in counters
    if not is_next or not _is_only_written(body, argument, node, keys[of_list]):
        return None
    return keys[of_item]


def grows(body: Body, new: str) -> bool:
    """Return whether a list is made longer before a round writes it."""
    node = body.producer(trace(body, new))
    if node is None or node.op not in _WRITES:
        return False
    key = body.inputs(node)[_WRITES[node.op][0]]
    return _resized(body, key) != trace(body, key)


def _resized(body: Body, key: str) -> str:
    """Follow a list back to before it was made longer: `place < length(list) ? list : resize(list, place + 1)`."""
    key = trace(body, key)
    node = body.producer(key)
    if node is None:
        return key
    if node.op == "TensorListResize":
        return _resized(body, body.inputs(node)[0])
    if node.op in MERGE:
        sources = {_resized(body, each) for each in body.inputs(node)}
    elif node.op in _IFS:
        sources = {_resized_inside(body, node, name, body.port(key)) for name in ("then_branch", "else_branch")}
    else:
        return key
    return sources.pop() if len(sources) == 1 else key


def _resized_inside(body: Body, node: NodeDef, branch: str, port: int) -> str:
    """Return the tensor outside of a branch that a result is, but for its length."""
    inside = body.function(node, attr(node, branch, NameAttrList).name)
    key = _resized(inside, inside.results()[port])
    arguments = inside.arguments()
    return trace(body, body.inputs(node)[1 + arguments.index(key)]) if key in arguments else key


def _is_only_written(body: Body, argument: str, write: NodeDef, source: str) -> bool:
    """Return whether a list goes to the node alone that writes it, and perhaps to what makes it longer before."""
    growing = body.producer(trace(body, source))
    if growing is None or growing.op not in _IFS:
        return _reaches_only(body, argument, write)
    test = body.producer(trace(body, body.inputs(growing)[0]))
    lengths = [body.producer(trace(body, key)) for key in body.inputs(test)] if test is not None else []
    measured = [node for node in lengths if node is not None and node.op == "TensorListLength"]
    return (
        test is not None
        and _reaches_only(body, argument, growing, *measured)
        and _reaches_only(body, trace(body, source), write)
        and _reaches_only(body, body.output(test), growing)
        and all(_reaches_only(body, body.output(node), test) for node in measured)
    )


def _reaches_only(body: Body, key: str, *readers: NodeDef) -> bool:
    """Return whether a tensor goes to these nodes alone, through nodes that pass it on."""
    names = {node.name for node in readers}
    pending = [key]
    while pending:
        current = pending.pop()
        if current in body.outputs:
            return False
        for node, _ in body.uses.get(current, ()):
            if node.op in EXIT or node.name in names:
                continue
            if node.op not in _PASSING:
                return False
            pending += [body.output(node, port) for port in range(body.count_outputs(node))]
    return True
