"""The ends of chains such as Identity of Identity of a table.

    ends = ChainEnds(lambda name: inputs[name][0] if ops[name] == "Identity" else None)
    ends("read")        # "table"

All look-ups together take time that is linear in the number of nodes: a chain is followed once.
"""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["ChainEnds", "CircularChainError"]


class CircularChainError(ValueError):
    """A chain that has no end."""


class ChainEnds:
    """Find the last node of the chain that begins at a node; `following` returns the next one, None at the end."""

    def __init__(self, following: Callable[[str], str | None]) -> None:
        self._following = following
        self._ends: dict[str, str | None] = {}

    def __call__(self, name: str) -> str:
        """Return the last node. Raises CircularChainError if the chain has no end."""
        passed = []
        current = name
        while current not in self._ends:
            self._ends[current] = None  # it is circular if it is met again before its end is known
            passed.append(current)
            following = self._following(current)
            if following is None:
                self._ends[current] = current
                break
            current = following
        end = self._ends[current]
        if end is None:
            raise CircularChainError(name)
        self._ends.update(dict.fromkeys(passed, end))
        return end
