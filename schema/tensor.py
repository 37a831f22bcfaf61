"""tensorflow/core/framework/tensor.proto: a tensor with its type, shape and values."""

from __future__ import annotations

from pbwire import table as pb

from .resource_handle import ResourceHandleProto
from .tensor_shape import TensorShapeProto
from .types import DataType

__all__ = ["TensorProto", "VariantTensorDataProto"]


@pb.message("tensorflow.TensorProto")
class TensorProto(pb.Message):
    """A tensor: the value of a Const node, of an attribute, of a checkpoint slice.

    Values are either in `tensor_content`, as bytes, or in the one `..._val` field that belongs to the dtype, as a list
    in row-major order. If the list has fewer values than the shape, its last value is repeated, so a tensor of equal
    numbers needs only one. An empty list means that all values are zero.
    """

    dtype: DataType = pb.field(DataType, 1)
    tensor_shape: TensorShapeProto | None = pb.field(TensorShapeProto, 2)
    version_number: int = pb.int32(3)  # 0 in everything written so far
    # the elements as they lie in memory, little-endian; for strings: all lengths as varints, then all bytes
    tensor_content: bytes = pb.bytes(4)
    half_val: list[int] = pb.repeated(pb.int32, 13)  # DT_HALF, DT_BFLOAT16: the 16 bits of each as a number
    float_val: list[float] = pb.repeated(pb.float, 5)  # DT_FLOAT
    double_val: list[float] = pb.repeated(pb.double, 6)  # DT_DOUBLE
    int_val: list[int] = pb.repeated(pb.int32, 7)  # DT_INT32 and every narrower integer, signed, unsigned or quantized
    string_val: list[bytes] = pb.repeated(pb.bytes, 8)  # DT_STRING
    scomplex_val: list[float] = pb.repeated(pb.float, 9)  # DT_COMPLEX64: real and imaginary part in turn
    int64_val: list[int] = pb.repeated(pb.int64, 10)  # DT_INT64
    bool_val: list[bool] = pb.repeated(pb.bool, 11)  # DT_BOOL
    dcomplex_val: list[float] = pb.repeated(pb.double, 12)  # DT_COMPLEX128: real and imaginary part in turn
    resource_handle_val: list[ResourceHandleProto] = pb.repeated(ResourceHandleProto, 14)  # DT_RESOURCE
    variant_val: list[VariantTensorDataProto] = pb.repeated("VariantTensorDataProto", 15)  # DT_VARIANT
    uint32_val: list[int] = pb.repeated(pb.uint32, 16)  # DT_UINT32
    uint64_val: list[int] = pb.repeated(pb.uint64, 17)  # DT_UINT64
    float8_val: bytes = pb.bytes(18)  # DT_FLOAT8_*: one byte each


@pb.message("tensorflow.VariantTensorDataProto")
class VariantTensorDataProto(pb.Message):
    """The value of a DT_VARIANT element: a C++ object in serialized form."""

    type_name: str = pb.string(1)  # as the C++ class registered itself, such as "tensorflow::TensorList"
    metadata: bytes = pb.bytes(2)  # everything that is not a tensor; only the class can read it
    tensors: list[TensorProto] = pb.repeated(TensorProto, 3)  # the tensors inside the object
