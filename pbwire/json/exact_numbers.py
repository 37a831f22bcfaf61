"""Exact integers in JSON, in all their forms.

1, "1", 1.0, "10e-1" and 1e0 are the same integer. Python's parser makes a float of a number with a fraction or an
exponent, and changes it if 53 bits are too few. Such a float is an integer provisionally: `Rounding.happened` records
that one occurred, and the text is then parsed again with `exact_float`.
"""

from __future__ import annotations

import re
from _thread import _local as local  # threading.local, without importing threading

__all__ = ["NUMBER", "Rounded", "Rounding", "exact_float", "exact_integer"]

NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_parts = re.compile(r"(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([-+]?)0*([0-9]+))?").fullmatch

MAX_DIGITS = 40  # more than any field can hold
_TOO_LARGE = 10**MAX_DIGITS


class Rounding(local):
    """True if this thread has made an integer of a float since `happened` was last set to False."""

    happened = False


class Rounded(float):
    """A float that is an integer, of a number `text` that is another integer, `exact`, or a fraction: None."""

    exact: int | None
    text: str


def exact_integer(text: str) -> int | None:
    """Return the integer that a number equals, or None for a fraction. 10**40 stands for larger integers."""
    match = _parts(text)
    assert match is not None, "it is a number"
    sign, whole, fraction, exponent_sign, exponent_digits = match.groups(default="")
    digits = (whole + fraction).lstrip("0")
    significant = digits.rstrip("0")
    if not significant:
        return 0
    is_long = len(exponent_digits) > 18  # no text has enough zeros to compensate
    exponent = 10**18 if is_long else int(exponent_digits or "0")
    zeros = (-exponent if exponent_sign == "-" else exponent) + len(digits) - len(significant) - len(fraction)
    if zeros < 0:
        return None
    number = int(significant + "0" * zeros) if len(significant) + zeros <= MAX_DIGITS else _TOO_LARGE
    return -number if sign else number


def exact_float(text: str) -> float:
    """Return the float nearest to a number: as `Rounded` if it is an integer and differs from the number."""
    number = float(text)
    if not number.is_integer():
        return number
    exact = exact_integer(text)
    if exact == number:
        return number
    rounded = Rounded(number)
    rounded.exact, rounded.text = exact, text
    return rounded
