"""What readers that are written for one class have in common: they gather values in locals, and store them at the end.

Each slot has a local of its own, which begins with what the slot holds while its field is absent; which field a value
belongs to is decided by comparing numbers.
"""

from __future__ import annotations

from types import NoneType
from typing import Any

from .compiling import Source, code

__all__ = ["choice", "defaults", "local"]

RUN = 6  # numbers are compared one after another in runs of at most so many; more are halved first


def local(slot: str) -> str:
    """The variable that holds a slot's value to be, apart from all other names of the text."""
    return f"f_{slot}"


def defaults(source: Source, slots: dict[str, Any]) -> str:
    """Every local's value while its field is absent; equal ones are assigned at once."""
    same: dict[str, list[str]] = {}
    for slot, empty in slots.items():
        literal = empty.__class__ in (bool, int, float, str, bytes, NoneType)
        value = repr(empty) if literal else source.bind(f"zero_{slot}", empty)
        same.setdefault(value, []).append(local(slot))
    return "".join(" = ".join([*names, value]) + "\n" for value, names in same.items())


def choice(name: str, cases: list[tuple[int, str]]) -> str:
    """What to do for each value of the variable `name`; `cases` are sorted."""
    if len(cases) > RUN:
        middle = len(cases) // 2
        return code(
            "if $name < $number:\n    $low\nelse:\n    $high",
            name=name,
            number=str(cases[middle][0]),
            low=choice(name, cases[:middle]),
            high=choice(name, cases[middle:]),
        )
    return "el".join(
        code("if $name == $number:\n    $body", name=name, number=str(number), body=body) for number, body in cases
    )
