"""The element types of ONNX: a row for each value of TensorProto.DataType of ONNX.

Names are those of NumPy and of TensorFlow, so that reports of both kinds of models have the same. Numbers stand here
instead of the enum, whose import would bring all tables of ONNX.
"""

from __future__ import annotations

from typing import NamedTuple


class OnnxDtype(NamedTuple):
    """One element type.

    bits      of an element in `raw_data`; 0 for strings, which have no fixed size
    field     the field of a TensorProto that lists the elements, if they are not in `raw_data`
    values    the values in this field for one element: 2 for complex numbers
    shared    the elements in one such value: several if they are narrower than a byte
    """

    name: str
    bits: int
    field: str = "int32_data"
    values: int = 1
    shared: int = 1


ONNX_DTYPES = {
    1: OnnxDtype("float32", 32, "float_data"),
    2: OnnxDtype("uint8", 8),
    3: OnnxDtype("int8", 8),
    4: OnnxDtype("uint16", 16),
    5: OnnxDtype("int16", 16),
    6: OnnxDtype("int32", 32),
    7: OnnxDtype("int64", 64, "int64_data"),
    8: OnnxDtype("string", 0, "string_data"),
    9: OnnxDtype("bool", 8),
    10: OnnxDtype("float16", 16),
    11: OnnxDtype("float64", 64, "double_data"),
    12: OnnxDtype("uint32", 32, "uint64_data"),
    13: OnnxDtype("uint64", 64, "uint64_data"),
    14: OnnxDtype("complex64", 64, "float_data", 2),
    15: OnnxDtype("complex128", 128, "double_data", 2),
    16: OnnxDtype("bfloat16", 16),
    17: OnnxDtype("float8_e4m3fn", 8),
    18: OnnxDtype("float8_e4m3fnuz", 8),
    19: OnnxDtype("float8_e5m2", 8),
    20: OnnxDtype("float8_e5m2fnuz", 8),
    21: OnnxDtype("uint4", 4, shared=2),
    22: OnnxDtype("int4", 4, shared=2),
    23: OnnxDtype("float4_e2m1fn", 4, shared=2),
    24: OnnxDtype("float8_e8m0fnu", 8),
    25: OnnxDtype("uint2", 2, shared=4),
    26: OnnxDtype("int2", 2, shared=4),
    27: OnnxDtype("float6_e2m3fn", 6),
    28: OnnxDtype("float6_e3m2fn", 6),
}
"""The types by number; those of later versions are missing."""


def onnx_dtype_name(number: int | None) -> str:
    """Return the name of a type; "undefined" for 0 and None, "type 99" for a number without a row."""
    row = ONNX_DTYPES.get(number or 0)
    return row.name if row is not None else f"type {number}" if number else "undefined"
