"""What is known of a shape that is computed while a model runs: how many sizes it has, and the last of them.

    Const {-1, 50, 8}                                    3 sizes, the last is 8
    ConcatV2(GatherV2(Shape(x), {0, 1}), {8}, 0)         likewise: a Dense layer of Keras on sequences
    Pack(strided_slice, 50, 8)                           likewise

A Reshape to it keeps the last axis if that has 8 elements before: rows stay rows, whatever the other sizes are.
"""

from __future__ import annotations

from typing import NamedTuple

from ...graph import GraphIndex
from .values import Constants, tensors

__all__ = ["Ending", "ending"]


MOST_SIZES = 255  # TensorFlow has no tensors of more axes


class Ending(NamedTuple):
    """How many sizes a shape has, and the last of them."""

    sizes: int
    last: float


def ending(index: GraphIndex, constants: Constants, position: int) -> Ending | None:
    """What is known of the shape that a node gives; None if it is not both. Raises GraphError for damaged constants."""
    if constants.expression(position) is not None:
        shape = constants.value(position)
        return Ending(shape.size, shape[-1]) if shape.ndim == 1 and shape.size else None
    if position < 0 or not constants.is_computed(position):
        return None
    if len(index.sources[position]) > MOST_SIZES:
        return None
    given = tensors(index, position)
    if index.nodes[position].op == "Pack" and given:
        last = given[-1]
        if constants.expression(last) is None or (size := constants.value(last)).ndim:
            return None
        return Ending(len(given), size.item())
    if index.nodes[position].op == "ConcatV2" and len(given) > 1:
        *pieces, last, _ = given
        end = ending(index, constants, last) if constants.expression(last) is not None else None
        counts = [_count(index, constants, piece) for piece in pieces]
        return None if end is None or None in counts else Ending(end.sizes + sum(filter(None, counts)), end.last)
    return None


def _count(index: GraphIndex, constants: Constants, position: int) -> int | None:
    """How many sizes a part of a shape has."""
    if position >= 0 and index.nodes[position].op in ("Gather", "GatherV2") and constants.is_computed(position):
        position = [*tensors(index, position), -1, -1][1]  # one for each index
    if constants.expression(position) is None:
        return None
    part = constants.value(position)
    return part.size if part.ndim == 1 else None
