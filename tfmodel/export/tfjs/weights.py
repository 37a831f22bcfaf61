"""Constants as the weights of a TensorFlow.js model: their types in JavaScript, quantization, and bytes.

JavaScript has float32, int32, bool, complex64 and strings. Other floats and integers are converted; TensorFlow.js
treats their nodes as float32 and int32 too. Integers that int32 cannot hold become the nearest number that it can: most
of them mean "to the end". Quantized weights are stored as integers `q` of 8 or 16 bits, which mean `q * scale + min`,
with a range that contains zero exactly if the weight has numbers of both signs; or as half-precision floats.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ...errors import GraphError
from ...files.tfjs.weights import LENGTH
from ...graph.error_text import quote
from ...messages import TensorProto
from ...values.dtypes import dtype_name, dtype_of
from ...values.output_limit import claim
from ...values.tensors import elements_of, to_ndarray

if TYPE_CHECKING:
    import numpy.typing as npt

QUANTIZED_DTYPES = ("float16", "uint8", "uint16")

Quantize: TypeAlias = "str | Mapping[str, str | Iterable[str] | bool] | None"
"""A type for all weights, or for each type the glob patterns of the weights that get it; True stands for the rest."""

_STORED = {"f": "float32", "c": "complex64", "i": "int32", "u": "int32", "b": "bool", "O": "string"}


def parse_quantize(quantize: Quantize) -> list[tuple[str, str]]:
    """Return pairs of a type and a pattern; the pattern is empty for all weights that no other pattern matches.

    Raises ValueError for an unknown type, and if two types are for the rest.
    """
    forms = {quantize: True} if isinstance(quantize, str) else dict(quantize or {})
    pairs: list[tuple[str, str]] = []
    for dtype, patterns in forms.items():
        if dtype not in QUANTIZED_DTYPES:
            raise ValueError(f"quantize takes {', '.join(QUANTIZED_DTYPES)}, not {quote(dtype)}")
        if isinstance(patterns, bool):
            pairs += [(dtype, "")] * patterns
        else:
            pairs += [(dtype, pattern) for pattern in ([patterns] if isinstance(patterns, str) else patterns)]
    if sum(not pattern for _, pattern in pairs) > 1:
        raise ValueError("only one type can be for all weights that no pattern matches")
    return pairs


def refuse_unmatched(pairs: list[tuple[str, str]], names: Collection[str]) -> None:
    """Raise ValueError for a pattern that matches none of the weights, unless it is "*"."""
    for dtype, pattern in pairs:
        if pattern.strip("*") and not any(fnmatchcase(name, pattern) for name in names):
            raise ValueError(f"quantize {dtype}: none of {len(names):,} weights is called {quote(pattern)}")


@dataclass(slots=True)
class Notes:
    """The names of weights that do not have the values of the model, and of weights that are not quantized."""

    rounded: list[str] = field(default_factory=list)
    clipped: list[str] = field(default_factory=list)
    unquantized: list[str] = field(default_factory=list)


class StoredWeight:
    """A constant as a weight. `entry` is its entry in the manifest, `size` the number of its bytes in the files."""

    def __init__(self, name: str, tensor: TensorProto, pairs: list[tuple[str, str]], notes: Notes) -> None:
        row = dtype_of(tensor.dtype)
        if row.codec == "message":
            problem = f"it holds a {dtype_name(tensor.dtype)}, which TensorFlow.js cannot load"
            raise GraphError(f"the Const {quote(name)}: {problem}")
        self._array = to_ndarray(tensor)
        self._dtype = _STORED[self._array.dtype.kind]
        self.entry: dict[str, Any] = {"name": name, "shape": list(self._array.shape), "dtype": self._dtype}
        if self._dtype == "string":
            self.size = sum(LENGTH.size + len(element) for element in elements_of(self._array))
        else:
            if self._array.dtype == np.float32 and (dtype := _quantized_dtype(name, pairs)):
                self._quantize(dtype, name, notes)
            quantization = self.entry.get("quantization")
            self._stored = np.dtype(quantization["dtype"] if quantization else self._dtype).newbyteorder("<")
            self.size = self._array.size * self._stored.itemsize
            self._compare(name, notes)
        claim(self.size, f"the Const {quote(name)}")

    def data(self) -> Iterator[bytes]:
        """Yield the bytes of the weight, in the order of the file."""
        if self._dtype == "string":
            for element in elements_of(self._array):
                yield LENGTH.pack(len(element))
                yield element
            return
        quantization = self.entry.get("quantization")
        for block in _blocks(self._array):
            if quantization is None or self._stored.kind == "f":
                yield _narrow(block, self._stored).tobytes()
            else:
                codes = np.rint((block.astype(np.float64) - quantization["min"]) / quantization["scale"])
                yield codes.clip(0, np.iinfo(self._stored).max).astype(self._stored).tobytes()

    def _quantize(self, dtype: str, name: str, notes: Notes) -> None:
        """Set the quantization of the entry, or note that the weight is not quantized."""
        low, high = _range_of(self._array) if self._array.size else (math.nan, math.nan)
        if not math.isfinite(high - low) or (dtype == "float16" and max(abs(low), abs(high)) >= _HALF_OVERFLOW):
            if self._array.size:
                notes.unquantized.append(name)
            return
        self.entry["quantization"] = {"dtype": dtype}
        if dtype != "float16":
            scale = (high - low) / np.iinfo(dtype).max or 1.0
            if low <= 0 <= high and low < high:
                low = -round(-low / scale) * scale
            self.entry["quantization"] |= {"min": low, "scale": scale}

    def _compare(self, name: str, notes: Notes) -> None:
        """Note a weight whose values change, apart from quantization."""
        kind = self._array.dtype.kind
        if self.entry.get("quantization") or (self._array.dtype.itemsize <= self._stored.itemsize and kind != "u"):
            return
        for block in _blocks(self._array):
            narrow = _narrow(block, self._stored)
            if not np.array_equal(block, narrow.astype(block.dtype), equal_nan=kind in "fc"):
                (notes.clipped if kind in "iu" else notes.rounded).append(name)
                return


_BLOCK = 1 << 20  # elements that are converted at once
_HALF_OVERFLOW = 65520.0  # the smallest number that becomes infinite in half precision


def _quantized_dtype(name: str, pairs: list[tuple[str, str]]) -> str:
    """Return the type to which a weight is quantized; "" for none. Raises ValueError if two types match its name."""
    dtypes = {dtype for dtype, pattern in pairs if pattern and fnmatchcase(name, pattern)}
    if len(dtypes) > 1:
        raise ValueError(f"the weight {quote(name)} would be quantized to {' and to '.join(sorted(dtypes))}")
    return next(iter(dtypes), "") or next((dtype for dtype, pattern in pairs if not pattern), "")


def _blocks(array: npt.NDArray[Any]) -> Iterator[npt.NDArray[Any]]:
    """Yield the elements of an array in C order, in parts of limited size."""
    if not array.size:
        return
    if not any(np.array(array.strides)[np.array(array.shape) > 1]):  # one element for all, in any shape
        element = array[(slice(1),) * array.ndim].reshape(-1)
        for start in range(0, array.size, _BLOCK):
            yield np.broadcast_to(element, (min(_BLOCK, array.size - start),))
        return
    flat = array.reshape(-1)
    for start in range(0, array.size, _BLOCK):
        yield flat[start : start + _BLOCK]


def _narrow(block: npt.NDArray[Any], stored: np.dtype[Any]) -> npt.NDArray[Any]:
    if block.dtype.kind in "iu" and stored.kind == "i":
        limits = np.iinfo(stored)
        with_limits = block.clip(max(limits.min, np.iinfo(block.dtype).min), min(limits.max, np.iinfo(block.dtype).max))
        return with_limits.astype(stored)
    with np.errstate(over="ignore"):
        return block.astype(stored)


def _range_of(array: npt.NDArray[Any]) -> tuple[float, float]:
    """Return the smallest and the largest element; NaN if there is a NaN."""
    return float(array.min()), float(array.max())
