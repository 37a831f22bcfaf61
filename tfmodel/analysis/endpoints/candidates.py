"""Candidates for inputs and outputs: their ranks, and the confidence that users want an output of a rank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ...errors import GraphError
from ...graph import GraphIndex
from ...source.signature_defs import SignatureFacts
from ...values.names import TensorName
from .dependencies import Dependencies

MAX_NAMES = 3
"""The most names in one reason."""

MAX_STEPS = 10_000_000
"""The most edges that are followed to count nodes, for all inputs and for all outputs."""

MAX_COUNTED = 1000
"""The most candidates for which nodes are counted."""

# The ranks of outputs, the likeliest first.
FROM_SIGNATURE, OTHER_SIGNATURE, PREDICTION, BEFORE_ACTIVATION = range(4)
NAMED, ARRAY, NUMBER, STATE, STORED, UNFED, AFTER_LOSS = range(4, 11)
RESULTS = (NAMED, ARRAY, NUMBER, STORED, UNFED)  # ends that may be wanted in place of a prediction

# The ranks of inputs.
WITH_DEFAULT, PRODUCED, NOT_NEEDED, TRAINING_ONLY, LABEL = 1, 2, 3, 6, 7

CONFIDENCE = {NAMED: 0.9, ARRAY: 0.9, NUMBER: 0.8, STATE: 0.6, STORED: 0.2, UNFED: 0.1, AFTER_LOSS: 0.0}
"""The confidence that an output of a rank is an output of the model. For predictions, the kind of the loss decides.

The numbers are shares of graphs from projects all over GitHub in which the choice was right, rounded down. `doubts` has
what lowers them.
"""

IF_TRAINED = 0.5
"""The factor of this confidence in a graph with gradients or a loss, where most unused nodes belong to the training."""

IF_NUMBER = 0.75
"""The factor of the confidence of a single number in a graph with variables, where it may be a loss."""

IF_CONSTANT = 0.5
"""The factor of the confidence of a prediction that needs no input: it is the same for every use."""

MIN_CONFIDENCE = 0.75
"""The minimum confidence of outputs with which models are written without asking the user."""

MIN_GUESS = 0.25
"""The minimum confidence of outputs that are called likely at all."""


@dataclass(slots=True)
class Candidate:
    """A possible input or output: a tensor of the node at `position`, with its rank (lower is likelier) and reasons.

    weight             the number of nodes that the output needs, or that depend on the input; higher is likelier
    value              the value of an input that only training sets, None for others
    signature_entries  the names of the tensor in signatures, with the names of the signatures
    """

    tensor: TensorName
    position: int
    rank: int
    confidence: float
    weight: int = 0
    value: float | None = None
    reasons: list[str] = field(default_factory=list)
    signature_entries: list[tuple[str, str]] = field(default_factory=list)


class NodeCounter:
    """Counts nodes, until it has followed MAX_STEPS edges in all."""

    def __init__(self, flow: Dependencies) -> None:
        self._marks = flow.marks
        self._steps = MAX_STEPS

    def count(self, start: int, edges: list[list[int]]) -> int:
        """Count the nodes that can be reached from `start`, without auxiliary nodes; -1 beyond the limit of steps."""
        if self._steps <= 0:
            return -1
        seen = {start}
        stack = [start]
        while stack:
            for target in edges[stack.pop()]:
                self._steps -= 1
                if target >= 0 and target not in seen and not self._marks[target]:
                    seen.add(target)
                    stack.append(target)
        return len(seen) - 1

    @staticmethod
    def describe(what: str, count: int) -> list[str]:
        """Return "needs 3 nodes" for `what` "needs"; nothing for nodes that are not counted."""
        return [] if count < 0 else [f"{what} {count:,} node{'' if count == 1 else 's'}"]


def signature_tensors(index: GraphIndex, signatures: Sequence[SignatureFacts], side: str) -> Iterator[Candidate]:
    """Yield the tensors of signatures; those of the main signature have the best rank."""
    seen: dict[TensorName, Candidate] = {}
    for number, signature in enumerate(signatures):
        for info in signature.inputs if side == "input" else signature.outputs:
            try:
                name = TensorName.parse(info.tensor)
                position = index.positions.get(name.node, -1)
            except GraphError:
                continue
            if position < 0 or name.is_control:
                continue
            rank = FROM_SIGNATURE if not number else OTHER_SIGNATURE
            candidate = seen.setdefault(name, Candidate(name, position, rank, 0.0 if number else 1.0))
            candidate.signature_entries.append((info.name, signature.name))
    for candidate in seen.values():
        candidate.reasons.append(_describe_entries(side, candidate.signature_entries))
    yield from seen.values()


def _describe_entries(side: str, entries: list[tuple[str, str]]) -> str:
    """Return `input x of serving_default`; for several signatures, only their names."""
    if len(entries) == 1:
        return f"{side} {entries[0][0]} of {entries[0][1]}"
    more = f" and {len(entries) - MAX_NAMES} more" if len(entries) > MAX_NAMES else ""
    return f"{side} of {', '.join(signature for _, signature in entries[:MAX_NAMES])}{more}"
