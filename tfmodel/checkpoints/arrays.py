"""Arrays of what is stored: the one place where bytes become numbers."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from pbwire.wire import Buffer

from ..dtypes import Dtype
from ..errors import CheckpointError
from .strings import ByteOrder

__all__ = ["array_of_bytes", "array_of_objects", "empty"]

_Array = npt.NDArray[Any]


def array_of_bytes(data: Buffer, dtype: Dtype, shape: tuple[int, ...], order: ByteOrder = "little") -> _Array:
    """The array that users get of elements as they are stored, as many as `shape` has: a view, where NumPy knows the
    type and the machine the byte order. It cannot be written to."""
    storage = dtype.storage if order == "little" else dtype.storage.newbyteorder(">")
    flat = np.frombuffer(data, storage) if len(data) else np.empty(0, storage)
    if not storage.isnative:
        flat = flat.astype(storage.newbyteorder("="))
    return _finished(dtype.decode(flat), shape)


def array_of_objects(elements: Sequence[Any], shape: tuple[int, ...]) -> _Array:
    """An array of bytes or messages that cannot be written to."""
    array = np.empty(len(elements), object)
    for position, element in enumerate(elements):
        array[position] = element
    return _finished(array, shape)


def empty(dtype: Dtype, shape: tuple[int, ...]) -> _Array:
    """An array to be filled."""
    return _finished(np.empty(prod(shape), dtype.numpy.newbyteorder("=")), shape, writeable=True)


def _finished(array: _Array, shape: tuple[int, ...], *, writeable: bool = False) -> _Array:
    try:
        shaped = array.reshape(shape)
    except ValueError as error:  # too many dimensions, or with a zero among them, too large ones
        raise CheckpointError(f"NumPy has no arrays of shape {list(shape)[:70]}") from error
    shaped.flags.writeable = writeable
    return shaped
