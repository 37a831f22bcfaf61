"""Find networks that only say how good a state is, to train a policy.

    state   -> policy -> softmax -> * action -> sum -> log -> * advantage -> loss
    state_1 -> value -> - reward -> square -> loss

    state, next state -> network -> action -> loss      so that the features of states tell what an action changes

A policy is used without the value, unless both are computed from the same input: then users may want the value too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from ..shapes import Shapes
from .copies import forms_of_inputs
from .dependencies import AFFINE, FORMS, LIMITS, REDUCTIONS, Dependencies, Tensor
from .loss_steps import LOSS_OPS

MAX_COMPARED = 32
"""The most predictions that are compared with each other."""

MAX_STEPS = 32
"""The most nodes that are followed from a prediction."""

MAX_USERS = 16
"""The most users of a node that are looked at."""

_PICKS = frozenset({"BatchMatMul", "BatchMatMulV2", "Gather", "GatherNd", "GatherV2", "Mul", "StridedSlice"})
_STEPS = AFFINE | FORMS | REDUCTIONS | LIMITS | _PICKS | {"Exp", "Log"}


def without_baselines(
    flow: Dependencies, shapes: Shapes, region: bytearray, predictions: Sequence[Tensor]
) -> list[bool]:
    """Return for each prediction whether it is more than a baseline. `region` are the nodes that losses need."""
    kept = [True] * len(predictions)
    if not 1 < len(predictions) <= MAX_COMPARED:
        return kept
    values = [number for number, tensor in enumerate(predictions) if _is_value(flow, shapes, region, tensor)]
    policies = [tensor for tensor in predictions if _is_policy(flow, region, tensor)]
    of_policies = [_Network.of(flow, shapes, tensor) for tensor in policies]
    for number in values if policies else ():
        value = _Network.of(flow, shapes, predictions[number])
        kept[number] = not any(map(value.is_beside, of_policies))
    for number, tensor in enumerate(predictions if policies else ()):
        if tensor not in policies and any(policy.lacks_later_state(flow, shapes, tensor) for policy in of_policies):
            kept[number] = False
    return kept


class _Network(NamedTuple):
    """The inputs of a network as bits, how often each form of an input is among them, and its variables."""

    inputs: int
    forms: Counter[object]
    variables: frozenset[int]

    @classmethod
    def of(cls, flow: Dependencies, shapes: Shapes, tensor: Tensor) -> _Network:
        inputs = flow.inputs_of(tensor)
        variables = flow.variables(flow.ancestors([tensor[0]]))
        return cls(inputs, forms_of_inputs(flow, shapes, inputs), variables)

    def is_beside(self, other: _Network) -> bool:
        """Return whether another network takes inputs like those of this one, perhaps with more, but shares nothing."""
        is_apart = not self.inputs & other.inputs and not self.variables & other.variables
        return is_apart and self.inputs != 0 and self.forms <= other.forms

    def lacks_later_state(self, flow: Dependencies, shapes: Shapes, tensor: Tensor) -> bool:
        """Return whether a prediction needs the inputs of this network, and others of the same forms beside them."""
        inputs = flow.inputs_of(tensor)
        if inputs & self.inputs != self.inputs or not inputs & ~self.inputs:
            return False
        return {*forms_of_inputs(flow, shapes, inputs & ~self.inputs)} <= {*self.forms}


def _is_value(flow: Dependencies, shapes: Shapes, region: bytearray, tensor: Tensor) -> bool:
    """Return whether a prediction is one number for each example, and a loss takes its difference from an input."""
    shape = shapes.get(flow.name(tensor))
    if not shape or shape[1:] not in ((), (1,)):
        return False
    for user in islice(flow.forward_users(tensor), MAX_USERS):
        others = [other for other in flow.producers[user] if other != tensor]
        if region[user] and flow.ops[user] in ("Sub", "SquaredDifference") and any(map(flow.inputs_of, others)):
            return True
    return False


def _is_policy(flow: Dependencies, region: bytearray, tensor: Tensor) -> bool:
    """Return whether the logarithm of a chosen probability is weighed with another input, such as an advantage."""
    stack, seen = [(tensor[0], False, flow.inputs_of(tensor))], {tensor[0]}
    while stack and len(seen) < MAX_STEPS:
        position, is_log, inputs = stack.pop()
        for user in islice(flow.forward_users((position, 0)), MAX_USERS):
            op, joined = flow.ops[user], flow.inputs_of((user, 0))
            if is_log and op == "Mul" and joined & ~inputs:
                return True
            if user in seen or not region[user] or op not in _STEPS | LOSS_OPS:
                continue
            seen.add(user)
            is_chosen = op in LOSS_OPS or (op == "Log" and joined & ~flow.inputs_of(tensor) != 0)
            stack.append((user, is_log or is_chosen, joined))
    return False
