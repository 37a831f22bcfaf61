"""Find the ends of a graph that show results before the model selects some of them, such as those of a detector.

scores of all boxes -+-> Identity                      an end that no user needs
                     +-> non-maximum suppression -> Gather -> scores of the detections
"""

from __future__ import annotations

from collections.abc import Sequence

from ...ops.traits import PASS_THROUGH
from .dependencies import FORMS, Dependencies, Tensor

MAX_ENDS = 256
"""The most ends of the graph that are looked at."""

_SUPPRESSES = ("CombinedNonMaxSuppression", "NonMaxSuppression")  # beginnings of ops
_SELECTS = frozenset({"TopK", "TopKV2", "Where"})
_VIEWS = FORMS | PASS_THROUGH | {"Transpose"}


def before_selections(flow: Dependencies, ends: Sequence[Tensor]) -> list[Tensor]:
    """Return those of the `ends` that show a result whole from which a selection takes elements for other ends."""
    places = selections(flow)
    if not places or not 1 < len(ends) <= MAX_ENDS:
        return []
    selected = flow.strict_descendants(places)
    for position in places:
        selected[position] = True
    taken = [tensor[0] for position in places for tensor in flow.producers[position] if _suppresses(flow, position)]
    taken += [
        tensors[0][0]
        for position, tensors in enumerate(flow.producers)
        if flow.ops[position].startswith("Gather") and flow.is_forward(position)
        if len(tensors) > 1 and selected[tensors[1][0]]
    ]
    taken = [position for position in taken if flow.inputs_of((position, 0))]
    if not taken or not any(selected[end[0]] for end in ends):
        return []
    whole = flow.value_ancestors(taken)
    return [end for end in ends if not selected[end[0]] and whole[flow.viewed(end, _VIEWS)[0]]]


def selections(flow: Dependencies) -> list[int]:
    """Return the nodes that tell which results of the network are selected."""
    return [position for position, op in enumerate(flow.ops) if _is_selection(flow, position, op)]


def _is_selection(flow: Dependencies, position: int, op: str) -> bool:
    """Return whether a node selects results. In a frozen graph, a condition may be about inputs alone."""
    if not flow.is_forward(position) or not flow.inputs_of((position, 0)):
        return False
    return op.startswith(_SUPPRESSES) or (op in _SELECTS and flow.is_learned(position))


def _suppresses(flow: Dependencies, position: int) -> bool:
    return flow.ops[position].startswith(_SUPPRESSES)
