"""The report of a comparison of two models."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from pbwire.errors import compose, join

from ...errors import Hint
from ...values.report import Report
from ...values.terminal import escape
from .correspondence import TensorPair
from .differences import OutputDifference


@dataclass(frozen=True, slots=True, repr=False)
class VerifyReport(Report):
    """The differences of the outputs of two models.

    outputs         the largest difference of each output over all feeds
    rtol, atol      the tolerances; `atol` is None for its default, 1e-6 for outputs that should be zero
    first           the first node whose values differ from those of the node of that name in the other model; empty if
                    it was not requested, or if no such node was found
    feeds           the number of runs
    made_up         the inputs with random values; with real values, differences are often much larger
    pairs           the inputs and outputs that were matched, and tensors that the caller bound
    notes           assumptions about the random inputs
    zero_weights    a warning for each model with zero weights, probably stripped: equal outputs mean little then
    """

    outputs: list[OutputDifference]
    rtol: float
    atol: float | None = None
    first: str = ""
    feeds: int = field(default=1)
    made_up: tuple[str, ...] = ()
    zero_weights: tuple[str, ...] = ()
    pairs: tuple[TensorPair, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        return all(output.within for output in self.outputs)

    @property
    def summary(self) -> str:
        """The result in a few words."""
        worst = max(self.outputs, key=lambda output: (not output.within, output.relative), default=None)
        if worst is None or (worst.within and not worst.absolute):
            return f"outputs equal{self._inputs(is_equal=True)}"
        if not worst.within:
            return worst.to_text() + self._inputs(is_equal=False)
        return f"outputs differ by {worst.relative:.2g} of the largest at most" + self._inputs(is_equal=False)

    def _inputs(self, *, is_equal: bool) -> str:
        """Return the note about random inputs for a line about an output."""
        if not self.made_up:
            return ""
        return " on random inputs" if is_equal else compose(" (on random inputs; ", Hint.TRY_FEEDS, ")")

    def to_text(self) -> str:
        """Return a line for each matched input and output, and one for each comparison."""
        lines = [pair.to_text() for pair in self.pairs]
        lines += [output.to_text() + self._inputs(is_equal=_is_equal(output)) for output in self.outputs]
        if self.first:
            lines.append(f"the first node that differs is {escape(self.first)}")
        return join("\n", lines)

    def as_dict(self) -> dict[str, Any]:
        """Return the data for JSON."""
        rows = [{slot: getattr(output, slot) for slot in OutputDifference.__slots__} for output in self.outputs]
        document: dict[str, Any] = {"same": self.same, "rtol": self.rtol, "atol": self.atol, "feeds": self.feeds}
        document |= {"made_up": list(self.made_up), "zero_weights": list(self.zero_weights), "outputs": rows}
        document |= {"pairs": [asdict(pair) for pair in self.pairs], "notes": list(self.notes)}
        return document | ({"first": self.first} if self.first else {})


def _is_equal(output: OutputDifference) -> bool:
    return not output.absolute and not output.problem
