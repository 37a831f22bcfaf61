"""Find the deviations of distributions, which a network computes in steps that look like steps of a loss.

    x -> network -> softplus -> + 1e-5 -+-> log ----------------> loss
                                        +-> divides differences -> loss
                                        +-> * noise -> + mean -> sample

The loss takes the logarithm of the sum. But the sum is what everything uses, and what a user wants, not the softplus.
"""

from __future__ import annotations

from itertools import islice

from ...ops.traits import PASS_THROUGH, RANDOM
from .dependencies import AFFINE, FORMS, LIMITS, POSITIVE, Dependencies, Tensor

MAX_STEPS = 12
"""The most nodes from a result of the network to the deviation."""

MAX_SCALING_STEPS = 4
"""The most nodes that square and scale a deviation before it divides a difference."""

MAX_USERS = 64
"""The most users of a node that are looked at."""

_CURVES = POSITIVE | {"Log", "Log1p"}
_STEPS = AFFINE | FORMS | PASS_THROUGH | LIMITS | _CURVES | {"Sqrt"}
_SCALING = FORMS | PASS_THROUGH | {"Mul", "Pow", "Square"}
_QUOTIENTS = frozenset({"Div", "RealDiv"})
_RECIPROCALS = frozenset({"Inv", "Reciprocal"})


def is_deviation(flow: Dependencies, value: Tensor) -> bool:
    """Return whether a value is positive and scales noise, or divides a difference and has another use too."""
    if flow.ops[value[0]] not in _STEPS - PASS_THROUGH or not _is_positive(flow, value):
        return False
    users = _users(flow, value)
    if any(flow.ops[user] == "Mul" and _takes_noise(flow, user) for user in users):
        return True
    return len(users) > 1 and _divides(flow, value)


def _users(flow: Dependencies, value: Tensor) -> set[int]:
    """Return the nodes that use a value, perhaps through an Identity."""
    users: set[int] = set()
    stack = [value]
    while stack and len(users) < MAX_USERS:
        for user in islice(flow.forward_users(stack.pop()), MAX_USERS):
            if flow.ops[user] in PASS_THROUGH:
                stack.append((user, 0))
            else:
                users.add(user)
    return users


def _is_positive(flow: Dependencies, value: Tensor) -> bool:
    """Return whether a curve or a limit makes a value positive, perhaps before it is scaled and shifted."""
    for _ in range(MAX_STEPS):
        if flow.ops[value[0]] in _CURVES | LIMITS:
            return True
        before = flow.varying_inputs(value[0])
        if flow.ops[value[0]] not in _STEPS or len(before) != 1:
            return False
        [value] = before
    return False


def _takes_noise(flow: Dependencies, position: int) -> bool:
    """Return whether a node takes random numbers, perhaps scaled and in another form."""
    for tensor in flow.producers[position]:
        for _ in range(MAX_SCALING_STEPS):
            if flow.ops[tensor[0]] in RANDOM:
                return True
            before = [each for each in flow.producers[tensor[0]] if flow.ops[each[0]] != "Const"]
            if flow.ops[tensor[0]] not in AFFINE | FORMS | PASS_THROUGH or not before or flow.is_learned(tensor[0]):
                break
            tensor = before[0]
    return False


def _divides(flow: Dependencies, value: Tensor) -> bool:
    """Return whether a value, perhaps squared and scaled, divides one that is not computed from it."""
    computed = flow.strict_descendants([value[0]])
    values = [value]
    for _ in range(MAX_SCALING_STEPS):
        following: list[Tensor] = []
        for tensor in values:
            for user in islice(flow.forward_users(tensor), MAX_USERS):
                taken = flow.producers[user]
                if flow.ops[user] in _QUOTIENTS and taken[1:2] == [tensor] and _is_other(flow, taken[0], computed):
                    return True
                if flow.ops[user] in _RECIPROCALS and any(
                    flow.ops[product] == "Mul"
                    and any(_is_other(flow, factor, computed) for factor in flow.producers[product])
                    for product in islice(flow.forward_users((user, 0)), MAX_USERS)
                ):
                    return True
                if flow.ops[user] in _SCALING and {*flow.varying_inputs(user)} == {tensor}:
                    following.append((user, 0))
        values = following[:MAX_USERS]
    return False


def _is_other(flow: Dependencies, tensor: Tensor, computed: bytearray) -> bool:
    """Return whether a tensor is a result of the network that `computed` does not have."""
    return flow.is_learned(tensor[0]) and not computed[tensor[0]]
