"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar
from ....tensorflow.core.protobuf.cluster_pb2 import ClusterDef as _ClusterDef_
from ....tensorflow.core.protobuf.config_pb2 import ConfigProto as _ConfigProto_
from ....tensorflow.core.protobuf.device_filters_pb2 import ClusterDeviceFilters as _ClusterDeviceFilters_

DESCRIPTOR: _Any

class ServerDef(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    CLUSTER_FIELD_NUMBER: _ClassVar[_int]
    JOB_NAME_FIELD_NUMBER: _ClassVar[_int]
    REPLICA_FIELD_NUMBER: _ClassVar[_int]
    TASK_INDEX_FIELD_NUMBER: _ClassVar[_int]
    DEFAULT_SESSION_CONFIG_FIELD_NUMBER: _ClassVar[_int]
    PROTOCOL_FIELD_NUMBER: _ClassVar[_int]
    PORT_FIELD_NUMBER: _ClassVar[_int]
    CLUSTER_DEVICE_FILTERS_FIELD_NUMBER: _ClassVar[_int]
    @property
    def cluster(self) -> _ClusterDef_: ...
    job_name: _str
    replica: _int
    task_index: _int
    @property
    def default_session_config(self) -> _ConfigProto_: ...
    protocol: _str
    port: _int
    @property
    def cluster_device_filters(self) -> _ClusterDeviceFilters_: ...
    def __init__(self, *, cluster: _ClusterDef_ | _Mapping[_str, _Any] | None = ..., job_name: _str | _bytes | None = ..., replica: _int | None = ..., task_index: _int | None = ..., default_session_config: _ConfigProto_ | _Mapping[_str, _Any] | None = ..., protocol: _str | _bytes | None = ..., port: _int | None = ..., cluster_device_filters: _ClusterDeviceFilters_ | _Mapping[_str, _Any] | None = ...) -> None: ...
