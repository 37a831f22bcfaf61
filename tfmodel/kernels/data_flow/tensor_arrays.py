"""Kernels of TensorArrays, with which loops of TensorFlow 1 read inputs and collect results, and of stacks.

    handle, flow = TensorArrayV3(3)
    flow = TensorArrayWriteV3(handle, 0, x, flow)
    y = TensorArrayReadV3(handle, 0, flow)

An array is changed in place, through its handle; each run of its TensorArrayV3 node creates another array. `flow` is an
unused number that orders the ops on the array. An element is written once, and cleared when it is read unless
`clear_after_read` is false.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from ...errors import RunError
from ...messages import DataType, NodeDef
from ...values.shape import Shape, is_known, merge_shapes, shape_to_text
from ...values.terminal import escape
from ..runtime.argument_checks import check, read_scalar, read_vector, zeros
from ..runtime.memory_limit import VIEW_BYTES, hold
from ..runtime.registry import Tensor, kernel
from .variants import MAX_ELEMENTS, numpy_dtype, require_sizes, stack_elements


@dataclass(slots=True, eq=False)
class TensorArray:
    """The array of a handle. `items` are the elements, None for those that are not written, or read and cleared."""

    name: str
    dtype: DataType
    shape: Shape | None
    dynamic: bool
    clear: bool
    same_shapes: bool
    items: list[Any]
    written: set[int] = field(default_factory=set)
    read: set[int] = field(default_factory=set)
    closed: bool = False

    def reserve(self, size: int) -> None:
        """Extend the array to `size` elements. Raises RunError if it must not grow."""
        missing = size - len(self.items)
        if missing > 0:
            check(self.dynamic, f"{self} has no element {size - 1}, and dynamic_size is false")
            check(size <= MAX_ELEMENTS, f"{self} would have {size} elements, more than {MAX_ELEMENTS}")
            self.items += [None] * missing

    def write(self, index: int, value: Any) -> None:
        check(index >= 0, f"{self} has no element {index}")
        self.reserve(index + 1)
        check(index not in self.read, f"element {index} of {self} is already read, and cannot be written again")
        check(index not in self.written, f"element {index} of {self} is already written")
        merged_shape = merge_shapes(self.shape, np.shape(value))
        if self.same_shapes:
            self.shape = merged_shape
        hold(VIEW_BYTES)
        self.items[index] = value
        self.written.add(index)

    def take(self, index: int) -> Any:
        """Return an element, zeros if it was not written. Raises RunError if their shape is unknown."""
        check(0 <= index < len(self.items), f"{self} has no element {index}")
        value = self.items[index]
        if index not in self.written:
            message = f"element {index} of {self} is not written, and its shape is unknown"
            value = zeros(require_sizes(self.shape, message), numpy_dtype(self.dtype))
            self.written.add(index)
        elif value is None:
            raise RunError(f"element {index} of {self} is already read and cleared: see clear_after_read")
        self.items[index] = None if self.clear else value
        self.read.add(index)
        return value

    def take_all(self, indices: Sequence[int]) -> list[Any]:
        return [self.take(index) for index in indices]

    def __str__(self) -> str:
        return f"the array {escape(self.name)} of {len(self.items)}"


def _array(handle: Any, dtype: DataType | None = None) -> TensorArray:
    value = handle.item() if isinstance(handle, np.ndarray) and handle.ndim == 0 else handle
    if not isinstance(value, TensorArray):
        raise RunError("its first input is not the handle of a TensorArray")
    check(not value.closed, f"{value} is closed")
    if dtype is not None and dtype != value.dtype:
        raise RunError(f"the elements of {value} are {value.dtype.name}, not {dtype.name}")
    return value


def _flow() -> Tensor:
    return np.zeros((), np.float32)


# --- creation and closing --------------------------------------------------------------------------------------------


@kernel("TensorArrayV3")
def tensor_array_v3(
    node: NodeDef,
    size: Tensor,
    *,
    dtype: DataType,
    element_shape: tuple[int | None, ...] | None,
    dynamic_size: bool,
    clear_after_read: bool,
    identical_element_shapes: bool = False,
) -> tuple[TensorArray, Tensor]:
    count = read_scalar(size, "size")
    check(0 <= count <= MAX_ELEMENTS, f"size must be from 0 to {MAX_ELEMENTS}, got {count}")
    same_shapes = identical_element_shapes
    items = [None] * count
    return TensorArray(node.name, dtype, element_shape, dynamic_size, clear_after_read, same_shapes, items), _flow()


@kernel("TensorArray", "TensorArrayV2")
def tensor_array_v2(
    node: NodeDef,
    size: Tensor,
    *,
    dtype: DataType,
    element_shape: tuple[int | None, ...] | None,
    dynamic_size: bool,
    clear_after_read: bool,
) -> TensorArray:
    return tensor_array_v3(
        node,
        size,
        dtype=dtype,
        element_shape=element_shape,
        dynamic_size=dynamic_size,
        clear_after_read=clear_after_read,
    )[0]


@kernel("TensorArrayClose", "TensorArrayCloseV2", "TensorArrayCloseV3")
def close(handle: Any) -> tuple[()]:
    array = _array(handle)
    array.closed = True
    array.items.clear()
    return ()


@kernel("TensorArraySize", "TensorArraySizeV2", "TensorArraySizeV3")
def size(handle: Any, flow: Tensor) -> Tensor:
    return np.array(len(_array(handle).items), np.int32)


# --- writing ---------------------------------------------------------------------------------------------------------


@kernel("TensorArrayWrite", "TensorArrayWriteV2", "TensorArrayWriteV3")
def write(handle: Any, index: Tensor, value: Any, flow: Tensor, *, T: DataType) -> Tensor:
    _array(handle, T).write(read_scalar(index, "index"), value)
    return _flow()


@kernel("TensorArrayScatter", "TensorArrayScatterV2", "TensorArrayScatterV3")
def scatter(handle: Any, indices: Tensor, value: Tensor, flow: Tensor, *, T: DataType) -> Tensor:
    array = _array(handle, T)
    positions = read_vector(indices, "indices")
    fits = value.ndim and len(value) == len(positions)
    check(fits, f"{len(positions)} indices do not fit a tensor of shape {shape_to_text(value.shape)}")
    for index, row in zip(positions, value, strict=True):
        array.write(index, row)
    return _flow()


@kernel("TensorArrayUnpack")
def unpack(handle: Any, value: Tensor, flow: Tensor, *, T: DataType) -> Tensor:
    array = _array(handle, T)
    check(value.ndim, "value must not be a scalar: its rows become elements")
    _check_length(array, len(value), "rows")
    for index, row in enumerate(value):
        array.write(index, row)
    return _flow()


@kernel("TensorArraySplit", "TensorArraySplitV2", "TensorArraySplitV3")
def split(handle: Any, value: Tensor, lengths: Tensor, flow: Tensor, *, T: DataType) -> Tensor:
    array = _array(handle, T)
    sizes = read_vector(lengths, "lengths")
    check(value.ndim, "value must not be a scalar: its rows are split")
    check(min(sizes, default=0) >= 0, f"lengths must not be negative, got {min(sizes, default=0)}")
    check(sum(sizes) == len(value), f"the sum of lengths is {sum(sizes)}, but the tensor has {len(value)} rows")
    _check_length(array, len(sizes), "lengths")
    for index, (start, stop) in enumerate(pairwise(accumulate(sizes, initial=0))):
        array.write(index, value[start:stop])
    return _flow()


def _check_length(array: TensorArray, count: int, name: str) -> None:
    fits = len(array.items) == count or (array.dynamic and len(array.items) < count)
    check(fits, f"there are {count} {name} for the elements of {array}")


# --- reading ---------------------------------------------------------------------------------------------------------


@kernel("TensorArrayRead", "TensorArrayReadV2", "TensorArrayReadV3")
def read(handle: Any, index: Tensor, flow: Tensor, *, dtype: DataType) -> Any:
    return _array(handle, dtype).take(read_scalar(index, "index"))


@kernel("TensorArrayGather", "TensorArrayGatherV2", "TensorArrayGatherV3")
def gather(
    handle: Any, indices: Tensor, flow: Tensor, *, dtype: DataType, element_shape: tuple[int | None, ...] | None
) -> Tensor:
    array = _array(handle, dtype)
    positions = read_vector(indices, "indices")
    check(
        positions or is_known(element_shape),
        f"0 elements need a known element_shape, not {shape_to_text(element_shape)}",
    )
    return _stack_items(array, positions, element_shape)


@kernel("TensorArrayPack")
def pack(handle: Any, flow: Tensor, *, dtype: DataType, element_shape: tuple[int | None, ...] | None) -> Tensor:
    array = _array(handle, dtype)
    return _stack_items(array, range(len(array.items)), element_shape)


def _stack_items(array: TensorArray, indices: Sequence[int], shape: Shape | None) -> Tensor:
    return stack_elements(array.take_all(indices), merge_shapes(shape, array.shape), array.dtype)


@kernel("TensorArrayConcat", "TensorArrayConcatV2", "TensorArrayConcatV3")
def concat(
    handle: Any, flow: Tensor, *, dtype: DataType, element_shape_except0: tuple[int | None, ...] | None
) -> tuple[Tensor, Tensor]:
    array = _array(handle, dtype)
    items = array.take_all(range(len(array.items)))
    row_shape: Shape | None = element_shape_except0
    for item in items:
        check(np.ndim(item), "elements must not be scalars")
        row_shape = merge_shapes(row_shape, np.shape(item)[1:])
    inner = require_sizes(
        row_shape, f"{array} has no elements, and the shape of rows is unknown: {shape_to_text(row_shape)}"
    )
    rows = [len(item) for item in items]
    empty = zeros((0, *inner), numpy_dtype(dtype))
    return np.concatenate([empty, *items]), np.array(rows, np.int64)


# --- stacks ----------------------------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class _Stack:
    """A stack; `max_size` is the maximum number of elements, negative for any."""

    max_size: int
    items: list[Any] = field(default_factory=list)
    closed: bool = False


def _stack(handle: Any) -> _Stack:
    value = handle.item() if isinstance(handle, np.ndarray) and handle.ndim == 0 else handle
    if not isinstance(value, _Stack):
        raise RunError("its first input is not the handle of a stack")
    check(not value.closed, "the stack is closed")
    return value


@kernel("Stack")
def make_stack() -> _Stack:
    return _Stack(-1)


@kernel("StackV2")
def make_stack_v2(max_size: Tensor) -> _Stack:
    return _Stack(read_scalar(max_size, "max_size"))


@kernel("StackPush", "StackPushV2")
def push(handle: Any, elem: Any) -> Any:
    stack = _stack(handle)
    fits = stack.max_size < 0 or len(stack.items) < stack.max_size
    check(fits, f"the stack is full: its max_size is {stack.max_size}")
    stack.items.append(elem)
    return elem


@kernel("StackPop", "StackPopV2")
def pop(handle: Any) -> Any:
    stack = _stack(handle)
    check(stack.items, "the stack is empty")
    return stack.items.pop()


@kernel("StackClose", "StackCloseV2")
def close_stack(handle: Any) -> tuple[()]:
    stack = _stack(handle)
    stack.closed = True
    stack.items.clear()
    return ()


# --- partitions ------------------------------------------------------------------------------------------------------
