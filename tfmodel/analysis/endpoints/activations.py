"""Follow a prediction forward to its probabilities.

logits -> softmax                          the loss takes the logits; a user wants the softmax
logits -> reshape -> softmax -> reshape    of more than two dimensions; a user wants the last reshape
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from ..shapes import Shapes
from .dependencies import ACTIVATIONS, SHAPES, Dependencies, Tensor
from .loss_steps import MAX_STEPS, MAX_USERS, is_default_name

_LOGARITHMS = frozenset({"LogSoftmax"})
_BEFORE_ACTIVATION = frozenset({"Identity", "Reshape", "Squeeze"})


def follow_to_activation(
    flow: Dependencies,
    tensor: Tensor,
    is_result: Callable[[int], bool],
    shapes: Shapes | None = None,
) -> Tensor:
    """Return the probabilities computed from a prediction, or the last Identity or Reshape with a name of its own.

    Return the prediction itself if neither exists. Only nodes for which `is_result` is true are followed.
    """
    return _Path(flow, is_result, shapes).follow(tensor)


class _Path:
    def __init__(self, flow: Dependencies, is_result: Callable[[int], bool], shapes: Shapes | None) -> None:
        self._flow = flow
        self._is_result = is_result
        self._shapes = shapes

    def follow(self, tensor: Tensor) -> Tensor:
        result = tensor
        for _ in range(MAX_STEPS):
            users = self._users(tensor)
            activation = self._activation(users, self._flow.ops[tensor[0]])
            named = next((user for user in users if self._is_named_result(tensor, user)), None)
            following = next((user for user in (activation, named, self._branch(users)) if user is not None), None)
            if following is None:
                break
            before, tensor = tensor, (following, 0)
            if following == activation:
                tensor = self._restored(before, tensor)
            if following in (activation, named):
                result = tensor
        return result

    def _users(self, tensor: Tensor) -> list[int]:
        flow = self._flow
        users = islice(flow.forward_users(tensor), MAX_USERS)
        return [user for user in users if self._is_result(user) and flow.producers[user][0] == tensor]

    def _is_named_result(self, tensor: Tensor, position: int) -> bool:
        """Return whether a node gives a tensor a name of its own. The parameters of distributions are named twice."""
        nodes, node = self._flow.index.nodes, self._flow.index.nodes[position]
        if node.op not in _BEFORE_ACTIVATION or is_default_name(node):
            return False
        if is_default_name(nodes[tensor[0]]) or not any(True for _ in self._flow.forward_users((position, 0))):
            return True
        outer = nodes[tensor[0]].name.rpartition("/")[0]
        scope = node.name.rpartition("/")[0]
        return not (scope and (not outer or scope.startswith(f"{outer}/")))

    def _activation(self, users: list[int], before: str) -> int | None:
        """Return the first activation, logarithms after all others.

        Logarithms do not count if the op `before` is an activation.
        """
        ops = self._flow.ops
        possible = ACTIVATIONS - _LOGARITHMS if before in ACTIVATIONS else ACTIVATIONS
        activations = (user for user in users if ops[user] in possible)
        return min(activations, key=lambda user: ops[user] in _LOGARITHMS, default=None)

    def _branch(self, users: list[int]) -> int | None:
        """Return the first user that keeps all elements."""
        return next((user for user in users if self._flow.ops[user] in _BEFORE_ACTIVATION), None)

    def _restored(self, before: Tensor, activation: Tensor) -> Tensor:
        """Return an activation of flattened scores in the shape that these had; the activation itself if it has none.

        `before` are the scores that the activation takes.
        """
        flow = self._flow
        if flow.ops[before[0]] == "Reshape":
            for user in self._users(activation):
                if flow.ops[user] == "Reshape" and self._has_shape_of((user, 0), flow.producers[before[0]][0]):
                    return (user, 0)
        return activation

    def _has_shape_of(self, reshaped: Tensor, original: Tensor) -> bool:
        """Return whether a Reshape restores the shape of a tensor, as far as that is known."""
        flow = self._flow
        shape = flow.producers[reshaped[0]][-1]
        if flow.ops[shape[0]] in SHAPES:
            return flow.producers[shape[0]][:1] == [original]
        if self._shapes is None:
            return False
        known = self._shapes.get(flow.name(original))
        return known is not None and None not in known and known == self._shapes.get(flow.name(reshaped))
