"""Find labels that a model takes too, to mask what it computes.

    label -+-> loss
           +-> metric, such as in_top_k
           +-> mul(capsules) -> decoder -> reconstruction, which is another loss

Such a label reaches weights, but only in products with values that do not need it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from .dependencies import SHAPES, Dependencies, Tensor
from .loss_steps import MASKS

MAX_LABELS = 32
"""The most inputs that are followed."""

MAX_NODES = 200
"""The most nodes that are followed from an input."""

METRICS = frozenset({"Equal", "InTopK", "InTopKV2"})


def masking_labels(flow: Dependencies, feeds_weights: bytearray) -> set[Tensor]:
    """Return the inputs that a metric compares with a prediction, and that reach weights only as masks.

    `feeds_weights` has the nodes that apply weights, and those that these need.
    """
    compared = _compared_inputs(flow)
    return {tensor for tensor in compared if _is_mask(flow, tensor, feeds_weights)}


def _compared_inputs(flow: Dependencies) -> list[Tensor]:
    """Return the inputs from which the sides of comparisons are computed that have no weights."""
    stack: list[Tensor] = []
    for position, op in enumerate(flow.ops):
        if op in METRICS and flow.is_forward(position):
            tensors = flow.producers[position][:2]
            if any(map(flow.is_computed, tensors)):
                stack += [tensor for tensor in tensors if not flow.is_learned(tensor[0])]
    seen = set(stack)
    while stack:
        tensor = stack.pop()
        for before in () if flow.is_source(tensor[0]) else flow.producers[tensor[0]]:
            if flow.inputs_of(before) and before not in seen:
                seen.add(before)
                stack.append(before)
    return sorted(tensor for tensor in seen if flow.is_source(tensor[0]))[:MAX_LABELS]


def _is_mask(flow: Dependencies, tensor: Tensor, feeds_weights: bytearray) -> bool:
    """Return whether weights are applied to an input only in products with computed values."""
    stack, seen = [*islice(flow.forward_users(tensor), MAX_NODES)], set[int]()
    masks = False
    while stack:
        position = stack.pop()
        if position in seen:
            continue
        seen.add(position)
        if len(seen) > MAX_NODES:
            return False
        if flow.ops[position] in SHAPES:
            continue
        if not flow.is_learned(position):
            stack += islice((user for user, _ in flow.users[position] if flow.is_forward(user)), MAX_NODES)
        elif feeds_weights[position]:
            if flow.ops[position] not in MASKS or not _masks_others(flow, flow.producers[position], tensor):
                return False
            masks = True
    return masks


def _masks_others(flow: Dependencies, tensors: Sequence[Tensor], mask: Tensor) -> bool:
    """Return whether values that do not need the mask are among those that a product takes."""
    bits = flow.inputs_of(mask)
    return any(flow.is_computed(tensor) and not flow.inputs_of(tensor) & bits for tensor in tensors)
