"""tensorflow/core/framework/tensor_slice.proto: a rectangular part of a tensor."""

from __future__ import annotations

from pbwire import table as pb

__all__ = ["TensorSliceProto"]


@pb.message("tensorflow.TensorSliceProto")
class TensorSliceProto(pb.Message):
    """A part of a larger tensor: one extent for each dimension.

    Checkpoints of partitioned variables use it.
    """

    @pb.message("tensorflow.TensorSliceProto.Extent")
    class Extent(pb.Message):
        """The part along one dimension. An empty message is all of it."""

        start: int = pb.int64(1)  # first index, from 0
        length: int | None = pb.int64(2, oneof="has_length_hack")  # None or -1: everything

    extent: list[Extent] = pb.repeated(Extent, 1)
