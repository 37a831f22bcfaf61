"""`CheckReport`: the findings of `check`, as text and JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from ...graph.error_text import quote
from ...values.report import Report
from ...values.terminal import align_columns, escape
from .kinds import FAULTS, LEVELS, Level, is_among, parse_kinds

_TITLES = {
    "broken": "broken: TensorFlow refuses the model, or a part of it cannot run",
    "unsafe": "unsafe: running the model does more than compute",
    "note": "notes",
}
MAX_SHOWN = 20
"""The maximum number of findings of one kind that the text lists."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A fact that a user of the model should know.

    level      "broken" for a fault, "unsafe" for a side effect that models do not need, "note" for the rest
    kind       the kind of fault, such as "missing" or "checkpoint", or the kind of the side effect, such as "write"
    message    a sentence
    node       the name of the node; "" for a finding about another part of the model
    function   the function whose body has the node; "" for the graph
    by         what runs the node: signatures, functions of the model, "loading" and "saving"
    """

    level: Level
    kind: str
    message: str
    node: str = ""
    function: str = ""
    by: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the data for JSON."""
        return {
            "level": self.level,
            "kind": self.kind,
            "node": self.node,
            "function": self.function,
            "message": self.message,
            "by": list(self.by),
        }

    @property
    def sentence(self) -> str:
        """The message, with the function that has the node, and what runs it. It is safe to print."""
        where = f"function {quote(self.function)}: " if self.function else ""
        by = f" (run by {_enumerate(self.by)})" if self.by else ""
        return where + self.message + by

    def _cells(self) -> tuple[str, str]:
        return f"  {self.kind}", self.sentence


def _enumerate(names: Sequence[str], limit: int = 3) -> str:
    more = len(names) - limit
    shown = [*names[:limit], f"{more:,} more"] if more > 0 else list(names)
    return ", ".join(map(escape, shown))


@dataclass(frozen=True, repr=False)
class CheckReport(Report, Sequence[Finding]):
    """The findings about a model: a sequence, with those that break the model first.

    name      the name of the model; "" for a message
    parts     what was checked, such as "12 nodes" and "3 tensors of the checkpoint"
    ignored   the number of findings that are left out, as the caller has asked
    """

    name: str
    findings: tuple[Finding, ...] = ()
    parts: tuple[str, ...] = field(default=(), compare=False)
    ignored: int = 0

    def __len__(self) -> int:
        return len(self.findings)

    def __getitem__(self, place: Any) -> Any:
        return self.findings[place]

    @property
    def is_clean(self) -> bool:
        """True if nothing is broken or unsafe; there may be notes."""
        return not self.has(FAULTS)

    def of(self, level: Level) -> list[Finding]:
        """Return the findings of a level."""
        return [finding for finding in self.findings if finding.level == level]

    def has(self, kinds: str | Iterable[str]) -> bool:
        """Return whether there is a finding of a level or kind, or of one of several: "unsafe", "broken/port,note".

        Raises ValueError for a kind that does not exist.
        """
        names = parse_kinds(kinds)
        return any(is_among(finding.level, finding.kind, names) for finding in self.findings)

    @property
    def worst(self) -> Finding | None:
        """The first finding that makes the model unsafe, or else that breaks it; None for a clean model."""
        return next(iter(self.of("unsafe") + self.of("broken")), None)

    def headline(self) -> str:
        """Return the verdict, and the worst finding."""
        worst = f": {self.worst.sentence}" if self.worst is not None else ""
        return f"{self._verdict()}{worst}"

    def to_text(self, *, max_shown: int | None = MAX_SHOWN) -> str:
        """Return the report as text, with at most `max_shown` findings of each kind (None: all)."""
        return "".join(f"{line}\n" for line in self.lines(max_shown=max_shown))

    def lines(self, *, max_shown: int | None = MAX_SHOWN) -> Iterator[str]:
        """Yield the lines of the text: the verdict, then the findings by level. They are safe to print."""
        yield f"{f'{self.name}: ' if self.name else ''}{self._verdict()}"
        for level in LEVELS:
            findings = self.of(level)
            if findings:
                yield ""
                yield _TITLES[level]
                yield from align_columns(_rows(findings, max_shown), names=(0,), wrapped=True)

    def _verdict(self) -> str:
        counts = [f"{len(rows):,} {level}" for level in FAULTS if (rows := self.of(level))]
        notes = len(self.of("note"))
        verdict = ", ".join(counts) or "sound and safe"
        more = f"; {notes:,} {'note' if notes == 1 else 'notes'}" if notes else ""
        ignored = f"; {self.ignored:,} ignored" if self.ignored else ""
        checked = f" ({', '.join(self.parts)})" if self.parts else ""
        return f"{verdict}{more}{ignored}{checked}"

    def as_dict(self) -> dict[str, Any]:
        """Return the data for JSON."""
        return {
            "name": self.name,
            "is_clean": self.is_clean,
            "parts": list(self.parts),
            "ignored": self.ignored,
            "findings": [finding.as_dict() for finding in self.findings],
        }


def _rows(findings: Sequence[Finding], max_shown: int | None) -> Iterator[tuple[str, str]]:
    for kind, group in groupby(sorted(findings, key=lambda row: row.kind), key=lambda row: row.kind):
        rows = list(group)
        yield from (row._cells() for row in rows[:max_shown])
        if max_shown is not None and len(rows) > max_shown:
            yield f"  {kind}", f"... and {len(rows) - max_shown:,} more"
