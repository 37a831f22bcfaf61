"""The message and enum classes of tests.support.samples by their full names."""

from __future__ import annotations

from collections.abc import Iterator
from enum import EnumType
from typing import Any

from pbwire import table as pb
from tests.support import samples

__all__ = ["CLASSES", "declared", "full_name"]


def full_name(cls: Any) -> str:
    return cls.__full_name__ if isinstance(cls, EnumType) else pb.table_of(cls).full_name


def declared(scope: Any) -> Iterator[Any]:
    """Return the messages and enums of a module or class, at any depth."""
    for value in list(vars(scope).values()):
        ours = isinstance(value, type) and issubclass(value, (pb.Message, pb.Enum))
        if ours and value.__module__ == samples.__name__:
            yield value
            yield from declared(value)


CLASSES = {full_name(cls): cls for cls in declared(samples)}
