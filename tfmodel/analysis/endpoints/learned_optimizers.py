"""Find the inputs of learned optimizers: networks that compute how the weights of another network change.

    gradients (fed) -> LSTM -> delta -> + W -+-> Assign to W
                                             +-> MatMul with the state -> loss, which trains the LSTM

The loss needs the inputs of the optimizer, which no user of the other network feeds.
"""

from __future__ import annotations

from itertools import islice

from ...ops.traits import ALL_VARIABLES
from .dependencies import SUMS, Dependencies, Tensor

MAX_USERS = 64
"""The most users of a sum that are looked at."""

_PRODUCTS = ("BatchMatMul", "Conv", "DepthwiseConv", "MatMul")  # beginnings of ops


def optimizer_inputs(flow: Dependencies) -> int:
    """Return the inputs that only change weights, as bits.

    A variable is assigned the sum of its value and a result of a network, and the sum is a weight for other inputs.
    """
    found = 0
    for position, op in enumerate(flow.ops):
        if op.startswith("Assign") and len(flow.producers[position]) > 1:
            (variable, _), value = flow.producers[position][:2]
            if flow.ops[variable] in ALL_VARIABLES and _is_change(flow, variable, value):
                inputs = flow.inputs_of(value)
                if inputs & ~found and _weighs_others(flow, value, inputs):
                    found |= inputs
    return found


def _is_change(flow: Dependencies, variable: int, value: Tensor) -> bool:
    """Return whether a value is the sum of a variable and of what a network computes."""
    tensors = flow.producers[value[0]]
    if flow.ops[value[0]] not in SUMS or len(tensors) != 2 or not flow.is_computed(value):
        return False
    kept = [tensor for tensor in tensors if flow.variable(tensor[0]) == variable and not flow.inputs_of(tensor)]
    return len(kept) == 1 and any(map(flow.is_computed, tensors))


def _weighs_others(flow: Dependencies, value: Tensor, inputs: int) -> bool:
    """Return whether a product takes a value, and another one that depends on other inputs alone."""
    for user in islice(flow.forward_users(value), MAX_USERS):
        others = flow.bits(tensor for tensor in flow.producers[user] if tensor != value)
        if flow.ops[user].startswith(_PRODUCTS) and others & ~inputs:
            return True
    return False
