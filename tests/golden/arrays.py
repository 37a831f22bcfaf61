"""Arrays in JSON goldens: [dtype, shape, base64 of the elements]; string arrays ["object", shape, [base64]]."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

__all__ = ["read_array", "written_array"]


def read_array(value: Any) -> np.ndarray[Any, Any]:
    """Return the array that `written_array` has written; numbers are read-only."""
    dtype, shape, data = value
    if dtype == "object":
        array = np.empty(len(data), object)
        array[:] = [base64.b64decode(text) for text in data]
        return array.reshape(shape)
    return np.frombuffer(base64.b64decode(data), dtype).reshape(shape)


def written_array(array: Any) -> list[Any]:
    """Return an array as JSON has it. Strings are bytes, or text, which becomes UTF-8."""
    array = np.asarray(array, object if isinstance(array, (bytes, str)) else None)
    if array.dtype == object:
        flat = [element if isinstance(element, bytes) else str(element).encode() for element in array.ravel().tolist()]
        return ["object", list(array.shape), [base64.b64encode(element).decode() for element in flat]]
    array = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).reshape(array.shape)
    return [array.dtype.str, list(array.shape), base64.b64encode(array.tobytes()).decode()]
