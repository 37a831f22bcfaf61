"""Find results that users want in place of the prediction of a loss, because the prediction serves training only.

    towers with the same weights    one has a dropout, or a batch norm of training; the other one has neither, and takes
                                    the same inputs
    decoders                        see `decoders.py`
    items to rank                   training scores the items of a batch, use scores those of an input of its own

In the first two cases the result needs all variables of the prediction, only inputs that the prediction needs too, and
fewer of these or no random numbers. Without any input, it has to be computed from its own choices.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property

from ..shapes import Shapes
from .activations import follow_to_activation
from .decoders import Alternative, Decoders
from .dependencies import Dependencies, Tensor
from .losses import Losses, Prediction
from .needs import Needs, NeedsOf
from .training_inputs import TrainingInputs

MAX_COMPARED = 32
"""The most predictions, and the most ends of the graph, that are compared."""

MAX_STEPS = 20
"""The most nodes between the last weights of a prediction and the prediction."""


class Alternatives:
    """The search for the alternatives to the predictions of a graph.

    `is_result` tells which nodes are neither auxiliary nor part of a loss.
    """

    def __init__(
        self,
        flow: Dependencies,
        shapes: Shapes,
        losses: Losses,
        training_inputs: TrainingInputs,
        is_result: Callable[[int], bool],
    ) -> None:
        self._flow = flow
        self._shapes = shapes
        self._losses = losses
        self._needs = NeedsOf(flow, training_inputs)
        self._is_result = is_result

    def find(self, ends: Sequence[Tensor], decoded: Collection[Tensor]) -> list[Alternative]:
        """Return the alternatives. `ends` are possible outputs, and `decoded` those of them that are integers."""
        predictions = self._losses.predictions[:MAX_COMPARED]
        ends = [end for end in ends if not self._in_losses[end[0]]][:MAX_COMPARED]
        decoders = Decoders(self._flow, self._losses, self._needs, ends, decoded)
        searches: list[Callable[[Prediction], Iterator[Alternative]]] = [
            lambda prediction: self._without_training(prediction, ends, decoders),
            decoders.of_own_choices,
            decoders.after_loss,
        ]
        for search in searches:
            found: dict[Tensor, Alternative] = {}
            for prediction in predictions:
                for alternative in search(prediction):
                    takes_choices = decoders.takes_own_choices(alternative.tensor)
                    found.setdefault(alternative.tensor, alternative._replace(takes_choices=takes_choices))
            if found:
                alternatives = decoders.with_all_steps(list(found.values()), self._shapes)
                return [*alternatives, *decoders.for_other_steps(predictions, alternatives)]
        return []

    # --- towers with the same weights --------------------------------------------------------------------------------

    def _without_training(
        self, prediction: Prediction, ends: Sequence[Tensor], decoders: Decoders
    ) -> Iterator[Alternative]:
        """Yield results of the weights of a prediction that need no random numbers, or fewer inputs."""
        needs = self._needs.of(prediction.of_loss)
        if not needs.variables or not (needs.is_random or needs.inputs):
            return
        twin = self._twin(prediction)
        for tensor in ends if twin is None else [twin]:
            if difference := self._difference(needs, tensor, decoders):
                reason = f"computed as {self._flow.name(prediction.tensor)}, {difference}"
                yield Alternative(tensor, reason, prediction)

    def _difference(self, needs: Needs, tensor: Tensor, decoders: Decoders) -> str:
        """Return in which way a tensor suits users better than a prediction with some needs; "" if it does not."""
        other = self._needs.of(tensor)
        if (
            other.variables >= needs.variables
            and not other.inputs & ~needs.inputs
            and (other.inputs or not needs.inputs or decoders.takes_own_choices(tensor))
        ):
            if needs.is_random and not other.is_random:
                return "without random numbers and batch statistics"
            is_simpler = other.is_random <= needs.is_random or decoders.takes_own_choices(tensor)
            return "from fewer inputs" if other.inputs != needs.inputs and is_simpler else ""
        if other.variables >= needs.variables and self._has_inputs_of_its_own(other.inputs, needs.inputs):
            return "from an input that no loss needs"
        return ""

    def _has_inputs_of_its_own(self, inputs: int, of_prediction: int) -> bool:
        """Return whether inputs that no loss needs replace some inputs of a prediction, such as the items to rank."""
        of_losses = 0
        for root in self._losses.roots:
            of_losses |= self._flow.inputs_of((root, 0))
        return bool(inputs & ~of_losses and inputs & of_prediction and of_prediction & ~inputs)

    def _twin(self, prediction: Prediction) -> Tensor | None:
        """Return the tensor that is computed as a prediction is, by the same ops with the same weights.

        Return its probabilities, as for predictions, and None for tensors that are computed more than twice.
        """
        flow = self._flow
        needed = flow.ancestors([prediction.of_loss[0]])
        path = self._steps_after_weights(prediction.of_loss, needed)
        if not path:
            return None
        first = path[0]
        variables = self._weights_at(first)
        others = [
            user
            for user in self._weight_ops
            if user != first and flow.ops[user] == flow.ops[first] and self._weights_at(user) == variables
        ]
        twins = [user for user in others if not self._in_losses[user] and self._is_result(user)]
        return self._repeated(twins[0], path[1:]) if len(twins) == len(others) == 1 else None

    def _repeated(self, start: int, path: Sequence[int]) -> Tensor | None:
        """Return the result that is computed from the node at `start` by the ops of the nodes of a path."""
        flow = self._flow
        tensor = (start, 0)
        for position in path:
            users = [user for user in flow.forward_users(tensor) if flow.ops[user] == flow.ops[position]]
            users = [user for user in users if self._is_result(user)]
            if len(users) != 1:
                return None
            tensor = (users[0], 0)
        return follow_to_activation(flow, tensor, self._is_result) if flow.is_fetchable(tensor[0]) else None

    def _steps_after_weights(self, tensor: Tensor, needed: bytearray) -> list[int]:
        """Return the last node before `tensor` that applies weights, and the nodes from there; [] if it is not near."""
        path = []
        for _ in range(MAX_STEPS):
            path.append(tensor[0])
            if self._weights_at(tensor[0]):
                return path[::-1]
            before = [each for each in self._flow.varying_inputs(tensor[0]) if self._flow.inputs_of(each)]
            if len(before) != 1:
                break
            [tensor] = before
        return []

    @cached_property
    def _weight_ops(self) -> list[int]:
        flow = self._flow
        return flow.weight_ops(bytearray(b"\1") * len(flow.ops))

    def _weights_at(self, position: int) -> frozenset[int]:
        """Return where a node takes its weights from; nothing for a node that does not apply weights to an input."""
        flow = self._flow
        tensors = flow.producers[position]
        if not any(map(flow.inputs_of, tensors)):
            return frozenset()
        return frozenset(flow.variable(tensor[0]) for tensor in tensors if flow.is_weight(tensor))

    @cached_property
    def _in_losses(self) -> bytearray:
        return self._flow.ancestors(self._losses.roots)
