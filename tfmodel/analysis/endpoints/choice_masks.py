"""Find inputs that tell which results a model may choose, such as the legal moves of a game.

    scores -> softmax -> * mask -> argmax       the action is chosen of the legal moves: the mask is an input
    scores -> + (1 - mask) * -1e9 -> softmax    the same, before the softmax
    scores -> softmax -> * mask -> / sum        the legal moves share the probability

No weights are applied to such an input, and a loss may need it, as for a label. But a label is compared with a
prediction, and nothing is chosen of its product with one:

    scores -> * action -> sum -> - target       the score of the action that was taken: a label
    entropy -> * weights -> mean                the weights of examples: labels
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from ...ops.traits import PASS_THROUGH
from .dependencies import AFFINE, FORMS, LIMITS, SHAPES, SUMS, Dependencies, Tensor
from .loss_steps import LOSS_OPS, MASKS

MAX_INPUTS = 64
"""The most inputs that are followed."""

MAX_NODES = 200
"""The most nodes that are followed from an input, and from a masked value."""

CHOICES = frozenset({"ArgMax", "Multinomial", "StatelessMultinomial", "TopK", "TopKV2"})
"""Ops that choose elements of a tensor."""

METRICS = frozenset({"Equal", "InTopK", "InTopKV2"})
"""Ops that say where results are right."""

_CHOSEN_OF = CHOICES | {"LogSoftmax", "Softmax"}
_MASKING = MASKS | SUMS
_STEPS = AFFINE | FORMS | LIMITS | PASS_THROUGH | {"Log", "Transpose"}
_COMPARED = LOSS_OPS | METRICS | {"NotEqual", "SquaredDifference"}


def choice_masks(flow: Dependencies, inputs: Iterable[Tensor], labels: int) -> int:
    """Return the inputs that mask values of which something is chosen, as bits.

    `inputs` are those that may be masks. `labels` are all inputs without weights, as bits; masked values need none.
    """
    return flow.bits(tensor for tensor in islice(inputs, MAX_INPUTS) if _masks_choices(flow, tensor, labels))


def _masks_choices(flow: Dependencies, mask: Tensor, labels: int) -> bool:
    """Return whether an input masks values of which something is chosen, and is not a label."""
    bits, found = flow.inputs_of(mask), False
    seen: set[int] = set()
    stack = [*islice(flow.forward_users(mask), MAX_NODES)]
    while stack:
        position = stack.pop()
        if position in seen or flow.ops[position] in SHAPES:
            continue
        seen.add(position)
        if len(seen) > MAX_NODES:
            return False
        if not flow.is_learned(position):
            stack += islice((user for user, _ in flow.users[position] if flow.is_forward(user)), MAX_NODES)
            continue
        masked = [tensor for tensor in flow.producers[position] if flow.is_computed(tensor)]
        if flow.ops[position] in _COMPARED:
            return False
        if any(flow.inputs_of(tensor) & labels for tensor in masked):
            continue  # a weight of a loss
        if flow.ops[position] in _MASKING and _is_chosen_of(flow, position, bits):
            found = True
        elif flow.ops[position] not in MASKS:
            return False  # a difference from a label
    return found


def _is_chosen_of(flow: Dependencies, position: int, bits: int) -> bool:
    """Return whether something is chosen of the value of a node, or it is divided by its sum.

    The value may be scaled and limited before, but not combined with other inputs than the mask, given as bits.
    """
    seen: set[int] = set()
    stack = [position]
    while stack and len(seen) < MAX_NODES:
        position = stack.pop()
        for user in islice(flow.forward_users((position, 0)), MAX_NODES):
            op, others = flow.ops[user], [each for each in flow.varying_inputs(user) if each[0] != position]
            if op in _CHOSEN_OF:
                return True
            if op in ("Div", "RealDiv") and others and all(_is_sum_of(flow, other, position) for other in others):
                return True
            is_changed = any(flow.is_learned(other[0]) or flow.inputs_of(other) & ~bits for other in others)
            if user not in seen and op in _STEPS and not is_changed:
                seen.add(user)
                stack.append(user)
    return False


def _is_sum_of(flow: Dependencies, tensor: Tensor, position: int) -> bool:
    return flow.ops[tensor[0]] == "Sum" and flow.producers[tensor[0]][:1] == [(position, 0)]
