"""Values as TensorFlow's eager mode has them: `tf.Tensor`, `tf.constant`.

A tensor holds an array and computes nothing: scripts take what `numpy()` returns, or ask whether a value is a tensor.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..refusals import MissingName
from . import dtypes, errors, tensor_shape

__all__ = ["Tensor", "constant"]


class Tensor:
    """An array with a type. `numpy()` returns it: bytes for a string, a NumPy scalar, or an array."""

    __slots__ = ("_array", "dtype")
    __hash__ = None  # type: ignore[assignment]  # as TensorFlow's, whose `==` compares elements

    def __init__(self, array: Any, dtype: Any) -> None:
        self._array = array
        self.dtype = dtypes.as_dtype(dtype)

    def numpy(self) -> Any:
        """Return the value."""
        return self._array[()] if self._array.ndim == 0 else self._array

    @property
    def shape(self) -> Any:
        return tensor_shape.TensorShape(self._array.shape)

    @property
    def ndim(self) -> int:
        return int(self._array.ndim)

    def get_shape(self) -> Any:
        return self.shape

    def _text(self, spell: Any) -> str:
        value = self.numpy()
        text = repr(value) if isinstance(value, bytes) else spell(value)
        return f"\n{text}" if "\n" in text else text

    def __str__(self) -> str:
        return f"tf.Tensor({self._text(str)}, shape={self._array.shape}, dtype={self.dtype.name})"

    def __repr__(self) -> str:
        text = self._text(str if self._array.ndim == 0 else repr)
        return f"<tf.Tensor: shape={self._array.shape}, dtype={self.dtype.name}, numpy={text}>"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self._array, dtype)

    def __len__(self) -> int:
        if self._array.ndim == 0:
            raise TypeError("Scalar tensor has no `len()`")
        return len(self._array)

    def __iter__(self) -> Iterator[Tensor]:
        if self._array.ndim == 0:
            raise TypeError("Cannot iterate over a scalar tensor.")
        return (self[index] for index in range(len(self)))

    def __getitem__(self, index: Any) -> Tensor:
        try:
            part = self._array[index]
        except IndexError as error:
            raise errors.InvalidArgumentError(None, None, str(error)) from error  # type: ignore[attr-defined]  # by a loop
        return Tensor(part if isinstance(part, np.ndarray) else _scalar(part), self.dtype)

    def __bool__(self) -> bool:
        return bool(self._array)

    def __int__(self) -> int:
        return int(self._array)

    def __index__(self) -> int:
        return int(self._array.__index__())

    def __float__(self) -> float:
        return float(self._array)

    def __eq__(self, other: object) -> Any:
        return self._compared(other, np.equal)

    def __ne__(self, other: object) -> Any:
        return self._compared(other, np.not_equal)

    def _compared(self, other: object, compare: Any) -> Any:
        array = other._array if isinstance(other, Tensor) else constant(other)._array
        return Tensor(np.asarray(compare(self._array, array), bool), dtypes.bool)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # what NumPy, copy and others look for
            raise AttributeError(name)
        raise MissingName(f"tensorflow.Tensor.{name}")


def _scalar(value: Any) -> Any:
    array = np.empty((), object if isinstance(value, bytes) else None)
    if isinstance(value, bytes):
        array[()] = value
        return array
    return np.asarray(value)


def string(value: bytes) -> Tensor:
    """Return the tensor of a string."""
    return Tensor(_scalar(value), dtypes.string)


def integer(value: int) -> Tensor:
    """Return the tensor of an integer of 64 bits."""
    return Tensor(np.asarray(value, np.int64), dtypes.int64)


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str = "Const") -> Tensor:
    """Return a tensor of a value, with the type that TensorFlow chooses. Raises what `make_tensor_proto` raises."""
    if isinstance(value, Tensor) and dtype is None and shape is None:
        return value
    from . import tensor_util  # it uses this class

    proto = tensor_util.make_tensor_proto(value, dtype, shape)
    return Tensor(np.asarray(tensor_util.MakeNdarray(proto)), proto.dtype)
