"""tensorflow/core/framework/types.proto: the element types of tensors."""

from __future__ import annotations

from pbwire import table as pb

__all__ = ["DataType", "SerializedDType"]


@pb.enum("tensorflow.DataType")
class DataType(pb.Enum):
    """The element type of a tensor.

    Numbers above 100 are references to a TF1 variable of type number - 100; tensors in files never have them.
    """

    DT_INVALID = 0  # not set
    DT_FLOAT = 1
    DT_DOUBLE = 2
    DT_INT32 = 3
    DT_UINT8 = 4
    DT_INT16 = 5
    DT_INT8 = 6
    DT_STRING = 7  # byte strings of any length
    DT_COMPLEX64 = 8  # two float32
    DT_INT64 = 9
    DT_BOOL = 10
    DT_QINT8 = 11  # quantized, like all DT_Q...: min and max tensors give the range of real numbers
    DT_QUINT8 = 12
    DT_QINT32 = 13
    DT_BFLOAT16 = 14  # the upper half of a float32
    DT_QINT16 = 15
    DT_QUINT16 = 16
    DT_UINT16 = 17
    DT_COMPLEX128 = 18  # two float64
    DT_HALF = 19  # IEEE float16
    DT_RESOURCE = 20  # handle to a variable, a table, ...
    DT_VARIANT = 21  # any C++ object
    DT_UINT32 = 22
    DT_UINT64 = 23
    DT_FLOAT8_E5M2 = 24  # 5 bits exponent, 2 bits mantissa; has infinities
    DT_FLOAT8_E4M3FN = 25  # no infinities, two NaNs
    DT_FLOAT8_E4M3FNUZ = 26  # no infinities, no -0.0, one NaN
    DT_FLOAT8_E4M3B11FNUZ = 27  # the same with an exponent bias of 11
    DT_FLOAT8_E5M2FNUZ = 28  # no infinities, no -0.0, one NaN
    DT_INT4 = 29  # 4 bits
    DT_UINT4 = 30
    DT_INT2 = 31
    DT_UINT2 = 32
    DT_FLOAT4_E2M1FN = 33  # 2 bits exponent, 1 bit mantissa; neither infinities nor NaN
    DT_FLOAT_REF = 101
    DT_DOUBLE_REF = 102
    DT_INT32_REF = 103
    DT_UINT8_REF = 104
    DT_INT16_REF = 105
    DT_INT8_REF = 106
    DT_STRING_REF = 107
    DT_COMPLEX64_REF = 108
    DT_INT64_REF = 109
    DT_BOOL_REF = 110
    DT_QINT8_REF = 111
    DT_QUINT8_REF = 112
    DT_QINT32_REF = 113
    DT_BFLOAT16_REF = 114
    DT_QINT16_REF = 115
    DT_QUINT16_REF = 116
    DT_UINT16_REF = 117
    DT_COMPLEX128_REF = 118
    DT_HALF_REF = 119
    DT_RESOURCE_REF = 120
    DT_VARIANT_REF = 121
    DT_UINT32_REF = 122
    DT_UINT64_REF = 123
    DT_FLOAT8_E5M2_REF = 124
    DT_FLOAT8_E4M3FN_REF = 125
    DT_FLOAT8_E4M3FNUZ_REF = 126
    DT_FLOAT8_E4M3B11FNUZ_REF = 127
    DT_FLOAT8_E5M2FNUZ_REF = 128
    DT_INT4_REF = 129
    DT_UINT4_REF = 130
    DT_INT2_REF = 131
    DT_UINT2_REF = 132
    DT_FLOAT4_E2M1FN_REF = 133


@pb.message("tensorflow.SerializedDType")
class SerializedDType(pb.Message):
    """A tf.DType as a trace type of a function."""

    datatype: DataType = pb.field(DataType, 1)
