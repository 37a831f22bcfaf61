"""`Change`: one difference between two models; `Rules`: the differences that are reported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from pbwire.message import Message

    from .values import TensorDifference

__all__ = ["Change", "Rules", "compare_entries", "compare_texts", "same_bytes"]

V = TypeVar("V")

_CHUNK = 1 << 20  # bytes that are compared at a time


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules that decide if two values differ.

    internal      compare attributes whose names begin with `_`, and the type and debug information of nodes
    order         compare the order of nodes
    versions      compare versions
    defaults      a missing attribute differs from one with the default value that the op declares
    atol, rtol    elements of tensors are equal if |a - b| <= atol + rtol * |b|, or if both are NaN. If both tolerances
                  are 0, their bits must be equal
    """

    internal: bool = False
    order: bool = False
    versions: bool = False
    defaults: bool = True
    atol: float = 0.0
    rtol: float = 0.0


@dataclass(frozen=True, slots=True)
class Change:
    """One difference.

    what            the part that differs: "op", "input 1", "attr strides"
    before, after   the values in short; None for a value that is missing
    note            how two long values differ, if `before` and `after` do not show it
    tensor          the difference of two tensors in numbers
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

    def as_dict(self) -> dict[str, Any]:
        """Return the data for JSON."""
        facts: dict[str, Any] = {"what": self.what, "before": self.before, "after": self.after}
        if self.note:
            facts["note"] = self.note
        if self.tensor is not None:
            facts["tensor"] = self.tensor.as_dict()
        return facts


def compare_texts(what: str, before: str, after: str, note: str = "") -> Iterator[Change]:
    """Yield the change from one text to another, if they differ; an empty text is a missing one."""
    if before != after:
        yield Change(what, before or None, after or None, note)


def compare_entries(
    what: str,
    before: Mapping[str, V],
    after: Mapping[str, V],
    compare: Callable[[str, V, V], Change | None],
    text: Callable[[V], str],
) -> Iterator[Change]:
    """Yield the entries of a mapping that were added, removed, or changed according to `compare`, by name."""
    for name in sorted(before.keys() | after.keys()):
        label = f"{what} {name}"
        if name not in after:
            yield Change(label, text(before[name]), None)
        elif name not in before:
            yield Change(label, None, text(after[name]))
        elif change := compare(label, before[name], after[name]):
            yield change


def same_bytes(one: Message, other: Message) -> bool:
    """Return whether two messages have the same encoding, which proves them equal, without decoding lazy parts.

    Equal messages can have different encodings, for example with the entries of a map in another order.
    """
    if one is other:
        return True
    buffers, others = one.to_buffers(), other.to_buffers()
    if len(buffers) != len(others) or any(len(a) != len(b) for a, b in zip(buffers, others, strict=True)):
        return False
    return all(_same(memoryview(a), memoryview(b)) for a, b in zip(buffers, others, strict=True))


def _same(one: memoryview, other: memoryview) -> bool:
    """Compare in chunks of bytes, which is ten times as fast as comparing views."""
    starts = range(0, len(one), _CHUNK)
    return all(bytes(one[start : start + _CHUNK]) == bytes(other[start : start + _CHUNK]) for start in starts)
