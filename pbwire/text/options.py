"""How text may look other than `dumps` makes it: what protobuf's printer can be asked for beside.

A style is settled when a printer is written, so that none of this is asked while printing: the printers of each style
are functions of their own, called "print" or, say, "print:pointy_colon".
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["USUAL", "Style"]


class Style(NamedTuple):
    """What is unusual.

    pointy    messages stand in <>
    colon     the name of a message has a colon behind it, as that of a number has
    numbers   fields are called by their numbers
    declared  fields stand in the order of the rows of the table
    floats    `Output.floats` and `Output.doubles` spell numbers
    formatted `Output.formatter` is asked first whether it formats a message
    """

    pointy: bool = False
    colon: bool = False
    numbers: bool = False
    declared: bool = False
    floats: bool = False
    formatted: bool = False

    @classmethod
    def of(cls, what: str) -> Style:
        """The style of the printers that are called `what`."""
        _, _, flags = what.partition(":")
        return cls(**dict.fromkeys(flags.split("_"), True)) if flags else cls()

    @property
    def printer(self) -> str:
        """What its printers are called: see `compiling.function`."""
        flags = "_".join(name for name, on in zip(self._fields, self, strict=True) if on)
        return f"print:{flags}" if flags else "print"

    @property
    def opening(self) -> str:
        """What stands between the name of a message and its fields."""
        return f"{':' if self.colon else ''} {'<' if self.pointy else '{'}"

    @property
    def closing(self) -> str:
        return ">" if self.pointy else "}"


USUAL = Style()
