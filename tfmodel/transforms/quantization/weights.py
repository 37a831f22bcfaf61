"""Constants of floats whose elements change, block by block: blocks fit into the caches of a processor.

    array = float_array(node)
    tensor = mapped(node, array, np.uint8, DataType.DT_QUINT8, encode)     # encode(block, scratch, out)

A graph may hold hundreds of megabytes of them. Where the old elements are those of a file that is read lazily, the new
ones are computed when they are written, and are never in memory all at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from pbwire.codec.buffers import LARGE
from pbwire.lazy.deferred_bytes import Content

from ...graph import attr, const_tensor
from ...messages import DataType, NodeDef, TensorProto
from ...tensors import is_borrowed, to_ndarray
from ..framework.new_constants import deferred_tensor, owned_tensor

__all__ = ["EQUAL", "NOT_FINITE", "Array", "Step", "float_array", "is_splat", "mapped"]

Array: TypeAlias = np.ndarray[Any, Any]

Step: TypeAlias = Callable[[Array, Array, Array], object]
"""Computes a block: the old elements, two rows of as many floats to work with, and where the new elements go.

It may be called again, and by several threads at the same time.
"""

BLOCK = 1 << 16

NOT_FINITE = "its elements, or the distance between them, are not all finite"
EQUAL = "its elements are all equal"


def float_array(node: NodeDef) -> Array | None:
    """The elements of a Const; None if they are no float32. Large ones are not copied.

    Raises GraphError if it has no type or no value, TensorError if its value is damaged.
    """
    if attr(node, "dtype", DataType) != DataType.DT_FLOAT:
        return None
    value = const_tensor(node)
    array = to_ndarray(value)
    return array if array.dtype == np.float32 else None


def is_splat(array: Array) -> bool:
    """Is it stored as one element, which stands for all?"""
    return array.size > 1 and not any(array.strides)


def mapped(node: NodeDef, array: Array, stored: Any, dtype: DataType, step: Step) -> TensorProto:
    """A tensor of the shape of a Const, whose elements `array` has, with others: of the type that NumPy calls `stored`.

    Of two such steps in a row the second computes at once, since what the first has deferred is no part of a file. That
    takes the memory of its results; if it were deferred too, the first one's would be computed again with every use.
    """
    old = array.ravel()
    kind = np.dtype(stored).newbyteorder("<")

    def elements(first: int, last: int) -> Array:
        new = np.empty(last - first, kind)
        scratch = np.empty((2, min(BLOCK, new.size)), np.float32)
        for start in range(0, new.size, BLOCK):
            out = new[start : start + BLOCK]
            step(old[first + start :][: out.size], scratch[:, : out.size], out)
        return new

    def content(start: int, stop: int) -> memoryview:
        first, last = start // kind.itemsize, -(-stop // kind.itemsize)
        skipped = first * kind.itemsize
        return elements(first, last).view(np.uint8).data[start - skipped : stop - skipped]

    size = old.size * kind.itemsize
    if size < LARGE or not is_borrowed(const_tensor(node)):
        return owned_tensor(elements(0, old.size).reshape(array.shape), dtype)
    return deferred_tensor(array.shape, dtype, Content(size, content))
