"""Kernels of variants: TensorLists, in which functional loops collect their results, and optionals.

    handle = TensorListReserve([2], 3)                  three elements that are not set yet
    handle = TensorListSetItem(handle, 0, [1.0, 2.0])   another list; the first one does not change
    TensorListStack(handle)                             [[1.0, 2.0], [0, 0], [0, 0]]

Lists are values: each op returns another list. The old one is rarely used again, so both share one Python list, and the
older one records how to undo the change: see `TensorList`.

An optional is a value that may be absent; gradients of conditionals use them:

    OptionalGetValue(OptionalFromValue(a, b))           a, b
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from ...errors import RunError
from ...messages import DataType
from ...values.dtypes import DTYPES
from ...values.shape import Shape, is_known, merge_shapes, shape_to_text
from ..runtime.argument_checks import add, check, check_indices, read_scalar, read_vector, zeros, zeros_like
from ..runtime.memory_limit import VIEW_BYTES, claim, hold
from ..runtime.registry import Tensor, kernel

MAX_ELEMENTS = 1 << 24
"""The maximum size of a new list: elements cost memory before they are set."""

_POINTER_BYTES = 8

Change = Callable[[list[Any]], object]


class TensorList:
    """Elements of one type, None for those that are not set. `limit` is the maximum length, -1 if unlimited.

    When an op makes a newer list, the older list keeps no elements, only a function that undoes the change. It applies
    this function to a copy of the newer elements if its own are read again, which is rare. A step of a loop thus takes
    constant time.
    """

    __slots__ = ("_items", "_newer", "_undo", "dtype", "limit", "shape")

    def __init__(self, dtype: DataType, shape: Shape | None, items: list[Any], limit: int = -1) -> None:
        self.dtype = dtype
        self.shape = shape
        self.limit = limit
        self._items = items
        self._newer: TensorList | None = None
        self._undo: Change | None = None

    @property
    def items(self) -> list[Any]:
        """The elements. Do not modify the list."""
        changes = []
        newest = self
        while newest._newer is not None:
            changes.append(newest._undo)
            newest = newest._newer
        if newest is not self:
            items = newest._items.copy()
            for undo in reversed(changes):
                assert undo is not None
                undo(items)
            self._items, self._newer, self._undo = items, None, None
        return self._items

    def with_change(self, change: Change, undo: Change) -> TensorList:
        """Return another list with a change; `undo` must undo it."""
        items = self.items
        change(items)
        newer = TensorList(self.dtype, self.shape, items, self.limit)
        self._items, self._newer, self._undo = [], newer, undo
        return newer

    def with_items(self, items: list[Any]) -> TensorList:
        """Return another list with these elements. Raises RunError beyond the memory limit."""
        claim(_POINTER_BYTES * len(items))
        return TensorList(self.dtype, self.shape, items, self.limit)

    def zeros(self) -> TensorList:
        """Return a list with zeros for the elements that are set."""
        return self.with_items([None if item is None else zeros_like(item) for item in self.items])

    def plus(self, other: TensorList) -> TensorList:
        """Return the sums of elements; one that is set in one list only is that element."""
        first, second = self.items, other.items
        check(self.dtype == other.dtype, f"a list of {self.dtype.name} and one of {other.dtype.name} cannot be added")
        check(len(first) == len(second), f"lists of {len(first)} and {len(second)} elements cannot be added")
        pairs = zip(first, second, strict=True)
        return self.with_items([y if x is None else x if y is None else add(x, y) for x, y in pairs])


def numpy_dtype(dtype: DataType) -> np.dtype[Any]:
    """Return the NumPy type of a tensor type. Raises RunError for handles and variants."""
    row = DTYPES.get(dtype)
    if row is None or dtype in (DataType.DT_VARIANT, DataType.DT_RESOURCE):
        raise RunError(f"elements of {dtype.name} that are not set cannot be read")
    return row.numpy


def require_sizes(shape: Shape | None, message: str) -> tuple[int, ...]:
    """Return a fully known shape. Raises RunError with this message for any other."""
    known_sizes = [size for size in shape or () if size is not None]
    if shape is None or len(known_sizes) < len(shape):
        raise RunError(message)
    return tuple(known_sizes)


def stack_elements(items: Sequence[Any], shape: Shape | None, dtype: DataType) -> Tensor:
    """Stack elements of one shape into a tensor, with zeros for None. `shape` is the shape if all are None."""
    for item in items:
        shape = shape if item is None else merge_shapes(shape, np.shape(item))
    inner = require_sizes(
        shape, f"elements of shape {shape_to_text(shape)} cannot be stacked: none is set, and the shape is unknown"
    )
    if dtype == DataType.DT_VARIANT:
        stacked = np.empty((len(items), *inner), object)
    else:
        stacked = zeros((len(items), *inner), numpy_dtype(dtype))
    for index, item in enumerate(items):
        if item is not None:
            stacked[index] = item
    return stacked


# --- creation --------------------------------------------------------------------------------------------------------


@kernel("EmptyTensorList")
def empty_list(element_shape: Tensor, max_num_elements: Tensor, *, element_dtype: DataType) -> TensorList:
    return TensorList(element_dtype, _shape(element_shape), [], read_scalar(max_num_elements, "max_num_elements"))


@kernel("TensorListReserve")
def reserve(element_shape: Tensor, num_elements: Tensor, *, element_dtype: DataType) -> TensorList:
    return TensorList(element_dtype, _shape(element_shape), [None] * _count(num_elements, "num_elements"))


@kernel("TensorListFromTensor")
def from_tensor(tensor: Tensor, element_shape: Tensor, *, element_dtype: DataType) -> TensorList:
    check(tensor.ndim, "tensor must not be a scalar: its rows become elements")
    hold(VIEW_BYTES * len(tensor))
    return TensorList(element_dtype, _check_shape(_shape(element_shape), tensor.shape[1:]), list(tensor))


@kernel("TensorListScatter")
def scatter(tensor: Tensor, indices: Tensor, element_shape: Tensor, *, element_dtype: DataType) -> TensorList:
    return _scatter(tensor, indices, element_shape, -1, element_dtype)


@kernel("TensorListScatterV2")
def scatter_v2(
    tensor: Tensor, indices: Tensor, element_shape: Tensor, num_elements: Tensor, *, element_dtype: DataType
) -> TensorList:
    return _scatter(tensor, indices, element_shape, read_scalar(num_elements, "num_elements"), element_dtype)


def _scatter(tensor: Tensor, indices: Tensor, element_shape: Tensor, size: int, dtype: DataType) -> TensorList:
    check(size >= -1, f"num_elements must be -1 or more, got {size}")
    shape = _check_shape(_shape(element_shape), tensor.shape[1:])
    return TensorList(dtype, shape, _scatter_rows([], tensor, indices, size))


@kernel("TensorListScatterIntoExistingList")
def scatter_into(handle: Any, tensor: Tensor, indices: Tensor, *, element_dtype: DataType) -> TensorList:
    old = _list(handle, element_dtype)
    _check_shape(old.shape, tensor.shape[1:])
    return old.with_items(_scatter_rows(old.items, tensor, indices, -1))


def _scatter_rows(items: Sequence[Any], tensor: Tensor, indices: Tensor, size: int) -> list[Any]:
    """Return a list with rows of a tensor at some indices. Its size is `size`, or for -1 the smallest that fits."""
    positions = read_vector(indices, "indices")
    fits = tensor.ndim and len(tensor) == len(positions)
    check(fits, f"{len(positions)} indices do not fit a tensor of shape {shape_to_text(tensor.shape)}")
    min_size = max(positions, default=-1) + 1
    check(min(positions, default=0) >= 0, f"indices must not be negative, got {min(positions, default=0)}")
    check(size == -1 or min_size <= size, f"a list of {size} has no element {min_size - 1}")
    check(max(min_size, size) <= MAX_ELEMENTS, f"a list of {max(min_size, size)} elements is too long")
    hold(VIEW_BYTES * len(positions))
    result = [*items, *[None] * (max(min_size, size) - len(items))]
    for position, row in zip(positions, tensor, strict=True):
        result[position] = row
    return result


@kernel("TensorListSplit")
def split(tensor: Tensor, element_shape: Tensor, lengths: Tensor, *, element_dtype: DataType) -> TensorList:
    sizes = read_vector(lengths, "lengths")
    shape = _shape(element_shape)
    check(tensor.ndim, "tensor must not be a scalar: its rows are split")
    check(shape != (), "elements must not be scalars, but element_shape is []")
    check(min(sizes, default=0) >= 0, f"lengths must not be negative, got {min(sizes, default=0)}")
    check(sum(sizes) == len(tensor), f"the sum of lengths is {sum(sizes)}, but the tensor has {len(tensor)} rows")
    if shape is not None:
        _check_shape(shape[1:], tensor.shape[1:])
        shape = (None, *shape[1:])
    hold(VIEW_BYTES * len(sizes))
    ends = accumulate(sizes, initial=0)
    return TensorList(element_dtype, shape, [tensor[start:stop] for start, stop in pairwise(ends)])


# --- changes ---------------------------------------------------------------------------------------------------------


@kernel("TensorListSetItem")
def set_item(
    handle: Any, index: Tensor, item: Any, *, element_dtype: DataType, resize_if_index_out_of_bounds: bool = False
) -> TensorList:
    old = _list(handle, element_dtype)
    position = read_scalar(index, "index")
    if resize_if_index_out_of_bounds and position >= len(old.items):
        check(position < MAX_ELEMENTS, f"a list of {position + 1} elements is too long")
        old = old.with_items([*old.items, *[None] * (position + 1 - len(old.items))])
    old_item = _element(old, position)
    _check_shape(old.shape, np.shape(item))
    return old.with_change(
        lambda items: operator.setitem(items, position, item), lambda items: operator.setitem(items, position, old_item)
    )


@kernel("TensorListPushBack")
def push_back(handle: Any, tensor: Any, *, element_dtype: DataType) -> TensorList:
    return _push(_list(handle, element_dtype), tensor)


def _push(old: TensorList, tensor: Any) -> TensorList:
    _check_shape(old.shape, np.shape(tensor))
    check(old.limit == -1 or len(old.items) < old.limit, f"the list is full: max_num_elements is {old.limit}")
    return old.with_change(lambda items: items.append(tensor), lambda items: items.pop())


@kernel("TensorListPushBackBatch")
def push_back_batch(handles: Any, tensor: Tensor, *, element_dtype: DataType) -> Tensor:
    lists = np.asarray(handles, object)
    fits = tensor.shape[: lists.ndim] == lists.shape
    shapes = f"lists of shape {shape_to_text(lists.shape)} do not fit a tensor of shape {shape_to_text(tensor.shape)}"
    check(fits, f"{shapes}: each list gets a row")
    results = np.empty(lists.shape, object)
    for index in np.ndindex(*lists.shape):
        results[index] = _push(_list(lists[index], element_dtype), tensor[index])
    return results


@kernel("TensorListPopBack")
def pop_back(handle: Any, element_shape: Tensor, *, element_dtype: DataType) -> tuple[TensorList, Any]:
    old = _list(handle, element_dtype)
    check(old.items, "the list is empty")
    last = old.items[-1]
    item = last if last is not None else _zeros(old, merge_shapes(_shape(element_shape), old.shape))
    return old.with_change(lambda items: items.pop(), lambda items: items.append(last)), item


@kernel("TensorListResize")
def resize(handle: Any, size: Tensor) -> TensorList:
    old = _list(handle)
    count = _count(size, "size")
    return old.with_items([*old.items[:count], *[None] * (count - len(old.items))])


@kernel("TensorListConcatLists")
def concat_lists(first: Any, second: Any, *, element_dtype: DataType) -> Any:
    firsts, seconds = np.asarray(first, object), np.asarray(second, object)
    check(
        firsts.shape == seconds.shape,
        f"lists of shape {shape_to_text(firsts.shape)} and {shape_to_text(seconds.shape)} do not fit",
    )
    results = np.empty(firsts.shape, object)
    for index in np.ndindex(*firsts.shape):
        a, b = (_list(lists[index], element_dtype) for lists in (firsts, seconds))
        check(
            a.shape == b.shape,
            f"lists with elements of shape {shape_to_text(a.shape)} and {shape_to_text(b.shape)} cannot be joined",
        )
        results[index] = a.with_items([*a.items, *b.items])
    return results if results.ndim else results.item()


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
    tensor_list = _list(handle, element_dtype)
    item = _element(tensor_list, read_scalar(index, "index"))
    if item is not None:
        return item
    shape = merge_shapes(_shape(element_shape), tensor_list.shape)
    for element in [] if is_known(shape) else tensor_list.items:
        shape = shape if element is None else merge_shapes(shape, np.shape(element))
    return _zeros(tensor_list, shape)


@kernel("TensorListStack")
def stack(handle: Any, element_shape: Tensor, *, element_dtype: DataType, num_elements: int) -> Tensor:
    tensor_list = _list(handle, element_dtype)
    count = len(tensor_list.items)
    check(num_elements in (-1, count), f"num_elements is {num_elements}, but the list has {count} elements")
    return stack_elements(tensor_list.items, merge_shapes(_shape(element_shape), tensor_list.shape), tensor_list.dtype)


@kernel("TensorListGather")
def gather(handle: Any, indices: Tensor, element_shape: Tensor, *, element_dtype: DataType) -> Tensor:
    tensor_list = _list(handle, element_dtype)
    shape = merge_shapes(_shape(element_shape), tensor_list.shape)
    positions = read_vector(indices, "indices")
    check_indices(indices, len(tensor_list.items))
    return stack_elements([tensor_list.items[position] for position in positions], shape, tensor_list.dtype)


@kernel("TensorListConcat")
def concat(
    handle: Any, *, element_dtype: DataType, element_shape: tuple[int | None, ...] | None
) -> tuple[Tensor, Tensor]:
    tensor_list = _list(handle, element_dtype)
    return _concat(tensor_list, None if element_shape is None else (None, *element_shape[1:]), [])


@kernel("TensorListConcatV2")
def concat_v2(
    handle: Any, element_shape: Tensor, leading_dims: Tensor, *, element_dtype: DataType
) -> tuple[Tensor, Tensor]:
    tensor_list = _list(handle, element_dtype)
    return _concat(
        tensor_list, merge_shapes(_shape(element_shape), tensor_list.shape), read_vector(leading_dims, "leading_dims")
    )


def _concat(tensor_list: TensorList, shape: Shape | None, leading: Sequence[int]) -> tuple[Tensor, Tensor]:
    """Concatenate the elements; also return the number of rows of each."""
    check(shape != (), "elements must not be scalars")
    row_count, row_shape = (None, None) if shape is None else (shape[0], shape[1:])
    shapes = [np.shape(item) for item in tensor_list.items if item is not None]
    for element_shape in shapes:
        check(element_shape, "elements must not be scalars")
        check(row_count in (None, element_shape[0]), f"an element has {element_shape[0]} rows, not {row_count}")
        row_shape = merge_shapes(row_shape, element_shape[1:])
    if row_count is None and len({element_shape[0] for element_shape in shapes}) == 1:
        row_count = shapes[0][0]
    inner = require_sizes(
        row_shape,
        f"rows of shape {shape_to_text(row_shape)} cannot be concatenated: no element is set, and the shape is unknown",
    )
    rows = [
        np.shape(item)[0] if item is not None else _missing_rows(index, row_count, leading)
        for index, item in enumerate(tensor_list.items)
    ]
    result = zeros((sum(rows), *inner), numpy_dtype(tensor_list.dtype))
    for item, start in zip(tensor_list.items, accumulate(rows, initial=0), strict=False):
        if item is not None:
            result[start : start + len(item)] = item
    return result, np.array(rows, np.int64)


def _missing_rows(index: int, row_count: int | None, leading: Sequence[int]) -> int:
    """Return the number of rows of an element that is not set."""
    if index < len(leading):
        check(leading[index] >= 0, f"leading_dims must not be negative, got {leading[index]}")
        return leading[index]
    check(row_count is not None, f"element {index} is not set, and its number of rows is unknown")
    return row_count or 0


# --- checks ----------------------------------------------------------------------------------------------------------


def _list(handle: Any, dtype: DataType | None = None) -> TensorList:
    value = handle.item() if isinstance(handle, np.ndarray) and handle.ndim == 0 else handle
    if not isinstance(value, TensorList):
        raise RunError("its input is not a TensorList")
    if dtype is not None and dtype != value.dtype:
        raise RunError(f"the list has elements of {value.dtype.name}, not {dtype.name}")
    return value


def _element(tensor_list: TensorList, index: int) -> Any:
    check(0 <= index < len(tensor_list.items), f"a list of {len(tensor_list.items)} has no element {index}")
    return tensor_list.items[index]


def _count(tensor: Tensor, name: str) -> int:
    count: int = read_scalar(tensor, name)
    check(0 <= count <= MAX_ELEMENTS, f"{name} must be from 0 to {MAX_ELEMENTS}, got {count}")
    return count


def _shape(tensor: Tensor) -> Shape | None:
    """Return the shape in a tensor: -1 is an unknown size, the scalar -1 an unknown shape."""
    if tensor.ndim == 0:
        check(tensor.item() == -1, f"element_shape must be a vector, or -1 for any shape, got {tensor.item()}")
        return None
    sizes = read_vector(tensor, "element_shape")
    check(min(sizes, default=0) >= -1, f"element_shape is {sizes}, but sizes must be -1 or more")
    return tuple(None if size < 0 else size for size in sizes)


def _check_shape(shape: Shape | None, element_shape: Shape) -> Shape | None:
    """Return the shape of a list. Raises GraphError if elements of `element_shape` do not fit it."""
    merge_shapes(shape, element_shape)
    return shape


def _zeros(tensor_list: TensorList, shape: Shape | None) -> Tensor:
    """Return the value of an element that is not set."""
    return zeros(
        require_sizes(shape, f"the element is not set, and its shape is unknown: {shape_to_text(shape)}"),
        numpy_dtype(tensor_list.dtype),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Optional:
    """Tensors, or None for an absent value."""

    components: tuple[Any, ...] | None


@kernel("OptionalFromValue")
def optional_from_value(*components: Any) -> Any:
    return (Optional(components),)


@kernel("OptionalNone")
def optional_none() -> Any:
    return (Optional(None),)


@kernel("OptionalHasValue")
def optional_has_value(optional: Any) -> Tensor:
    return np.asarray(_to_optional(optional).components is not None)


@kernel("OptionalGetValue")
def optional_get_value(optional: Any) -> tuple[Any, ...]:
    components = _to_optional(optional).components
    check(components is not None, "the optional has no value")
    return components or ()


def _to_optional(value: Any) -> Optional:
    check(isinstance(value, Optional), "its input must be an optional")
    optional: Optional = value
    return optional
