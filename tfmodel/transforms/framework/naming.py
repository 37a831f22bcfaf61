"""Names for new nodes.

    taken = {node.name for node in graph.node}
    fresh_name("scale", taken)        # "scale", or "scale_1" if there is one, ...
"""

from __future__ import annotations

__all__ = ["fresh_name"]


def fresh_name(base: str, taken: set[str]) -> str:
    """`base`, or the first of base_1, base_2, ... that is not taken. From then on it is: it is put into `taken`.

    If some of these names are taken and lower ones are not, it may be a later one: numbers are found by halving, so
    that many names of one base take little time.
    """
    name = base
    if base in taken:
        free = 1
        while f"{base}_{free}" in taken:
            free *= 2
        used = free // 2
        while free - used > 1:
            middle = (free + used) // 2
            if f"{base}_{middle}" in taken:
                used = middle
            else:
                free = middle
        name = f"{base}_{free}"
    taken.add(name)
    return name
