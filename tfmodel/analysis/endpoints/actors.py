"""Find results that are trained without a loss that compares them.

    state -> actor -> action -> gradients, which start at a fed derivative of a critic
    state -> actor -> action -> critic -> loss, which trains the actor alone

The first is how DDPG is written with two networks, the second with one graph; generators are trained in the second way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from .dependencies import AFFINE, LIMITS, Dependencies, Tensor
from .loss_roots import Loss

MAX_STEPS = 20
"""The most steps that scale an action."""

_PRODUCTS = ("BatchMatMul", "MatMul")  # beginnings of ops
_SCALING = AFFINE | LIMITS | {"Identity"}


def end_of_scaling(flow: Dependencies, tensor: Tensor, is_result: Callable[[int], bool]) -> Tensor:
    """Return the last value that is computed from a tensor by scaling, shifting and limiting it alone.

    Only nodes for which `is_result` is true are followed, and no branches.
    """
    for _ in range(MAX_STEPS):
        users = [user for user in flow.forward_users(tensor) if is_result(user)]
        if len(users) != 1 or flow.ops[users[0]] not in _SCALING or len(flow.varying_inputs(users[0])) != 1:
            break
        tensor = (users[0], 0)
    return tensor


def trained_through(flow: Dependencies, losses: Sequence[Loss]) -> list[Tensor]:
    """Return the values that a loss trains through layers that only other losses train.

    They are the inputs of these layers, parts of these, or factors of values of these layers. They depend on
    variables that the loss trains and on none of the other layers'.
    """
    found: dict[Tensor, None] = {}
    for loss in losses:
        others = frozenset().union(*(other.trained for other in losses)) - loss.trained
        if not loss.trained or not others or loss.is_fed:
            continue
        region = flow.ancestors(loss.roots)
        if not any(region[variable] for variable in others) or not any(region[variable] for variable in loss.trained):
            continue
        trained, fixed = _dependents(flow, loss.trained), _dependents(flow, others)
        products = [
            position
            for position, op in enumerate(flow.ops)
            if region[position] and op.startswith(_PRODUCTS) and flow.is_forward(position)
        ]
        layers = frozenset(flow.weight_ops(region))
        for position in sorted({*layers, *products}):
            tensors = flow.producers[position]
            if any(fixed[tensor[0]] and (position not in layers or flow.is_weight(tensor)) for tensor in tensors):
                parts = [part for tensor in tensors for part in (tensor, *joined_parts(flow, tensor))]
                for tensor in parts:
                    if flow.is_computed(tensor) and trained[tensor[0]] and not fixed[tensor[0]]:
                        found[tensor] = None
    return list(found)


def joined_parts(flow: Dependencies, tensor: Tensor) -> list[Tensor]:
    """Return the values that a Concat joins to `tensor`, such as a state and an action; [] for any other tensor."""
    return flow.varying_inputs(tensor[0]) if flow.ops[tensor[0]].startswith("Concat") else []


def _dependents(flow: Dependencies, variables: Iterable[int]) -> bytearray:
    """Return, by position, which nodes compute values from variables, without gradients and updates."""
    reached = bytearray(len(flow.ops))
    stack = list(variables)
    while stack:
        position = stack.pop()
        if not reached[position]:
            reached[position] = True
            stack += [user for user, _ in flow.users[position] if flow.is_forward(user)]
    return reached
