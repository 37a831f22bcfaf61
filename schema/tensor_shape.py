"""tensorflow/core/framework/tensor_shape.proto: the shape of a tensor, known in whole or in part."""

from __future__ import annotations

from pbwire import table as pb

__all__ = ["TensorShapeProto"]


@pb.message("tensorflow.TensorShapeProto")
class TensorShapeProto(pb.Message):
    """The dimensions of a tensor, outermost first.

    Without dimensions it is the shape of a scalar, unless `unknown_rank` says that not even their number is known.
    """

    @pb.message("tensorflow.TensorShapeProto.Dim")
    class Dim(pb.Message):
        """One dimension."""

        size: int = pb.int64(1)  # -1 when unknown
        name: str = pb.string(2)  # TensorFlow ignores it

    dim: list[Dim] = pb.repeated(Dim, 2)
    unknown_rank: bool = pb.bool(3)  # only without `dim`
