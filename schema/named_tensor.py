"""tensorflow/core/protobuf/named_tensor.proto: a tensor with a name."""

from __future__ import annotations

from pbwire import table as pb

from .tensor import TensorProto

__all__ = ["NamedTensorProto"]


@pb.message("tensorflow.NamedTensorProto")
class NamedTensorProto(pb.Message):
    """A tensor with a name: a feed or fetch of a remote session, or a sample input in warm-up data."""

    name: str = pb.string(1)
    tensor: TensorProto | None = pb.field(TensorProto, 2)
