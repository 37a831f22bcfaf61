"""tensorflow/core/protobuf/tensorflow_server.proto: one process of a cluster."""

from __future__ import annotations

from pbwire import table as pb

from .cluster import ClusterDef
from .config import ConfigProto
from .device_filters import ClusterDeviceFilters

__all__ = ["ServerDef"]


@pb.message("tensorflow.ServerDef")
class ServerDef(pb.Message):
    """The role of a TensorFlow server and the cluster that it belongs to."""

    cluster: ClusterDef | None = pb.field(ClusterDef, 1)
    job_name: str = pb.string(2)  # one of the cluster's jobs
    replica: int = pb.int32(8)  # the replica that this server manages
    task_index: int = pb.int32(3)  # a key of that job's tasks
    default_session_config: ConfigProto | None = pb.field(ConfigProto, 4)
    protocol: str = pb.string(5)  # such as "grpc"
    port: int = pb.int32(6)  # 0 takes it from the cluster
    cluster_device_filters: ClusterDeviceFilters | None = pb.field(ClusterDeviceFilters, 7)
