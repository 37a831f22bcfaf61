"""The parts of a parsed regular expression, and the error for invalid expressions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from .char_classes import Ranges

__all__ = [
    "AnyByte",
    "Assertion",
    "Characters",
    "Choice",
    "Group",
    "Part",
    "Repeat",
    "Sequence",
    "SyntaxFault",
    "Where",
]


class SyntaxFault(ValueError):
    """The text is not a regular expression that RE2 accepts."""


class Where(Enum):
    """The conditions that match between two bytes."""

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
    """A part that matches `least` to `most` times, without limit if that is None."""

    body: Part
    least: int
    most: int | None
    greedy: bool


Part: TypeAlias = Characters | AnyByte | Assertion | Group | Sequence | Choice | Repeat
