"""One thing that differs between two models, and the rules by which things do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from pbwire.message import Message

    from .values import TensorDifference

__all__ = ["Change", "Rules", "changed_entries", "changed_words", "same_bytes"]

V = TypeVar("V")

_PIECE = 1 << 20  # bytes that are compared at a time


@dataclass(frozen=True, slots=True)
class Rules:
    """What counts as a difference.

    internal      attributes count whose names begin with `_`, and what else TensorFlow keeps for itself: the types and
                  the debug information of nodes
    order         the order of nodes counts
    versions      so do versions
    defaults      an attribute that is missing counts as missing even if the other has what the op declares as default
    atol, rtol    elements of tensors are equal if |a - b| <= atol + rtol * |b|, and if both are NaN. While both are 0
                  they have to be the same bits
    """

    internal: bool = False
    order: bool = False
    versions: bool = False
    defaults: bool = True
    atol: float = 0.0
    rtol: float = 0.0


@dataclass(frozen=True, slots=True)
class Change:
    """A part of something that is another than before.

    what            which part: "op", "input 1", "attr strides"
    before, after   in a few words; None where there is none
    note            what the words do not tell: how two long values differ
    tensor          the same of tensors, in numbers
    """

    what: str
    before: str | None
    after: str | None
    note: str = ""
    tensor: TensorDifference | None = None

    def __str__(self) -> str:
        if self.before is None:
            return f"{self.what} added: {self.after}"
        if self.after is None:
            return f"{self.what} removed: {self.before}"
        values = f"{self.before} -> {self.after}" if self.before != self.after else self.before
        if not self.note:
            return f"{self.what}: {values}"
        return f"{self.what}: {values}: {self.note}" if values else f"{self.what}: {self.note}"

    def facts(self) -> dict[str, Any]:
        """What JSON says of it."""
        facts: dict[str, Any] = {"what": self.what, "before": self.before, "after": self.after}
        if self.note:
            facts["note"] = self.note
        if self.tensor is not None:
            facts["tensor"] = self.tensor.facts()
        return facts


def changed_words(what: str, before: str, after: str, note: str = "") -> Iterator[Change]:
    """The change from one text to another, if they differ; an empty one is none at all."""
    if before != after:
        yield Change(what, before or None, after or None, note)


def changed_entries(
    what: str,
    before: Mapping[str, V],
    after: Mapping[str, V],
    compare: Callable[[str, V, V], Change | None],
    text: Callable[[V], str],
) -> Iterator[Change]:
    """The entries of a mapping that were added, removed, or which `compare` finds to be changed, by name."""
    for name in sorted(before.keys() | after.keys()):
        label = f"{what} {name}"
        if name not in after:
            yield Change(label, text(before[name]), None)
        elif name not in before:
            yield Change(label, None, text(after[name]))
        elif change := compare(label, before[name], after[name]):
            yield change


def same_bytes(one: Message, other: Message) -> bool:
    """Whether two messages surely are the same, since they are written the same: of what is lazy nothing is decoded.

    Messages that are the same may yet be written differently, for example with the entries of a map in another order.
    """
    if one is other:
        return True
    buffers, others = one.to_buffers(), other.to_buffers()
    if len(buffers) != len(others) or any(len(a) != len(b) for a, b in zip(buffers, others, strict=True)):
        return False
    return all(_same(memoryview(a), memoryview(b)) for a, b in zip(buffers, others, strict=True))


def _same(one: memoryview, other: memoryview) -> bool:
    """Piece by piece as bytes, which are compared ten times as fast as views are."""
    starts = range(0, len(one), _PIECE)
    return all(bytes(one[start : start + _PIECE]) == bytes(other[start : start + _PIECE]) for start in starts)
