"""The table from op to rule. Each family of ops has a module with a table `RULES` of its own."""

from __future__ import annotations

from ...ops.shape_rules import Rule
from . import (
    control,
    elementwise,
    gathering,
    images,
    joining,
    lists,
    matrices,
    networks,
    quantized,
    reductions,
    reshaping,
    slicing,
    sources,
    spaces,
    sparse,
    state,
    texts,
    windows,
)
from .control import call_by_op
from .sources import PLACEHOLDERS

__all__ = ["ELEMENTWISE", "PLACEHOLDERS", "RULES", "call_by_op"]

_FAMILIES = (
    control,
    elementwise,
    gathering,
    images,
    joining,
    lists,
    matrices,
    networks,
    quantized,
    reductions,
    reshaping,
    slicing,
    sources,
    spaces,
    sparse,
    state,
    texts,
    windows,
)

RULES: dict[str, Rule] = {op: rule for family in _FAMILIES for op, rule in family.RULES.items()}
ELEMENTWISE = frozenset(elementwise.RULES)
"""Ops whose outputs are no larger than what their inputs broadcast to."""
