"""Putting a tensor together from its parts, which must cover it all and nothing twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from ..errors import CheckpointError

__all__ = ["Region", "check_tiling", "common"]

Region: TypeAlias = "tuple[tuple[int, ...], tuple[int, ...]]"  # where it begins, and its shape


def check_tiling(shape: tuple[int, ...], regions: Sequence[Region]) -> None:
    """Raise CheckpointError unless the regions, which lie inside a tensor of that shape, cover each element once.

    The caller has made sure that there are as many elements in the regions as in the tensor, and that this is no more
    than memory holds: for parts that are cut along several axes a mask is made.
    """
    if 0 in shape:
        return
    cut = [axis for axis, size in enumerate(shape) if any(sizes[axis] != size for _, sizes in regions)]
    if len(cut) > 1:
        _check_mask(shape, regions)
        return
    axis = cut[0] if cut else 0
    spans = sorted((start[axis], start[axis] + sizes[axis]) for start, sizes in regions) if shape else [(0, 1)]
    behind = 0
    for start, end in spans:
        if start == end:
            continue
        if start < behind:
            raise CheckpointError(f"its parts overlap: {start:,} to {min(end, behind):,} along axis {axis} comes twice")
        if start > behind:
            raise CheckpointError(f"no part has {behind:,} to {start:,} along axis {axis}")
        behind = end
    if shape and behind != shape[axis]:
        raise CheckpointError(f"no part has {behind:,} to {shape[axis]:,} along axis {axis}")


def _check_mask(shape: tuple[int, ...], regions: Sequence[Region]) -> None:
    covered: Any = np.zeros(shape, bool)
    for start, sizes in regions:
        part = covered[_index(start, sizes)]
        if part.any():
            raise CheckpointError(f"its parts overlap: the one of {list(sizes)} at {list(start)} has what another has")
        part[...] = True
    if not covered.all():
        missing = np.unravel_index(int(covered.argmin()), shape)
        raise CheckpointError(f"no part has the element {[int(index) for index in missing]}")


def common(a: Region, b: Region) -> tuple[Region, Region] | None:
    """What two regions have in common: as seen from the first, and from the second. None if that is nothing."""
    start = [max(pair) for pair in zip(a[0], b[0], strict=True)]
    end = [min(x + n, y + m) for x, n, y, m in zip(*a, *b, strict=True)]
    sizes = tuple(stop - begin for begin, stop in zip(start, end, strict=True))
    if any(size <= 0 for size in sizes):
        return None

    def seen_from(region: Region) -> Region:
        return tuple(at - origin for at, origin in zip(start, region[0], strict=True)), sizes

    return seen_from(a), seen_from(b)


def index_of(region: Region) -> tuple[slice, ...]:
    return _index(*region)


def _index(start: tuple[int, ...], sizes: tuple[int, ...]) -> tuple[slice, ...]:
    return tuple(slice(begin, begin + size) for begin, size in zip(start, sizes, strict=True))
