"""Bytes that are computed when they are needed, for messages whose content need not be in memory.

Who changes all weights of a model would otherwise hold them twice, the old ones and the new. An untouched message (see
`lazy`) stands for a stretch of the input; it may as well stand for fields, and one that is still to be computed:

    content = Content(size, compute)                      # compute(start, stop) gives a stretch of it, as a buffer
    tensor = untouched(TensorProto, Deferred(TensorProto(dtype=...).to_bytes(), 4, content))

Whoever touches, copies, compares or prints the message sees one like any other; on touch the content becomes a value
like any other. Whoever writes it into a file computes piece by piece and keeps none: see `buffers.Chunks.pieces`.

A stretch may be computed more than once, and by several threads at the same time. So what is computed must depend on
nothing that changes, and holds on to what it is computed from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from ..descriptor import LENGTH_DELIMITED
from ..varints import write_varint

__all__ = ["Content", "Deferred"]

Compute: TypeAlias = Callable[[int, int], memoryview]

PIECE = 1 << 20  # bytes that are computed at once when they are written one after another


class Content:
    """`size` bytes of which `compute` gives those from a start to an end."""

    __slots__ = ("compute", "size")

    def __init__(self, size: int, compute: Compute) -> None:
        self.size = size
        self.compute = compute

    def __len__(self) -> int:
        return self.size

    def whole(self) -> memoryview:
        return self.compute(0, self.size)

    def pieces(self) -> Iterator[memoryview]:
        for start in range(0, self.size, PIECE):
            yield self.compute(start, min(start + PIECE, self.size))


class Deferred:
    """The bytes of a message, with indices and slices like those of bytes: `fields`, and a bytes field behind them.

    `number` is that of the bytes field, and the largest. There are no maps, since these may be searched for keys.
    """

    __slots__ = ("content", "fields", "head")

    def __init__(self, fields: bytes, number: int, content: Content) -> None:
        self.fields = fields
        self.head = fields + write_varint(number << 3 | LENGTH_DELIMITED) + write_varint(len(content))
        self.content = content

    def __len__(self) -> int:
        return len(self.head) + len(self.content)

    def __getitem__(self, key: Any) -> Any:
        if key.__class__ is not slice:
            return self[key : key + 1][0]
        start, stop, _ = key.indices(len(self))
        found, behind = self.head[start:stop], len(self.head)
        if stop > max(start, behind):
            found += self.content.compute(max(start - behind, 0), stop - behind)
        return found
