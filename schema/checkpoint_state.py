"""tensorflow/python/training/checkpoint_state.proto: the checkpoints of a folder."""

from __future__ import annotations

from pbwire import table as pb

__all__ = ["CheckpointState"]


@pb.message("tensorflow.CheckpointState")
class CheckpointState(pb.Message):
    """The text file `checkpoint` in a folder of checkpoints. Relative paths are relative to this folder."""

    model_checkpoint_path: str = pb.string(1)  # prefix of the newest checkpoint
    all_model_checkpoint_paths: list[str] = pb.repeated(pb.string, 2)  # prefixes of all that still exist, oldest first
    # when each checkpoint was written, in seconds since the epoch
    all_model_checkpoint_timestamps: list[float] = pb.repeated(pb.double, 3)
    # when the newest checkpoint that is kept for good was written, in seconds since the epoch
    last_preserved_timestamp: float = pb.double(4)
