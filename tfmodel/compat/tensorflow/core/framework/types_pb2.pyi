"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar

DESCRIPTOR: _Any

DataType: _EnumWrapper
DT_INVALID: _int
DT_FLOAT: _int
DT_DOUBLE: _int
DT_INT32: _int
DT_UINT8: _int
DT_INT16: _int
DT_INT8: _int
DT_STRING: _int
DT_COMPLEX64: _int
DT_INT64: _int
DT_BOOL: _int
DT_QINT8: _int
DT_QUINT8: _int
DT_QINT32: _int
DT_BFLOAT16: _int
DT_QINT16: _int
DT_QUINT16: _int
DT_UINT16: _int
DT_COMPLEX128: _int
DT_HALF: _int
DT_RESOURCE: _int
DT_VARIANT: _int
DT_UINT32: _int
DT_UINT64: _int
DT_FLOAT8_E5M2: _int
DT_FLOAT8_E4M3FN: _int
DT_FLOAT8_E4M3FNUZ: _int
DT_FLOAT8_E4M3B11FNUZ: _int
DT_FLOAT8_E5M2FNUZ: _int
DT_INT4: _int
DT_UINT4: _int
DT_INT2: _int
DT_UINT2: _int
DT_FLOAT4_E2M1FN: _int
DT_FLOAT_REF: _int
DT_DOUBLE_REF: _int
DT_INT32_REF: _int
DT_UINT8_REF: _int
DT_INT16_REF: _int
DT_INT8_REF: _int
DT_STRING_REF: _int
DT_COMPLEX64_REF: _int
DT_INT64_REF: _int
DT_BOOL_REF: _int
DT_QINT8_REF: _int
DT_QUINT8_REF: _int
DT_QINT32_REF: _int
DT_BFLOAT16_REF: _int
DT_QINT16_REF: _int
DT_QUINT16_REF: _int
DT_UINT16_REF: _int
DT_COMPLEX128_REF: _int
DT_HALF_REF: _int
DT_RESOURCE_REF: _int
DT_VARIANT_REF: _int
DT_UINT32_REF: _int
DT_UINT64_REF: _int
DT_FLOAT8_E5M2_REF: _int
DT_FLOAT8_E4M3FN_REF: _int
DT_FLOAT8_E4M3FNUZ_REF: _int
DT_FLOAT8_E4M3B11FNUZ_REF: _int
DT_FLOAT8_E5M2FNUZ_REF: _int
DT_INT4_REF: _int
DT_UINT4_REF: _int
DT_INT2_REF: _int
DT_UINT2_REF: _int
DT_FLOAT4_E2M1FN_REF: _int

class SerializedDType(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    DATATYPE_FIELD_NUMBER: _ClassVar[_int]
    datatype: _int
    def __init__(self, *, datatype: _int | _str | None = ...) -> None: ...
