"""Find the scores of all classes of a model whose loss takes those of a few, which it samples, such as the NCE loss.

    features -> +-> * rows of weights -> loss
                +-> * weights -> + bias -> softmax

The loss takes the features and the rows of the sampled classes. A user wants the scores, if the graph has them.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from .dependencies import Dependencies, Tensor
from .loss_steps import MAX_USERS

_SUMS = frozenset({"Add", "AddV2", "BiasAdd"})


def all_scores(flow: Dependencies, tensor: Tensor, region: bytearray, is_result: Callable[[int], bool]) -> Tensor:
    """Return the scores of all classes computed from a tensor that a loss takes; `tensor` itself if there are none.

    `region` has the nodes that losses need. Only nodes for which `is_result` is true are scores.
    """
    products = [
        user
        for user in islice(flow.forward_users(tensor), MAX_USERS)
        if "MatMul" in flow.ops[user] and not region[user] and is_result(user) and _weights(flow, user, tensor)
    ]
    if not products:
        return tensor
    sampled = _sampled_variables(flow, tensor, region)
    for product in products:
        [weights] = _weights(flow, product, tensor)
        if flow.variables(flow.ancestors([weights[0]])) & sampled:
            sums = (user for user in flow.forward_users((product, 0)) if flow.ops[user] in _SUMS and is_result(user))
            return (next((user for user in sums if _weights(flow, user, (product, 0))), product), 0)
    return tensor


def _weights(flow: Dependencies, position: int, tensor: Tensor) -> list[Tensor]:
    """Return the weights that a node combines with a tensor, if it takes nothing else."""
    others = [other for other in flow.producers[position] if other != tensor]
    return others if len(others) == 1 and flow.is_weight(others[0]) else []


def _sampled_variables(flow: Dependencies, tensor: Tensor, region: bytearray) -> set[int]:
    """Return the variables of which losses take rows, but not for the computation of a tensor."""
    needed = flow.ancestors([tensor[0]])
    gathers = (
        position
        for position, op in enumerate(flow.ops)
        if region[position] and not needed[position] and "Gather" in op and flow.producers[position]
    )
    return {flow.variable(flow.producers[position][0][0]) for position in gathers}
