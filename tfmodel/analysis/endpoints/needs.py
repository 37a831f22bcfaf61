"""Find what tensors need: inputs, variables, and random numbers or statistics of the batch."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from ...errors import GraphError
from ...graph import attr
from ...ops.traits import PASS_THROUGH, RANDOM
from .dependencies import AFFINE, Dependencies, Tensor
from .training_inputs import TrainingInputs

MAX_STEPS_FROM_RANDOM = 6
"""The most steps from random numbers to the comparison or the sum that makes a dropout of them."""


class Needs(NamedTuple):
    """The inputs, as bits, and the variables that a tensor needs, and whether it needs random numbers."""

    inputs: int
    variables: frozenset[int]
    is_random: bool


class NeedsOf:
    """The needs of the tensors of a graph, without inputs that only training sets."""

    def __init__(self, flow: Dependencies, training_inputs: TrainingInputs) -> None:
        self._flow = flow
        self._training_inputs = training_inputs
        self._known: dict[Tensor, Needs] = {}

    def of(self, tensor: Tensor) -> Needs:
        if tensor not in self._known:
            reached = self._flow.value_ancestors([tensor[0]])
            self._known[tensor] = Needs(
                self._flow.inputs_of(tensor) & ~self._training_bits,
                self._flow.variables(reached),
                any(reached[position] for position in self._random),
            )
        return self._known[tensor]

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
