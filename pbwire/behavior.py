"""The version of protobuf whose text format and protobuf-style messages this process has.

    from pbwire.behavior import follow

    follow("4.25")      # before the first message is printed or parsed; the default is "6.31"

The versions differ in a few points, which are the fields of `Behavior`. All of pbwire is in one version at a time:
text format in `pbwire.text` and in `pbwire.compat`, and `google.protobuf.__version__` in `tfmodel.compat`.
"""

from __future__ import annotations

from typing import NamedTuple


class Behavior(NamedTuple):
    """The points in which the versions differ.

    version          `google.protobuf.__version__`
    by_number        `str()` of a message prints the fields by number; otherwise as they are declared
    as_utf8          `text_format` of protobuf-style messages prints strings as UTF-8 by default
    controls         `text_format` escapes control characters in strings that it prints as UTF-8
    structs          an Any that holds a Struct or a ListValue is printed expanded
    group_numbers    unknown bytes with a group that is closed by another number are not printed as a message
    negative_zero    -0.0 in a field without presence counts as a value, so that parsers refuse a second one
    """

    version: str
    by_number: bool
    as_utf8: bool
    controls: bool
    structs: bool
    group_numbers: bool
    negative_zero: bool


BEHAVIORS = {
    "4.25": Behavior("4.25.9", False, False, False, False, False, False),
    "6.31": Behavior("6.31.1", True, True, True, True, True, True),
}
DEFAULT = "6.31"
_followed = BEHAVIORS[DEFAULT]


def behavior() -> Behavior:
    """Return the behavior that is followed."""
    return _followed


def follow(version: str) -> None:
    """Follow a version of protobuf, which is a key of BEHAVIORS, in all threads. Raises ValueError for others."""
    global _followed
    if version not in BEHAVIORS:
        raise ValueError(f"pbwire follows protobuf {' or '.join(BEHAVIORS)}, not {version!r}")
    _followed = BEHAVIORS[version]
