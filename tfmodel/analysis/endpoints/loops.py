"""Find values that can be fetched in place of values in loops, of which only those that leave the loop can be.

x -> Enter -> Merge -> Switch -> Identity -> step of the loop        x, which no step changes
x -> TensorArrayScatter -> Enter -> TensorArrayRead                  x, of which each step reads a part
step of the loop -> TensorArrayWrite -> ... -> Exit -> TensorArrayGather    the values of all steps
"""

from __future__ import annotations

from itertools import islice

from ...ops.traits import ENTER, EXIT, MERGE, NEXT_ITERATION, SWITCH, UNCHANGED
from .dependencies import Dependencies, Tensor

MAX_STEPS = 30
"""The most nodes between a value in a loop and one outside."""

MAX_USERS = 64
"""The most users of a value that are followed."""

_WRITES = ("TensorArrayWrite", "TensorArrayScatter")  # beginnings of ops
_READS = ("TensorArrayConcat", "TensorArrayGather", "TensorListConcat", "TensorListStack")  # beginnings of ops
_PARTS = ("Gather", "Slice")  # parts of the names of ops that take elements
_CARRIED = UNCHANGED | NEXT_ITERATION | MERGE | SWITCH | EXIT


def fetchable(flow: Dependencies, tensor: Tensor) -> Tensor | None:
    """Return a tensor itself, or in place of one in a loop the one that it comes from or that it leaves the loop as.

    Return None if there is no such tensor.
    """
    if flow.is_fetchable(tensor[0]):
        return tensor
    before = _before_loop(flow, tensor)
    return before if before is not None else _after_loop(flow, tensor)


def _before_loop(flow: Dependencies, tensor: Tensor) -> Tensor | None:
    """Return the tensor outside of all loops that a tensor, or the whole of one, is in every step; None for others."""
    for _ in range(MAX_STEPS):
        if flow.is_fetchable(tensor[0]):
            return tensor
        producers = flow.producers[tensor[0]]
        if flow.ops[tensor[0]].startswith("TensorArrayRead"):
            return _scattered(flow, tensor[0])
        if flow.ops[tensor[0]] in MERGE:
            entering = [producer for producer in producers if flow.ops[producer[0]] in ENTER]
            carried = [producer for producer in producers if producer not in entering]
            if len(entering) != 1 or not all(_comes_from(flow, producer, tensor[0]) for producer in carried):
                return None
            producers = entering
        elif not producers or not (_is_part(flow, tensor[0]) or flow.ops[tensor[0]] in UNCHANGED | SWITCH | ENTER):
            return None
        tensor = producers[0]
    return None


def _is_part(flow: Dependencies, position: int) -> bool:
    """Return whether a node takes a part of a tensor, which nothing but the number of the step decides."""
    tensors = flow.producers[position]
    return any(part in flow.ops[position] for part in _PARTS) and flow.varying_inputs(position) == tensors[:1]


def _scattered(flow: Dependencies, position: int) -> Tensor | None:
    """Return the tensor whose parts are read at a node from a TensorArray; None for a TensorArray written otherwise."""
    for _ in range(MAX_STEPS):
        producers = flow.producers[position]
        if flow.ops[position].startswith("TensorArrayScatter") and len(producers) > 2:
            return producers[2] if flow.is_fetchable(producers[2][0]) else None
        is_step = flow.ops[position].startswith("TensorArrayRead") or flow.ops[position] in UNCHANGED | ENTER
        if not is_step or not producers:
            return None
        position = producers[-1][0]  # the flow of a TensorArray comes last
    return None


def _comes_from(flow: Dependencies, tensor: Tensor, merge: int) -> bool:
    """Return whether a tensor is what a Merge gives, carried to the next step without a change."""
    for _ in range(MAX_STEPS):
        if tensor[0] == merge:
            return True
        if flow.ops[tensor[0]] not in UNCHANGED | SWITCH | NEXT_ITERATION or not flow.producers[tensor[0]]:
            return False
        tensor = flow.producers[tensor[0]][0]
    return False


def _after_loop(flow: Dependencies, tensor: Tensor) -> Tensor | None:
    """Return the tensor outside of all loops that has the last value of a tensor, or the values of all steps."""
    seen, stack = {tensor[0]}, [(tensor[0], False)]
    while stack and len(seen) < MAX_STEPS:
        position, is_written = stack.pop()
        for user, _ in islice(flow.users[position], MAX_USERS):
            op = flow.ops[user]
            if user in seen or not flow.is_forward(user):
                continue
            seen.add(user)
            if flow.is_fetchable(user) and (op.startswith(_READS) if is_written else op in EXIT):
                return user, 0
            if op.startswith(_WRITES):
                stack.append((user, True))
            elif op in _CARRIED:
                stack.append((user, is_written))
    return None
