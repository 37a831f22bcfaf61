"""What inference knows of one tensor: its shape, its elements where they are few numbers, and what a handle leads to.

Tensor((2,), (3, None))                   a vector of 3 and something, such as what Shape says of a matrix (3, ?)
Tensor((), None, ((10, 4),))              the handle of a variable of shape (10, 4)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias, overload

from .shape import Shape, joined

__all__ = ["UNKNOWN", "Repeated", "Tensor", "Value", "joined_tensors"]

Value: TypeAlias = "tuple[int | float | None, ...]"
"""Elements in row-major order, None for those that are not known."""


class Tensor(NamedTuple):
    """What is known of a tensor.

    shape     its shape, None if the rank is not known
    value     its elements, of integers and floats, if the shape is known and they are few
    handle    of a resource or a variant, the shapes of the tensors in it: of a variable, of the elements of a list.
              Of a list that is empty so far, there are none
    """

    shape: Shape | None = None
    value: Value | None = None
    handle: tuple[Shape | None, ...] | None = None


UNKNOWN = Tensor()


class Repeated(Sequence[Tensor]):
    """Many outputs that are alike, of which a graph may claim more than would fit into memory."""

    __slots__ = ("_count", "_tensor")

    def __init__(self, tensor: Tensor, count: int) -> None:
        self._tensor = tensor
        self._count = count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> Tensor: ...
    @overload
    def __getitem__(self, place: slice) -> Repeated: ...
    def __getitem__(self, place: int | slice) -> Tensor | Repeated:
        found = range(self._count)[place]
        return self._tensor if isinstance(found, int) else Repeated(self._tensor, len(found))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Repeated):
            return NotImplemented  # so Python asks the other one
        return self._tensor == other._tensor and self._count == other._count

    def __hash__(self) -> int:
        return hash((self._tensor, self._count))


def joined_tensors(a: Tensor, b: Tensor) -> Tensor:
    """What is known of a tensor that is one or the other."""
    if a == b:
        return a
    shape = joined(a.shape, b.shape)
    value = handle = None
    if a.value is not None and b.value is not None and a.shape == b.shape:
        value = tuple(x if x == y else None for x, y in zip(a.value, b.value, strict=True))
    if a.handle is not None and b.handle is not None:
        if len(a.handle) == len(b.handle):
            handle = tuple(map(joined, a.handle, b.handle))
        elif not a.handle or not b.handle:
            handle = a.handle or b.handle
    return Tensor(shape, value, handle)
