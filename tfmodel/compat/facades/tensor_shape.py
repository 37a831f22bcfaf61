"""Partially known shapes as TensorFlow's Python has them: `TensorShape([None, 3])`.

The elements of a shape are ints and None, as in TensorFlow 2. After `disable_v2_tensorshape()` they are Dimensions, as
in TensorFlow 1, whose `value` is the int.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from typing import Any

from pbwire.compat import compat_class

from ... import messages

__all__ = [
    "Dimension",
    "TensorShape",
    "as_dimension",
    "as_shape",
    "dimension_at_index",
    "dimension_value",
    "disable_v2_tensorshape",
    "enable_v2_tensorshape",
    "matrix",
    "scalar",
    "unknown_shape",
    "vector",
]

_is_v2 = True


def enable_v2_tensorshape() -> None:
    """Let the elements of shapes be ints, as in TensorFlow 2. This is the default."""
    global _is_v2
    _is_v2 = True


def disable_v2_tensorshape() -> None:
    """Let the elements of shapes be Dimensions, as in TensorFlow 1."""
    global _is_v2
    _is_v2 = False


def _arithmetic(function: Callable[[Any, Any], Any], is_reversed: bool = False) -> Any:
    def compute(self: Dimension, other: Any) -> Any:
        try:
            other = as_dimension(other)
        except (TypeError, ValueError):
            return NotImplemented
        left, right = (other.value, self.value) if is_reversed else (self.value, other.value)
        return Dimension(None if left is None or right is None else function(left, right))

    return compute


def _comparison(function: Callable[[Any, Any], bool]) -> Any:
    def compare(self: Dimension, other: Any) -> bool | None:
        other = as_dimension(other)
        return None if self.value is None or other.value is None else function(self.value, other.value)

    return compare


class Dimension:
    """The size of a dimension: `value` is an int, or None if it is unknown."""

    __slots__ = ("_value",)

    def __init__(self, value: Any) -> None:
        self._value: int | None
        if isinstance(value, Dimension):
            self._value = value.value
        elif value is None:
            self._value = None
        else:
            try:
                self._value = operator.index(value)
            except TypeError:
                raise TypeError(
                    f"Dimension value must be integer or None or have an __index__ method, got {value!r}"
                ) from None
            if self._value < 0:
                raise ValueError(f"Dimension {self._value} must be >= 0")

    @property
    def value(self) -> int | None:
        return self._value

    def __repr__(self) -> str:
        return f"Dimension({self._value})"

    def __str__(self) -> str:
        return "?" if self._value is None else str(self._value)

    def __eq__(self, other: object) -> Any:
        try:
            other_value = as_dimension(other).value
        except (TypeError, ValueError):
            return NotImplemented
        return None if self._value is None or other_value is None else self._value == other_value

    def __ne__(self, other: object) -> Any:
        equal = self.__eq__(other)
        return equal if equal is None or equal is NotImplemented else not equal

    __hash__ = None  # type: ignore[assignment]  # equality has no answer for an unknown size

    def __bool__(self) -> bool:
        return bool(self._value)

    def __int__(self) -> Any:
        return self._value

    __index__ = __int__
    __add__ = _arithmetic(operator.add)
    __radd__ = _arithmetic(operator.add, is_reversed=True)
    __sub__ = _arithmetic(operator.sub)
    __rsub__ = _arithmetic(operator.sub, is_reversed=True)
    __mul__ = _arithmetic(operator.mul)
    __rmul__ = _arithmetic(operator.mul, is_reversed=True)
    __floordiv__ = _arithmetic(operator.floordiv)
    __rfloordiv__ = _arithmetic(operator.floordiv, is_reversed=True)
    __mod__ = _arithmetic(operator.mod)
    __rmod__ = _arithmetic(operator.mod, is_reversed=True)
    __lt__ = _comparison(operator.lt)
    __le__ = _comparison(operator.le)
    __gt__ = _comparison(operator.gt)
    __ge__ = _comparison(operator.ge)

    def is_compatible_with(self, other: Any) -> bool:
        """Return whether both sizes can be the same."""
        other = as_dimension(other)
        return self._value is None or other.value is None or self._value == other.value

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raise ValueError unless both sizes can be the same."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {other} are not compatible")

    def merge_with(self, other: Any) -> Dimension:
        """Return the known size of both. Raises ValueError if they differ."""
        other = as_dimension(other)
        self.assert_is_compatible_with(other)
        return Dimension(other.value if self._value is None else self._value)

    def __reduce__(self) -> Any:
        return Dimension, (self._value,)


def as_dimension(value: Any) -> Dimension:
    """Return a Dimension itself, or that of an int or None."""
    return value if isinstance(value, Dimension) else Dimension(value)


class TensorShape:
    """The sizes of the dimensions of a tensor; each of them, or their number (the rank), may be unknown."""

    __slots__ = ("_dims",)

    def __init__(self, dims: Any) -> None:
        self._dims: tuple[int | None, ...] | None
        if dims is None:
            self._dims = None
        elif isinstance(dims, TensorShape):
            self._dims = dims._dims
        elif hasattr(dims, "unknown_rank"):  # a TensorShapeProto of any kind
            proto_sizes = (None if dim.size == -1 else dim.size for dim in dims.dim)
            self._dims = None if dims.unknown_rank else tuple(proto_sizes)
        else:
            sizes = dims if hasattr(dims, "__iter__") else (dims,)
            self._dims = tuple(as_dimension(size).value for size in sizes)

    def __repr__(self) -> str:
        return f"TensorShape({self._elements()})"

    def __str__(self) -> str:
        elements = self._elements()
        if elements is None:
            return "<unknown>"
        return f"({elements[0]},)" if len(elements) == 1 else f"({', '.join(map(str, elements))})"

    def _elements(self) -> list[Any] | None:
        if self._dims is None:
            return None
        return list(self._dims) if _is_v2 else [Dimension(size) for size in self._dims]

    @property
    def rank(self) -> int | None:
        """The number of dimensions; None if it is unknown."""
        return None if self._dims is None else len(self._dims)

    ndims = rank

    @property
    def dims(self) -> list[Dimension] | None:
        """The dimensions; None if even their number is unknown."""
        return None if self._dims is None else [Dimension(size) for size in self._dims]

    def __len__(self) -> int:
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __bool__(self) -> bool:
        return self._dims is not None

    def __iter__(self) -> Iterator[Any]:
        elements = self._elements()
        if elements is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return iter(elements)

    def __getitem__(self, key: Any) -> Any:
        if self._dims is not None:
            value = self._dims[key]
            if isinstance(key, slice):
                return TensorShape(value)
            return value if _is_v2 else Dimension(value)
        if not isinstance(key, slice):
            return None if _is_v2 else Dimension(None)
        if key.step is not None:
            raise ValueError("Steps are not yet handled")
        start = key.start or 0
        if key.stop is None or start < 0 or key.stop < 0:
            return TensorShape(None)
        return unknown_shape(key.stop - start)

    def num_elements(self) -> int | None:
        """Return the number of elements; None if it is unknown."""
        return math.prod(self.as_list()) if self.is_fully_defined() else None  # type: ignore[arg-type]  # ints

    def merge_with(self, other: Any) -> TensorShape:
        """Return a shape with what is known of both. Raises ValueError if they contradict each other."""
        other = as_shape(other)
        if self._dims is None or other._dims is None:
            return other if self._dims is None else self
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are not compatible")
        return TensorShape([b if a is None else a for a, b in zip(self._dims, other._dims, strict=True)])

    def concatenate(self, other: Any) -> TensorShape:
        """Return the dimensions of both, one after the other."""
        other = as_shape(other)
        if self._dims is None or other._dims is None:
            return TensorShape(None)
        return TensorShape((*self._dims, *other._dims))

    __add__ = concatenate

    def __radd__(self, other: Any) -> TensorShape:
        return as_shape(other).concatenate(self)

    def assert_same_rank(self, other: Any) -> None:
        """Raise ValueError if both ranks are known and differ."""
        other = as_shape(other)
        if None not in (self.rank, other.rank) and self.rank != other.rank:
            raise ValueError(f"Shapes {self} and {other} must have the same rank")

    def assert_has_rank(self, rank: int) -> None:
        """Raise ValueError if the rank is known and another one."""
        if self.rank not in (None, rank):
            raise ValueError(f"Shape {self} must have rank {rank}")

    def with_rank(self, rank: int) -> TensorShape:
        """Return the shape with this rank. Raises ValueError if it has another one."""
        self.assert_has_rank(rank)
        return self.merge_with(unknown_shape(rank))

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """Return the shape itself. Raises ValueError if it has fewer dimensions."""
        if self.rank is not None and self.rank < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """Return the shape itself. Raises ValueError if it has more dimensions."""
        if self.rank is not None and self.rank > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def is_compatible_with(self, other: Any) -> bool:
        """Return whether a tensor can have both shapes."""
        other = as_shape(other)
        if self._dims is None or other._dims is None:
            return True
        pairs = zip(self._dims, other._dims, strict=False)
        return len(self._dims) == len(other._dims) and all(a is None or b is None or a == b for a, b in pairs)

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raise ValueError unless a tensor can have both shapes."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are incompatible")

    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        """Return the shape with the sizes that both have in common."""
        other = as_shape(other)
        if self._dims is None or other._dims is None or self.rank != other.rank:
            return TensorShape(None)
        return TensorShape([a if a == b else None for a, b in zip(self._dims, other._dims, strict=True)])

    def is_fully_defined(self) -> bool:
        """Return whether all sizes are known."""
        return self._dims is not None and None not in self._dims

    def assert_is_fully_defined(self) -> None:
        """Raise ValueError unless all sizes are known."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def as_list(self) -> list[int | None]:
        """Return the sizes; None stands for an unknown one. Raises ValueError if the rank is unknown."""
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._dims)

    def as_proto(self) -> Any:
        """Return the TensorShapeProto."""
        proto = compat_class(messages.TensorShapeProto)()
        if self._dims is None:
            proto.unknown_rank = True
        else:
            for size in self._dims:
                proto.dim.add().size = -1 if size is None else size
        return proto

    def __eq__(self, other: object) -> bool:
        try:
            return bool(self._dims == as_shape(other)._dims)
        except TypeError:
            return NotImplemented

    def __hash__(self) -> int:
        return hash(self._dims)

    def __reduce__(self) -> Any:
        return TensorShape, (self._dims,)


def as_shape(shape: Any) -> TensorShape:
    """Return a TensorShape itself, or that of a list, an int, None or a TensorShapeProto."""
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def unknown_shape(rank: int | None = None, *, ndims: int | None = None) -> TensorShape:
    """Return a shape of this rank whose sizes are unknown."""
    rank = ndims if rank is None else rank
    return TensorShape(None if rank is None else [None] * rank)


def scalar() -> TensorShape:
    """Return the shape of a scalar."""
    return TensorShape([])


def vector(length: Any) -> TensorShape:
    """Return the shape of a vector."""
    return TensorShape([length])


def matrix(rows: Any, columns: Any) -> TensorShape:
    """Return the shape of a matrix."""
    return TensorShape([rows, columns])


def dimension_value(dimension: Any) -> Any:
    """Return the int of a Dimension; other values as they are."""
    return dimension.value if isinstance(dimension, Dimension) else dimension


def dimension_at_index(shape: TensorShape, index: int) -> Dimension:
    """Return one dimension of a shape; an unknown one if the rank is unknown."""
    return Dimension(None) if shape.rank is None else shape.dims[index]  # type: ignore[index]  # the rank is known
