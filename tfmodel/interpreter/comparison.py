"""How much outputs may differ because of rounding alone: that depends on the numbers that a model computes with.

A float32 has 24 bits, and after many sums in another order 1e-4 of the largest element is still unlikely. A half has
11, and a bfloat16 8: there a result in another order is soon one step of the numbers off, or a few.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import GraphError
from ..graph import Functions
from ..messages import DataType, NodeDef
from .session import Session

__all__ = ["ATOL", "RTOL", "usual_rtol"]

RTOL = 1e-4
"""What outputs may differ by, as a share of the largest, if nobody says."""
ATOL = 1e-6
"""What outputs may differ by that should all be zero, and have no largest."""

_STEPS = 4
_COARSE = {DataType.DT_HALF: _STEPS * 2.0**-10, DataType.DT_BFLOAT16: _STEPS * 2.0**-7}
"""Steps of these types, of which the largest element is one or more."""
_STORES = frozenset({"Const", "Identity", "Placeholder", "PlaceholderV2", "PlaceholderWithDefault"})
"""Ops that do not round: weights may be kept in halves that are computed with in float."""


def usual_rtol(session: Session, fed: Iterable[str], fetches: Iterable[str]) -> float:
    """What outputs may differ by, as a share of the largest: 1e-4, or where anything on the way to them is computed in
    half precision, 4 steps of it: 3.9e-3 for half, 3.1e-2 for bfloat16.

    Functions that are called on the way count. Raises GraphError for names that are not there.
    """
    nodes = [step.node for step in session.plan(fed, fetches).steps]
    functions = Functions(session.graph.library)
    bodies = (functions[name].node_def for name in (functions.reachable(nodes) if functions else ()))
    return max((_rtol(session, node) for each in (nodes, *bodies) for node in each), default=RTOL)


def _rtol(session: Session, node: NodeDef) -> float:
    if node.op in _STORES:
        return RTOL
    try:
        types = session.types_of(node) or ()
        return max((_COARSE.get(dtype, RTOL) for dtype in types[:_MOST] if dtype is not None), default=RTOL)
    except GraphError:  # whoever runs it will say so
        return RTOL


_MOST = 1 << 10  # outputs of a node that are looked at
