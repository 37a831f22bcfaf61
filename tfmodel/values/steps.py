"""The steps of long work, for functions that show its progress: a name, with the share of the work before it."""

from __future__ import annotations

from collections.abc import Callable

Begin = Callable[[str, float], None]
"""A function that is called with the name and the size of a step when it begins."""


class Step(str):
    """The name of a step that begins. `share` of the whole work is done before it, from 0 to 1."""

    share: float

    def __new__(cls, name: str, share: float) -> Step:
        step = super().__new__(cls, name)
        step.share = share
        return step


def in_steps(progress: Callable[[str], object], total: float) -> Begin:
    """Return a function that takes the name and the size of each step when it begins, and passes Steps to `progress`.

    `total` is the sum of the sizes. A step without a size counts as 0.
    """
    done = 0.0

    def begin(name: str, size: float) -> None:
        nonlocal done
        progress(Step(name, min(done / total, 1) if total else 0))
        done += size

    return begin
