"""How much of what could be tried is tried: `HYPOTHESIS_EXAMPLES=25 python -m pytest` for a long run, 6 otherwise."""

import os
import random
from collections.abc import Sequence
from typing import TypeVar

__all__ = ["EXAMPLES", "LONG", "scaled", "some"]

T = TypeVar("T")

_LONG = 25
EXAMPLES = int(os.environ.get("HYPOTHESIS_EXAMPLES", "6"))
"""On how many examples a property is tried that does not say so itself."""
LONG = EXAMPLES >= _LONG
"""Whether this is a long run."""


def scaled(long_run: int) -> int:
    """How many of the `long_run` cases of a long run this run has time for: at least one, more where it is longer."""
    return max(1, long_run * EXAMPLES // _LONG)


def some(items: Sequence[T], every: int) -> Sequence[T]:
    """One of each `every` items that follow one another, the same ones in each run; all of them in a long run."""
    if LONG:
        return items
    chance = random.Random(0)
    return [chance.choice(items[start : start + every]) for start in range(0, len(items), every)]
