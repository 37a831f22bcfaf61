"""Find the predictions that a loss compares with targets that the graph makes itself.

    boxes -> - target -> loss               a Python function makes the target of labels and of results
    logits -> * (1 - action) -> loss        the model draws the action with random numbers, as its own label
    policy -> * one_hot(action) -> loss     the action is fed, and another network takes it too

No gradients flow through such a target.
"""

from __future__ import annotations

from functools import cached_property

from ...ops.traits import PASS_THROUGH, PYTHON_CALLS, RANDOM, UNCHANGED
from .choice_masks import CHOICES
from .dependencies import AFFINE, DIFFERENCES, DRAWS, FORMS, Dependencies, Tensor

MAX_STEPS = 20
"""The most nodes between a target and the Python function that makes it."""

MAX_STEPS_BACK = 20
"""The most nodes between a tensor and one with gradients."""

_STEPS = AFFINE | PASS_THROUGH | FORMS | {"StopGradient", "Transpose"}
_FORMS = PASS_THROUGH | FORMS | {"Cast"}
_COMPARISONS = ("Greater", "Less")  # beginnings of ops
_PICKS = ("Gather", "StridedSlice")  # beginnings of ops


class Targets:
    """The targets of a loss whose gradients flow through the nodes at `gradients`.

    `feeds_weights` has the nodes that apply weights, and those that these need.
    """

    def __init__(self, flow: Dependencies, gradients: frozenset[int] | None, feeds_weights: bytearray) -> None:
        self._flow = flow
        self._gradients = gradients
        self._feeds_weights = feeds_weights

    def compared(self, position: int) -> Tensor | None:
        """Return the prediction that a node compares with a target, or of which it picks that; None for other nodes."""
        flow, op, gradients = self._flow, self._flow.ops[position], self._gradients
        varying = flow.varying_inputs(position)
        if gradients is None or len(varying) < 2:
            return None
        pairs = [(varying[0], varying[1])]  # where an op picks elements, the target says which ones
        if not op.startswith(_PICKS):
            pairs.append((varying[1], varying[0]))
        for prediction, target in pairs:
            if not flow.is_computed(prediction):
                continue
            if prediction[0] not in gradients:
                continue
            if op in DIFFERENCES and self._is_made_by_python(target):
                return prediction
            if self._feeds_weights[position]:
                continue
            is_drawn = self._drawn[target[0]] and not self._drawn[prediction[0]]
            if is_drawn and (op in DIFFERENCES | {"Mul"} or op.startswith(_PICKS)):
                return prediction
            if op == "Mul" and self._is_fed_choice(target) and not flow.inputs_of(target) & flow.inputs_of(prediction):
                return prediction
        return None

    def _is_made_by_python(self, tensor: Tensor) -> bool:
        flow = self._flow
        for _ in range(MAX_STEPS):
            if flow.ops[tensor[0]] in PYTHON_CALLS:
                return True
            varying = flow.varying_inputs(tensor[0])
            if flow.ops[tensor[0]] not in _STEPS or len(varying) != 1:
                return False
            [tensor] = varying
        return False

    @cached_property
    def _noisy(self) -> bytearray:
        return self._flow.strict_descendants(position for position, op in enumerate(self._flow.ops) if op in RANDOM)

    def _is_fed_choice(self, tensor: Tensor) -> bool:
        """Return whether a tensor has ones where an input tells that an element was chosen, and zeros elsewhere."""
        flow = self._flow
        for _ in range(MAX_STEPS):
            if flow.ops[tensor[0]] == "OneHot":
                return not flow.is_learned(tensor[0]) and flow.inputs_of(tensor) != 0
            if flow.ops[tensor[0]] not in _FORMS or not flow.producers[tensor[0]]:
                return False
            tensor = flow.producers[tensor[0]][0]
        return False

    @cached_property
    def _drawn(self) -> bytearray:
        """The nodes, by position, whose values the model chooses with random numbers, and through which nothing trains.

        They are computed from the results of the model, such as the action that a policy takes.
        """
        flow, gradients = self._flow, self._gradients or frozenset()
        choices = [
            position
            for position, op in enumerate(flow.ops)
            if flow.is_learned(position) and (op in DRAWS or (self._noisy[position] and _chooses(op)))
        ]
        drawn = flow.strict_descendants(choices)
        for position in choices:
            drawn[position] = True
        for position in gradients:
            drawn[position] = False
        return drawn


def _chooses(op: str) -> bool:
    return op in CHOICES or op.startswith(_COMPARISONS)


def is_trained(flow: Dependencies, tensor: Tensor, gradients: frozenset[int] | None) -> bool:
    """Return whether gradients flow to a tensor. The gradient of an Identity has no node of its own."""
    for _ in range(MAX_STEPS_BACK):
        if gradients is None or tensor[0] in gradients:
            return True
        if flow.ops[tensor[0]] not in UNCHANGED or not flow.producers[tensor[0]]:
            break
        tensor = flow.producers[tensor[0]][0]
    return False
