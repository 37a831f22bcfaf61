"""Partially known tensors: shape, elements if they are few numbers, and the contents behind a handle.

Tensor((2,), (3, None))                   a vector of 3 and something, such as what Shape says of a matrix (3, ?)
Tensor((), None, ((10, 4),))              the handle of a variable of shape (10, 4)

Small constants, and what arithmetic makes of them: the numbers that shapes are computed from.

The content of a constant is looked at if it has few elements; of others, only the shape.
"""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable, Iterable, Sequence
from math import prod
from typing import Any, NamedTuple, TypeAlias, overload

from ..dtypes import dtype_of
from ..messages import DataType, TensorProto
from ..shape import Shape, joined
from ..tensor_header import read_header

__all__ = [
    "BINARY",
    "UNARY",
    "UNKNOWN",
    "Repeated",
    "Tensor",
    "Value",
    "binary",
    "cast",
    "computed",
    "constant",
    "joined_tensors",
    "unary",
    "vector",
]


MOST_ELEMENTS = 256  # of a tensor whose elements are followed

Value: TypeAlias = "tuple[int | float | None, ...]"
"""Elements in row-major order, None for those that are not known."""


class Tensor(NamedTuple):
    """A partially known tensor.

    shape     its shape, None if the rank is not known
    value     its elements, of integers and floats, if the shape is known and they are few
    handle    of a resource or a variant, the shapes of the tensors in it: of a variable, of the elements of a list.
              Of a list that is empty so far, there are none
    """

    shape: Shape | None = None
    value: Value | None = None
    handle: tuple[Shape | None, ...] | None = None


UNKNOWN = Tensor()


class Repeated(Sequence[Tensor]):
    """Many outputs that are alike, of which a graph may claim more than would fit into memory."""

    __slots__ = ("_count", "_tensor")

    def __init__(self, tensor: Tensor, count: int) -> None:
        self._tensor = tensor
        self._count = count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> Tensor: ...
    @overload
    def __getitem__(self, place: slice) -> Repeated: ...
    def __getitem__(self, place: int | slice) -> Tensor | Repeated:
        found = range(self._count)[place]
        return self._tensor if isinstance(found, int) else Repeated(self._tensor, len(found))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Repeated):
            return NotImplemented  # so Python asks the other one
        return self._tensor == other._tensor and self._count == other._count

    def __hash__(self) -> int:
        return hash((self._tensor, self._count))


def joined_tensors(a: Tensor, b: Tensor) -> Tensor:
    """Return the common knowledge of two tensors, for a tensor that is one or the other."""
    if a == b:
        return a
    shape = joined(a.shape, b.shape)
    value = handle = None
    if a.value is not None and b.value is not None and a.shape == b.shape:
        value = tuple(x if x == y else None for x, y in zip(a.value, b.value, strict=True))
    if a.handle is not None and b.handle is not None:
        if len(a.handle) == len(b.handle):
            handle = tuple(map(joined, a.handle, b.handle))
        elif not a.handle or not b.handle:
            handle = a.handle or b.handle
    return Tensor(shape, value, handle)


_MOST_FLOATS = 8  # sizes are computed from a scale or two, and a model has many small vectors of weights
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
    head = read_header(tensor)
    letter = _FORMATS.get(head.dtype)  # type: ignore[call-overload]  # a number without a name is no key
    count = prod(head.shape)
    if letter is None or count > (_MOST_FLOATS if letter in "fd" else MOST_ELEMENTS):
        return Tensor(head.shape)
    content = tensor.tensor_content
    if content:
        if len(content) != head.size:
            return Tensor(head.shape)
        return Tensor(head.shape, struct.unpack(f"<{count}{letter}", content))
    listed = list(getattr(tensor, dtype_of(head.dtype).field)[:count])
    return Tensor(head.shape, (*listed, *[listed[-1] if listed else 0] * (count - len(listed))))


def vector(elements: Iterable[Any]) -> Tensor:
    """Return a vector; its elements are followed if they are few."""
    value = tuple(elements)
    return Tensor((len(value),), value if len(value) <= MOST_ELEMENTS else None)


# --- arithmetic ------------------------------------------------------------------------------------------------------


def _quotient(a: _Number, b: _Number) -> _Number:
    """Divide integers as C does, rounding towards zero."""
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


def binary(function: _Binary, a: Tensor, b: Tensor, shape: Shape | None, dtype: DataType) -> Value | None:
    """The elements that an op makes of two tensors: of equal shape, or one of them a single number."""
    if a.value is None or b.value is None or shape is None:
        return None
    count = max(len(a.value), len(b.value))
    if None in shape or prod(shape) != count:  # type: ignore[arg-type]  # no None is left
        return None
    if a.shape == b.shape or len(a.value) == len(b.value) == 1:
        pairs = zip(a.value, b.value, strict=True)
    elif len(a.value) == 1:
        pairs = zip(a.value * count, b.value, strict=True)
    elif len(b.value) == 1:
        pairs = zip(a.value, b.value * count, strict=True)
    else:
        return None
    return tuple(computed(dtype, function, x, y) for x, y in pairs)


def unary(function: _Unary, a: Tensor, dtype: DataType) -> Value | None:
    """Return the elements of an op on the elements of one tensor."""
    return None if a.value is None else tuple(computed(dtype, function, x) for x in a.value)


def cast(a: Tensor, dtype: DataType) -> Value | None:
    """Convert elements to another type; floats are rounded towards zero."""
    if a.value is None or dtype not in _FORMATS:
        return None
    return unary(float if _FORMATS[dtype] in "fd" else int, a, dtype)


def computed(dtype: DataType, function: Callable[..., Any], *operands: _Number | None) -> _Number | None:
    """One element; None if it is not known, or if it is one that Python and TensorFlow do not agree on."""
    if None in operands:
        return None
    try:
        found = function(*operands)
        if isinstance(found, float):
            return float(struct.unpack("<f", struct.pack("<f", found))[0]) if dtype == DataType.DT_FLOAT else found
    except (ArithmeticError, ValueError):  # a division by zero, what is too large, or no number
        return None
    bound = _BOUNDS.get(dtype, 0)
    return found if -bound <= found < bound else None
