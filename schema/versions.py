"""tensorflow/core/framework/versions.proto: the programs that may read a piece of data."""

from __future__ import annotations

from pbwire import table as pb

__all__ = ["VersionDef"]


@pb.message("tensorflow.VersionDef")
class VersionDef(pb.Message):
    """The version of a format, and its requirements on readers.

    A reader compares its own version with `min_consumer` and `bad_consumers`, and `producer` with the oldest version
    that it still reads. Graphs, checkpoints and SavedModels count their versions separately.
    """

    producer: int = pb.int32(1)  # version of the writer
    min_consumer: int = pb.int32(2)  # older readers must refuse the data
    bad_consumers: list[int] = pb.repeated(pb.int32, 3)  # these readers must also refuse, for instance because of a bug
