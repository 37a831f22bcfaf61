"""Constants of floats whose elements change, block by block: blocks fit into the caches of a processor.

    array = float_array(node)
    tensor = mapped(array, np.uint8, DataType.DT_QUINT8, encode)     # encode(block, scratch, out)

A graph may hold hundreds of megabytes of them. The new elements are written once, to where they stay.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ...graph import attr
from ...messages import DataType, NodeDef, TensorProto
from ...tensors import to_ndarray
from ..framework.constants import owned_tensor

__all__ = ["EQUAL", "NOT_FINITE", "Array", "Step", "float_array", "is_splat", "mapped"]

Array: TypeAlias = np.ndarray[Any, Any]

Step: TypeAlias = Callable[[Array, Array, Array], object]
"""Computes a block: the old elements, as many floats to work with, and where the new elements go."""

BLOCK = 1 << 16

NOT_FINITE = "its elements, or the distance between them, are not all finite"
EQUAL = "its elements are all equal"


def float_array(node: NodeDef) -> Array | None:
    """The elements of a Const; None if they are no float32. Large ones are not copied.

    Raises GraphError if it has no type or no value, TensorError if its value is damaged.
    """
    dtype, value = attr(node, "dtype", DataType), attr(node, "value", TensorProto)
    if dtype != DataType.DT_FLOAT:
        return None
    array = to_ndarray(value)
    return array if array.dtype == np.float32 else None


def is_splat(array: Array) -> bool:
    """Is it stored as one element, which stands for all?"""
    return array.size > 1 and not any(array.strides)


def mapped(array: Array, stored: Any, dtype: DataType, step: Step) -> TensorProto:
    """A tensor of that shape with other elements: of the type `dtype`, which NumPy calls `stored`."""
    old = array.ravel()
    new = np.empty(old.size, np.dtype(stored).newbyteorder("<"))
    scratch = np.empty(min(BLOCK, old.size), np.float32)
    for start in range(0, old.size, BLOCK):
        block = old[start : start + BLOCK]
        step(block, scratch[: block.size], new[start : start + BLOCK])
    return owned_tensor(new.reshape(array.shape), dtype)
