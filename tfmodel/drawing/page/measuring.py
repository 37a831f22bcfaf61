"""Read the values of weights: for statistics, histograms and heat maps, and for the values that a page carries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ...parameters.listing import with_values
from ...parameters.weight import Weight
from .carried import MAX_BYTES, carry, shares
from .heat_maps import heat_map, histogram_levels, side_of

BINS = 64
"""The number of bars of a histogram. It takes a character for each, which leaves room in 200 bytes a weight."""


def measure(weights: Sequence[Weight], values: str, content: bytearray) -> Iterator[tuple[Weight, dict[str, Any]]]:
    """Yield weights with statistics, and the pictures and values of each. Values are appended to `content`.

    Each weight is read once. `values` is "top" or "all", and says how many values are carried.
    """
    side = side_of(sum(len(weight.shape or ()) > 1 for weight in weights))
    sizes = [weight.bytes or 0 for weight in weights]
    for weight, share in zip(weights, shares(sizes, MAX_BYTES[values]), strict=True):
        array = weight.read()
        measured = with_values(replace(weight, reader=partial(_same, array)), BINS)
        pictures: dict[str, Any] = {}
        if (shown := measured.distribution) is not None:
            ends = {"from": float(f"{shown.low:.8g}"), "to": float(f"{shown.high:.8g}")}
            pictures["histogram"] = {**ends, "levels": histogram_levels(shown.counts)}
        if (heat := heat_map(array, side)) is not None:
            pictures["map"] = heat
        if (first := carry(array, share, content)) is not None:
            pictures["values"] = first
        yield measured, pictures


def _same(array: Any) -> Any:
    return array
