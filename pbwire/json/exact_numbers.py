"""Integers in JSON: exact, however they are spelled.

1, "1", 1.0, "10e-1" and 1e0 are the same integer. Python's parser makes a float of a number with a fraction or an
exponent, and another number with it if 53 bits are too few. Such a float is therefore an integer for the time being:
`Rounding.happened` notes that there was one, and the text is then parsed again with `exact_float`.
"""

from __future__ import annotations

import re
from _thread import _local as local  # that of threading, without what else threading imports

__all__ = ["NUMBER", "Rounded", "Rounding", "exact_float", "exact_integer"]

NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_parts = re.compile(r"(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([-+]?)0*([0-9]+))?").fullmatch

MOST_DIGITS = 40  # no field holds an integer of so many
_TOO_LARGE = 10**MOST_DIGITS


class Rounding(local):
    """Whether an integer was made of a float in this thread since `happened` was last False."""

    happened = False


class Rounded(float):
    """A float that is an integer and is spelled by `text` as another one, `exact`, or as a fraction: None."""

    exact: int | None
    text: str


def exact_integer(text: str) -> int | None:
    """Return the integer that a number means, and None for a fraction. One that no field can hold is cut to 10**40."""
    match = _parts(text)
    assert match is not None, "it is a number"
    sign, whole, fraction, exponent_sign, exponent_digits = match.groups(default="")
    digits = (whole + fraction).lstrip("0")
    significant = digits.rstrip("0")
    if not significant:
        return 0
    is_long = len(exponent_digits) > 18  # no text has so many zeros to make up for it
    exponent = 10**18 if is_long else int(exponent_digits or "0")
    zeros = (-exponent if exponent_sign == "-" else exponent) + len(digits) - len(significant) - len(fraction)
    if zeros < 0:
        return None
    number = int(significant + "0" * zeros) if len(significant) + zeros <= MOST_DIGITS else _TOO_LARGE
    return -number if sign else number


def exact_float(text: str) -> float:
    """Return the float nearest to a number, as `Rounded` if it is an integer and the number is not that."""
    number = float(text)
    if not number.is_integer():
        return number
    exact = exact_integer(text)
    if exact == number:
        return number
    rounded = Rounded(number)
    rounded.exact, rounded.text = exact, text
    return rounded
