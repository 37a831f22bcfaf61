"""Byte contents that are computed on demand, for messages that need not be in memory.

A program that changes all weights of a model would otherwise hold them twice, the old ones and the new. An undecoded
message (see `pbwire.lazy.messages`) stands for a span of the input; it can also stand for some encoded fields and one
bytes field that is still to be computed:

    content = Content(size, compute)                      # compute(start, stop) returns a part of it, as a buffer
    tensor = undecoded_message(TensorProto, Deferred(TensorProto(dtype=...).to_bytes(), 4, content))

Reading, copying, comparing and printing such a message works as for any other; decoding it computes the content, which
becomes an ordinary value. Writing it to a file computes one piece after another and keeps none: see `Chunks.pieces`.

A part may be computed more than once, and by several threads at the same time. So the computation must depend on
nothing that changes, and must hold references to its inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from ..descriptor import LENGTH_DELIMITED
from ..varints import write_varint

__all__ = ["Content", "Deferred"]

Compute: TypeAlias = Callable[[int, int], memoryview]

PIECE_BYTES = 1 << 20  # computed at once when all are written


class Content:
    """`size` bytes; `compute` returns those from a start to an end."""

    __slots__ = ("compute", "size")

    def __init__(self, size: int, compute: Compute) -> None:
        self.size = size
        self.compute = compute

    def __len__(self) -> int:
        return self.size

    def whole(self) -> memoryview:
        return self.compute(0, self.size)

    def pieces(self) -> Iterator[memoryview]:
        for start in range(0, self.size, PIECE_BYTES):
            yield self.compute(start, min(start + PIECE_BYTES, self.size))


class Deferred:
    """The bytes of a message, with the indices and slices of bytes: encoded `fields`, and a bytes field behind them.

    `number` is that of the bytes field, and the largest. The fields must not include maps, since these may be searched
    for keys.
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
        part, head_size = self.head[start:stop], len(self.head)
        if stop > max(start, head_size):
            part += self.content.compute(max(start - head_size, 0), stop - head_size)
        return part
