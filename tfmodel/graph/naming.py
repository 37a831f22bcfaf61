"""Names for new nodes.

taken = TakenNames(node.name for node in graph.node)
taken.fresh("scale")        # "scale", or "scale_1" if there is one, ...
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["TakenNames"]


class TakenNames(set[str]):
    """The names that are in use, and fresh ones.

    All fresh names together take time that is linear in the names: the search for one goes on where the last one for
    the same base ended, and a taken name is in the way of one base only, the one before its last underscore.
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        super().__init__(names)
        self._numbers: dict[str, int] = {}

    def fresh(self, base: str) -> str:
        """Return `base`, or the first of base_1, base_2, ... that is not taken, and add it to the names."""
        name = base
        if base in self:
            number = self._numbers.get(base, 1)
            while (name := f"{base}_{number}") in self:
                number += 1
            self._numbers[base] = number + 1
        self.add(name)
        return name
