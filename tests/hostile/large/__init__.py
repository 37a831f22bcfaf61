"""Large graphs whose structure provokes quadratic algorithms: `MAKERS[name](size)` has about `size` nodes or edges."""

from __future__ import annotations

from collections.abc import Callable

from pbwire import Message
from tests.hostile.large import calls, layers, meta_graphs, state, wiring

__all__ = ["MAKERS"]

MAKERS: dict[str, Callable[[int], Message]] = {
    **wiring.GRAPHS,
    **calls.GRAPHS,
    **layers.GRAPHS,
    **state.GRAPHS,
    **{f"meta graph: {name}": make for name, make in meta_graphs.META_GRAPHS.items()},
}
