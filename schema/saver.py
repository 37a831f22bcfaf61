"""tensorflow/core/protobuf/saver.proto: how a TF1 graph saves and restores itself."""

from __future__ import annotations

from pbwire import table as pb

__all__ = ["SaverDef"]


@pb.message("tensorflow.SaverDef")
class SaverDef(pb.Message):
    """The ops that a tf.train.Saver put into the graph, and its settings."""

    @pb.enum("tensorflow.SaverDef.CheckpointFormatVersion")
    class CheckpointFormatVersion(pb.Enum):
        """The format of the checkpoint files."""

        LEGACY = 0  # TensorFlow's first, internal format
        V1 = 1  # deprecated: one table with the data inside
        V2 = 2  # an index and data files (a "tensor bundle")

    filename_tensor_name: str = pb.string(1)  # feed the checkpoint prefix here
    save_tensor_name: str = pb.string(2)  # fetch this to save
    restore_op_name: str = pb.string(3)  # run this to restore
    max_to_keep: int = pb.int32(4)  # 0 for all
    sharded: bool = pb.bool(5)  # a file for each device
    keep_checkpoint_every_n_hours: float = pb.float(6)  # one checkpoint per this many hours is never deleted
    version: CheckpointFormatVersion = pb.field(CheckpointFormatVersion, 7)
