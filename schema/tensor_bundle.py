"""tensorflow/core/protobuf/tensor_bundle.proto: the records of a checkpoint's .index file."""

from __future__ import annotations

from pbwire import table as pb

from .tensor_shape import TensorShapeProto
from .tensor_slice import TensorSliceProto
from .types import DataType
from .versions import VersionDef

__all__ = ["BundleEntryProto", "BundleHeaderProto"]


@pb.message("tensorflow.BundleHeaderProto")
class BundleHeaderProto(pb.Message):
    """The first record of an index, under the empty key."""

    @pb.enum("tensorflow.BundleHeaderProto.Endianness")
    class Endianness(pb.Enum):
        """Byte order of the machine that wrote the checkpoint."""

        LITTLE = 0
        BIG = 1

    num_shards: int = pb.int32(1)  # number of data files
    endianness: Endianness = pb.field(Endianness, 2)  # of the tensor bytes in the data files
    version: VersionDef | None = pb.field(VersionDef, 3)


@pb.message("tensorflow.BundleEntryProto")
class BundleEntryProto(pb.Message):
    """The place of a tensor in the data files: the record under its name.

    With `slices`, the tensor is stored in parts. Each part has its own record, under a key that consists of the name
    and the slice. Of this record, only dtype and shape are then used.
    """

    dtype: DataType = pb.field(DataType, 1)
    shape: TensorShapeProto | None = pb.field(TensorShapeProto, 2)
    shard_id: int = pb.int32(3)  # number of the data file
    offset: int = pb.int64(4)  # into the data file, in bytes
    size: int = pb.int64(5)  # in bytes
    crc32c: int = pb.fixed32(6)  # masked; for strings and variants, not of exactly the bytes in the file
    slices: list[TensorSliceProto] = pb.repeated(TensorSliceProto, 7)
