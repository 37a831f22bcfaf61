"""Elements of TensorLists and TensorArrays: tensors of one type, some of which may not be set yet.

old = TensorList(DT_FLOAT, (2,), [None, None])
new = old.changed(...)                                  # another list; `old` stays as it was
stack_elements(new.items, new.shape, new.dtype)         # the elements as one tensor
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...dtypes import DTYPES
from ...errors import RunError
from ...messages import DataType
from ...shape import Shape, merged, text
from ..runtime.argument_checks import zeros
from ..runtime.memory_limit import claim
from ..runtime.registry import Tensor

__all__ = ["MAX_ELEMENTS", "Change", "TensorList", "numpy_dtype", "sizes", "stack_elements"]

MAX_ELEMENTS = 1 << 24
"""The maximum size of a new list: elements cost memory before they are set."""

_POINTER = 8  # bytes

Change = Callable[[list[Any]], object]


class TensorList:
    """Elements of one type, None for those that are not set. `limit` is the maximum number of elements, -1 for any.

    A list that was changed no longer stores its elements, but how to undo the change of the newer list. It does so when
    its elements are read again, which is rare. A step of a loop thus takes constant time, however long the list is.
    """

    __slots__ = ("_back", "_items", "_newer", "dtype", "limit", "shape")

    def __init__(self, dtype: DataType, shape: Shape | None, items: list[Any], limit: int = -1) -> None:
        self.dtype = dtype
        self.shape = shape
        self.limit = limit
        self._items = items
        self._newer: TensorList | None = None
        self._back: Change | None = None

    @property
    def items(self) -> list[Any]:
        """The elements. Do not modify the list."""
        changes = []
        newest = self
        while newest._newer is not None:
            changes.append(newest._back)
            newest = newest._newer
        if newest is not self:
            items = newest._items.copy()
            for back in reversed(changes):
                assert back is not None
                back(items)
            self._items, self._newer, self._back = items, None, None
        return self._items

    def changed(self, change: Change, back: Change) -> TensorList:
        """Return another list with a change; `back` must undo it."""
        items = self.items
        change(items)
        newer = TensorList(self.dtype, self.shape, items, self.limit)
        self._items, self._newer, self._back = [], newer, back
        return newer

    def with_items(self, items: list[Any]) -> TensorList:
        """Return another list with these elements. Raises RunError beyond the memory limit."""
        claim(_POINTER * len(items))
        return TensorList(self.dtype, self.shape, items, self.limit)


def numpy_dtype(dtype: DataType) -> np.dtype[Any]:
    """Return the NumPy type of a tensor type. Raises RunError for handles and variants."""
    row = DTYPES.get(dtype)
    if row is None or dtype in (DataType.DT_VARIANT, DataType.DT_RESOURCE):
        raise RunError(f"elements of {dtype.name} that were never set cannot be read")
    return row.numpy


def sizes(shape: Shape | None, message: str) -> tuple[int, ...]:
    """Return a fully known shape. Raises RunError with this message for any other."""
    known = [size for size in shape or () if size is not None]
    if shape is None or len(known) < len(shape):
        raise RunError(message)
    return tuple(known)


def stack_elements(items: Sequence[Any], shape: Shape | None, dtype: DataType) -> Tensor:
    """Stack elements of one shape into a tensor, with zeros for None. `shape` is the shape if all are None."""
    for item in items:
        shape = shape if item is None else merged(shape, np.shape(item))
    inner = sizes(shape, f"elements {text(shape)} cannot be stacked: none is there to tell their shape")
    if dtype == DataType.DT_VARIANT:
        made = np.empty((len(items), *inner), object)
    else:
        made = zeros((len(items), *inner), numpy_dtype(dtype))
    for place, item in enumerate(items):
        if item is not None:
            made[place] = item
    return made
