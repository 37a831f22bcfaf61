"""Find the decoders of a graph: what they decode is wanted, not the scores that a loss takes.

teacher forcing             the trained decoder takes the words of the target, the other one its own words
training with own choices   the loss takes the scores of the last step; a user wants the choices of all steps
decoders after the loss     the best path through the scores of a conditional random field
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from ..shapes import Shape, Shapes
from .choice_masks import CHOICES
from .dependencies import Dependencies, Tensor
from .losses import Losses, Prediction
from .needs import NeedsOf


class Alternative(NamedTuple):
    """A tensor that users want in place of a prediction, and the reason.

    `takes_choices` tells whether the tensor is computed from choices that the model makes itself.
    """

    tensor: Tensor
    reason: str
    prediction: Prediction
    takes_choices: bool = False


class Decoders:
    """The decoders of a graph among its `ends`, of which `decoded` are those with integers."""

    def __init__(
        self,
        flow: Dependencies,
        losses: Losses,
        needs: NeedsOf,
        ends: Sequence[Tensor],
        decoded: Collection[Tensor],
    ) -> None:
        self._flow = flow
        self._losses = losses
        self._needs = needs
        self._ends = ends
        self._decoded = decoded
        self._known: dict[Tensor, bool] = {}

    def takes_own_choices(self, tensor: Tensor) -> bool:
        """Return whether weights are applied to a choice that weights made: a generator, not a test with constants."""
        if tensor not in self._known:
            needed = self._flow.value_ancestors([tensor[0]])
            after = self._flow.strict_descendants(position for position in self._choices if needed[position])
            self._known[tensor] = any(needed[position] and after[position] for position in self._weight_ops)
        return self._known[tensor]

    @cached_property
    def _choices(self) -> list[int]:
        flow = self._flow
        return [position for position, op in enumerate(flow.ops) if op in CHOICES and flow.is_learned(position)]

    @cached_property
    def _weight_ops(self) -> list[int]:
        flow = self._flow
        return [position for position, tensors in enumerate(flow.producers) if any(map(flow.is_weight, tensors))]

    def of_own_choices(self, prediction: Prediction) -> Iterator[Alternative]:
        """Yield the choices of a decoder that is trained with these, of which the loss takes the last scores."""
        if not self.takes_own_choices(prediction.of_loss):
            return
        needs = self._needs.of(prediction.of_loss)
        for tensor in self._ends:
            if tensor in self._decoded and self.takes_own_choices(tensor):
                other = self._needs.of(tensor)
                if other.variables >= needs.variables and other.inputs == needs.inputs:
                    reason = f"the choices that {self._flow.name(prediction.tensor)} depends on"
                    yield Alternative(tensor, reason, prediction)

    def with_all_steps(self, found: Sequence[Alternative], shapes: Shapes) -> list[Alternative]:
        """Return the decoded ones of alternatives of the same weights, with the choices of steps that nothing joins."""
        decoded = [each for each in found if each.takes_choices and each.tensor in self._decoded]
        variables = [self._needs.of(each.tensor).variables for each in decoded]
        kept = [each for each in found if not any(self._needs.of(each.tensor).variables <= of for of in variables)]
        for last in decoded:
            kept.append(last)
            if last.tensor[0] in self._choices:
                needed, form = self._flow.strict_ancestors([last.tensor[0]]), self._form(last.tensor, shapes)
                earlier = ((place, 0) for place in self._choices if needed[place] and self._flow.is_fetchable(place))
                kept += [last._replace(tensor=step) for step in earlier if self._form(step, shapes) == form]
        return kept

    def _form(self, tensor: Tensor, shapes: Shapes) -> tuple[str, Shape | None]:
        return self._flow.ops[tensor[0]], shapes.get(self._flow.name(tensor))

    def for_other_steps(self, predictions: Sequence[Prediction], found: Sequence[Alternative]) -> Iterator[Alternative]:
        """Yield decoders in place of all other predictions of the weights that they have, such as other time steps."""
        decoders = [alternative for alternative in found if alternative.takes_choices]
        replaced = {alternative.prediction for alternative in found}
        for prediction in predictions:
            needs = self._needs.of(prediction.of_loss)
            for decoder in decoders if prediction not in replaced and needs.variables else ():
                if needs.variables <= self._needs.of(decoder.tensor).variables:
                    yield decoder._replace(prediction=prediction)
                    break

    def after_loss(self, prediction: Prediction) -> Iterator[Alternative]:
        """Yield the ends computed from a prediction with variables that its loss trains and the prediction lacks.

        At least one of them has to be decoded, unless the loss draws classes; those come first.
        """
        flow, roots = self._flow, self._losses.roots
        if not prediction.kind.is_compared:
            return
        predictions = flow.value_ancestors(other.of_loss[0] for other in self._losses.predictions)
        extra = flow.variables(flow.value_ancestors(roots)) - flow.variables(predictions)
        if not extra:
            return
        after, in_losses = flow.strict_descendants([prediction.of_loss[0]]), flow.ancestors(roots)
        inputs = self._needs.of(prediction.of_loss).inputs | self._losses.length_bits
        of_extra = flow.strict_descendants(extra)
        steps = [  # of decoders; those of the loss itself are not among them
            position
            for position in flow.weight_ops(after)
            if not in_losses[position]
            and any(of_extra[tensor[0]] and flow.is_weight(tensor) for tensor in flow.producers[position])
        ]
        decoders = flow.strict_descendants(steps)
        found = [end for end in self._ends if decoders[end[0]] and not self._needs.of(end).inputs & ~inputs]
        found.sort(key=lambda end: end not in self._decoded)
        if found and (found[0] in self._decoded or any(flow.sampled)):
            reason = f"decoded from {flow.name(prediction.tensor)} with variables that the loss trains"
            yield from (Alternative(tensor, reason, prediction) for tensor in found)
