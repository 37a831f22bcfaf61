"""tensorflow/core/framework/resource_handle.proto: the value of a DT_RESOURCE tensor."""

from __future__ import annotations

from pbwire import table as pb

from .tensor_shape import TensorShapeProto
from .types import DataType

__all__ = ["ResourceHandleProto"]


@pb.message("tensorflow.ResourceHandleProto")
class ResourceHandleProto(pb.Message):
    """A reference to something that lives on a device: a variable, a table, an iterator.

    It is valid only in the run that made it, and is rarely found in files.
    """

    @pb.message("tensorflow.ResourceHandleProto.DtypeAndShape")
    class DtypeAndShape(pb.Message):
        """Type and shape of a tensor behind a handle."""

        dtype: DataType = pb.field(DataType, 1)
        shape: TensorShapeProto | None = pb.field(TensorShapeProto, 2)

    device: str = pb.string(1)
    container: str = pb.string(2)  # namespace of the resources on a device
    name: str = pb.string(3)  # within its container
    hash_code: int = pb.uint64(4)  # of the resource's C++ type; valid in the same process
    maybe_type_name: str = pb.string(5)  # that type's name, for messages
    # content of the resource: one entry for a variable
    dtypes_and_shapes: list[DtypeAndShape] = pb.repeated(DtypeAndShape, 6)
