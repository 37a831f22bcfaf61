"""Partially known shapes, and functions of one or two of them.

    (1, 224, 224, 3)         a known shape
    (None, 10)               an unknown number of rows of 10
    None                     an unknown number of dimensions (rank)

    merge_shapes((None, 3), (2, None))     (2, 3)          both shapes are of one tensor
    generalize_shapes((2, 3), (2, 4))      (2, None)       a tensor has one shape or the other
    broadcast((8, 1), (None, 5))           (None or 8, 5)  the result of an element-wise op

Shapes that contradict each other are a GraphError, which inference records as a problem of the node.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from ..errors import GraphError
from ..messages import TensorShapeProto

Dim: TypeAlias = "int | None"
"""The size of a dimension; None if it is unknown."""

Shape: TypeAlias = "tuple[int | None, ...]"
"""The dimensions, outermost first. None in place of the whole shape means that the rank is unknown."""

SCALAR: Shape = ()
MAX_DIMENSIONS = 254  # TensorFlow's limit
MAX_SIZE = 2**63 - 1  # the largest size of a dimension, and the largest number of elements


def shape_to_text(shape: Shape | None) -> str:
    """Return a shape as errors show it: `[2,?,3]`."""
    return "of unknown rank" if shape is None else "[" + ",".join("?" if d is None else str(d) for d in shape) + "]"


def is_known(shape: Shape | None) -> bool:
    """Return whether all dimensions are known."""
    return shape is not None and None not in shape


def count_elements(shape: Shape | None) -> Dim:
    """Return the number of elements; None if it is unknown. Raises GraphError if it is 2**63 or more."""
    if shape is None:
        return None
    size: Dim = 1
    for dimension in shape:
        size = multiply_dims(size, dimension)
    if size is not None and size > MAX_SIZE:
        raise GraphError(f"{shape_to_text(shape)} has 2**63 or more elements")
    return size


def shape_of_proto(proto: TensorShapeProto | None) -> Shape | None:
    """Return the shape that a message holds; None for an unknown rank, or if the message is None."""
    if proto is None or proto.unknown_rank:
        return None
    return tuple(dim.size if dim.size >= 0 else None for dim in proto.dim)


def shape_to_proto(sizes: Iterable[int | None]) -> TensorShapeProto:
    """Return the message of a shape of known rank; an unknown size becomes -1."""
    return TensorShapeProto(dim=[TensorShapeProto.Dim(size=-1 if size is None else size) for size in sizes])


# --- one shape -------------------------------------------------------------------------------------------------------


def with_rank(shape: Shape | None, rank: int) -> Shape:
    """Return the shape if it has `rank` dimensions; if the shape is None, return `rank` unknown dimensions.

    Raises GraphError for a shape with another number of dimensions.
    """
    if shape is None:
        return (None,) * rank
    if len(shape) != rank:
        raise GraphError(f"expected a shape of {rank} dimensions, not {shape_to_text(shape)}")
    return shape


def rows_shape(shape: Shape | None, min_rank: int) -> Shape | None:
    """Return the shape if it is None or has at least `min_rank` dimensions; else raise GraphError."""
    if shape is not None and len(shape) < min_rank:
        raise GraphError(f"expected a shape of at least {min_rank} dimensions, not {shape_to_text(shape)}")
    return shape


def axis_of(axis: int, rank: int) -> int:
    """Return the axis counted from the front. A negative `axis` counts from the end.

    Raises GraphError for an axis out of range.
    """
    if not -rank <= axis < rank:
        raise GraphError(f"there is no dimension {axis} among {rank}")
    return axis % rank


# --- two shapes ------------------------------------------------------------------------------------------------------


def merge_dims(a: Dim, b: Dim) -> Dim:
    if a is None or a == b:
        return b
    if b is None:
        return a
    raise GraphError(f"a dimension is both {a} and {b}")


def merge_shapes(a: Shape | None, b: Shape | None) -> Shape | None:
    """Return the shape of a tensor that has both shapes. Raises GraphError if they contradict each other."""
    if a is None or a == b:
        return b
    if b is None:
        return a
    if len(a) != len(b):
        raise GraphError(f"the shapes {shape_to_text(a)} and {shape_to_text(b)} do not fit")
    try:
        return tuple(map(merge_dims, a, b))
    except GraphError:
        raise GraphError(f"the shapes {shape_to_text(a)} and {shape_to_text(b)} do not fit") from None


def may_be_equal(a: Shape | None, b: Shape | None) -> bool:
    """Return whether two shapes can be the same: their known sizes do not contradict each other."""
    if a is None or b is None:
        return True
    return len(a) == len(b) and all(None in pair or pair[0] == pair[1] for pair in zip(a, b, strict=True))


def generalize_shapes(a: Shape | None, b: Shape | None) -> Shape | None:
    """Return the most precise shape that covers both shapes."""
    if a == b:
        return a
    if a is None or b is None or len(a) != len(b):
        return None
    return tuple(x if x == y else None for x, y in zip(a, b, strict=True))


def broadcast_dim(a: Dim, b: Dim) -> Dim:
    if a == b or b == 1:
        return a
    if a == 1:
        return b
    if a is None or b is None:
        return b if a is None else a  # the known size is not 1, so the unknown one is equal to it or 1
    raise GraphError(f"a dimension of {a} and one of {b} do not fit")


def broadcast(a: Shape | None, b: Shape | None) -> Shape | None:
    """Return the shape of the result of an element-wise op. Raises GraphError if the shapes do not fit."""
    if a == b:
        return a
    if a is None or b is None:
        return None
    if len(a) < len(b):
        a, b = b, a
    extra = len(a) - len(b)
    try:
        return a[:extra] + tuple(map(broadcast_dim, a[extra:], b))
    except GraphError:
        raise GraphError(f"the shapes {shape_to_text(a)} and {shape_to_text(b)} do not fit") from None


def concatenate_shapes(a: Shape | None, b: Shape | None) -> Shape | None:
    """Return the dimensions of one shape followed by those of the other; None if one is unknown."""
    return None if a is None or b is None else a + b


# --- sizes -----------------------------------------------------------------------------------------------------------


def sum_sizes(sizes: Iterable[Dim]) -> Dim:
    """Return the sum of sizes; None if one is unknown."""
    total = 0
    for size in sizes:
        if size is None:
            return None
        total += size
    return total


def multiply_dims(a: Dim, b: Dim) -> Dim:
    """Return the product of two sizes; zero times an unknown size is zero."""
    if a == 0 or b == 0:
        return 0
    return None if a is None or b is None else a * b


def multiply_sizes(sizes: Sequence[Dim], factors: Sequence[Dim]) -> Shape:
    """Return each size multiplied by the factor at the same position."""
    return tuple(map(multiply_dims, sizes, factors))
