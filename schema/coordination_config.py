"""xla/tsl/protobuf/coordination_config.proto: the service that watches the tasks of a cluster."""

from __future__ import annotations

from pbwire import table as pb

__all__ = ["CoordinatedJob", "CoordinationServiceConfig"]


@pb.message("tensorflow.CoordinatedJob")
class CoordinatedJob(pb.Message):
    """A job that the service coordinates."""

    name: str = pb.string(1)
    num_tasks: int = pb.int32(2)  # tasks 0 to num_tasks - 1


@pb.message("tensorflow.CoordinationServiceConfig")
class CoordinationServiceConfig(pb.Message):
    """The service by which tasks of a cluster find each other and detect a lost task. Unset fields take a default."""

    service_type: str = pb.string(1)  # such as "standalone"; empty for none
    service_leader: str = pb.string(2)  # the task that hosts the service, such as "/job:worker/task:0"
    enable_health_check: bool = pb.bool(3)
    cluster_register_timeout_in_ms: int = pb.int64(4)  # how long to wait for all tasks to appear
    cluster_register_with_barrier: bool = pb.bool(14)  # registering waits for all tasks
    heartbeat_timeout_in_ms: int = pb.int64(5)  # a task that sends none for this long is lost
    coordinated_job_list: list[CoordinatedJob] = pb.repeated(CoordinatedJob, 10)  # jobs whose tasks have to register
    shutdown_barrier_timeout_in_ms: int = pb.int64(7)  # how long tasks wait for each other at the end; 0: not at all
    agent_destruction_without_shutdown: bool = pb.bool(8)  # tasks end without notice; for tests
    recoverable_jobs: list[str] = pb.repeated(pb.string, 9)  # jobs whose tasks may fail without harm to others
    allow_new_incarnation_to_reconnect: bool = pb.bool(11)  # a task that was restarted may come back
    force_disable: bool = pb.bool(12)  # off, even where a library would turn it on
    poll_for_error_from_service_at_startup: bool = pb.bool(13)  # learn of errors by long polling
