"""The relevance of a use for the purpose of a weight: being the filter of a layer says more than being saved."""

from __future__ import annotations

import re
from enum import IntEnum

from ..ops.input_roles import is_maintenance, is_update

__all__ = ["Relevance", "rate_relevance"]


class Relevance(IntEnum):
    """The relevance of a use for the purpose of a weight, the most relevant first."""

    WEIGHT = 0
    SLOT = 1  # of an optimizer
    OTHER = 2
    GRADIENT = 3
    UPDATE = 4
    MAINTENANCE = 5  # initializing, saving, restoring, summaries


_GRADIENT = re.compile(r"(^|/)gradient(s|_tape)([_/\d]|$)|_grad/")
_STATE_ROLES = ("beta1 power", "beta2 power", "counter", "moving average")

_WEIGHT_ROLES = {
    "filter",
    "depthwise filter",
    "transposed filter",
    "structuring element",
    "matrix",
    "bias",
    "gamma",
    "beta",
    "moving mean",
    "moving variance",
    "scale",
    "embedding",
    "recurrent kernel",
    "recurrent bias",
    "peephole",
}


def rate_relevance(op: str, role: str, node: str) -> Relevance:
    """Return how relevant it is that the node named `node` uses something in this role."""
    if is_maintenance(op):
        return Relevance.MAINTENANCE
    if is_update(op) and role in ("trained variable", ""):
        return Relevance.UPDATE
    if role.endswith(" slot") or role in _STATE_ROLES:
        return Relevance.SLOT
    if _GRADIENT.search(node):
        return Relevance.GRADIENT
    return Relevance.WEIGHT if role in _WEIGHT_ROLES else Relevance.OTHER
