"""Find inputs that say how long the sequences of a batch are, or which elements of the batch belong together.

lengths -> Less(range) -> mask        lengths -> ReverseSequence
sizes -> + -> Range -> Gather         the elements of one example of many that are joined, perhaps in a loop
kind -> Gather of offsets -> Range    the elements of one kind of many
"""

from __future__ import annotations

from itertools import islice

from ...ops.traits import ENTER, MERGE, NEXT_ITERATION, PASS_THROUGH, SWITCH
from .dependencies import AFFINE, FORMS, Dependencies, Tensor

MAX_STEPS = 20
"""The most nodes between a comparison and the range that it takes."""

MAX_NODES = 1000
"""The most nodes that are followed from an input."""

_COMPARISONS = ("Greater", "Less")  # beginnings of ops
_STEPS = AFFINE | PASS_THROUGH | FORMS | {"Maximum"}
_STEPS_OF_LOOPS = ENTER | MERGE | SWITCH | NEXT_ITERATION | {"StridedSlice"}


def is_length(flow: Dependencies, tensor: Tensor) -> bool:
    """Return whether an input says how long sequences are, or limits the range of the elements of an example."""
    stack, seen = [tensor[0]], {tensor[0]}
    while stack and len(seen) < MAX_NODES:
        position = stack.pop()
        for user, _ in islice(flow.users[position], MAX_NODES):
            op, producers = flow.ops[user], flow.producers[user]
            if op.startswith(_COMPARISONS) and any(_is_range(flow, producer) for producer, _ in producers):
                return True
            if op == "ReverseSequence" and producers[1][0] == position:
                return True
            if op == "Range" and _selects(flow, user):
                return True
            is_step = (
                op in _STEPS or (op in _STEPS_OF_LOOPS and flow.is_forward(user)) or _looks_up(flow, user, position)
            )
            if user not in seen and is_step:
                seen.add(user)
                stack.append(user)
    return False


def _selects(flow: Dependencies, position: int) -> bool:
    """Return whether a Gather takes the elements of a result in a range."""
    gathers = (user for user in islice(flow.forward_users((position, 0)), MAX_NODES) if "Gather" in flow.ops[user])
    return any(
        flow.producers[user][1:2] == [(position, 0)] and flow.is_computed(flow.producers[user][0]) for user in gathers
    )


def _looks_up(flow: Dependencies, position: int, index: int) -> bool:
    """Return whether a Gather takes elements of a constant, such as offsets, by the values of the node at `index`."""
    tensors = flow.producers[position]
    if "Gather" not in flow.ops[position] or len(tensors) < 2 or tensors[1][0] != index:
        return False
    return not flow.inputs_of(tensors[0]) and not flow.is_learned(tensors[0][0])


def _is_range(flow: Dependencies, position: int) -> bool:
    for _ in range(MAX_STEPS):
        if flow.ops[position] not in _STEPS or not flow.producers[position]:
            break
        position = flow.producers[position][0][0]
    return flow.ops[position] == "Range"
