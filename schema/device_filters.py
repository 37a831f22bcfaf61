"""tensorflow/core/protobuf/device_filters.proto: which devices each process of a cluster may see."""

from __future__ import annotations

from pbwire import table as pb

__all__ = ["ClusterDeviceFilters", "JobDeviceFilters", "TaskDeviceFilters"]


@pb.message("tensorflow.TaskDeviceFilters")
class TaskDeviceFilters(pb.Message):
    """The devices visible to one process."""

    # such as "/job:ps" or "/job:worker/task:0"; empty for everything
    device_filters: list[str] = pb.repeated(pb.string, 1)


@pb.message("tensorflow.JobDeviceFilters")
class JobDeviceFilters(pb.Message):
    """The devices visible to the processes of one job."""

    name: str = pb.string(1)  # of the job
    tasks: dict[int, TaskDeviceFilters] = pb.map(pb.int32, TaskDeviceFilters, 2)  # by task number


@pb.message("tensorflow.ClusterDeviceFilters")
class ClusterDeviceFilters(pb.Message):
    """The devices visible to the processes of a cluster. Fixed when the cluster starts."""

    jobs: list[JobDeviceFilters] = pb.repeated(JobDeviceFilters, 1)
