"""What lists and arrays of tensors are made of: elements of one type that may not be there yet.

old = TensorList(DT_FLOAT, (2,), [None, None])
new = old.changed(...)                           # another list; `old` is as it was
stacked(new.items, new.shape, new.dtype)         # the elements as one tensor
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...dtypes import DTYPES
from ...errors import RunError
from ...messages import DataType
from ...shape import Shape, merged, text
from ..runtime.arrays import zeros
from ..runtime.memory_limit import claim
from ..runtime.registry import Tensor

__all__ = ["MAX_ELEMENTS", "Change", "TensorList", "numpy_dtype", "sizes", "stack_elements"]

MAX_ELEMENTS = 1 << 24
"""How many elements a list may be made with: they are not there yet, but cost memory."""

_POINTER = 8  # bytes

Change = Callable[[list[Any]], object]


class TensorList:
    """Elements of one type, None for those that are not there yet. `limit` is how many there may be; -1 for any number.

    A list from which another was made holds no elements any more, but the way back to them from the newer one. It goes
    that way when someone asks for them, which few do. So a step of a loop takes the same time however long the list is.
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
        """The elements. Not to be changed."""
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
        """Another list: with a change, which `back` would undo."""
        items = self.items
        change(items)
        newer = TensorList(self.dtype, self.shape, items, self.limit)
        self._items, self._newer, self._back = [], newer, back
        return newer

    def with_items(self, items: list[Any]) -> TensorList:
        """Another list. Raises RunError if there is no room for one of so many elements."""
        claim(_POINTER * len(items))
        return TensorList(self.dtype, self.shape, items, self.limit)


def numpy_dtype(dtype: DataType) -> np.dtype[Any]:
    """Raises RunError for types of which there are no arrays."""
    row = DTYPES.get(dtype)
    if row is None or dtype in (DataType.DT_VARIANT, DataType.DT_RESOURCE):
        raise RunError(f"elements of {dtype.name} that were never set cannot be read")
    return row.numpy


def sizes(shape: Shape | None, words: str) -> tuple[int, ...]:
    """A shape of which all is known. Raises RunError with these words if it is not."""
    found = [size for size in shape or () if size is not None]
    if shape is None or len(found) < len(shape):
        raise RunError(words)
    return tuple(found)


def stack_elements(items: Sequence[Any], shape: Shape | None, dtype: DataType) -> Tensor:
    """Elements of one shape as the rows of a tensor. For None there are zeros; of these, `shape` may be all we know."""
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
