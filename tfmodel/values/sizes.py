"""Sizes in bytes, as users write them."""

from __future__ import annotations

import re

from .terminal import quote

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?", re.IGNORECASE)
_MAX_DIGITS = 20


def parse_size(size: int | str) -> int:
    """Return a size in bytes: an int, or text such as "10k", "1.5MB", "2GiB"; k is 1000, Ki 1024. Raises ValueError."""
    if isinstance(size, int):
        if size < 0:
            raise ValueError(f"a size must be >= 0, got {size}")
        return size
    match = _SIZE.fullmatch(size.strip())
    if match is None or len(match[1]) > _MAX_DIGITS or (match[3] and not match[2]):
        raise ValueError(f"{quote(size[:50])} is not a size: give bytes, or 10k, 1.5M, 2Gi")
    power = " kmgt".index(match[2].lower() or " ")
    return int(float(match[1]) * (1024 if match[3] else 1000) ** power)
