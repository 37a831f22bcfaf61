"""Types of numeric options. The parser refuses invalid values before any file is read:

parser.add_argument("--seed", type=whole)
"""

from __future__ import annotations

import math
from argparse import ArgumentTypeError

__all__ = ["byte_size", "positive", "tolerance", "whole"]


def whole(text: str) -> int:
    """A whole number that is not negative."""
    return _integer(text, 0)


def positive(text: str) -> int:
    """A whole number of at least 1."""
    return _integer(text, 1)


def byte_size(text: str) -> int:
    """A number of bytes, such as 1000, 10k, 1.5M or 2Gi."""
    from ..parameters.listing import parse_size

    try:
        return parse_size(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def tolerance(text: str) -> float:
    """Parse a tolerance: finite, and not negative. With NaN, numbers would differ from themselves."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number < math.inf:
        raise ArgumentTypeError(f"{text!r} is no tolerance: give a number such as 1e-4, or 0")
    return number


def _integer(text: str, least: int) -> int:
    try:
        number = int(text)
    except ValueError:
        raise ArgumentTypeError(f"{text[:40]!r} is no whole number") from None
    if number < least:
        raise ArgumentTypeError(f"at least {least}, not {text}")
    return number
