"""The result of a selection: inputs and outputs with the reasons for their ranks, and the auxiliary nodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...values.names import node_name, shortest
from ..shapes import Shape
from .candidates import MIN_CONFIDENCE


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A possible input or output of the model, with the reasons for its rank.

    tensor       the tensor with its port, "x:0"; `name` is its shortest spelling
    is_likely    whether `--inputs` or `--outputs` should name it
    confidence   from 0 to 1: the probability that it is an input or output of the model; 1 if the main signature has
                 it, 0 if only other signatures have it
    value        for an input that only training sets, its value in a deployed model, such as 1 for a keep probability
    """

    tensor: str
    op: str
    dtype: str
    shape: Shape | None
    reasons: Sequence[str]
    is_likely: bool
    confidence: float = 1.0
    value: float | None = None

    @property
    def name(self) -> str:
        """The tensor as users write it: "x" for "x:0"."""
        return shortest(self.tensor)

    @property
    def binding(self) -> str:
        """The value of an input that only training sets, as `--bind` takes it: "keep_prob=1"; empty for others."""
        if self.value is None:
            return ""
        return f"{self.name}={str(bool(self.value)).lower() if self.dtype == 'bool' else f'{self.value:g}'}"

    @property
    def reason(self) -> str:
        """The reasons in one line."""
        return "; ".join(self.reasons)

    @property
    def is_certain(self) -> bool:
        """Whether models are written with it without asking the user."""
        return self.confidence >= MIN_CONFIDENCE


@dataclass(frozen=True, slots=True)
class AuxiliaryNodes:
    """Auxiliary nodes of one kind: their number, and the names of the first of them that no node uses."""

    what: str
    nodes: int
    ends: Sequence[str]


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Inputs and outputs, the likeliest first, and the auxiliary nodes.

    needed   for each node, by position, whether the outputs need it: the requested ones, or the first candidates
    """

    inputs: Sequence[Endpoint]
    outputs: Sequence[Endpoint]
    set_aside: Sequence[AuxiliaryNodes]
    needed: bytearray

    def training_inputs(self, fed: Iterable[str] = ()) -> list[Endpoint]:
        """Return the needed inputs that only training sets, except those that `fed` names; each has a `value`."""
        nodes = set(map(node_name, fed))
        return [end for end in self.inputs if end.value is not None and node_name(end.tensor) not in nodes]

    @property
    def likely_inputs(self) -> list[Endpoint]:
        return [end for end in self.inputs if end.is_likely]

    @property
    def likely_outputs(self) -> list[Endpoint]:
        return [end for end in self.outputs if end.is_likely]
