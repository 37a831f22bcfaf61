"""Check the values that are assigned to fields, as protobuf does, and convert them to the stored form.

Each function takes a value and returns the value to store. It raises TypeError for a value of a wrong type, and
ValueError for one that the field cannot hold. Protobuf checks in the same places: at assignment, in constructors, and
when values are added to lists and maps.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import cache
from math import copysign, inf
from operator import index
from typing import Any

from ...descriptor import KINDS, Field
from ...errors import class_name
from ...kept import kept

Check = Callable[[Any], Any]

_FLOAT = struct.Struct("<f")


def check_for(field: Field) -> Check:
    """Return the check for the values of a field, or of the elements of a repeated field."""
    if field.kind == "enum":
        return _enum_check(field.type)
    return _CHECKS.get(field.kind) or _integer_check(field.kind)


def _check_string(value: Any) -> str:
    if value.__class__ is str:
        if not value.isascii():
            value.encode()  # raises UnicodeEncodeError for a lone surrogate
        return value
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, str):
        return _check_string(str.__str__(value))
    raise TypeError(f"expected a str, got {_describe(value)}")


def _check_bytes(value: Any) -> bytes:
    if value.__class__ is bytes:
        return value
    if isinstance(value, bytes):
        return bytes(value)
    raise TypeError(f"expected bytes, got {_describe(value)}")


def _check_bool(value: Any) -> bool:
    if value.__class__ is bool:
        return value
    if value.__class__.__module__ == "numpy" and value.__class__.__name__ in ("bool", "bool_"):
        return bool(value)
    number = _index(value, "a bool")
    if not -(1 << 63) <= number < 1 << 63:
        raise OverflowError(f"{number:,} is too large for a bool")
    return bool(number)


def _check_double(value: Any) -> float:
    if value.__class__ is float:
        return value
    if isinstance(value, (str, bytes, bytearray)) or not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        raise TypeError(f"expected a number, got {_describe(value)}")
    return float(value)


def _check_float(value: Any) -> float:
    """Round to the nearest float32. A number that is too large becomes an infinity, as in C."""
    value = _check_double(value)
    try:
        return _FLOAT.unpack(_FLOAT.pack(value))[0]  # type: ignore[no-any-return]  # a float
    except OverflowError:
        return copysign(inf, value)


_CHECKS: dict[str, Check] = {
    "string": _check_string,
    "bytes": _check_bytes,
    "bool": _check_bool,
    "double": _check_double,
    "float": _check_float,
}


@cache
def _integer_check(kind: str) -> Check:
    bounds = KINDS[kind].bounds
    assert bounds is not None
    low, high = bounds

    def check_integer(value: Any) -> int:
        if value.__class__ is not int:
            value = _index(value, "an integer")
        if low <= value <= high:
            return value  # type: ignore[no-any-return]  # an int
        raise ValueError(f"{value:,} is out of range for {kind} ({low:,} to {high:,})")

    return check_integer


@kept
def _enum_check(enum: Any) -> Check:
    check_number = _integer_check("enum")
    numbers = enum.__numbers__

    def check_enum(value: Any) -> int:
        if value.__class__ is int and value in numbers:
            return value
        if isinstance(value, str):
            member = enum.__members__.get(value)
            if member is None:
                raise ValueError(f"{enum.__full_name__} has no value {value!r}")
            return int(member)
        value = check_number(int(value) if isinstance(value, int) else value)
        if enum.__closed__ and value not in enum.__numbers__:
            raise ValueError(f"{enum.__full_name__} is closed and has no value {value}")
        return value  # type: ignore[no-any-return]  # an int

    return check_enum


def c_integer(value: Any, bits: int) -> int:
    """Return an argument that protobuf's C code takes as a C integer: an int, or an object that stands for one.

    Raises TypeError for other objects, and OverflowError for numbers that do not fit, with the words of Python's C API.
    """
    number = index(value)
    if not -(1 << 63) <= number < 1 << 63:
        raise OverflowError("Python int too large to convert to C long")
    limit = 1 << (bits - 1)
    if number >= limit:
        raise OverflowError("signed integer is greater than maximum")
    if number < -limit:
        raise OverflowError("signed integer is less than minimum")
    return number


def _index(value: Any, expected: str) -> int:
    try:
        if value.__class__.__name__ == "ndarray":  # an array of one element has an __index__
            raise TypeError
        return index(value)
    except TypeError:
        raise TypeError(f"expected {expected}, got {_describe(value)}") from None


def _describe(value: Any) -> str:
    shown = repr(value)
    return f"{class_name(value)} {shown if len(shown) < 60 else shown[:57] + '...'}"
