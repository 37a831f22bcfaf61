"""Ops that hold, or read, what a checkpoint has."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["MUTABLE_TABLES", "PLACEHOLDERS", "RESTORES", "VARIABLES"]

PLACEHOLDERS = frozenset({"Placeholder", "PlaceholderV2", "PlaceholderWithDefault"})

VARIABLES = ("Variable", "VariableV2", "VarHandleOp")

MUTABLE_TABLES = (
    "MutableHashTable",
    "MutableHashTableV2",
    "MutableHashTableOfTensors",
    "MutableHashTableOfTensorsV2",
    "MutableDenseHashTable",
    "MutableDenseHashTableV2",
)

RESTORES: Mapping[str, tuple[int, int | None]] = {"RestoreV2": (1, 2), "RestoreSlice": (1, 2), "Restore": (1, None)}
"""Ops that read tensors of a checkpoint: which input has their names, and which the slices."""
