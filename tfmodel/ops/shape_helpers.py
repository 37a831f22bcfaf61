"""Shape rules and arithmetic on dimensions that several groups of ops use."""

from __future__ import annotations

from ..errors import GraphError
from ..shape import SCALAR, Dim, Shape, broadcast, merged, ranked, text
from .shape_rules import Call, Result

__all__ = [
    "broadcast_inputs",
    "divided",
    "less",
    "merged_inputs",
    "pairs_of",
    "same_shape",
    "scalar",
    "unchanged",
    "window",
]


def same_shape(call: Call) -> Result:
    """Return the shape of the first input."""
    return call.shape(0)


def unchanged(call: Call) -> Result:
    """Return the first input itself."""
    return call.tensor(0)


def merged_inputs(call: Call) -> Result:
    """Return the shape that all inputs share."""
    shape = call.shape(0)
    for other in call.shapes[1:]:
        shape = merged(shape, other)
    return shape


def broadcast_inputs(call: Call) -> Result:
    return broadcast(call.shape(0), call.shape(1))


def scalar(call: Call) -> Result:
    return SCALAR


def divided(size: Dim, by: Dim) -> Dim:
    """A size in so many parts."""
    if size is None or by is None:
        return None
    if by < 1 or size % by:
        raise GraphError(f"{size:,} cannot be divided by {by:,}")
    return size // by


def pairs_of(call: Call, place: int) -> list[Shape] | None:
    """The rows of a small matrix of two columns, such as what is put before and behind each dimension."""
    shape, value = ranked(call.shape(place), 2), call.integers(place)
    if shape[1] not in (None, 2):
        raise GraphError(f"the input {place} is {text(shape)}, no pairs")
    if value is None:
        return None
    return [value[start : start + 2] for start in range(0, len(value), 2)]


def less(size: Dim, off: Dim) -> Dim:
    return None if size is None or off is None else size - off


def window(size: Dim, kernel: Dim, stride: int, padding: str, dilation: int = 1, around: int = 0) -> Dim:
    """Return the size of an output dimension."""
    if stride < 1 or dilation < 1:
        raise GraphError(f"a stride of {stride} and a dilation of {dilation} cannot be")
    if size is None:
        return None
    if padding == "SAME":
        return -(-size // stride)
    if padding not in ("VALID", "EXPLICIT"):
        raise GraphError(f'there is no padding "{padding}"')
    if kernel is None:
        return None
    span = (kernel - 1) * dilation + 1
    if size + around < span:
        raise GraphError(f"a window of {span} does not fit into {size + around}")
    return (size + around - span) // stride + 1
