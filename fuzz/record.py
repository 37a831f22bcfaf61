"""The record of runs, source of the figures in the README: fuzz/record.jsonl, a line for each target and run."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

from .failures import regressions
from .runner import Result

__all__ = ["RECORD", "append", "report", "rows"]

RECORD = Path(__file__).with_name("record.jsonl")
SUMMED = ("minutes", "tried", "accepted", "refused", "compared", "explained")


def append(results: Iterable[Result], path: Path = RECORD) -> None:
    """Add runs to the record."""
    with path.open("a") as file:
        for result in results:
            file.write(json.dumps({"date": date.today().isoformat(), **result.numbers}) + "\n")


def rows(path: Path = RECORD) -> list[dict[str, Any]]:
    """Return for each target the sums over all runs, the maximum of outcomes, and the number of settled findings."""
    totals: dict[str, dict[str, Any]] = {}
    for line in path.read_text().splitlines() if path.exists() else []:
        run = json.loads(line)
        row = totals.setdefault(run["target"], {"target": run["target"], "shapes": 0, **dict.fromkeys(SUMMED, 0)})
        for key in SUMMED:
            row[key] += run[key]
        row["shapes"] = max(row["shapes"], run["shapes"])
    for name, row in totals.items():
        row["fixed"] = len(regressions(name))
    return [totals[name] for name in sorted(totals)]


def report(path: Path = RECORD) -> str:
    """Return the figures as a table in Markdown."""
    lines = ["| target | minutes | inputs | accepted | refused | kinds of outcome | beside protobuf | settled |"]
    lines.append("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    every = rows(path)
    total = {"target": "**all**", "shapes": 0, "fixed": 0, **dict.fromkeys(SUMMED, 0)}
    for row in every:
        for key in (*SUMMED, "shapes", "fixed"):
            total[key] += row[key]
    columns = ("tried", "accepted", "refused", "shapes", "compared", "fixed")
    for row in [*every, total]:
        numbers = " | ".join(f"{row[column]:,}" for column in columns)
        lines.append(f"| {row['target']} | {row['minutes']:,.0f} | {numbers} |")
    return "\n".join(lines)
