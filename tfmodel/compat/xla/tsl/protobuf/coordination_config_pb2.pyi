"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar

DESCRIPTOR: _Any

class CoordinatedJob(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    NAME_FIELD_NUMBER: _ClassVar[_int]
    NUM_TASKS_FIELD_NUMBER: _ClassVar[_int]
    name: _str
    num_tasks: _int
    def __init__(self, *, name: _str | _bytes | None = ..., num_tasks: _int | None = ...) -> None: ...

class CoordinationServiceConfig(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    SERVICE_TYPE_FIELD_NUMBER: _ClassVar[_int]
    SERVICE_LEADER_FIELD_NUMBER: _ClassVar[_int]
    ENABLE_HEALTH_CHECK_FIELD_NUMBER: _ClassVar[_int]
    CLUSTER_REGISTER_TIMEOUT_IN_MS_FIELD_NUMBER: _ClassVar[_int]
    CLUSTER_REGISTER_WITH_BARRIER_FIELD_NUMBER: _ClassVar[_int]
    HEARTBEAT_TIMEOUT_IN_MS_FIELD_NUMBER: _ClassVar[_int]
    COORDINATED_JOB_LIST_FIELD_NUMBER: _ClassVar[_int]
    SHUTDOWN_BARRIER_TIMEOUT_IN_MS_FIELD_NUMBER: _ClassVar[_int]
    AGENT_DESTRUCTION_WITHOUT_SHUTDOWN_FIELD_NUMBER: _ClassVar[_int]
    RECOVERABLE_JOBS_FIELD_NUMBER: _ClassVar[_int]
    ALLOW_NEW_INCARNATION_TO_RECONNECT_FIELD_NUMBER: _ClassVar[_int]
    FORCE_DISABLE_FIELD_NUMBER: _ClassVar[_int]
    POLL_FOR_ERROR_FROM_SERVICE_AT_STARTUP_FIELD_NUMBER: _ClassVar[_int]
    service_type: _str
    service_leader: _str
    enable_health_check: _bool
    cluster_register_timeout_in_ms: _int
    cluster_register_with_barrier: _bool
    heartbeat_timeout_in_ms: _int
    @property
    def coordinated_job_list(self) -> _RepeatedMessage[CoordinatedJob]: ...
    shutdown_barrier_timeout_in_ms: _int
    agent_destruction_without_shutdown: _bool
    @property
    def recoverable_jobs(self) -> _RepeatedScalar[_str]: ...
    allow_new_incarnation_to_reconnect: _bool
    force_disable: _bool
    poll_for_error_from_service_at_startup: _bool
    def __init__(self, *, service_type: _str | _bytes | None = ..., service_leader: _str | _bytes | None = ..., enable_health_check: _bool | None = ..., cluster_register_timeout_in_ms: _int | None = ..., cluster_register_with_barrier: _bool | None = ..., heartbeat_timeout_in_ms: _int | None = ..., coordinated_job_list: _Iterable[CoordinatedJob | _Mapping[_str, _Any]] | None = ..., shutdown_barrier_timeout_in_ms: _int | None = ..., agent_destruction_without_shutdown: _bool | None = ..., recoverable_jobs: _Iterable[_str | _bytes] | None = ..., allow_new_incarnation_to_reconnect: _bool | None = ..., force_disable: _bool | None = ..., poll_for_error_from_service_at_startup: _bool | None = ...) -> None: ...
