"""Checks of tensors that hold shapes, axes and indices, with uniform error messages; small helpers for arrays.

NumPy counts negative indices from the end and accepts floats as sizes; TensorFlow refuses both in most ops. These
functions return Python integers, or raise a RunError that names the tensor and the problem.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import RunError
from .memory_limit import LIST_ITEM_BYTES, claim, claim_array
from .registry import Tensor

_MAX_DIMENSIONS = 254
"""The maximum rank of a tensor in TensorFlow."""

_MAX_SHOWN_SIZES = 256


def check(condition: Any, message: str) -> None:
    """Raise a RunError with this message if the condition is false."""
    if not condition:
        raise RunError(message)


def check_kind(tensor: Tensor, kinds: str) -> None:
    """Raise a RunError if an op has no kernel for the type of a tensor: `kinds` are NumPy's letters, such as "iuf"."""
    if tensor.dtype.kind not in kinds:
        name = "strings" if tensor.dtype.kind == "O" else tensor.dtype.name
        raise RunError(f"there is no kernel for {name}")


def show(shape: Sequence[int | None]) -> str:
    """Return a shape as TensorFlow writes it: [2,?,3]. Of very long shapes, the first sizes are shown."""
    more = ",..." if len(shape) > _MAX_SHOWN_SIZES else ""
    return "[" + ",".join("?" if size is None else str(size) for size in shape[:_MAX_SHOWN_SIZES]) + more + "]"


def read_scalar(tensor: Tensor, name: str, *, vector_of_one: bool = False) -> Any:
    """Return the element of a scalar as a Python value. Some old ops also accept a vector of one element."""
    fits = tensor.ndim == 0 or (vector_of_one and tensor.shape == (1,))
    check(fits, f"{name} must be a scalar, not of shape {show(tensor.shape)}")
    return tensor.item()


def read_vector(tensor: Tensor, name: str, size: int | None = None) -> list[int]:
    """Return the elements of a vector. Raises RunError if it does not have `size` elements (None: any number)."""
    check(tensor.ndim == 1, f"{name} must be a vector, not of shape {show(tensor.shape)}")
    check(size in (None, tensor.size), f"{name} must have {size} elements, not {tensor.size}")
    return int_list(tensor)


def int_list(tensor: Tensor) -> list[int]:
    """Return the elements of a vector of integers as a list."""
    claim(LIST_ITEM_BYTES * tensor.size)
    values: list[int] = tensor.tolist()
    return values


def read_shape(tensor: Tensor, name: str) -> tuple[int, ...]:
    """Return the shape that a vector of sizes holds. Some old graphs have a scalar in place of a vector of one size."""
    check(tensor.ndim <= 1, f"{name} must be a vector, not of shape {show(tensor.shape)}")
    check_rank(tensor, name)
    sizes = tuple(int_list(tensor.reshape(-1)))
    check(all(size >= 0 for size in sizes), f"{name} is {show(sizes)}, but sizes must not be negative")
    return sizes


def check_rank(tensor: Tensor, name: str) -> None:
    """Check that a shape has at most 254 sizes: multiplying a very long list would take too long. Raises RunError."""
    check(
        tensor.size <= _MAX_DIMENSIONS,
        f"{name} has {tensor.size:,} sizes, but a tensor has at most {_MAX_DIMENSIONS} dimensions",
    )


def normalize_axis(axis: int, rank: int, name: str = "axis") -> int:
    """Return an axis as an index from the front; negative axes count from the end. Raises RunError if out of range."""
    check(-rank <= axis < rank, f"{name} is {axis}, but the tensor has {rank} dimensions")
    return axis + rank if axis < 0 else axis


def check_indices(indices: Tensor, size: int, name: str = "indices") -> None:
    """Check that all indices are in [0, size). Raises RunError, which shows the first index that is out of range."""
    if indices.size and (indices.min() < 0 or indices.max() >= size):
        first = int(((indices < 0) | (indices >= size)).argmax())
        position = [int(number) for number in np.unravel_index(first, indices.shape)]
        where = show(position) if position else ""
        raise RunError(f"{name}{where} = {indices[tuple(position)]} is not in [0, {size})")


def widen_halves(x: Tensor) -> Tensor:
    """Convert float16 arrays to float32, since NumPy is slow with float16; return others unchanged."""
    return x.astype(np.float32) if x.dtype == np.float16 else x


def zeros(shape: Sequence[int], dtype: np.dtype[Any]) -> Tensor:
    """Claim memory for an array, and return the array, filled with zeros or with empty strings."""
    claim_array(shape, dtype)
    return np.full(shape, b"", dtype) if dtype.kind == "O" else np.zeros(shape, dtype)


# --- tensors and variants --------------------------------------------------------------------------------------------


def zeros_like(x: Any) -> Any:
    """Return zeros in the shape of a tensor. Of a variant, its method `zeros` decides."""
    if not isinstance(x, np.ndarray):
        check(hasattr(x, "zeros"), "its input has no zeros")
        return x.zeros()
    return _map_variants(zeros_like, x) if _holds_variants(x) else zeros(x.shape, x.dtype)


def add(x: Any, y: Any) -> Any:
    """Return the sum of two tensors of one shape. Of variants, their method `plus` decides."""
    if not isinstance(x, np.ndarray) or not isinstance(y, np.ndarray):
        check(hasattr(x, "plus") and type(x) is type(y), "its inputs cannot be added")
        return x.plus(y)
    check(x.shape == y.shape, f"its inputs must have the same shape, but have {show(x.shape)} and {show(y.shape)}")
    return _map_variants(add, x, y) if _holds_variants(x) else np.asarray(x + y)


def _holds_variants(x: Tensor) -> bool:
    return x.dtype == object and bool(x.size) and not isinstance(x.flat[0], bytes)


def _map_variants(function: Callable[..., Any], *tensors: Tensor) -> Tensor:
    """Return a tensor of the results of a function for the elements of tensors of one shape."""
    results = np.empty(tensors[0].shape, object)
    for index in np.ndindex(results.shape):
        results[index] = function(*(tensor[index] for tensor in tensors))
    return results
