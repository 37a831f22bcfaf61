"""Find results that users want in place of the prediction of a loss, because the prediction serves training only.

    towers with the same weights    one has a dropout, or a batch norm of training; the other one has neither, and takes
                                    the same inputs or inputs of its own
    teacher forcing                 the trained decoder takes the words of the target, the other one its own words
    towers that share a batch       each is trained with a part; a tower for the whole batch, or a join, is not
    items to rank                   training scores the items of a batch, use scores those of an input of its own
    decoders after the loss         the best path through the scores of a conditional random field

In the first two cases the result needs all variables of the prediction, only inputs that the prediction needs too, and
fewer of these or no random numbers. Or each of its inputs replaces one of the prediction's. Without any input, it has
to be computed from its own choices. A decoder is computed from the prediction, with other variables of the loss.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from ...errors import GraphError
from ...graph import attr
from ...ops.traits import PASS_THROUGH, RANDOM
from ..shapes import Shapes
from .activations import follow_to_activation
from .choice_masks import CHOICES
from .copies import forms_of_inputs
from .dependencies import AFFINE, Dependencies, Tensor
from .losses import Losses, Prediction
from .training_inputs import TrainingInputs

MAX_COMPARED = 32
"""The most predictions, and the most ends of the graph, that are compared."""

MAX_TOWERS = 4
"""The most towers that repeat a prediction, such as those that validate and test a model."""

MAX_STEPS_FROM_RANDOM = 6
"""The most steps from random numbers to the comparison or the sum that makes a dropout of them."""

MAX_STEPS = 20
"""The most nodes between the last weights of a prediction and the prediction."""


UNSURE = 0.6
"""The factor of the confidence of a decoder that takes its own choices, but lacks weights of the trained one."""


class Alternative(NamedTuple):
    """A tensor that users want in place of a prediction, the reason, and a factor of the confidence.

    `takes_choices` tells whether the tensor is computed from choices that the model makes itself.
    """

    tensor: Tensor
    reason: str
    prediction: Prediction
    certainty: float = 1.0
    takes_choices: bool = False


class _Needs(NamedTuple):
    """The inputs, as bits, and the variables that a tensor needs, and whether it needs random numbers."""

    inputs: int
    variables: frozenset[int]
    is_random: bool


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
        self._training_inputs = training_inputs
        self._is_result = is_result
        self._known: dict[Tensor, _Needs] = {}

    def find(self, ends: Sequence[Tensor], decoded: Collection[Tensor]) -> list[Alternative]:
        """Return the alternatives. `ends` are possible outputs, and `decoded` those of them that are integers."""
        predictions = self._losses.predictions[:MAX_COMPARED]
        ends = [end for end in ends if not self._in_losses[end[0]]][:MAX_COMPARED]
        found: dict[Tensor, Alternative] = {}
        for prediction in predictions:
            for tensor, reason in self._without_training(prediction, ends):
                found.setdefault(tensor, Alternative(tensor, reason, prediction))
        for prediction in () if found else predictions:
            for tensor in self._drawn(prediction, ends, decoded):
                reason = f"the choices that {self._flow.name(prediction.tensor)} depends on"
                found.setdefault(tensor, Alternative(tensor, reason, prediction))
        if found:
            alternatives = [
                each._replace(takes_choices=self._takes_own_choices(each.tensor)) for each in found.values()
            ]
            return [*alternatives, *self._other_steps(predictions, alternatives)]
        found = self._with_other_weights(predictions, ends)
        if not found:
            for prediction in predictions:
                for tensor in self._decoded(prediction, ends, decoded):
                    reason = f"decoded from {self._flow.name(prediction.tensor)} with variables that the loss trains"
                    found.setdefault(tensor, Alternative(tensor, reason, prediction))
        return list(found.values()) or list(self._of_whole_batch(predictions))

    # --- towers and decoders with the same weights -------------------------------------------------------------------

    def _without_training(self, prediction: Prediction, ends: Sequence[Tensor]) -> Iterator[tuple[Tensor, str]]:
        """Yield results of the weights of a prediction that need no random numbers, or fewer inputs."""
        needs = self._needs(prediction.of_loss)
        if not needs.variables or not (needs.is_random or needs.inputs):
            return
        twin = self._twin(prediction)
        same = f"computed as {self._flow.name(prediction.tensor)}"
        for tensor in ends if twin is None else [twin]:
            other = self._needs(tensor)
            if (
                other.variables >= needs.variables
                and not other.inputs & ~needs.inputs
                and (other.inputs or not needs.inputs or self._takes_own_choices(tensor))
            ):
                if needs.is_random and not other.is_random:
                    yield tensor, f"{same}, without random numbers and batch statistics"
                elif other.inputs != needs.inputs and (
                    other.is_random <= needs.is_random or self._takes_own_choices(tensor)
                ):
                    yield tensor, f"{same}, from fewer inputs"
            elif other.variables >= needs.variables and self._has_inputs_of_its_own(other.inputs, needs.inputs):
                yield tensor, f"{same}, from an input that no loss needs"
            elif self._is_tower(other, needs):
                yield tensor, f"{same}, with inputs of its own and without random numbers and batch statistics"
            elif self._is_for_another_batch(other, needs):
                yield tensor, f"{same}, with inputs of its own for a batch of another size"

    def _drawn(self, prediction: Prediction, ends: Sequence[Tensor], decoded: Collection[Tensor]) -> Iterator[Tensor]:
        """Yield the choices of a decoder that is trained with these, of which the loss takes the last scores."""
        if not self._takes_own_choices(prediction.of_loss):
            return
        needs = self._needs(prediction.of_loss)
        for tensor in ends:
            if tensor in decoded and self._takes_own_choices(tensor):
                other = self._needs(tensor)
                if other.variables >= needs.variables and other.inputs == needs.inputs:
                    yield tensor

    def _other_steps(self, predictions: Sequence[Prediction], found: Sequence[Alternative]) -> Iterator[Alternative]:
        """Yield decoders in place of all other predictions of the weights that they have, such as other time steps."""
        decoders = [alternative for alternative in found if alternative.takes_choices]
        replaced = {alternative.prediction for alternative in found}
        for prediction in predictions:
            needs = self._needs(prediction.of_loss)
            for decoder in decoders if prediction not in replaced and needs.variables else ():
                if needs.variables <= self._needs(decoder.tensor).variables:
                    yield decoder._replace(prediction=prediction)
                    break

    def _with_other_weights(
        self, predictions: Sequence[Prediction], ends: Sequence[Tensor]
    ) -> dict[Tensor, Alternative]:
        """Return decoders that take their own choices, from fewer inputs, with most of the weights of a prediction."""
        found: dict[Tensor, Alternative] = {}
        decoders = [end for end in ends if self._takes_own_choices(end)]
        for prediction in predictions if decoders else ():
            needs = self._needs(prediction.of_loss)
            for tensor in decoders:
                other = self._needs(tensor)
                is_shared = 2 * len(other.variables & needs.variables) > len(needs.variables)
                if is_shared and needs.inputs & ~other.inputs:
                    reason = f"decodes with most of the weights of {self._flow.name(prediction.tensor)}"
                    found.setdefault(tensor, Alternative(tensor, reason, prediction, UNSURE))
        return found

    def _has_inputs_of_its_own(self, inputs: int, of_prediction: int) -> bool:
        """Return whether inputs that no loss needs replace some inputs of a prediction, such as the items to rank."""
        of_losses = 0
        for root in self._losses.roots:
            of_losses |= self._flow.inputs_of((root, 0))
        return bool(inputs & ~of_losses and inputs & of_prediction and of_prediction & ~inputs)

    def _is_tower(self, tower: _Needs, of_prediction: _Needs) -> bool:
        """Return whether a network repeats one with random numbers without these, for inputs of its own."""
        if not of_prediction.is_random or tower.is_random or tower.variables != of_prediction.variables:
            return False
        if not tower.inputs or tower.inputs & of_prediction.inputs:
            return False
        return self._forms(tower.inputs) == self._forms(of_prediction.inputs)

    def _is_for_another_batch(self, tower: _Needs, of_prediction: _Needs) -> bool:
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

    def _takes_own_choices(self, tensor: Tensor) -> bool:
        """Return whether weights are applied to a choice that weights made: a generator, not a test with constants."""
        flow = self._flow
        needed = flow.value_ancestors([tensor[0]])
        choices = [position for position, op in enumerate(flow.ops) if needed[position] and op in CHOICES]
        after = flow.strict_descendants(position for position in choices if flow.is_learned(position))
        return any(
            needed[position] and after[position] and any(map(flow.is_weight, tensors))
            for position, tensors in enumerate(flow.producers)
        )

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
            needs = self._needs(prediction.of_loss)
            if not all(result is not None and self._is_tower(self._needs(result), needs) for result in results):
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

    def _needs(self, tensor: Tensor) -> _Needs:
        if tensor not in self._known:
            reached = self._flow.value_ancestors([tensor[0]])
            self._known[tensor] = _Needs(
                self._flow.inputs_of(tensor) & ~self._training_bits,
                self._flow.variables(reached),
                any(reached[position] for position in self._random),
            )
        return self._known[tensor]

    @cached_property
    def _in_losses(self) -> bytearray:
        return self._flow.ancestors(self._losses.roots)

    @cached_property
    def _training_bits(self) -> int:
        """The inputs that only training sets, as bits."""
        bits = 0
        for tensor in [*self._flow.sources]:
            if self._training_inputs.deployed_value(tensor) is not None:
                bits |= self._flow.inputs_of(tensor)
        return bits

    @cached_property
    def _random(self) -> list[int]:
        """The nodes that give random numbers or use statistics of the batch, although no input turns them off."""
        flow = self._flow
        positions = (position for position, op in enumerate(flow.ops) if op in RANDOM or self._normalizes(position))
        return [position for position in positions if flow.is_forward(position) and not self._is_controlled(position)]

    def _normalizes(self, position: int) -> bool:
        """Return whether a node normalizes values by the statistics of the batch, as in training."""
        if not self._flow.ops[position].startswith("FusedBatchNorm"):
            return False
        try:
            return attr(self._flow.index.nodes[position], "is_training", bool, True)
        except GraphError:  # which `check_graph` reports
            return False

    def _is_controlled(self, position: int) -> bool:
        """Return whether an input that only training sets decides if random numbers are used."""
        flow = self._flow
        branch = flow.index.node_branches[position]
        if branch is not None:
            chooser = flow.index.positions.get(branch.pred.node)
            if chooser is not None and flow.inputs_of((chooser, 0)) & self._training_bits:
                return True
        nodes, seen = [position], {position}
        for _ in range(MAX_STEPS_FROM_RANDOM):
            users = [user for node in nodes for user, _ in flow.users[node] if user not in seen]
            seen.update(users)
            if any(flow.inputs_of(tensor) & self._training_bits for user in users for tensor in flow.producers[user]):
                return True
            nodes = [user for user in users if flow.ops[user] in AFFINE | PASS_THROUGH]
        return False

    # --- towers that share a batch -----------------------------------------------------------------------------------

    def _of_whole_batch(self, predictions: Sequence[Prediction]) -> Iterator[Alternative]:
        """Yield results for a whole batch, in place of predictions of towers that take parts of it.

        A result is computed as the predictions are, or else joins them.
        """
        flow = self._flow
        groups: dict[tuple[int, frozenset[int]], list[Prediction]] = {}
        for prediction in predictions if len(predictions) > 1 else ():
            needs = self._needs(prediction.of_loss)
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
        return result if result is not None and self._needs(result) == self._needs(first) else None

    def _joined(self, towers: Sequence[Prediction]) -> Tensor | None:
        """Return the tensor that joins the predictions of all towers."""
        flow = self._flow
        tensors = [tower.of_loss for tower in towers]
        for user in islice(flow.forward_users(tensors[0]), MAX_COMPARED):
            joined = [tensor for tensor in flow.producers[user] if flow.inputs_of(tensor)]
            if flow.ops[user].startswith("Concat") and joined == tensors and self._is_result(user):
                return (user, 0)
        return None

    # --- decoders ----------------------------------------------------------------------------------------------------

    def _decoded(self, prediction: Prediction, ends: Sequence[Tensor], decoded: Collection[Tensor]) -> list[Tensor]:
        """Return the ends computed from a prediction with variables that its loss trains and the prediction lacks.

        At least one of them has to be decoded; those come first.
        """
        flow = self._flow
        if not prediction.kind.is_compared:
            return []
        predictions = flow.value_ancestors(other.of_loss[0] for other in self._losses.predictions)
        extra = flow.variables(flow.value_ancestors(self._losses.roots)) - flow.variables(predictions)
        if not extra:
            return []
        after = flow.strict_descendants([prediction.of_loss[0]])
        inputs = self._needs(prediction.of_loss).inputs | self._losses.length_bits
        of_extra = flow.strict_descendants(extra)
        steps = [  # of decoders; those of the loss itself are not among them
            position
            for position in self._weight_ops
            if after[position]
            and not self._in_losses[position]
            and any(of_extra[tensor[0]] and flow.is_weight(tensor) for tensor in flow.producers[position])
        ]
        decoders = flow.strict_descendants(steps)
        found = [end for end in ends if decoders[end[0]] and not self._needs(end).inputs & ~inputs]
        found.sort(key=lambda end: end not in decoded)
        return found if found and found[0] in decoded else []


def _takes_part(op: str) -> bool:
    return op.endswith("Slice") or op.startswith("Split")
