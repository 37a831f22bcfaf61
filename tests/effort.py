"""How much of what could be tried is tried: `HYPOTHESIS_EXAMPLES=25 python -m pytest` for a long run, 12 otherwise."""

import os

__all__ = ["EXAMPLES", "scaled"]

EXAMPLES = int(os.environ.get("HYPOTHESIS_EXAMPLES", "12"))
"""On how many examples a property is tried that does not say so itself."""


def scaled(long_run: int) -> int:
    """How many of the `long_run` cases of a long run this run has time for: at least one, more where it is longer."""
    return max(1, long_run * EXAMPLES // 25)
