"""Rank the inputs of a graph: tensors through which data enter it."""

from __future__ import annotations

from collections.abc import Sequence

from ...ops.traits import CONSTS, PIPELINES
from ...source.signature_defs import SignatureFacts
from ...values.names import TensorName
from ..shapes import Shapes
from .auxiliary_nodes import CHECKED, SAVER
from .candidates import (
    LABEL,
    MAX_COUNTED,
    NOT_NEEDED,
    PRODUCED,
    TRAINING_ONLY,
    WITH_DEFAULT,
    Candidate,
    NodeCounter,
    signature_tensors,
)
from .dependencies import SOURCES, Dependencies, Tensor
from .losses import Losses
from .training_inputs import TrainingInputs


class Inputs:
    """The inputs of a graph with its `losses` and `signatures`."""

    def __init__(
        self,
        flow: Dependencies,
        shapes: Shapes,
        losses: Losses,
        training_inputs: TrainingInputs,
        signatures: Sequence[SignatureFacts],
    ) -> None:
        self._flow = flow
        self._index = flow.index
        self._marks = flow.marks
        self._shapes = shapes
        self._losses = losses
        self._training_inputs = training_inputs
        self._signatures = signatures

    def rank(self, needed: bytearray, sources: set[Tensor]) -> list[Candidate]:
        """Return all inputs, ranked. Likely inputs have the rank 0."""
        declared = list(signature_tensors(self._index, self._signatures, "input"))
        positions = {candidate.position for candidate in declared}
        candidates = declared[:]
        for position, node in enumerate(self._index.nodes):
            is_input = node.op in SOURCES or self._flow.is_source(position)
            if position in positions or not is_input or not self._flow.is_fetchable(position):
                continue
            if self._marks[position] not in (SAVER, CHECKED):
                ports = {port for _, port in self._flow.users[position]} if node.op in PIPELINES else ()
                for port in sorted(ports) or [0]:
                    is_needed = (position, port) in sources if self._flow.is_source(position) else needed[position]
                    candidates.append(self._input(position, port, bool(is_needed)))
        if not self._signatures and all(candidate.rank for candidate in candidates):
            # choose placeholders with defaults, or else elements of a queue
            usable = [candidate for candidate in candidates if candidate.rank in (WITH_DEFAULT, PRODUCED)]
            usable = [candidate for candidate in usable if not self._is_setting(candidate)] or usable
            best = min((candidate.rank for candidate in usable), default=0)
            for candidate in usable:
                if candidate.rank == best:
                    candidate.rank = 0
        counter = NodeCounter(self._flow)
        for candidate in sorted(candidates, key=lambda candidate: candidate.rank)[:MAX_COUNTED]:
            candidate.weight = counter.count(candidate.position, self._index.targets)
            candidate.reasons += self._uses(candidate)
        return sorted(candidates, key=lambda candidate: (candidate.rank, -candidate.weight))

    def _is_setting(self, candidate: Candidate) -> bool:
        """Return whether an input is a single number or truth value with a default, rather than data."""
        return candidate.rank == WITH_DEFAULT and self._shapes.get(candidate.tensor) == ()

    def _uses(self, candidate: Candidate) -> list[str]:
        """Describe how many nodes depend on an input."""
        if not self._index.targets[candidate.position]:
            return ["nothing uses it"]
        if not candidate.weight:
            return ["goes into auxiliary nodes only"]
        return NodeCounter.describe("goes into", candidate.weight)

    def _input(self, position: int, port: int, is_needed: bool) -> Candidate:
        node = self._index.nodes[position]
        candidate = Candidate(TensorName(node.name, port), position, 0, 0.9)
        if node.op in PIPELINES:
            candidate.rank, candidate.reasons = PRODUCED, ["gets data itself"]
        elif node.op == "PlaceholderWithDefault":
            candidate.rank, candidate.reasons = WITH_DEFAULT, ["has a default"]
        elif node.op in CONSTS:
            candidate.reasons = ["a constant with the data that the graph was trained with"]
        if (position, port) in self._losses.labels:
            candidate.reasons.append("compared with predictions")
            if is_needed and not self._signatures:
                candidate.reasons.append("the outputs need its shape")
            else:
                candidate.rank = LABEL
        elif not is_needed:
            candidate.rank += NOT_NEEDED
            candidate.reasons += ["no likely output needs it"] if self._index.targets[position] else []
        elif (deployed := self._training_inputs.deployed_value((position, port))) is not None:
            candidate.value, reason = deployed
            candidate.rank = TRAINING_ONLY
            candidate.reasons.append(reason)
        elif self._signatures:
            candidate.rank = max(candidate.rank, WITH_DEFAULT)
            candidate.reasons.append("no signature has it")
        return candidate
