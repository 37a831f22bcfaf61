"""The message types that occur as files, and the choice of the one that fits best."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ... import messages

__all__ = ["FIRST", "LIKELY", "NAME_IT", "OTHERS", "SURE", "best", "classes"]

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

SURE = 0.9
LIKELY = 0.6  # enough for the messages that mostly are in files

NAME_IT = "name the message type, as cls=, if you know it"  # which commands put in their own words


def classes(names: tuple[str, ...]) -> Iterator[Any]:
    return (getattr(messages, name) for name in names)


def best(explained: Callable[[Any], float]) -> Any:
    """Return the most likely class, or None; `explained` scores a class from 0 to 1."""
    score, cls = _best_of(FIRST, explained)
    if score >= SURE:
        return cls
    other_score, other = _best_of(OTHERS, explained)
    if other_score >= SURE:
        return other
    return cls if score >= LIKELY else None


def _best_of(names: tuple[str, ...], explained: Callable[[Any], float]) -> tuple[float, Any]:
    best: tuple[float, Any] = (0.0, None)
    for cls in classes(names):
        score = explained(cls)
        if score > best[0]:
            best = (score, cls)
        if score == 1:
            break
    return best
