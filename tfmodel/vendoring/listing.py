"""The table of the parts: what each is for, its commands, and how large its copy is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..values.report import Report
from ..values.terminal import align_columns
from .own_files import own_copy
from .parts import ALL, PARTS

_HEAD = ("part", "files", "bytes", "NumPy", "content")


@dataclass(frozen=True)
class PartFacts:
    """A part: its name, the files and bytes of its copy, its commands, and what it is for.

    `needs_numpy` is true if most of it computes with arrays.
    """

    name: str
    files: int
    bytes: int
    needs_numpy: bool
    commands: list[str]
    line: str


@dataclass(frozen=True, repr=False)
class PartsReport(Report):
    """The parts that can be copied, smallest sets of commands first."""

    parts: list[PartFacts]

    def to_text(self) -> str:
        """Return a table with a line for each part."""
        rows = [
            (part.name, f"{part.files:,}", f"{part.bytes:,}", "yes" if part.needs_numpy else "no", _content(part))
            for part in self.parts
        ]
        return "".join(f"{line}\n" for line in align_columns([_HEAD, *rows], right=(1, 2)))

    def as_dict(self) -> dict[str, Any]:
        """Return the data for JSON."""
        return {"parts": [vars(part) for part in self.parts]}

    def headline(self) -> str:
        """Return the number of parts."""
        return f"{len(self.parts)} parts"


def list_parts() -> PartsReport:
    """Return the parts of the running tfmodel. Raises VendorError if its sources are missing."""
    facts = []
    for name, part in PARTS.items():
        files = own_copy((name,)).files
        facts.append(
            PartFacts(name, len(files), sum(map(len, files.values())), part.needs_numpy, part.commands, part.line)
        )
    return PartsReport(facts)


def _content(part: PartFacts) -> str:
    if part.name == ALL:
        return f"{part.line}, with all commands"
    return f"{part.line} ({', '.join(part.commands)})" if part.commands else part.line
