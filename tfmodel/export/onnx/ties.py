"""Compare detections as sets where their order is not determined: rows with equal scores may change places.

    boxes[1,100,4], scores[1,100], classes[1,100]      the rows of all three move together

TensorFlow and onnxruntime sort by score, and which of two equal scores comes first depends on the last bit of both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .conversion.model import Array, OnnxGraph

SORTING = frozenset({"NonMaxSuppression", "TopK"})
_MAX_MOVED = 2000  # rows that are matched with each other


def sorts(graph: OnnxGraph) -> bool:
    """Return whether operators that sort are in a graph, or in the graphs inside of it."""
    return any(node.op in SORTING for each in graph.walk() for node in each.nodes)


def in_same_order(expected: Mapping[str, Any], values: Mapping[str, Any], rtol: float) -> dict[str, Any]:
    """Return the values with rows moved to where `expected` has equal ones; unchanged if there are none.

    The rows of outputs with the same two first sizes, the batch and the number of detections, move together.
    """
    moved = dict(values)
    groups: dict[tuple[int, ...], list[str]] = {}
    for name, value in expected.items():
        shape = np.shape(value)
        if len(shape) >= 2 and shape == np.shape(values[name]) and np.asarray(value).dtype.kind in "fiu":
            groups.setdefault(shape[:2], []).append(name)
    for (batch, count), names in groups.items():
        ours, theirs = (_rows(source, names, (batch, count)) for source in (values, expected))
        scale = rtol * np.maximum(np.abs(theirs).max(axis=(0, 1), initial=0), 1e-30)
        for number in range(batch):
            order = _order(theirs[number], ours[number], scale)
            if order is not None:
                for name in names:
                    moved[name] = np.array(moved[name])
                    moved[name][number] = moved[name][number][order]
    return moved


def _rows(values: Mapping[str, Any], names: list[str], shape: tuple[int, int]) -> Array:
    """Return the rows of several outputs side by side."""
    parts = [np.asarray(values[name], np.float64).reshape(*shape, -1) for name in names]
    joined: Array = np.concatenate(parts, axis=2)
    return joined


def _order(theirs: Array, ours: Array, scale: Array) -> Array | None:
    """Return which of our rows stands for each of theirs; None if some row has no counterpart."""
    order: Array = np.arange(len(theirs))
    (differing,) = np.nonzero((np.abs(theirs - ours) > scale).any(axis=1))
    if not 0 < len(differing) <= _MAX_MOVED:
        return None
    free = list(differing)
    for row in differing:
        near = (np.abs(ours[free] - theirs[row]) <= scale).all(axis=1)
        if not near.any():
            return None
        order[row] = free.pop(int(near.argmax()))
    return order


def is_undetermined(expected: Mapping[str, Any], values: Mapping[str, Any], rtol: float) -> bool:
    """Return whether all rows that differ have scores that other rows have too, so that any of these may be chosen.

    The scores are the outputs of the same rows that do not differ.
    """
    wrong = [name for name, value in expected.items() if not _is_near(value, values[name], rtol)]
    for name in wrong:
        shape = np.shape(expected[name])[:2]
        scores = [each for each, value in expected.items() if each not in wrong and np.shape(value)[:2] == shape]
        if len(shape) < 2 or np.shape(values[name]) != np.shape(expected[name]) or not scores:
            return False
        ours, theirs, ranks = (
            _rows(source, names, shape) for source, names in ((values, [name]), (expected, [name]), (expected, scores))
        )
        differing = (np.abs(ours - theirs) > rtol).any(axis=2)
        for number, row in zip(*np.nonzero(differing), strict=True):
            same = np.abs(ranks[number] - ranks[number, row]).max(axis=1) <= rtol
            if same.sum() < 2:
                return False
    return bool(wrong)


def _is_near(one: Any, other: Any, rtol: float) -> bool:
    if np.shape(one) != np.shape(other) or np.asarray(one).dtype.kind not in "fiub":
        return False
    a, b = np.asarray(one, np.float64), np.asarray(other, np.float64)
    return bool(np.allclose(a, b, rtol=0, atol=rtol * max(float(np.abs(a).max(initial=0)), 1e-30), equal_nan=True))
