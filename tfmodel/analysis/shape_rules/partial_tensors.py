"""Partially known tensors: the shape, the elements of small tensors, and the shapes behind a handle.

    Tensor((2,), (3, None))           a vector of 3 and an unknown number: the output of Shape for a matrix (3, ?)
    Tensor((), None, ((10, 4),))      the handle of a variable of shape (10, 4)

Many graphs compute shapes from constants. Therefore the elements of small constants are known, and those of arithmetic
with them.
"""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable, Iterable, Sequence
from math import prod
from typing import Any, NamedTuple, TypeAlias, overload

from ...messages import DataType, TensorProto
from ...values.dtypes import dtype_of
from ...values.shape import Shape, generalize_shapes
from ...values.tensor_header import read_header

MAX_KNOWN_ELEMENTS = 256
"""The maximum size of a tensor whose elements are known."""

Value: TypeAlias = "tuple[int | float | None, ...]"
"""Elements in row-major order, None for unknown ones."""


class Tensor(NamedTuple):
    """A partially known tensor.

    shape     its shape; None if the rank is unknown
    value     its elements, integers or floats; None if they are unknown or too many
    handle    for a resource or a variant, the shapes of its contents: of the variable, or of the elements of the list.
              () for an empty list
    """

    shape: Shape | None = None
    value: Value | None = None
    handle: tuple[Shape | None, ...] | None = None


UNKNOWN = Tensor()


class Repeated(Sequence[Tensor]):
    """Many equal outputs. A graph may declare more of them than would fit into memory."""

    __slots__ = ("_count", "_tensor")

    def __init__(self, tensor: Tensor, count: int) -> None:
        self._tensor = tensor
        self._count = count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Tensor: ...
    @overload
    def __getitem__(self, index: slice) -> Repeated: ...
    def __getitem__(self, index: int | slice) -> Tensor | Repeated:
        selected = range(self._count)[index]
        return self._tensor if isinstance(selected, int) else Repeated(self._tensor, len(selected))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Repeated):
            return NotImplemented  # so Python tries other.__eq__
        return self._tensor == other._tensor and self._count == other._count

    def __hash__(self) -> int:
        return hash((self._tensor, self._count))


def join_tensors(a: Tensor, b: Tensor) -> Tensor:
    """Return the properties that two tensors have in common, for a tensor that may be either of them."""
    if a == b:
        return a
    shape = generalize_shapes(a.shape, b.shape)
    value = handle = None
    if a.value is not None and b.value is not None and a.shape == b.shape:
        value = tuple(x if x == y else None for x, y in zip(a.value, b.value, strict=True))
    if a.handle is not None and b.handle is not None:
        if len(a.handle) == len(b.handle):
            handle = tuple(map(generalize_shapes, a.handle, b.handle))
        elif not a.handle or not b.handle:
            handle = a.handle or b.handle
    return Tensor(shape, value, handle)


_MAX_KNOWN_FLOATS = 8  # shapes depend on few floats, such as scales, and a model has many small vectors of weights
_FORMATS = {
    DataType.DT_INT32: "i",
    DataType.DT_INT64: "q",
    DataType.DT_INT16: "h",
    DataType.DT_INT8: "b",
    DataType.DT_UINT8: "B",
    DataType.DT_FLOAT: "f",
    DataType.DT_DOUBLE: "d",
}
_BOUNDS = {
    DataType.DT_INT32: 1 << 31,
    DataType.DT_INT64: 1 << 63,
    DataType.DT_INT16: 1 << 15,
    DataType.DT_INT8: 1 << 7,
}

_Number: TypeAlias = "int | float"
_Unary: TypeAlias = Callable[[Any], Any]
_Binary: TypeAlias = Callable[[Any, Any], Any]


def constant(tensor: TensorProto) -> Tensor:
    """Return a constant as a partially known tensor. Raises TensorError for an invalid tensor."""
    header = read_header(tensor)
    letter = _FORMATS.get(header.dtype)  # type: ignore[call-overload]  # it may be an int: enums are open
    count = prod(header.shape)
    if letter is None or count > (_MAX_KNOWN_FLOATS if letter in "fd" else MAX_KNOWN_ELEMENTS):
        return Tensor(header.shape)
    content = tensor.tensor_content
    if content:
        if len(content) != header.size:
            return Tensor(header.shape)
        return Tensor(header.shape, struct.unpack(f"<{count}{letter}", content))
    elements = list(getattr(tensor, dtype_of(header.dtype).field)[:count])
    return Tensor(header.shape, (*elements, *[elements[-1] if elements else 0] * (count - len(elements))))


def vector(elements: Iterable[Any]) -> Tensor:
    """Return a vector. Its elements are known if there are at most MAX_KNOWN_ELEMENTS."""
    value = tuple(elements)
    return Tensor((len(value),), value if len(value) <= MAX_KNOWN_ELEMENTS else None)


# --- arithmetic on elements ------------------------------------------------------------------------------------------


def _quotient(a: _Number, b: _Number) -> _Number:
    """Divide two numbers as C does: integers are rounded towards zero."""
    if isinstance(a, float) or isinstance(b, float):
        return a / b
    return a // b if (a < 0) == (b < 0) else -(-a // b)


def _remainder(a: int, b: int) -> int:
    return int(math.fmod(a, b)) if max(abs(a), abs(b)) < 1 << 53 else a - b * int(_quotient(a, b))


BINARY: dict[str, _Binary] = {
    "Add": operator.add,
    "AddV2": operator.add,
    "Div": _quotient,
    "FloorDiv": operator.floordiv,
    "FloorMod": operator.mod,
    "Maximum": max,
    "Minimum": min,
    "Mod": _remainder,
    "Mul": operator.mul,
    "RealDiv": operator.truediv,
    "Sub": operator.sub,
    "TruncateDiv": _quotient,
    "TruncateMod": _remainder,
}
UNARY: dict[str, _Unary] = {
    "Abs": abs,
    "Ceil": lambda x: float(math.ceil(x)),
    "Floor": lambda x: float(math.floor(x)),
    "Neg": operator.neg,
    "Rint": lambda x: float(round(x)),
    "Round": lambda x: type(x)(round(x)),
    "Square": lambda x: x * x,
}


def apply_binary(function: _Binary, a: Tensor, b: Tensor, shape: Shape | None, dtype: DataType) -> Value | None:
    """Return the elements of an op on two tensors of one shape, or on a tensor and a single number, if known."""
    if a.value is None or b.value is None or shape is None:
        return None
    count = max(len(a.value), len(b.value))
    if None in shape or prod(shape) != count:  # type: ignore[arg-type]  # None is excluded above
        return None
    if a.shape == b.shape or len(a.value) == len(b.value) == 1:
        pairs = zip(a.value, b.value, strict=True)
    elif len(a.value) == 1:
        pairs = zip(a.value * count, b.value, strict=True)
    elif len(b.value) == 1:
        pairs = zip(a.value, b.value * count, strict=True)
    else:
        return None
    return tuple(compute_element(dtype, function, x, y) for x, y in pairs)


def apply_unary(function: _Unary, a: Tensor, dtype: DataType) -> Value | None:
    """Return the elements of an op on one tensor, if known."""
    return None if a.value is None else tuple(compute_element(dtype, function, x) for x in a.value)


def cast_elements(a: Tensor, dtype: DataType) -> Value | None:
    """Convert elements to another type, if they are known. Floats become integers by rounding towards zero."""
    if a.value is None or dtype not in _FORMATS:
        return None
    return apply_unary(float if _FORMATS[dtype] in "fd" else int, a, dtype)


def compute_element(dtype: DataType, function: Callable[..., Any], *operands: _Number | None) -> _Number | None:
    """Return one element; None if it is unknown, or if TensorFlow's may differ, as after an overflow."""
    if None in operands:
        return None
    try:
        result = function(*operands)
        if isinstance(result, float):
            return float(struct.unpack("<f", struct.pack("<f", result))[0]) if dtype == DataType.DT_FLOAT else result
    except (ArithmeticError, ValueError):  # division by zero, overflow, conversion of NaN
        return None
    bound = _BOUNDS.get(dtype, 0)
    return result if -bound <= result < bound else None
