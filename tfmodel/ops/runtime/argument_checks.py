"""What kernels ask of tensors that say a shape, an axis or an index, in one set of words.

NumPy counts negative indices from the end and takes floats for sizes; TensorFlow refuses both in most places. These
functions give plain integers, or a RunError that says which tensor is wrong and how.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import RunError
from .registry import Tensor

__all__ = [
    "axis_of",
    "check",
    "check_indices",
    "check_rank",
    "listed",
    "scalar",
    "shape_of",
    "shown",
    "vector",
]


_MOST_DIMENSIONS = 254
"""Of a tensor of TensorFlow."""


def check(fits: Any, words: str) -> None:
    """Raises RunError with these words unless it fits."""
    if not fits:
        raise RunError(words)


def shown(shape: Sequence[int | None]) -> str:
    """A shape as TensorFlow writes it: [2,?,3]."""
    return "[" + ",".join("?" if size is None else str(size) for size in shape) + "]"


def scalar(tensor: Tensor, name: str, *, vector_of_one: bool = False) -> Any:
    """The only element, as Python has it. Some old ops also take it in a vector."""
    fits = tensor.ndim == 0 or (vector_of_one and tensor.shape == (1,))
    check(fits, f"{name} must be a scalar, not of shape {shown(tensor.shape)}")
    return tensor.item()


def vector(tensor: Tensor, name: str, size: int | None = None) -> list[int]:
    """The elements of a vector, of so many if a size is given."""
    check(tensor.ndim == 1, f"{name} must be a vector, not of shape {shown(tensor.shape)}")
    check(size in (None, tensor.size), f"{name} must have {size} elements, not {tensor.size}")
    return listed(tensor)


def listed(tensor: Tensor) -> list[int]:
    found: list[int] = tensor.tolist()
    return found


def shape_of(tensor: Tensor, name: str) -> tuple[int, ...]:
    """The shape that a tensor says; some old graphs have a scalar where they mean a vector of one."""
    check(tensor.ndim <= 1, f"{name} must be a vector, not of shape {shown(tensor.shape)}")
    check_rank(tensor, name)
    sizes = tuple(listed(tensor.reshape(-1)))
    check(all(size >= 0 for size in sizes), f"{name} is {shown(sizes)}, but sizes must not be negative")
    return sizes


def check_rank(tensor: Tensor, name: str) -> None:
    """Raises RunError if a tensor says a shape of more dimensions than any has: their product would take very long."""
    check(tensor.size <= _MOST_DIMENSIONS, f"{name} has {tensor.size:,} sizes, and a tensor at most {_MOST_DIMENSIONS}")


def axis_of(axis: int, rank: int, name: str = "axis") -> int:
    """An axis of a tensor of this rank, counted from the front; negative ones are counted from the end."""
    check(-rank <= axis < rank, f"{name} is {axis}, but the tensor has {rank} dimensions")
    return axis + rank if axis < 0 else axis


def check_indices(indices: Tensor, size: int, name: str = "indices") -> None:
    """Raises RunError for an index that is not between 0 and a size."""
    if indices.size and (indices.min() < 0 or indices.max() >= size):
        first = int(((indices < 0) | (indices >= size)).argmax())
        at = [int(place) for place in np.unravel_index(first, indices.shape)]
        where = shown(at) if at else ""
        raise RunError(f"{name}{where} = {indices[tuple(at)]} is not in [0, {size})")
