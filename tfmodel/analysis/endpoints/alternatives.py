"""Find results that users want in place of the prediction of a loss, because the prediction serves training only.

    towers with the same weights    one has a dropout, or a batch norm of training; the other one has neither, and takes
                                    the same inputs or inputs of its own
    decoders                        see `decoders.py`
    towers that share a batch       each is trained with a part; a tower for the whole batch, or a join, is not
    items to rank                   training scores the items of a batch, use scores those of an input of its own
    scores of all links             training scores links of a batch by embeddings of their nodes, use scores all links

In the first two cases the result needs all variables of the prediction, only inputs that the prediction needs too, and
fewer of these or no random numbers. Or each of its inputs replaces one of the prediction's. Without any input, it has
to be computed from its own choices.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from itertools import islice

from ..shapes import Shapes
from .activations import follow_to_activation
from .copies import forms_of_inputs
from .decoders import Alternative, Decoders
from .dependencies import Dependencies, Tensor
from .losses import Losses, Prediction
from .needs import Needs, NeedsOf
from .training_inputs import TrainingInputs

MAX_COMPARED = 32
"""The most predictions, and the most ends of the graph, that are compared."""

MAX_TOWERS = 4
"""The most towers that repeat a prediction, such as those that validate and test a model."""

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
            decoders.with_other_weights,
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
                alternatives = decoders.without_inputs(predictions, alternatives, self._shapes)
                return [*alternatives, *decoders.for_other_steps(predictions, alternatives)]
        return list(self._of_whole_batch(predictions)) or list(self._of_all_weights(predictions, ends))

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
        if self._is_generator(other, needs) and decoders.takes_own_choices(tensor):
            return "from inputs of its own and its own choices"
        if self._is_tower(other, needs):
            return "with inputs of its own and without random numbers and batch statistics"
        if self._is_for_another_batch(other, needs):
            return "with inputs of its own for a batch of another size"
        return ""

    def _has_inputs_of_its_own(self, inputs: int, of_prediction: int) -> bool:
        """Return whether inputs that no loss needs replace some inputs of a prediction, such as the items to rank."""
        of_losses = 0
        for root in self._losses.roots:
            of_losses |= self._flow.inputs_of((root, 0))
        return bool(inputs & ~of_losses and inputs & of_prediction and of_prediction & ~inputs)

    def _is_tower(self, tower: Needs, of_prediction: Needs) -> bool:
        """Return whether a network repeats one with random numbers without these, for inputs of its own."""
        if not of_prediction.is_random or tower.is_random or tower.variables != of_prediction.variables:
            return False
        if not tower.inputs or tower.inputs & of_prediction.inputs:
            return False
        return self._forms(tower.inputs) == self._forms(of_prediction.inputs)

    def _is_generator(self, other: Needs, of_prediction: Needs) -> bool:
        """Return whether a network takes an input like those of a prediction, but none that a loss needs."""
        if not other.variables >= of_prediction.variables or not other.inputs or other.inputs & of_prediction.inputs:
            return False
        return self._forms(other.inputs).keys() <= self._forms(of_prediction.inputs).keys()

    def _is_for_another_batch(self, tower: Needs, of_prediction: Needs) -> bool:
        """Return whether a network that is trained with batches of a size has a twin for batches of another one."""
        if tower.variables != of_prediction.variables or tower.is_random > of_prediction.is_random:
            return False
        if not tower.inputs or tower.inputs & of_prediction.inputs:
            return False
        sizes, trained = self._batch_sizes(tower.inputs), self._batch_sizes(of_prediction.inputs)
        is_fixed = bool(trained) and None not in trained and sizes.isdisjoint(trained)
        return is_fixed and self._forms(tower.inputs) == self._forms(of_prediction.inputs)

    def _batch_sizes(self, inputs: int) -> set[int | None]:
        """Return the first dimensions of some inputs, given as bits."""
        flow = self._flow
        tensors = (tensor for tensor in [*flow.sources] if flow.inputs_of(tensor) & inputs)
        shapes = (self._shapes.get(flow.name(tensor)) for tensor in tensors)
        return {shape[0] if shape else None for shape in shapes}

    def _forms(self, inputs: int) -> Counter[object]:
        return forms_of_inputs(self._flow, self._shapes, inputs)

    def _twin(self, prediction: Prediction) -> Tensor | None:
        """Return the tensor that is computed as a prediction is, by the same ops with the same weights.

        Return its probabilities, as for predictions; the first of several towers with inputs of their own; and None
        for other tensors that are computed more than once.
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
        if not 0 < len(twins) <= MAX_TOWERS or len(twins) != len(others):
            return None
        results = [self._repeated(twin, path[1:]) for twin in twins]
        if len(results) > 1:
            needs = self._needs.of(prediction.of_loss)
            if not all(result is not None and self._is_tower(self._needs.of(result), needs) for result in results):
                return None
        return results[0]

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

    # --- scores that no loss needs ---------------------------------------------------------------------------------

    def _of_all_weights(self, predictions: Sequence[Prediction], ends: Sequence[Tensor]) -> Iterator[Alternative]:
        """Yield the one end with the variables of several predictions together, such as the scores of all links.

        The end is not computed from the predictions, such as the embeddings of a few nodes that a label names.
        """
        flow = self._flow
        needs = [self._needs.of(prediction.of_loss) for prediction in predictions]
        variables = frozenset().union(*(need.variables for need in needs))
        if len(needs) < 2 or any(need.variables == variables for need in needs):
            return
        after = flow.computed_from(prediction.of_loss for prediction in predictions)
        unneeded = self._losses.label_bits
        found = [
            end
            for end in ends
            if not after[end[0]] and not flow.inputs_of(end) & unneeded and self._needs.of(end).variables == variables
        ]
        if len(found) == 1 and not any(found[0] == prediction.tensor for prediction in predictions):
            reason = "combines all weights that the losses train"
            yield from (Alternative(found[0], reason, prediction) for prediction in predictions)

    # --- towers that share a batch -----------------------------------------------------------------------------------

    def _of_whole_batch(self, predictions: Sequence[Prediction]) -> Iterator[Alternative]:
        """Yield results for a whole batch, in place of predictions of towers that take parts of it.

        A result is computed as the predictions are, or else joins them.
        """
        flow = self._flow
        groups: dict[tuple[int, frozenset[int]], list[Prediction]] = {}
        for prediction in predictions if len(predictions) > 1 else ():
            needs = self._needs.of(prediction.of_loss)
            if needs.variables and needs.inputs:
                groups.setdefault((needs.inputs, needs.variables), []).append(prediction)
        for towers in groups.values():
            if len(towers) < 2 or not self._take_parts(towers):
                continue
            first = towers[0]
            result, reason = self._whole(towers), "for the whole batch"
            if result is None:
                result, reason = self._joined(towers), "joins the parts of the batch"
            if result is not None:
                result = follow_to_activation(flow, result, self._is_result)
                name = flow.name(first.tensor)
                yield from (Alternative(result, f"computed as {name}, {reason}", tower) for tower in towers)

    def _take_parts(self, towers: Sequence[Prediction]) -> bool:
        """Return whether networks of the same ops take parts of the inputs."""
        flow = self._flow
        ops: list[Counter[str]] = []
        for tower in towers:
            needed = [place for place, is_needed in enumerate(flow.value_ancestors([tower.of_loss[0]])) if is_needed]
            parts = [place for place in needed if _takes_part(flow.ops[place]) and flow.inputs_of((place, 0))]
            if all(flow.is_learned(place) for place in parts):
                return False
            ops.append(Counter(flow.ops[place] for place in needed))
        return all(other == ops[0] for other in ops[1:])

    def _whole(self, towers: Sequence[Prediction]) -> Tensor | None:
        """Return the result that is computed as those of the towers are, but serves no loss; None for several."""
        flow, first = self._flow, towers[0].of_loss
        path = self._steps_after_weights(first, flow.ancestors([first[0]]))
        if not path:
            return None
        variables = self._weights_at(path[0])
        others = [
            user
            for user in self._weight_ops
            if flow.ops[user] == flow.ops[path[0]]
            and not self._in_losses[user]
            and self._is_result(user)
            and self._weights_at(user) == variables
        ]
        result = self._repeated(others[0], path[1:]) if len(others) == 1 else None
        return result if result is not None and self._needs.of(result) == self._needs.of(first) else None

    def _joined(self, towers: Sequence[Prediction]) -> Tensor | None:
        """Return the tensor that joins the predictions of all towers."""
        flow = self._flow
        tensors = [tower.of_loss for tower in towers]
        for user in islice(flow.forward_users(tensors[0]), MAX_COMPARED):
            joined = [tensor for tensor in flow.producers[user] if flow.inputs_of(tensor)]
            if flow.ops[user].startswith("Concat") and joined == tensors and self._is_result(user):
                return (user, 0)
        return None


def _takes_part(op: str) -> bool:
    return op.endswith("Slice") or op.startswith("Split")
