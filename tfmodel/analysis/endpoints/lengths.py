"""Find inputs that say how long the sequences of a batch are.

lengths -> Less(range) -> mask        lengths -> ReverseSequence
"""

from __future__ import annotations

from itertools import islice

from ...ops.traits import PASS_THROUGH
from .dependencies import AFFINE, FORMS, Dependencies, Tensor

MAX_STEPS = 20
"""The most nodes between a comparison and the range that it takes."""

MAX_NODES = 1000
"""The most nodes that are followed from an input."""

_COMPARISONS = ("Greater", "Less")  # beginnings of ops
_STEPS = AFFINE | PASS_THROUGH | FORMS | {"Maximum"}


def is_length(flow: Dependencies, tensor: Tensor) -> bool:
    """Return whether an input says how long sequences are."""
    stack, seen = [tensor[0]], {tensor[0]}
    while stack and len(seen) < MAX_NODES:
        position = stack.pop()
        for user, _ in islice(flow.users[position], MAX_NODES):
            op, producers = flow.ops[user], flow.producers[user]
            if op.startswith(_COMPARISONS) and any(_is_range(flow, producer) for producer, _ in producers):
                return True
            if op == "ReverseSequence" and producers[1][0] == position:
                return True
            if user not in seen and op in _STEPS:
                seen.add(user)
                stack.append(user)
    return False


def _is_range(flow: Dependencies, position: int) -> bool:
    for _ in range(MAX_STEPS):
        if flow.ops[position] not in _STEPS or not flow.producers[position]:
            break
        position = flow.producers[position][0][0]
    return flow.ops[position] == "Range"
