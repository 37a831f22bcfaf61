"""tensorflow/core/framework/tensor_description.proto: a tensor without its values."""

from __future__ import annotations

from pbwire import table as pb

from .allocation_description import AllocationDescription
from .tensor_shape import TensorShapeProto
from .types import DataType

__all__ = ["TensorDescription"]


@pb.message("tensorflow.TensorDescription")
class TensorDescription(pb.Message):
    """Type, shape and memory of a tensor that a traced node made."""

    dtype: DataType = pb.field(DataType, 1)
    shape: TensorShapeProto | None = pb.field(TensorShapeProto, 2)
    allocation_description: AllocationDescription | None = pb.field(AllocationDescription, 4)
