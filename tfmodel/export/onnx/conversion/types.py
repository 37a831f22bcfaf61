"""The element types of ONNX by those of TensorFlow."""

from __future__ import annotations

from ....messages import DataType

ONNX_TYPES = {
    DataType.DT_FLOAT: 1,
    DataType.DT_UINT8: 2,
    DataType.DT_QUINT8: 2,
    DataType.DT_INT8: 3,
    DataType.DT_QINT8: 3,
    DataType.DT_UINT16: 4,
    DataType.DT_QUINT16: 4,
    DataType.DT_INT16: 5,
    DataType.DT_QINT16: 5,
    DataType.DT_INT32: 6,
    DataType.DT_QINT32: 6,
    DataType.DT_INT64: 7,
    DataType.DT_STRING: 8,
    DataType.DT_BOOL: 9,
    DataType.DT_HALF: 10,
    DataType.DT_DOUBLE: 11,
    DataType.DT_UINT32: 12,
    DataType.DT_UINT64: 13,
    DataType.DT_BFLOAT16: 16,
}
"""The numbers that ONNX has for types. Complex numbers, handles and variants have no operators there."""


def onnx_type(dtype: DataType) -> int:
    """Return ONNX's number of a type. Raises KeyError for a type that no operator takes."""
    return ONNX_TYPES[dtype]
