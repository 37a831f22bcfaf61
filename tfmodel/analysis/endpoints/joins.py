"""Find where a loss combines computed values with labels, or with other inputs.

features -> network -> prediction -+-> difference -> loss      the prediction is joined by a label
                            labels -+
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from ..shapes import Shapes
from .dependencies import Dependencies, Tensor
from .loss_roots import Loss
from .loss_steps import LOSS_OPS
from .targets import Targets, is_trained

MAX_COMPARED = 32
"""The most tensors of one loss that are compared with each other."""


class _Join(NamedTuple):
    """A node that combines values that are computed with weights, and values that depend on inputs only."""

    position: int
    inputs: list[Tensor]
    computed: list[Tensor]


class Joins:
    """The nodes that combine values for a loss.

    labels          the inputs that are labels, as bits
    feeds_weights   the nodes that apply weights, and those that these need
    """

    def __init__(self, flow: Dependencies, shapes: Shapes, labels: int, feeds_weights: bytearray, loss: Loss) -> None:
        self._flow = flow
        self._shapes = shapes
        self._labels = labels
        self._feeds_weights = feeds_weights
        self._loss = loss
        self._region = flow.ancestors(loss.roots)

    def by_labels(self) -> dict[Tensor, list[int]]:
        """Return the computed tensors that are combined with a label or target, or taken by a loss op, and by which."""
        flow, labels, gradients = self._flow, self._labels, self._loss.with_gradients
        targets = Targets(flow, gradients, self._feeds_weights)
        joined: dict[Tensor, list[int]] = {}
        scalars: dict[Tensor, list[int]] = {}
        for user, tensors in enumerate(flow.producers):
            if not self._region[user] or not flow.is_forward(user):
                continue
            if (
                tensors and flow.ops[user] in LOSS_OPS and flow.is_learned(tensors[0][0])
            ):  # the features may be constants
                joined.setdefault(tensors[0], []).append(user)
            if (compared := targets.compared(user)) is not None:
                joined.setdefault(compared, []).append(user)
            if self._feeds_weights[user] or not flow.inputs_of((user, 0)) & labels:
                continue
            for tensor in tensors:
                if (
                    is_trained(flow, tensor, gradients)
                    and flow.is_computed(tensor)
                    and not flow.inputs_of(tensor) & labels
                ):
                    (scalars if is_scalar(flow, self._shapes, tensor) else joined).setdefault(tensor, []).append(user)
        return joined or scalars

    @cached_property
    def _joins(self) -> list[_Join]:
        """Return the nodes after all weight ops that combine computed tensors with ones that depend on inputs only."""
        flow = self._flow
        joins = []
        for user, tensors in enumerate(flow.producers):
            if self._region[user] and not self._feeds_weights[user] and flow.is_forward(user):
                inputs = [tensor for tensor in tensors if flow.inputs_of(tensor) and not flow.is_learned(tensor[0])]
                computed = [
                    tensor
                    for tensor in tensors
                    if flow.is_computed(tensor) and not is_scalar(flow, self._shapes, tensor)
                ]
                if inputs and computed:
                    joins.append(_Join(user, inputs, computed))
        return joins

    def by_other_inputs(self) -> dict[Tensor, list[int]]:
        """Return the computed tensors that are combined with an input on which they do not depend.

        The tensor that needs the most inputs and variables decides which inputs count.
        """
        flow = self._flow
        pairs = [
            (tensor, join.position, bits)
            for join in self._joins
            for bits in [flow.bits(join.inputs)]
            for tensor in join.computed
            if not flow.inputs_of(tensor) & bits
        ][:MAX_COMPARED]
        if not pairs:
            return {}
        main = max(
            pairs,
            key=lambda pair: (flow.inputs_of(pair[0]).bit_count(), len(flow.variables(flow.ancestors([pair[0][0]])))),
        )
        labels = main[2] & ~flow.inputs_of(main[0])
        joined: dict[Tensor, list[int]] = {}
        for tensor, position, bits in pairs:
            if bits & labels and not flow.inputs_of(tensor) & labels:
                joined.setdefault(tensor, []).append(position)
        return joined

    def last(self) -> dict[Tensor, list[int]]:
        """Return the computed tensors of the joins that no other join needs."""
        earlier = self._flow.strict_ancestors(join.position for join in self._joins)
        joined: dict[Tensor, list[int]] = {}
        for join in self._joins:
            if not earlier[join.position]:
                for tensor in join.computed:
                    joined.setdefault(tensor, []).append(join.position)
        return joined


def is_scalar(flow: Dependencies, shapes: Shapes, tensor: Tensor) -> bool:
    return shapes.get(flow.name(tensor)) == ()
