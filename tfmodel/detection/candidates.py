"""The messages that stand in files of their own, and so are worth recognising."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .. import messages

__all__ = ["FIRST", "OTHERS", "classes"]

# Of two that explain a file equally well the earlier one is meant. Each is imported when it is its turn: a GraphDef,
# once recognised, never costs the tables of a SavedModel.
FIRST = ("GraphDef", "MetaGraphDef", "OpList", "TensorProto", "SavedModel")

# These are asked only where none of those fits.
OTHERS = (
    "FingerprintDef",
    "GraphDebugInfo",
    "RunMetadata",
    "CheckpointState",
    "NodeDef",
    "FunctionDef",
    "FunctionDefLibrary",
    "OpDef",
    "SavedObjectGraph",
    "TrackableObjectGraph",
    "ConfigProto",
    "StepStats",
    "KernelList",
)


def classes(names: tuple[str, ...]) -> Iterator[Any]:
    return (getattr(messages, name) for name in names)
