"""The tables: for each kind of data a row for each library, cold; then warm times in cold ones, and the goals."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from statistics import geometric_mean, median
from typing import Any

from .environment import Library
from .kinds import Kind, Sample

__all__ = ["Row", "columns", "report", "spread"]

FIRST = ("import", "first decode", "first encode")
TASKS = ("decode", "decode, read", "encode", "edit", "deepcopy", "print text", "parse text", "print JSON", "parse JSON")
OURS = "pbwire"


@dataclass
class Row:
    """The measurements of one library on one sample: for each task its times in seconds, one a round."""

    sample: Sample
    library: Library
    cold: dict[str, list[float]] = field(default_factory=dict)
    warm: dict[str, list[float]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, results: dict[str, Any]) -> None:
        """Add what a process measured."""
        for times, measured in ((self.cold, results["cold"]), (self.warm, results["warm"])):
            for task, value in measured.items():
                times.setdefault(task, []).append(value)
        self.failures.update(results["failures"])

    def problem(self, task: str) -> str:
        return "fails" if task in self.failures else "wrong" if task in self.wrong else ""


def mean(rows: Iterable[Row], task: str, *, warm: bool = False) -> float | str:
    """Return the geometric mean of the best times of a task in these rows, or why there is none."""
    times = []
    for row in rows:
        measured = (row.warm if warm else row.cold).get(task)
        if row.problem(task) or not measured:
            return row.problem(task) or "-"
        times.append(min(measured))
    return geometric_mean(times) if times else "-"


def report(rows: list[Row], problems: list[str], rounds: int, *, goals: bool) -> str:
    """Return all tables, that of the goals if it is asked for, and lines for what failed."""
    kinds = list(dict.fromkeys(row.sample.kind for row in rows))
    samples = dict.fromkeys(row.sample for row in rows)
    size = sum(len(sample.message.to_bytes()) for sample in samples)
    python = f"Python {platform.python_version()}"
    parts = [f"{len(samples)} messages, {size:,} bytes; ms of CPU time, cold, best of {rounds} rounds; {python}"]
    parts += [_times_of(kind, [row for row in rows if row.sample.kind is kind]) for kind in kinds]
    parts += ["warm times, in cold ones: geometric means of all messages\n" + _warm_table(rows)]
    if goals:
        parts += ["goals, cold; * marks those that are not met\n" + _goals_table(kinds, rows)]
    notes = {
        f"{row.library.name}, {row.sample.kind.name}: {task}: {text}" for row in rows for task, text in _notes(row)
    }
    return "\n\n".join([*parts, "\n".join([*problems, *sorted(notes), spread(rows)])])


def _notes(row: Row) -> list[tuple[str, str]]:
    return [*row.failures.items(), *((task, "another result than protobuf's") for task in row.wrong)]


def _libraries(rows: list[Row]) -> dict[str, list[Row]]:
    names = dict.fromkeys(row.library.name for row in rows)
    return {name: [row for row in rows if row.library.name == name] for name in names}


def _head(tasks: Sequence[str]) -> list[str]:
    return [task.replace(", ", ",\n").replace(" ", "\n") for task in tasks]


def _times_of(kind: Kind, rows: list[Row]) -> str:
    sources = list(dict.fromkeys(row.sample.source for row in rows))
    sizes = [len(sample.message.to_bytes()) for sample in dict.fromkeys(row.sample for row in rows)]
    made = "made from a seed" if sources == ["made"] else f"{len(sources)} files"
    table = [["", *_head((*FIRST, *TASKS))]]
    for name, of_library in _libraries(rows).items():
        table.append([name, *(_milliseconds(mean(of_library, task)) for task in (*FIRST, *TASKS))])
    span = " to ".join(f"{size / 1e3:,.0f}" for size in sorted({min(sizes), max(sizes)}))
    return f"{kind.name}: {made}, {span} kB\n" + columns(table)


def _milliseconds(value: float | str) -> str:
    if isinstance(value, str):
        return value
    value *= 1e3
    return f"{value:.2f}" if value < 1 else f"{value:.1f}" if value < 1000 else f"{value:,.0f}"


def _warm_table(rows: list[Row]) -> str:
    table = [["", *_head(TASKS)]]
    for name, of_library in _libraries(rows).items():
        measured = {task: [row for row in of_library if row.warm.get(task) and not row.problem(task)] for task in TASKS}
        pairs = [(mean(good, task, warm=True), mean(good, task)) for task, good in measured.items()]
        table.append([name, *(_ratio(warm, cold) for warm, cold in pairs)])
    return columns(table)


def _ratio(one: float | str, other: float | str) -> str:
    return "-" if isinstance(one, str) or isinstance(other, str) else f"{one / other:.2f}"


@dataclass(frozen=True)
class Goal:
    """A ratio of geometric means: ours / theirs, at most a limit; or theirs / ours, at least one.

    The limits are for TensorFlow's kinds and for others; `exceptions` are for single kinds.
    """

    words: str
    tasks: tuple[str, ...]
    rival: str
    limits: tuple[float, float]
    exceptions: dict[str, float] = field(default_factory=dict)
    at_least: bool = False

    def limit(self, kind: Kind) -> float:
        return self.exceptions.get(kind.name, self.limits[0 if kind.is_tensorflow else 1])

    def cell(self, kind: Kind, rows: dict[str, list[Row]]) -> str:
        ours, theirs = ([mean(rows.get(name, []), task) for task in self.tasks] for name in (OURS, self.rival))
        if not all(isinstance(value, float) for value in (*ours, *theirs)):
            return "-"
        value = geometric_mean(ours) / geometric_mean(theirs)
        value, limit = (1 / value if self.at_least else value), self.limit(kind)
        met = value >= limit if self.at_least else value <= limit
        return f"{value:.2f}{' ' if met else '*'}"


_THREE = ("decode", "encode", "edit")
_RUST, _UPB, _PYTHON = "protobuf-py, Rust", "protobuf, upb", "protobuf, Python"
GOALS = (
    Goal("decode: ours / Rust, at most 1, 1.5", ("decode",), _RUST, (1, 1.5)),
    Goal("encode: ours / Rust, at most 1.5, 2.5, 6", ("encode",), _RUST, (1.5, 2.5), {"numbers": 6}),
    Goal("decode, read: ours / upb, at most 1.3, 1.6", ("decode, read",), _UPB, (1.3, 1.6)),
    Goal("decode, encode, edit: Python / ours, at least 7", _THREE, _PYTHON, (7, 7), at_least=True),
    Goal("print text: upb / ours, at least 4", ("print text",), _UPB, (4, 4), at_least=True),
    Goal("parse text: upb / ours, at least 4", ("parse text",), _UPB, (4, 4), at_least=True),
    Goal("print JSON: upb / ours, at least 3", ("print JSON",), _UPB, (3, 3), at_least=True),
    Goal("parse JSON: upb / ours, at least 3", ("parse JSON",), _UPB, (3, 3), at_least=True),
)
"""Limits are for TensorFlow's kinds, for others and, if there is a third, for numbers."""


def _goals_table(kinds: list[Kind], rows: list[Row]) -> str:
    by_kind = [(kind, _libraries([row for row in rows if row.sample.kind is kind])) for kind in kinds]
    table = [["", *_head([kind.name for kind in kinds])]]
    return columns(table + [[goal.words, *(goal.cell(kind, of_kind) for kind, of_kind in by_kind)] for goal in GOALS])


def columns(rows: Sequence[Sequence[str]]) -> str:
    """Align the cells of rows: those of the first column to the left. A "\\n" in the first row divides it in two."""
    split = [cell.partition("\n") for cell in rows[0]]
    lines = [[top if below else "" for top, _, below in split], [below or top for top, _, below in split], *rows[1:]]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    aligned = [
        "  ".join(
            cell.rjust(width) if index else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in lines
    ]
    return "\n".join(aligned if any(lines[0]) else aligned[1:])


def spread(rows: list[Row]) -> str:
    """Say how much the cold times of a task differ between rounds."""
    several = [times for row in rows for task, times in row.cold.items() if len(times) > 1 and task not in FIRST]
    if not several:
        return "one round: how much times vary is not known"
    above_best: Callable[[list[float]], float] = lambda times: median(times) / min(times) - 1  # noqa: E731
    differences = sorted(map(above_best, several))
    ninth = differences[int(len(differences) * 0.9)]
    return f"a median of rounds is above the best one by {median(differences):.0%} (median), {ninth:.0%} (nine in ten)"
