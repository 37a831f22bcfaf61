"""Change the elements of float constants block by block, in blocks that fit the caches of a processor.

    array = float_array(node)
    tensor = map_elements(node, array, np.uint8, DataType.DT_QUINT8, encode)     # encode(block, scratch, out)

A graph may hold hundreds of megabytes of weights. If the old elements belong to a file that is read lazily, and the
tensor is not small, the new ones are computed when they are written, and are never in memory all at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from pbwire.codec.buffers import MIN_BUFFER_BYTES
from pbwire.lazy.messages import Content

from ...graph import attr, const_tensor
from ...messages import DataType, NodeDef, TensorProto
from ...values.tensors import is_borrowed, to_ndarray
from ..framework.node_edits import deferred_tensor, owned_tensor

Array: TypeAlias = np.ndarray[Any, Any]

Step: TypeAlias = Callable[[Array, Array, Array], object]
"""A function that computes new elements. It takes a block of old elements, scratch space, and the array for the result.

The scratch space has two rows of as many floats as the block has elements. The function may be called several times for
a block, and by several threads at the same time.
"""

BLOCK_SIZE = 1 << 16

NOT_FINITE = "its elements, or the distance between them, are not all finite"
TOO_SMALL = "its elements are so small that all of them would become zero"
EQUAL = "its elements are all equal"


def float_array(node: NodeDef) -> Array | None:
    """Return the elements of a Const without copying large ones; None if they are not float32.

    Raises GraphError if it has no type or no value, TensorError if its value is damaged.
    """
    if attr(node, "dtype", DataType) != DataType.DT_FLOAT:
        return None
    value = const_tensor(node)
    array = to_ndarray(value)
    return array if array.dtype == np.float32 else None


def is_splat(array: Array) -> bool:
    """Return whether an array is stored as one element that is repeated."""
    return array.size > 1 and not any(array.strides)


def map_elements(node: NodeDef, array: Array, stored: Any, dtype: DataType, step: Step) -> TensorProto:
    """Return a tensor with new elements, which `step` computes from `array`, the elements of the Const `node`.

    `dtype` is the type of the tensor, and `stored` the NumPy type of its elements. The new elements of a large tensor
    are computed when they are written if the old ones belong to a file; all others are computed at once.

    If two transforms that call this function follow each other, the second computes its result at once, since the
    result of the first does not belong to a file. The second result is then in memory. If it were deferred too, the
    first result would be computed again for each use.
    """
    old = array.ravel()
    numpy_type = np.dtype(stored).newbyteorder("<")

    def elements(first: int, last: int) -> Array:
        new = np.empty(last - first, numpy_type)
        scratch = np.empty((2, min(BLOCK_SIZE, new.size)), np.float32)
        for start in range(0, new.size, BLOCK_SIZE):
            out = new[start : start + BLOCK_SIZE]
            step(old[first + start :][: out.size], scratch[:, : out.size], out)
        return new

    def content(start: int, stop: int) -> memoryview:
        first, last = start // numpy_type.itemsize, -(-stop // numpy_type.itemsize)
        skipped = first * numpy_type.itemsize
        return elements(first, last).view(np.uint8).data[start - skipped : stop - skipped]

    size = old.size * numpy_type.itemsize
    if size < MIN_BUFFER_BYTES or not is_borrowed(const_tensor(node)):
        return owned_tensor(elements(0, old.size).reshape(array.shape), dtype)
    return deferred_tensor(array.shape, dtype, Content(size, content))
