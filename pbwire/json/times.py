"""Timestamp, Duration and FieldMask as the strings that JSON has for them, both ways.

The functions that print raise EncodeError, those that read JsonError, neither with a path.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

from ..errors import EncodeError, JsonError
from .names import json_name

__all__ = ["duration_text", "mask_text", "read_duration", "read_mask", "read_timestamp", "timestamp_text"]

FIRST_SECOND, LAST_SECOND = -62_135_596_800, 253_402_300_799  # of the years 1 and 9999
MOST_SECONDS = 315_576_000_000  # of a duration, about 10,000 years
BILLION = 10**9
EPOCH = datetime(1970, 1, 1)

_timestamp = re.compile(  # with no hour 24, which fromisoformat reads since Python 3.13
    r"(\d{4}-\d\d-\d\dT(?!24)\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))", re.ASCII
).fullmatch
_duration = re.compile(r"(-?)(\d{1,12})(?:\.(\d{1,9}))?s", re.ASCII).fullmatch


def timestamp_text(message: Any) -> str:
    seconds, nanos = message.seconds, message.nanos
    if not FIRST_SECOND <= seconds <= LAST_SECOND:
        raise EncodeError(f"{seconds:,} seconds are no Timestamp, which lies in the years 1 to 9999")
    if not 0 <= nanos < BILLION:
        raise EncodeError(f"a Timestamp has 0 to 999,999,999 nanos, not {nanos:,}")
    return (EPOCH + timedelta(seconds=seconds)).isoformat() + _fraction(nanos) + "Z"


def duration_text(message: Any) -> str:
    seconds, nanos = message.seconds, message.nanos
    if abs(seconds) > MOST_SECONDS:
        raise EncodeError(f"{seconds:,} seconds are no Duration, which has at most {MOST_SECONDS:,} either way")
    if abs(nanos) >= BILLION:
        raise EncodeError(f"a Duration has at most 999,999,999 nanos either way, not {nanos:,}")
    if seconds * nanos < 0:
        raise EncodeError(f"the {seconds:,} seconds and {nanos:,} nanos of a Duration must have the same sign")
    sign = "-" if seconds < 0 or nanos < 0 else ""
    return f"{sign}{abs(seconds)}{_fraction(abs(nanos))}s"


def _fraction(nanos: int) -> str:
    """No digits, three, six or nine."""
    if not nanos:
        return ""
    digits = f"{nanos:09}"
    while digits.endswith("000"):
        digits = digits[:-3]
    return f".{digits}"


def mask_text(message: Any) -> str:
    for path in message.paths:
        if not _is_snake_path(path):
            raise EncodeError(
                f"the path {path!r} has no form in lowerCamelCase that could be read back: "
                "it may have no capitals or commas, and behind each underscore a small letter"
            )
        path.encode()  # raises where there is no UTF-8 form
    return ",".join(map(json_name, message.paths))


def _is_snake_path(path: str) -> bool:
    _, *parts = path.split("_")
    return not any(map(str.isupper, path)) and "," not in path and all(part[:1].islower() for part in parts)


# --- reading -----------------------------------------------------------------------------------------------------


def read_timestamp(text: Any) -> tuple[int, int]:
    """Seconds and nanos."""
    found = _timestamp(text) if isinstance(text, str) else None
    try:
        if found is None:
            raise ValueError
        local, fraction, sign, hours, minutes = found.groups()
        elapsed = datetime.fromisoformat(local) - EPOCH
    except ValueError:
        raise JsonError(f'expected a point in time such as "2024-05-31T23:59:59.5Z", got {_shown(text)}') from None
    seconds = elapsed.days * 86_400 + elapsed.seconds
    if sign:
        offset = (int(hours) * 60 + int(minutes)) * 60
        seconds += offset if sign == "-" else -offset
    if not FIRST_SECOND <= seconds <= LAST_SECOND:
        raise JsonError(f"{_shown(text)} is not in the years 1 to 9999, counted in UTC")
    return seconds, _nanos(fraction)


def read_duration(text: Any) -> tuple[int, int]:
    """Seconds and nanos."""
    found = _duration(text) if isinstance(text, str) else None
    if found is None:
        raise JsonError(f'expected a length of time in seconds such as "-1.5s", got {_shown(text)}')
    sign, whole, fraction = found.groups()
    seconds, nanos = int(whole), _nanos(fraction)
    if seconds > MOST_SECONDS:
        raise JsonError(f"{_shown(text)} is more than {MOST_SECONDS:,} seconds")
    return (-seconds, -nanos) if sign else (seconds, nanos)


def _nanos(fraction: str | None) -> int:
    return int(fraction.ljust(9, "0")) if fraction else 0


def read_mask(text: Any) -> list[str]:
    """The paths, in the names of the .proto file."""
    if not isinstance(text, str):
        raise JsonError(f'expected field names in lowerCamelCase such as "a,b.cD", got {_shown(text)}')
    if "_" in text:
        raise JsonError(f"{_shown(text)} holds an underscore: field names stand in lowerCamelCase here")
    if not text:
        return []
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise JsonError(f"character {error.start:,} is {text[error.start]!a}, half of a surrogate pair") from None
    paths = "".join(f"_{each.lower()}" if each.isupper() else each for each in text).split(",")
    if ",".join(map(json_name, paths)) != text or not all(map(_is_snake_path, paths)):
        raise JsonError(f"{_shown(text)} holds a letter that is not the same again in lower case and back")
    return paths


def _shown(value: Any) -> str:
    from .scalars import shown

    return shown(value)
