"""The rows of answers.jsonl.xz, and a table of them. They need no TensorFlow.

print(table(row for row in rows() if row.model == "convnet"))
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tfmodel.compare.verify.differences import compare
from tfmodel.transforms.framework.recipes import RECIPES

__all__ = ["FILE", "Distance", "Row", "distance", "read_row", "recorded", "rows", "skipped", "table"]

FILE = Path(__file__).with_name("answers.jsonl.xz")


@dataclass(frozen=True)
class Distance:
    """The difference of outputs over all runs.

    relative    largest difference, relative to the largest element
    agree       number of rows of float outputs, of `rows`, whose largest element is at the same position
    problems    other differences: of integers and strings
    """

    relative: float = 0.0
    agree: int = 0
    rows: int = 0
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Row:
    """A model and a recipe. Pairs are before and after.

    kind        where the model is from
    left        how many batch norms stay, by the op of what they normalize
    there       from what TensorFlow gives for the model to what it gives for the result
    here        likewise of the interpreter
    across      from what TensorFlow gives for the result to what the interpreter gives for it
    within      how much a recipe may change that says that outputs stay what they were
    accuracy    of a trained net, in TensorFlow; `accuracy_here`, in the interpreter
    """

    model: str
    kind: str
    recipe: str
    nodes: tuple[int, int]
    bytes: tuple[int, int]
    zipped: tuple[int, int]
    batch_norms: tuple[int, int]
    left: dict[str, int]
    there: Distance
    here: Distance
    across: Distance
    within: float
    accuracy: tuple[float, float] | None = None
    accuracy_here: tuple[float, float] | None = None

    @property
    def is_within(self) -> bool:
        """Return whether outputs are unchanged, if the recipe guarantees it; else whether there are outputs."""
        if not RECIPES[self.recipe].is_exact:
            return not any(
                "Error: " in problem for difference in (self.there, self.here) for problem in difference.problems
            )
        return all(
            difference.relative <= self.within and not difference.problems for difference in (self.there, self.here)
        )


def rows() -> list[Row]:
    """Return the content of the file."""
    return [read_row(said) for said in recorded() if "skipped" not in said]


def skipped() -> dict[str, str]:
    """The models of which nothing can be said, and why."""
    return {said["model"]: said["skipped"] for said in recorded() if "skipped" in said}


def recorded() -> Iterator[dict[str, Any]]:
    """Yield the lines of the file."""
    return map(json.loads, lzma.decompress(FILE.read_bytes()).splitlines())


def read_row(said: dict[str, Any]) -> Row:
    """A row of the file."""
    values = {key: tuple(value) if isinstance(value, list) else value for key, value in said.items()}
    return Row(**values | {key: Distance(**said[key]) for key in ("there", "here", "across")})


def distance(wanted: Iterable[Sequence[Any]], found: Iterable[Sequence[Any]], names: Sequence[str]) -> Distance:
    """Return the difference of runs, with outputs in the order of their names. Surplus runs are ignored."""
    relative, agree, count, problems = 0.0, 0, 0, []
    for one, other in zip(wanted, found):  # noqa: B905  the interpreter runs fewer batches
        for name, a, b in zip(names, map(np.asarray, one), map(np.asarray, other), strict=True):
            said = compare(name, a, b)
            if said.problem:
                problems.append(f"{name}: {said.problem}")
            elif a.dtype.kind in "iu" and said.absolute:
                problems.append(f"{name}: {int((a != b).sum())} of {a.size} elements differ")
            else:
                relative = max(relative, said.relative)
            if said.top1 is not None:
                size = a.size // a.shape[-1]
                agree, count = agree + round(said.top1 * size), count + size
    return Distance(float(f"{relative:.2e}"), agree, count, problems)


# --- as a table ------------------------------------------------------------------------------------------------------

HEAD = ("", "nodes", "bytes", "zipped", "batch norms", "differs by", "on NumPy by", "top-1 agrees", "accuracy")


def table(rows: Iterable[Row]) -> str:
    """For each model a line as it is, and one for each recipe. Where an integer or string became another, there is a
    "!" beside the difference of floats."""
    lines: list[tuple[str, ...]] = [HEAD]
    model = ""
    for row in rows:
        sizes = (row.nodes, row.bytes, row.zipped, row.batch_norms)
        shares = [f"{share:.1%}" for share in row.accuracy] if row.accuracy else ["", ""]
        if row.model != model:
            model = row.model
            lines.append((model, *(f"{size[0]:,}" for size in sizes), "", "", "", shares[0]))
        agree = f"{row.there.agree} of {row.there.rows}" if row.there.rows else ""
        differences = map(_shown, (row.there, row.here))
        lines.append((f"  {row.recipe}", *(f"{size[1]:,}" for size in sizes), *differences, agree, shares[1]))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "".join(
        "  ".join(
            text.rjust(width) if place else text.ljust(width)
            for place, (text, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        + "\n"
        for line in lines
    )


def _shown(each: Distance) -> str:
    return f"{each.relative:.1e}" * bool(each.relative) + "!" * bool(each.problems) or "0"
