"""The tables: a row for each library."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from .environment import Library

__all__ = ["Row", "columns", "report", "spread"]


@dataclass
class Row:
    """The measurements of one library: for each task its times in seconds, one a round."""

    library: Library
    times: dict[str, list[float]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    probes: dict[str, bool] = field(default_factory=dict)
    size: int = 0
    seconds: float = 0.0

    def add(self, results: dict[str, Any]) -> None:
        """Add what a process measured; a list has the name of an exception."""
        for task, value in results.items():
            if isinstance(value, list):
                self.failures[task] = value[0]
            else:
                self.times.setdefault(task, []).append(value)

    def cell(self, task: str) -> str:
        """Return the best time in ms, or why there is none."""
        if task in self.failures:
            return "fails"
        if task in self.wrong:
            return "wrong"
        if task not in self.times:
            return "-"
        value = min(self.times[task]) * 1e3
        return f"{value:.2f}" if value < 1 else f"{value:.1f}" if value < 1000 else f"{value:,.0f}"


def report(file: Path, rows: list[Row], problems: list[str], tasks: list[str]) -> str:
    """Return both tables, and lines for what failed."""
    python = f"Python {platform.python_version()}"
    head = f"{file.name}, {file.stat().st_size:,} bytes; ms of CPU time, best of all rounds; {python}"
    times = ["import", "first decode", *tasks]
    measured = [["", *(name.replace(" ", "\n") for name in times), "peak\nMB", "installed\nkB"]]
    for row in rows:
        peak = f"{min(row.times['memory']) / 1e6:,.0f}" if "memory" in row.times else "-"
        measured.append([row.library.name, *map(row.cell, times), peak, f"{row.size / 1e3:,.0f}"])
    probes = list(rows[0].probes) if rows else []
    written = [["writes as it was", *(name.replace(" ", "\n") for name in probes), "packages"]]
    for row in rows:
        versions = ", ".join(row.library.requirements) or "this repository"
        written.append([row.library.name, *("yes" if row.probes[name] else "no" for name in probes), versions])
    notes = [
        f"{row.library.name}: {task}: {problem}"
        for row in rows
        for task, problem in [*row.failures.items(), *((task, "another message than protobuf's") for task in row.wrong)]
    ]
    parts = [head, columns(measured), "", columns(written, left=1), *problems, *notes, spread(rows)]
    return "\n".join(parts)


def columns(rows: Sequence[Sequence[str]], left: int = 0) -> str:
    """Align the cells of rows; those of the first column, and of the last `left` ones, to the left.

    A "\\n" in a cell of the first row divides it into two lines.
    """
    split = [[cell.partition("\n") for cell in rows[0]]]
    heads = [[top if below else "" for top, _, below in row] for row in split]
    heads += [[below or top for top, _, below in row] for row in split]
    lines = [*heads, *rows[1:]]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    aligned = [
        "  ".join(
            cell.ljust(width) if index == 0 or index >= len(row) - left else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in lines
    ]
    return "\n".join(aligned if any(heads[0]) else aligned[1:])


def spread(rows: list[Row]) -> str:
    """Say how much the times of a task differ between rounds."""
    differences = sorted(
        max(times) / min(times) - 1
        for row in rows
        for task, times in row.times.items()
        if len(times) > 1 and task not in ("memory", "import", "first decode")
    )
    if not differences:
        return "one round: how much times vary is not known"
    ninth = differences[int(len(differences) * 0.9)]
    return f"times of one task differ between rounds by {median(differences):.0%} (median), {ninth:.0%} (nine in ten)"
