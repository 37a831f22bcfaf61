r"""The parts of a parsed regular expression, the error for invalid expressions, and sets of characters.

Sets of characters are tuples of ranges of code points. There are functions for unions, complements, case folding, and
the named classes of RE2:

    merge_ranges([(97, 99), (98, 122)])     ((97, 122),)
    fold_case(((107, 107),))                k, K and the Kelvin sign
    unicode_group("Greek")                  the characters of \p{Greek}

General categories and case pairs are those of Python's `unicodedata`, so characters newer than the Unicode version of
the running Python are missing; scripts are those of Unicode 14.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import TypeAlias

from .unicode_scripts import SCRIPTS

Ranges: TypeAlias = tuple[tuple[int, int], ...]
"""First and last code point of each range; sorted, neither overlapping nor adjacent."""

LAST = 0x10FFFF
_CASED_END = 0x20000  # all characters with case are in the first two planes


def merge_ranges(pairs: Iterable[tuple[int, int]]) -> Ranges:
    """Return the union of ranges that may overlap, in any order."""
    union: list[tuple[int, int]] = []
    for low, high in sorted(pairs):
        if union and low <= union[-1][1] + 1:
            union[-1] = (union[-1][0], max(high, union[-1][1]))
        else:
            union.append((low, high))
    return tuple(union)


def negate_ranges(ranges: Ranges) -> Ranges:
    """Return the ranges of all code points that are not in `ranges`."""
    gaps = []
    begin = 0
    for low, high in ranges:
        if begin < low:
            gaps.append((begin, low - 1))
        begin = high + 1
    if begin <= LAST:
        gaps.append((begin, LAST))
    return tuple(gaps)


def fold_case(ranges: Ranges) -> Ranges:
    """Return the ranges with all characters added that differ only in case from a character in them."""
    variants = _variants()
    cased = _list_case_variants()
    added = []
    for low, high in ranges:
        for character in cased[bisect_left(cased, low) : bisect_left(cased, high + 1)]:
            added += [(other, other) for other in variants[character]]
    return merge_ranges([*ranges, *added]) if added else ranges


@cache
def _variants() -> Mapping[int, tuple[int, ...]]:
    """Return a mapping from each character with case to all characters that have the same simple case folding."""
    by_folding: dict[str, set[int]] = {}
    for code in range(_CASED_END):
        character = chr(code)
        folding = _simple_folding(character)
        if folding != character:  # a set for each character that is its own folding would take 30 MB
            by_folding.setdefault(folding, {ord(folding)}).add(code)
    return {code: tuple(sorted(codes)) for codes in by_folding.values() for code in codes}


def _simple_folding(character: str) -> str:
    """Return the simple case folding of a character. Python has only the full one, which may be several characters."""
    for spelling in (character.casefold(), character.lower()):
        if len(spelling) == 1:
            return spelling
    return character


@cache
def _list_case_variants() -> list[int]:
    return sorted(_variants())


# --- named classes ---------------------------------------------------------------------------------------------------


def _ranges(text: str) -> Ranges:
    """Return the ranges that a text such as "09AZ" lists as pairs of first and last characters."""
    return merge_ranges((ord(low), ord(high)) for low, high in zip(text[::2], text[1::2], strict=True))


PERL: Mapping[str, Ranges] = {"d": _ranges("09"), "s": _ranges("\t\n\f\r  "), "w": _ranges("09AZ__az")}
r"""The ASCII characters of \d, \s and \w."""

POSIX: Mapping[str, Ranges] = {
    name: _ranges(text)
    for name, text in {
        "alnum": "09AZaz",
        "alpha": "AZaz",
        "ascii": "\x00\x7f",
        "blank": "\t\t  ",
        "cntrl": "\x00\x1f\x7f\x7f",
        "digit": "09",
        "graph": "!~",
        "lower": "az",
        "print": " ~",
        "punct": "!/:@[`{~",
        "space": "\t\r  ",
        "upper": "AZ",
        "word": "09AZ__az",
        "xdigit": "09AFaf",
    }.items()
}
"""The characters of [:alpha:] and the other POSIX classes."""


def unicode_group(name: str) -> Ranges | None:
    """Return the characters of a general category ("L", "Lu"), a script ("Greek") or "Any"; None for other names."""
    if name == "Any":
        return ((0, LAST),)
    if name in SCRIPTS:
        return _script(name)
    return _categories().get(name)


@cache
def _script(name: str) -> Ranges:
    pairs = (item.partition("-") for item in SCRIPTS[name].split())
    return tuple((int(low, 16), int(high or low, 16)) for low, _, high in pairs)


@cache
def _categories() -> Mapping[str, Ranges]:
    """Return the code points of each general category ("Lu") and of each group of categories ("L")."""
    pairs: dict[str, list[tuple[int, int]]] = {}
    begin, current = 0, unicodedata.category("\0")
    for code in range(1, LAST + 2):
        category = unicodedata.category(chr(code)) if code <= LAST else ""
        if category != current:
            pairs.setdefault(current, []).append((begin, code - 1))
            begin, current = code, category
    pairs.pop("Cn")  # RE2 has no group of unassigned characters
    groups: dict[str, list[tuple[int, int]]] = {}
    for category, ranges in pairs.items():
        groups.setdefault(category[0], []).extend(ranges)
    return {name: merge_ranges(ranges) for name, ranges in [*pairs.items(), *groups.items()]}


class SyntaxFault(ValueError):
    """The text is not a regular expression that RE2 accepts."""


class Where(Enum):
    """The conditions of assertions, which are tested at a position between two bytes."""

    TEXT_BEGIN = "\\A"
    TEXT_END = "\\z"
    LINE_BEGIN = "^"
    LINE_END = "$"
    BOUNDARY = "\\b"
    NO_BOUNDARY = "\\B"


@dataclass(frozen=True, slots=True)
class Characters:
    """One character of a set, encoded as UTF-8."""

    ranges: Ranges


@dataclass(frozen=True, slots=True)
class AnyByte:
    """Any single byte."""


@dataclass(frozen=True, slots=True)
class Assertion:
    """The empty string at a position that fulfils a condition."""

    where: Where


@dataclass(frozen=True, slots=True)
class Group:
    """A part whose match can be used in a rewrite, by its number."""

    number: int
    body: Part


@dataclass(frozen=True, slots=True)
class Sequence:
    """Parts that match in sequence; an empty sequence matches the empty string."""

    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """Alternatives; the first that leads to a match is taken."""

    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A part that matches `min_count` to `max_count` times; None means without limit."""

    body: Part
    min_count: int
    max_count: int | None
    greedy: bool


Part: TypeAlias = Characters | AnyByte | Assertion | Group | Sequence | Choice | Repeat
