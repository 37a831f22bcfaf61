"""The element types of ONNX by those of TensorFlow."""

from __future__ import annotations

from ....values.dtypes import DTYPES
from ....values.dtypes.onnx import ONNX_DTYPES

_NUMBERS = {ONNX_DTYPES[number].name: number for number in (*range(1, 14), 16)}

ONNX_TYPES = {row.number: _NUMBERS[name] for row in DTYPES.values() if (name := row.name.removeprefix("q")) in _NUMBERS}
"""The numbers that ONNX has for types. Complex numbers, handles and variants have no operators there."""
