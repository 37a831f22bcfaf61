"""Shapes of which not everything is known, and what can be said of two of them.

    (1, 224, 224, 3)         all is known
    (None, 10)               rows of 10, nobody knows how many
    None                     not even the number of dimensions is known

    merged((None, 3), (2, None))      (2, 3)          both describe one tensor
    joined((2, 3), (2, 4))            (2, None)       a tensor is described by either
    broadcast((8, 1), (None, 5))      (None or 8, 5)  what an element-wise op makes of two tensors

What cannot be is a GraphError, which the inference catches and keeps as a problem of the node.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from .errors import GraphError
from .messages import TensorShapeProto

__all__ = [
    "LARGEST",
    "MOST_DIMENSIONS",
    "SCALAR",
    "Dim",
    "Shape",
    "added",
    "axis_of",
    "broadcast",
    "broadcast_dim",
    "concatenated",
    "joined",
    "known",
    "merged",
    "merged_dim",
    "of_proto",
    "ranked",
    "rows",
    "scaled",
    "size_of",
    "text",
    "times",
]

Dim: TypeAlias = "int | None"
"""The size of a dimension; None if it is not known."""

Shape: TypeAlias = "tuple[int | None, ...]"
"""The dimensions, outermost first. Where their number is not known, None stands for the whole shape."""

SCALAR: Shape = ()
MOST_DIMENSIONS = 254  # that TensorFlow allows
LARGEST = 2**63 - 1  # of a dimension, and of the number of elements


def text(shape: Shape | None) -> str:
    """A shape in an error: `[2,?,3]`."""
    return "of unknown rank" if shape is None else "[" + ",".join("?" if d is None else str(d) for d in shape) + "]"


def known(shape: Shape | None) -> bool:
    """Whether all dimensions are known."""
    return shape is not None and None not in shape


def size_of(shape: Shape | None) -> Dim:
    """How many elements there are."""
    if shape is None:
        return None
    size: Dim = 1
    for each in shape:
        size = times(size, each)
    if size is not None and size > LARGEST:
        raise GraphError(f"{text(shape)} has more elements than can be counted")
    return size


def of_proto(proto: TensorShapeProto | None) -> Shape | None:
    """The shape that a message spells."""
    if proto is None or proto.unknown_rank:
        return None
    return tuple(dim.size if dim.size >= 0 else None for dim in proto.dim)


# --- one shape -------------------------------------------------------------------------------------------------------


def ranked(shape: Shape | None, rank: int) -> Shape:
    """A shape that has to have so many dimensions: if it is not known, they are not."""
    if shape is None:
        return (None,) * rank
    if len(shape) != rank:
        raise GraphError(f"a shape of {rank} dimensions is wanted, not {text(shape)}")
    return shape


def rows(shape: Shape | None, least: int) -> Shape | None:
    """A shape that has to have at least so many dimensions."""
    if shape is not None and len(shape) < least:
        raise GraphError(f"a shape of at least {least} dimensions is wanted, not {text(shape)}")
    return shape


def axis_of(axis: int, rank: int) -> int:
    """A dimension counted from the front, of one that may be counted from the back."""
    if not -rank <= axis < rank:
        raise GraphError(f"there is no dimension {axis} among {rank}")
    return axis % rank


# --- two shapes ------------------------------------------------------------------------------------------------------


def merged_dim(a: Dim, b: Dim) -> Dim:
    if a is None or a == b:
        return b
    if b is None:
        return a
    raise GraphError(f"a dimension is both {a} and {b}")


def merged(a: Shape | None, b: Shape | None) -> Shape | None:
    """The shape of a tensor that is described in two ways."""
    if a is None or a == b:
        return b
    if b is None:
        return a
    if len(a) != len(b):
        raise GraphError(f"the shapes {text(a)} and {text(b)} do not fit")
    try:
        return tuple(map(merged_dim, a, b))
    except GraphError:
        raise GraphError(f"the shapes {text(a)} and {text(b)} do not fit") from None


def joined(a: Shape | None, b: Shape | None) -> Shape | None:
    """What is known of a tensor that has one shape or the other."""
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
        return b if a is None else a  # which is not 1: the unknown one is the same, or 1
    raise GraphError(f"a dimension of {a} and one of {b} do not fit")


def broadcast(a: Shape | None, b: Shape | None) -> Shape | None:
    """The shape of what an element-wise op makes of two tensors."""
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
        raise GraphError(f"the shapes {text(a)} and {text(b)} do not fit") from None


def concatenated(a: Shape | None, b: Shape | None) -> Shape | None:
    """The dimensions of one, and then those of the other."""
    return None if a is None or b is None else a + b


# --- sizes -----------------------------------------------------------------------------------------------------------


def added(sizes: Iterable[Dim]) -> Dim:
    """The sum of sizes."""
    total = 0
    for size in sizes:
        if size is None:
            return None
        total += size
    return total


def times(a: Dim, b: Dim) -> Dim:
    """The product of two sizes; nothing times what is not known is nothing."""
    if a == 0 or b == 0:
        return 0
    return None if a is None or b is None else a * b


def scaled(sizes: Sequence[Dim], factors: Sequence[Dim]) -> Shape:
    """Sizes, each times a factor."""
    return tuple(map(times, sizes, factors))
