"""TensorArrays, from which loops of TensorFlow 1 read their inputs and in which they collect results; and stacks.

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
from ...io.terminal import printable
from ...messages import DataType, NodeDef
from ...shape import Shape, known, merged, text
from ..runtime.argument_checks import check, read_scalar, read_vector, zeros
from ..runtime.registry import Tensor, kernel
from .tensor_lists import MAX_ELEMENTS, numpy_dtype, sizes, stack_elements

__all__ = ["TensorArray"]


@dataclass(slots=True, eq=False)
class TensorArray:
    """The array that a handle refers to.

    items     the elements, None for those that were not written, or were forgotten when they were read
    """

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
        """Make it as long as it takes. Raises RunError if it must not grow."""
        missing = size - len(self.items)
        if missing > 0:
            check(self.dynamic, f"there is no element {size - 1} in {self}, and it must not grow")
            check(size <= MAX_ELEMENTS, f"{self} would have {size} elements, which are too many")
            self.items += [None] * missing

    def write(self, place: int, value: Any) -> None:
        check(place >= 0, f"there is no element {place} in {self}")
        self.reserve(place + 1)
        check(place not in self.read, f"element {place} of {self} was read already, and cannot be written any more")
        check(place not in self.written, f"element {place} of {self} was written already")
        fitting = merged(self.shape, np.shape(value))
        if self.same_shapes:
            self.shape = fitting
        self.items[place] = value
        self.written.add(place)

    def take(self, place: int) -> Any:
        """Return an element, zeros if it was not written. Raises RunError if their shape is unknown."""
        check(0 <= place < len(self.items), f"there is no element {place} in {self}")
        value = self.items[place]
        if place not in self.written:
            words = f"element {place} of {self} was not written, and its shape is not known"
            value = zeros(sizes(self.shape, words), numpy_dtype(self.dtype))
            self.written.add(place)
        elif value is None:
            raise RunError(f"element {place} of {self} was read already, and then forgotten: see clear_after_read")
        self.items[place] = None if self.clear else value
        self.read.add(place)
        return value

    def take_all(self, places: Sequence[int]) -> list[Any]:
        return [self.take(place) for place in places]

    def __str__(self) -> str:
        return f"the array {printable(self.name)} of {len(self.items)}"


def _array(handle: Any, dtype: DataType | None = None) -> TensorArray:
    held = handle.item() if isinstance(handle, np.ndarray) and handle.ndim == 0 else handle
    if not isinstance(held, TensorArray):
        raise RunError("its first input is no handle of a TensorArray")
    check(not held.closed, f"{held} was closed")
    if dtype is not None and dtype != held.dtype:
        raise RunError(f"the elements of {held} are {held.dtype.name}, not {dtype.name}")
    return held


def _flow() -> Tensor:
    return np.zeros((), np.float32)


# --- making and closing ----------------------------------------------------------------------------------------------


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
    check(0 <= count <= MAX_ELEMENTS, f"size is {count}, which is no length that an array can have")
    same = identical_element_shapes
    items = [None] * count
    return TensorArray(node.name, dtype, element_shape, dynamic_size, clear_after_read, same, items), _flow()


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
    places = read_vector(indices, "indices")
    check(value.ndim and len(value) == len(places), f"{len(places)} indices do not fit a tensor {text(value.shape)}")
    for place, row in zip(places, value, strict=True):
        array.write(place, row)
    return _flow()


@kernel("TensorArrayUnpack")
def unpack(handle: Any, value: Tensor, flow: Tensor, *, T: DataType) -> Tensor:
    array = _array(handle, T)
    check(value.ndim, "the rows of a tensor become elements, and a scalar has none")
    _check_length(array, len(value), "rows")
    for place, row in enumerate(value):
        array.write(place, row)
    return _flow()


@kernel("TensorArraySplit", "TensorArraySplitV2", "TensorArraySplitV3")
def split(handle: Any, value: Tensor, lengths: Tensor, flow: Tensor, *, T: DataType) -> Tensor:
    array = _array(handle, T)
    sizes = read_vector(lengths, "lengths")
    check(value.ndim, "the rows of a tensor are split, and a scalar has none")
    check(min(sizes, default=0) >= 0, f"lengths must not be negative, and one is {min(sizes, default=0)}")
    check(sum(sizes) == len(value), f"lengths are {sum(sizes)} in all, and the tensor has {len(value)} rows")
    _check_length(array, len(sizes), "lengths")
    for place, (start, stop) in enumerate(pairwise(accumulate(sizes, initial=0))):
        array.write(place, value[start:stop])
    return _flow()


def _check_length(array: TensorArray, count: int, what: str) -> None:
    fits = len(array.items) == count or (array.dynamic and len(array.items) < count)
    check(fits, f"there are {count} {what} for the elements of {array}")


# --- reading ---------------------------------------------------------------------------------------------------------


@kernel("TensorArrayRead", "TensorArrayReadV2", "TensorArrayReadV3")
def read(handle: Any, index: Tensor, flow: Tensor, *, dtype: DataType) -> Any:
    return _array(handle, dtype).take(read_scalar(index, "index"))


@kernel("TensorArrayGather", "TensorArrayGatherV2", "TensorArrayGatherV3")
def gather(
    handle: Any, indices: Tensor, flow: Tensor, *, dtype: DataType, element_shape: tuple[int | None, ...] | None
) -> Tensor:
    array = _array(handle, dtype)
    places = read_vector(indices, "indices")
    check(places or known(element_shape), f"of no elements, the shape must be known, and it is {text(element_shape)}")
    return _stacked(array, places, element_shape)


@kernel("TensorArrayPack")
def pack(handle: Any, flow: Tensor, *, dtype: DataType, element_shape: tuple[int | None, ...] | None) -> Tensor:
    array = _array(handle, dtype)
    return _stacked(array, range(len(array.items)), element_shape)


def _stacked(array: TensorArray, places: Sequence[int], shape: Shape | None) -> Tensor:
    return stack_elements(array.take_all(places), merged(shape, array.shape), array.dtype)


@kernel("TensorArrayConcat", "TensorArrayConcatV2", "TensorArrayConcatV3")
def concat(
    handle: Any, flow: Tensor, *, dtype: DataType, element_shape_except0: tuple[int | None, ...] | None
) -> tuple[Tensor, Tensor]:
    array = _array(handle, dtype)
    found = array.take_all(range(len(array.items)))
    rest: Shape | None = element_shape_except0
    for item in found:
        check(np.ndim(item), "elements must be vectors at least, and one is a scalar")
        rest = merged(rest, np.shape(item)[1:])
    inner = sizes(rest, f"{array} has no elements, and what shape its rows have is not known: {text(rest)}")
    rows = [len(item) for item in found]
    nothing = zeros((0, *inner), numpy_dtype(dtype))
    return np.concatenate([nothing, *found]), np.array(rows, np.int64)


# --- stacks ----------------------------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class _Stack:
    """A stack; `most` is the maximum number of elements, negative for any."""

    most: int
    items: list[Any] = field(default_factory=list)
    closed: bool = False


def _stack(handle: Any) -> _Stack:
    held = handle.item() if isinstance(handle, np.ndarray) and handle.ndim == 0 else handle
    if not isinstance(held, _Stack):
        raise RunError("its first input is no handle of a stack")
    check(not held.closed, "the stack was closed")
    return held


@kernel("Stack")
def make_stack() -> _Stack:
    return _Stack(-1)


@kernel("StackV2")
def make_stack_v2(max_size: Tensor) -> _Stack:
    return _Stack(read_scalar(max_size, "max_size"))


@kernel("StackPush", "StackPushV2")
def push(handle: Any, elem: Any) -> Any:
    stack = _stack(handle)
    check(stack.most < 0 or len(stack.items) < stack.most, f"the stack is full: {stack.most} elements fit in")
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
