"""The classes of cases, and the lists that the other modules of this package fill."""

from __future__ import annotations

from typing import NamedTuple

from pbwire.table import Message

__all__ = ["CASES", "DIFFERS", "Case", "Differs", "cases", "differ", "differing", "refused", "values"]


class Case(NamedTuple):
    """A document, and the class of its message."""

    cls: type[Message]
    document: str
    ignore: bool = False


class Differs(NamedTuple):
    """The reason for a different verdict, and the message that pbwire reads, or None if it refuses."""

    why: str
    ours: Message | None


CASES: list[Case] = []
DIFFERS: dict[Case, Differs] = {}


def cases(cls: type[Message], *documents: str, ignore: bool = False) -> None:
    for document in documents:
        case = Case(cls, document, ignore)
        if case not in CASES:
            CASES.append(case)


def differ(why: str, cls: type[Message], ours: dict[str, Message | None], ignore: bool = False) -> None:
    cases(cls, *ours, ignore=ignore)
    for document, message in ours.items():
        DIFFERS[Case(cls, document, ignore)] = Differs(why, message)


def values(cls: type[Message], field: str, *spelled: str) -> None:
    """Add a case for each notation of a field's value."""
    cases(cls, *(f'{{"{field}": {value}}}' for value in spelled))


def differing(why: str, cls: type[Message], field: str, ours: dict[str, Message | None]) -> None:
    differ(why, cls, {f'{{"{field}": {value}}}': message for value, message in ours.items()})


def refused(*spelled: str) -> dict[str, Message | None]:
    return dict.fromkeys(spelled)
