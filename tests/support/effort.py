"""The number of random examples: `HYPOTHESIS_EXAMPLES=25 python -m pytest` for a long run, 6 by default."""

import os
import random
from collections.abc import Sequence
from typing import TypeVar

__all__ = ["EXAMPLES", "LONG", "scaled", "some"]

T = TypeVar("T")

_LONG = 25
EXAMPLES = int(os.environ.get("HYPOTHESIS_EXAMPLES", "6"))
"""The default number of examples of a property."""
LONG = EXAMPLES >= _LONG
"""True in a long run."""


def scaled(long_run: int) -> int:
    """Return the number of cases for this run, in proportion to `long_run` cases of a long run; at least one."""
    return max(1, long_run * EXAMPLES // _LONG)


def some(items: Sequence[T], every: int) -> Sequence[T]:
    """Return one random item of each `every` consecutive ones, the same in each run; all items in a long run."""
    if LONG:
        return items
    chance = random.Random(0)
    return [chance.choice(items[start : start + every]) for start in range(0, len(items), every)]
