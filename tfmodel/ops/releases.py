"""The releases of TensorFlow in which ops, and attributes of ops, are new.

    release_of("AddV2")                          # "1.14"
    release_of("Conv2D", "dilations")            # "1.5"
    is_before("1.9", "1.14")                     # True
    find_release("1.12.3")                       # "1.12"

Releases are in the order of time: 2.0 is before 1.15, whose ops it has with few exceptions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from pbwire.errors import quoted_key

from .definitions import OPS
from .release_table import ATTRIBUTES
from .release_table import OPS as NEW_OPS

_ORDER = [*(f"1.{minor}" for minor in range(15)), "2.0", "1.15", *(f"2.{minor}" for minor in range(1, 13))]
FIRST, LAST = _ORDER[0], _ORDER[-1]
_PRODUCERS = """
    1.0=21 1.2=22 1.3=24 1.6=26 1.11=27 1.14=38 2.0=119 1.15=134 2.1=175 2.3=440 2.4=561 2.5=716 2.6=808 2.7=898 2.8=987
    2.9=1087 2.10=1205 2.11=1286 2.12=1395
"""  # TF_GRAPH_DEF_VERSION of tensorflow/core/public/version.h, in the last patch of each release
_POSITIONS = {release: position for position, release in enumerate(_ORDER)}


def find_release(version: str) -> str:
    """Return the release of a version, such as "1.12" of "1.12.3". Raises ValueError if there is none."""
    match = re.fullmatch(r"v?([0-9]+\.[0-9]+)(\.[0-9]+(rc[0-9]+)?)?", version)
    if match is None or match[1] not in _POSITIONS:
        raise ValueError(f"{quoted_key(version)} is not a release of TensorFlow from {FIRST} to {LAST}")
    return match[1]


def is_before(release: str, other: str) -> bool:
    """Return whether a release came before another one."""
    return _POSITIONS[release] < _POSITIONS[other]


def latest(releases: list[str]) -> str:
    """Return the last of some releases; the first release of all if there are none."""
    return max(releases, key=_POSITIONS.__getitem__, default=FIRST)


def release_of(op: str, attribute: str = "") -> str:
    """Return the first release with an op, or with an attribute of an op; "" for what no release is known to have."""
    if attribute and (release := newer_attributes_of(op).get(attribute)):
        return release
    return _ops().get(op) or (FIRST if op in OPS and not op.startswith("_") else "")


def newer_attributes_of(op: str) -> Mapping[str, str]:
    """Return the attributes of an op that are newer than it, with their releases."""
    return _attributes().get(op, {})


def release_of_consumer(version: int) -> str:
    """Return the first release that reads graphs with this `versions.min_consumer`; "" if it is newer than all."""
    rows = (row.split("=") for row in _PRODUCERS.split())
    return next((release for release, producer in rows if int(producer) >= version), "")


@cache
def _ops() -> dict[str, str]:
    return _by_name(NEW_OPS)


@cache
def _attributes() -> dict[str, dict[str, str]]:
    by_op: dict[str, dict[str, str]] = {}
    for name, release in _by_name(ATTRIBUTES).items():
        op, _, attribute = name.partition(".")
        by_op.setdefault(op, {})[attribute] = release
    return by_op


def _by_name(table: str) -> dict[str, str]:
    rows = (line.split() for line in table.split("\n") if line)
    return {name: release for release, *names in rows for name in names}
