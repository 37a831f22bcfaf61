"""tensorflow/core/protobuf/named_tensor.proto: a tensor with a name."""

from __future__ import annotations

from pbwire import table as pb

from .tensor import TensorProto

__all__ = ["NamedTensorProto"]


@pb.message("tensorflow.NamedTensorProto")
class NamedTensorProto(pb.Message):
    """A tensor under a name, as feeds and fetches of remote sessions and the sample inputs of warm-up data are sent."""

    name: str = pb.string(1)
    tensor: TensorProto | None = pb.field(TensorProto, 2)
