"""Write .safetensors: named tensors in a format that many programs read.

    with open("weights.safetensors", "wb") as file:
        write_safetensors(file, [Tensor("kernel", dtype_of(DataType.DT_FLOAT), kernel.shape, lambda: kernel)])

A file consists of the length of the header (8 bytes, little-endian), the header, and the bytes of the tensors without
gaps. The header is a JSON object with the type, shape and place of every tensor:

    {"kernel": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}}

Blanks after the header align the first tensor to a multiple of 8 bytes. Tensors with larger elements come first, so
that each tensor is aligned to the size of its elements. Equal tensors give equal files.

bfloat16 and float8 keep their types. Types that the format lacks are written as the NumPy type that users get: integers
of 4 and 2 bits as int8 and uint8, other small floats as float32, and quantized types as their integers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ..dtypes import Dtype

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["Tensor", "type_in_safetensors", "write_safetensors"]

METADATA = "__metadata__"
"""The reserved name that a tensor must not have."""

_ALIGNED = 8

# The types that are stored unchanged, by their names.
_TYPES = {
    "bool": "BOOL",
    "int8": "I8",
    "uint8": "U8",
    "int16": "I16",
    "uint16": "U16",
    "int32": "I32",
    "uint32": "U32",
    "int64": "I64",
    "uint64": "U64",
    "float16": "F16",
    "float32": "F32",
    "float64": "F64",
    "bfloat16": "BF16",
    "float8_e4m3fn": "F8_E4M3",
    "float8_e5m2": "F8_E5M2",
    "float8_e4m3fnuz": "F8_E4M3FNUZ",
    "float8_e5m2fnuz": "F8_E5M2FNUZ",
    "complex64": "C64",
}

# For all other types: the type of the arrays that users get, by NumPy's spelling.
_GIVEN = {"|i1": "I8", "|u1": "U8", "<i2": "I16", "<u2": "U16", "<i4": "I32", "<f4": "F32"}


class Sink(Protocol):
    """The part of a binary file that `write_safetensors` needs."""

    def write(self, data: Any, /) -> object: ...


class Tensor(NamedTuple):
    """A tensor to write. `array` is a function that returns the elements; it is called when they are written."""

    name: str
    dtype: Dtype
    shape: tuple[int, ...]
    array: Callable[[], npt.NDArray[Any]]


def type_in_safetensors(dtype: Dtype) -> str | None:
    """Return the name of an element type in the format; None for types that it lacks, such as strings."""
    return _TYPES.get(dtype.name) or _GIVEN.get(dtype.given)


def write_safetensors(file: Sink, tensors: Iterable[Tensor], metadata: Mapping[str, str] | None = None) -> None:
    """Write tensors one after another, so that only one has to be in memory. `metadata` is stored in the header.

    Raises ValueError for duplicate names, for the name "__metadata__", for a type that the format lacks, and for an
    array whose shape differs from the declared one.
    """
    ordered = sorted(tensors, key=lambda tensor: -_itemsize(tensor))
    header: dict[str, Any] = {METADATA: dict(metadata)} if metadata else {}
    end = 0
    for tensor in ordered:
        if tensor.name in header or tensor.name == METADATA:
            raise ValueError(f"there cannot be another tensor called {tensor.name!r}")
        start, end = end, end + prod(tensor.shape) * _itemsize(tensor)
        header[tensor.name] = {
            "dtype": type_in_safetensors(tensor.dtype),
            "shape": list(tensor.shape),
            "data_offsets": [start, end],
        }
    data = json.dumps(header, separators=(",", ":")).encode()
    data += b" " * (-len(data) % _ALIGNED)
    file.write(len(data).to_bytes(8, "little"))
    file.write(data)
    for tensor in ordered:
        _write(file, tensor)


def _itemsize(tensor: Tensor) -> int:
    if type_in_safetensors(tensor.dtype) is None:
        raise ValueError(f"{tensor.name!r} is {tensor.dtype.name}, for which safetensors has no type")
    if tensor.dtype.name in _TYPES:
        return tensor.dtype.itemsize
    return int(tensor.dtype.given[2:])


def _write(file: Sink, tensor: Tensor) -> None:
    import numpy as np

    array = tensor.array()
    if array.shape != tensor.shape:
        raise ValueError(f"{tensor.name!r} has shape {list(array.shape)}, not {list(tensor.shape)}")
    row = tensor.dtype
    if row.name in _TYPES and row.codec:
        stored = row.encode(array)
    else:
        stored = np.asarray(array, dtype=row.given)  # little-endian, on any machine
    if stored.size:
        file.write(np.ascontiguousarray(stored).reshape(-1).view(np.uint8).data)
