"""tensorflow/core/protobuf/cluster.proto: the processes of a distributed job."""

from __future__ import annotations

from pbwire import table as pb

__all__ = ["ClusterDef", "JobDef"]


@pb.message("tensorflow.JobDef")
class JobDef(pb.Message):
    """One job: a group of processes with the same role."""

    name: str = pb.string(1)  # such as "worker" or "ps"
    # from task number to "host:port"; the numbers need not be dense
    tasks: dict[int, str] = pb.map(pb.int32, pb.string, 2)


@pb.message("tensorflow.ClusterDef")
class ClusterDef(pb.Message):
    """All processes that work together."""

    job: list[JobDef] = pb.repeated(JobDef, 1)
