"""tensorflow/python/framework/cpp_shape_inference.proto: what shape inference tells Python."""

from __future__ import annotations

from pbwire import table as pb

from .full_type import FullTypeDef
from .tensor_shape import TensorShapeProto
from .types import DataType

__all__ = ["CppShapeInferenceInputsNeeded", "CppShapeInferenceResult"]


@pb.message("tensorflow.CppShapeInferenceResult")
class CppShapeInferenceResult(pb.Message):
    """The shape of a tensor, and of the value behind a resource or variant handle."""

    @pb.message("tensorflow.CppShapeInferenceResult.HandleShapeAndType")
    class HandleShapeAndType(pb.Message):
        """The shape and type of one tensor behind a handle."""

        shape: TensorShapeProto | None = pb.field(TensorShapeProto, 1)
        dtype: DataType = pb.field(DataType, 2)
        type: FullTypeDef | None = pb.field(FullTypeDef, 4)

    @pb.message("tensorflow.CppShapeInferenceResult.HandleData")
    class HandleData(pb.Message):
        """The tensors behind a handle, as the attribute `_handle_data` has them."""

        is_set: bool = pb.bool(1)  # false: nothing is known
        shape_and_type: list[CppShapeInferenceResult.HandleShapeAndType] = pb.repeated(
            "CppShapeInferenceResult.HandleShapeAndType", 2
        )

    shape: TensorShapeProto | None = pb.field(TensorShapeProto, 1)
    handle_data: HandleData | None = pb.field(HandleData, 4)


@pb.message("tensorflow.CppShapeInferenceInputsNeeded")
class CppShapeInferenceInputsNeeded(pb.Message):
    """The inputs whose values shape inference of a node needs, by position."""

    input_tensors_needed: list[int] = pb.repeated(pb.int32, 1)
    input_tensors_as_shapes_needed: list[int] = pb.repeated(pb.int32, 2)
