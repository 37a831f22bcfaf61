"""tensorflow/core/protobuf/device_filters.proto: which devices each process of a cluster may see."""

from __future__ import annotations

from pbwire import table as pb

__all__ = ["ClusterDeviceFilters", "JobDeviceFilters", "TaskDeviceFilters"]


@pb.message("tensorflow.TaskDeviceFilters")
class TaskDeviceFilters(pb.Message):
    """What one process may see."""

    # such as "/job:ps" or "/job:worker/task:0"; empty for everything
    device_filters: list[str] = pb.repeated(pb.string, 1)


@pb.message("tensorflow.JobDeviceFilters")
class JobDeviceFilters(pb.Message):
    """What the processes of one job may see."""

    name: str = pb.string(1)  # of the job
    tasks: dict[int, TaskDeviceFilters] = pb.map(pb.int32, TaskDeviceFilters, 2)  # by task number


@pb.message("tensorflow.ClusterDeviceFilters")
class ClusterDeviceFilters(pb.Message):
    """What the processes of a cluster may see. Fixed when the cluster starts."""

    jobs: list[JobDeviceFilters] = pb.repeated(JobDeviceFilters, 1)
