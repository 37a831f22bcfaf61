"""Run a model with a small batch on the feeds of a graph with a larger one: in parts, whose outputs are joined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import RunError
from ...values.shape import Shape

_MAX_PARTS = 32
"""The maximum number of runs of a model whose batches are smaller than those of the feeds."""

_MISFIT = "its inputs have shapes that the model does not take"


def split_feeds(feeds: Mapping[str, Any], shapes: Mapping[str, Shape | None]) -> list[Mapping[str, Any]]:
    """Return the feeds of each run of a model whose inputs have `shapes`: all feeds at once if they fit.

    Raises RunError if the model cannot take the feeds in parts.
    """
    batch_sizes = {}
    for name, shape in shapes.items():
        if name in feeds and shape is not None and not _fits(np.shape(feeds[name]), shape):
            actual = np.shape(feeds[name])
            if not actual or not shape or not shape[0] or not _fits(actual[1:], shape[1:]) or actual[0] % shape[0]:
                raise RunError(_MISFIT)
            batch_sizes[name] = shape[0]
    counts = {len(feeds[name]) // size for name, size in batch_sizes.items()}
    if not counts:
        return [feeds]
    if len(counts) > 1 or not 0 < (count := counts.pop()) <= _MAX_PARTS:
        raise RunError(_MISFIT)
    return [
        {**feeds, **{name: feeds[name][i * size : (i + 1) * size] for name, size in batch_sizes.items()}}
        for i in range(count)
    ]


def join_outputs(parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the outputs of all runs as those of one. Raises RunError for an output without a batch."""
    if len(parts) == 1:
        return parts[0]
    if any(np.ndim(value) == 0 for value in parts[0].values()):
        raise RunError(_MISFIT)
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _fits(shape: Sequence[int], known: Shape) -> bool:
    return len(shape) == len(known) and all(size in (None, actual) for actual, size in zip(shape, known, strict=True))
