"""Numbers in descriptors: defaults are texts, in the spelling that protoc gives them."""

from __future__ import annotations

import math
import struct

__all__ = ["as_single", "float_default"]


def float_default(text: str, negative: bool, *, single: bool) -> str:
    """Return the text of a float: with 6 digits (15 for a double), or with more if these lose it."""
    value = float(int(text, 0) if text[:2] in ("0x", "0X") else text)
    if negative:
        value = -value
    if single:
        value = as_single(value)
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    short, long = (6, 9) if single else (15, 17)
    for digits in range(short, long):
        shown = f"{value:.{digits}g}"
        if (as_single(float(shown)) if single else float(shown)) == value:
            if digits != short and not single:
                break
            return shown
    return f"{value:.{long}g}"


def as_single(value: float) -> float:
    """Return the nearest float of 32 bits."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)
