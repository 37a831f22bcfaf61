"""Elements of TensorLists and TensorArrays: tensors of one type, some of which may not be set yet.

old = TensorList(DT_FLOAT, (2,), [None, None])
new = old.changed(...)                                  # another list; `old` stays as it was
stack_elements(new.items, new.shape, new.dtype)         # the elements as one tensor

TensorLists are the lists in which functional loops collect their results:

    handle = TensorListReserve([2], 3)                  three elements that are not set yet
    handle = TensorListSetItem(handle, 0, [1.0, 2.0])   another list; the first one stays as it was
    TensorListStack(handle)                             [[1.0, 2.0], [0, 0], [0, 0]]

Lists are values: each op returns another list. The old one is rarely used again, so both share one Python list, and the
older one records the change: see `TensorList`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from ...dtypes import DTYPES
from ...errors import RunError
from ...messages import DataType
from ...shape import Shape, known, merged, text
from ..runtime.argument_checks import check, check_indices, read_scalar, read_vector, zeros
from ..runtime.memory_limit import claim
from ..runtime.registry import Tensor, kernel

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


# --- making ----------------------------------------------------------------------------------------------------------


@kernel("EmptyTensorList")
def empty_list(element_shape: Tensor, max_num_elements: Tensor, *, element_dtype: DataType) -> TensorList:
    return TensorList(element_dtype, _shape(element_shape), [], read_scalar(max_num_elements, "max_num_elements"))


@kernel("TensorListReserve")
def reserve(element_shape: Tensor, num_elements: Tensor, *, element_dtype: DataType) -> TensorList:
    return TensorList(element_dtype, _shape(element_shape), [None] * _count(num_elements, "num_elements"))


@kernel("TensorListFromTensor")
def from_tensor(tensor: Tensor, element_shape: Tensor, *, element_dtype: DataType) -> TensorList:
    check(tensor.ndim, "a list is made of the rows of a tensor, and a scalar has none")
    return TensorList(element_dtype, _fitting(_shape(element_shape), tensor.shape[1:]), list(tensor))


@kernel("TensorListScatter")
def scatter(tensor: Tensor, indices: Tensor, element_shape: Tensor, *, element_dtype: DataType) -> TensorList:
    return _scattered(tensor, indices, element_shape, -1, element_dtype)


@kernel("TensorListScatterV2")
def scatter_v2(
    tensor: Tensor, indices: Tensor, element_shape: Tensor, num_elements: Tensor, *, element_dtype: DataType
) -> TensorList:
    return _scattered(tensor, indices, element_shape, read_scalar(num_elements, "num_elements"), element_dtype)


def _scattered(tensor: Tensor, indices: Tensor, element_shape: Tensor, size: int, dtype: DataType) -> TensorList:
    check(size >= -1, f"num_elements is {size}, and must be -1 or more")
    shape = _fitting(_shape(element_shape), tensor.shape[1:])
    return TensorList(dtype, shape, _put([], tensor, indices, size))


@kernel("TensorListScatterIntoExistingList")
def scatter_into(handle: Any, tensor: Tensor, indices: Tensor, *, element_dtype: DataType) -> TensorList:
    old = _list(handle, element_dtype)
    _fitting(old.shape, tensor.shape[1:])
    return old.with_items(_put(old.items, tensor, indices, -1))


def _put(items: Sequence[Any], tensor: Tensor, indices: Tensor, size: int) -> list[Any]:
    """Return a list with rows of a tensor at some indices, of a given size; -1 is the smallest that fits."""
    places = read_vector(indices, "indices")
    check(tensor.ndim and len(tensor) == len(places), f"{len(places)} indices do not fit a tensor {text(tensor.shape)}")
    needed = max(places, default=-1) + 1
    check(min(places, default=0) >= 0, f"indices must not be negative, and one is {min(places, default=0)}")
    check(size == -1 or needed <= size, f"there is no element {needed - 1} in a list of {size}")
    check(max(needed, size) <= MAX_ELEMENTS, f"a list of {max(needed, size)} elements is too long")
    found = [*items, *[None] * (max(needed, size) - len(items))]
    for place, row in zip(places, tensor, strict=True):
        found[place] = row
    return found


@kernel("TensorListSplit")
def split(tensor: Tensor, element_shape: Tensor, lengths: Tensor, *, element_dtype: DataType) -> TensorList:
    sizes = read_vector(lengths, "lengths")
    shape = _shape(element_shape)
    check(tensor.ndim, "the rows of a tensor are split, and a scalar has none")
    check(shape != (), "elements must be vectors at least, and element_shape says that they are scalars")
    check(min(sizes, default=0) >= 0, f"lengths must not be negative, and one is {min(sizes, default=0)}")
    check(sum(sizes) == len(tensor), f"lengths are {sum(sizes)} in all, and the tensor has {len(tensor)} rows")
    if shape is not None:
        _fitting(shape[1:], tensor.shape[1:])
        shape = (None, *shape[1:])
    ends = accumulate(sizes, initial=0)
    return TensorList(element_dtype, shape, [tensor[start:stop] for start, stop in pairwise(ends)])


# --- changing --------------------------------------------------------------------------------------------------------


@kernel("TensorListSetItem")
def set_item(
    handle: Any, index: Tensor, item: Any, *, element_dtype: DataType, resize_if_index_out_of_bounds: bool = False
) -> TensorList:
    old = _list(handle, element_dtype)
    place = read_scalar(index, "index")
    if resize_if_index_out_of_bounds and place >= len(old.items):
        check(place < MAX_ELEMENTS, f"a list of {place + 1} elements is too long")
        old = old.with_items([*old.items, *[None] * (place + 1 - len(old.items))])
    before = _element(old, place)
    _fitting(old.shape, np.shape(item))
    return old.changed(
        lambda them: operator.setitem(them, place, item), lambda them: operator.setitem(them, place, before)
    )


@kernel("TensorListPushBack")
def push_back(handle: Any, tensor: Any, *, element_dtype: DataType) -> TensorList:
    return _pushed(_list(handle, element_dtype), tensor)


def _pushed(old: TensorList, tensor: Any) -> TensorList:
    _fitting(old.shape, np.shape(tensor))
    check(old.limit == -1 or len(old.items) < old.limit, f"the list is full: it may have {old.limit} elements")
    return old.changed(lambda them: them.append(tensor), lambda them: them.pop())


@kernel("TensorListPushBackBatch")
def push_back_batch(handles: Any, tensor: Tensor, *, element_dtype: DataType) -> Tensor:
    lists = np.asarray(handles, object)
    fits = tensor.shape[: lists.ndim] == lists.shape
    check(fits, f"lists {text(lists.shape)} and a tensor {text(tensor.shape)} do not fit: one row goes to each list")
    pushed = np.empty(lists.shape, object)
    for place in np.ndindex(*lists.shape):
        pushed[place] = _pushed(_list(lists[place], element_dtype), tensor[place])
    return pushed


@kernel("TensorListPopBack")
def pop_back(handle: Any, element_shape: Tensor, *, element_dtype: DataType) -> tuple[TensorList, Any]:
    old = _list(handle, element_dtype)
    check(old.items, "the list is empty: nothing can be taken off")
    last = old.items[-1]
    item = last if last is not None else _zeros(old, merged(_shape(element_shape), old.shape))
    return old.changed(lambda them: them.pop(), lambda them: them.append(last)), item


@kernel("TensorListResize")
def resize(handle: Any, size: Tensor) -> TensorList:
    old = _list(handle)
    count = _count(size, "size")
    return old.with_items([*old.items[:count], *[None] * (count - len(old.items))])


@kernel("TensorListConcatLists")
def concat_lists(first: Any, second: Any, *, element_dtype: DataType) -> Any:
    firsts, seconds = np.asarray(first, object), np.asarray(second, object)
    check(firsts.shape == seconds.shape, f"lists {text(firsts.shape)} and {text(seconds.shape)} do not fit")
    joined = np.empty(firsts.shape, object)
    for place in np.ndindex(*firsts.shape):
        a, b = (_list(each[place], element_dtype) for each in (firsts, seconds))
        check(a.shape == b.shape, f"lists of elements {text(a.shape)} and {text(b.shape)} cannot be put together")
        joined[place] = a.with_items([*a.items, *b.items])
    return joined if joined.ndim else joined.item()


# --- reading ---------------------------------------------------------------------------------------------------------


@kernel("TensorListLength")
def length(handle: Any) -> Tensor:
    return np.array(len(_list(handle).items), np.int32)


@kernel("TensorListElementShape")
def element_shape_of(handle: Any, *, shape_type: DataType) -> Tensor:
    shape = _list(handle).shape
    return np.array(-1 if shape is None else [-1 if size is None else size for size in shape], numpy_dtype(shape_type))


@kernel("TensorListGetItem")
def get_item(handle: Any, index: Tensor, element_shape: Tensor, *, element_dtype: DataType) -> Any:
    held = _list(handle, element_dtype)
    item = _element(held, read_scalar(index, "index"))
    if item is not None:
        return item
    shape = merged(_shape(element_shape), held.shape)
    for other in [] if known(shape) else held.items:
        shape = shape if other is None else merged(shape, np.shape(other))
    return _zeros(held, shape)


@kernel("TensorListStack")
def stack(handle: Any, element_shape: Tensor, *, element_dtype: DataType, num_elements: int) -> Tensor:
    held = _list(handle, element_dtype)
    count = len(held.items)
    check(num_elements in (-1, count), f"a list of {num_elements} elements is wanted, and it has {count}")
    return stack_elements(held.items, merged(_shape(element_shape), held.shape), held.dtype)


@kernel("TensorListGather")
def gather(handle: Any, indices: Tensor, element_shape: Tensor, *, element_dtype: DataType) -> Tensor:
    held = _list(handle, element_dtype)
    shape = merged(_shape(element_shape), held.shape)
    places = read_vector(indices, "indices")
    check_indices(indices, len(held.items))
    return stack_elements([held.items[place] for place in places], shape, held.dtype)


@kernel("TensorListConcat")
def concat(
    handle: Any, *, element_dtype: DataType, element_shape: tuple[int | None, ...] | None
) -> tuple[Tensor, Tensor]:
    held = _list(handle, element_dtype)
    return _joined(held, None if element_shape is None else (None, *element_shape[1:]), [])


@kernel("TensorListConcatV2")
def concat_v2(
    handle: Any, element_shape: Tensor, leading_dims: Tensor, *, element_dtype: DataType
) -> tuple[Tensor, Tensor]:
    held = _list(handle, element_dtype)
    return _joined(held, merged(_shape(element_shape), held.shape), read_vector(leading_dims, "leading_dims"))


def _joined(held: TensorList, shape: Shape | None, leading: Sequence[int]) -> tuple[Tensor, Tensor]:
    """Concatenate the elements; also return the number of rows of each."""
    check(shape != (), "elements must be vectors at least, and they are scalars")
    first, rest = (None, None) if shape is None else (shape[0], shape[1:])
    found = [np.shape(item) for item in held.items if item is not None]
    for each in found:
        check(each, "elements must be vectors at least, and one is a scalar")
        check(first in (None, each[0]), f"an element has {each[0]} rows, and {first} are wanted")
        rest = merged(rest, each[1:])
    if first is None and len({each[0] for each in found}) == 1:
        first = found[0][0]
    inner = sizes(rest, f"rows {text(rest)} cannot be concatenated: no element is there to tell their shape")
    rows = [
        np.shape(item)[0] if item is not None else _missing_rows(place, first, leading)
        for place, item in enumerate(held.items)
    ]
    made = zeros((sum(rows), *inner), numpy_dtype(held.dtype))
    for item, start in zip(held.items, accumulate(rows, initial=0), strict=False):
        if item is not None:
            made[start : start + len(item)] = item
    return made, np.array(rows, np.int64)


def _missing_rows(place: int, first: int | None, leading: Sequence[int]) -> int:
    """Return the number of rows of an element that is not set."""
    if place < len(leading):
        check(leading[place] >= 0, f"leading_dims must not be negative, and one is {leading[place]}")
        return leading[place]
    check(first is not None, f"element {place} was never set, and how many rows it has is not known")
    return first or 0


# --- checks ----------------------------------------------------------------------------------------------------------


def _list(handle: Any, dtype: DataType | None = None) -> TensorList:
    held = handle.item() if isinstance(handle, np.ndarray) and handle.ndim == 0 else handle
    if not isinstance(held, TensorList):
        raise RunError("its input is no list of tensors")
    if dtype is not None and dtype != held.dtype:
        raise RunError(f"the list has elements of {held.dtype.name}, not {dtype.name}")
    return held


def _element(held: TensorList, place: int) -> Any:
    check(0 <= place < len(held.items), f"there is no element {place} in a list of {len(held.items)}")
    return held.items[place]


def _count(tensor: Tensor, name: str) -> int:
    count: int = read_scalar(tensor, name)
    check(0 <= count <= MAX_ELEMENTS, f"{name} is {count}, which is no length that a list can have")
    return count


def _shape(tensor: Tensor) -> Shape | None:
    """Return the shape in a tensor: -1 is an unknown size, and as a scalar an unknown shape."""
    if tensor.ndim == 0:
        check(tensor.item() == -1, f"element_shape is {tensor.item()}: a scalar there must be -1, for any shape")
        return None
    sizes = read_vector(tensor, "element_shape")
    check(min(sizes, default=0) >= -1, f"element_shape is {sizes}, and sizes must be -1 or more")
    return tuple(None if size < 0 else size for size in sizes)


def _fitting(shape: Shape | None, other: Shape) -> Shape | None:
    """Merge the shape of a list with that of its elements. Raises GraphError if they do not fit."""
    merged(shape, other)
    return shape


def _zeros(held: TensorList, shape: Shape | None) -> Tensor:
    """Return the value of an element that was never set."""
    return zeros(sizes(shape, f"it was never set, and its shape is not known: {text(shape)}"), numpy_dtype(held.dtype))
