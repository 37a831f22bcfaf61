"""tensorflow/core/util/saved_tensor_slice.proto: the records of a V1 checkpoint."""

from __future__ import annotations

from pbwire import table as pb

from .tensor import TensorProto
from .tensor_shape import TensorShapeProto
from .tensor_slice import TensorSliceProto
from .types import DataType
from .versions import VersionDef

__all__ = ["SavedSlice", "SavedSliceMeta", "SavedTensorSliceMeta", "SavedTensorSlices"]


@pb.message("tensorflow.SavedSliceMeta")
class SavedSliceMeta(pb.Message):
    """One tensor of the file: its type, its full shape and the slices that the file has."""

    name: str = pb.string(1)  # of the tensor
    shape: TensorShapeProto | None = pb.field(TensorShapeProto, 2)  # of the whole tensor
    type: DataType = pb.field(DataType, 3)
    slice: list[TensorSliceProto] = pb.repeated(TensorSliceProto, 4)


@pb.message("tensorflow.SavedTensorSliceMeta")
class SavedTensorSliceMeta(pb.Message):
    """The table of contents of a V1 checkpoint file: the record under the empty key."""

    tensor: list[SavedSliceMeta] = pb.repeated(SavedSliceMeta, 1)
    versions: VersionDef | None = pb.field(VersionDef, 2)  # of the checkpoint format


@pb.message("tensorflow.SavedSlice")
class SavedSlice(pb.Message):
    """The values of one slice. The record's key is made of name and slice."""

    name: str = pb.string(1)
    slice: TensorSliceProto | None = pb.field(TensorSliceProto, 2)
    # has its `..._val` field only: type and shape follow from SavedSliceMeta and the slice
    data: TensorProto | None = pb.field(TensorProto, 3)


@pb.message("tensorflow.SavedTensorSlices")
class SavedTensorSlices(pb.Message):
    """A record of a V1 checkpoint file, with one of the two fields set."""

    meta: SavedTensorSliceMeta | None = pb.field(SavedTensorSliceMeta, 1)  # in the first record
    data: SavedSlice | None = pb.field(SavedSlice, 2)  # in all others
