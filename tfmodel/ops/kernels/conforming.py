"""What kernels give, as tensors of the types that their ops declare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ...dtypes import DTYPES, Dtype
from ...errors import RunError
from ...messages import DataType
from ...small_floats import FORMATS

__all__ = ["conformed", "rounded"]

_Array = npt.NDArray[Any]
_ANYTHING = frozenset({DataType.DT_RESOURCE, DataType.DT_VARIANT})


def conformed(outputs: Sequence[Any], types: Sequence[DataType | None] | None) -> list[Any]:
    """Arrays of the declared types; handles and variants as they are. `types` is None if nobody knows them.

    Raises RunError if there are more or fewer outputs than types, or complex numbers where there should be none.
    """
    if types is None:
        return list(outputs)
    if len(outputs) != len(types):
        raise RunError(f"the kernel gives {len(outputs)} tensors, the op has {len(types)} outputs")
    return [_tensor(value, dtype) for value, dtype in zip(outputs, types, strict=True)]


def _tensor(value: Any, dtype: DataType | None) -> Any:
    row = DTYPES.get(dtype) if dtype is not None else None
    if row is None or dtype in _ANYTHING:
        return value  # a reference to a variable, a handle, or of a type that nobody knows
    if type(value) is not np.ndarray:
        value = np.asarray(value, object if row.is_object else None)
    if value.dtype != row.numpy:
        if value.dtype.kind == "c" != row.kind:
            raise RunError(f"it gives complex numbers, its attributes say {row.name}")
        value = value.astype(row.numpy)
    return rounded(value, row) if row.codec == "float" else value


def rounded(values: _Array, row: Dtype) -> _Array:
    """Floats rounded to what a narrower type can hold, to nearest even; what is too large for bfloat16 is infinite."""
    if row.name == "bfloat16":
        bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
        up = ((bits >> np.uint32(16)) & np.uint32(1)) + np.uint32(0x7FFF)
        with np.errstate(over="ignore"):
            kept = (bits + up) & np.uint32(0xFFFF0000)
        kept = np.where(np.isnan(values), np.uint32(0x7FC00000), kept)
        return np.asarray(kept.view(np.float32)).reshape(values.shape)
    codes, lost = FORMATS[row.name].encode(np.asarray(values))
    return np.where(lost, np.float32("nan"), FORMATS[row.name].decode(codes))
