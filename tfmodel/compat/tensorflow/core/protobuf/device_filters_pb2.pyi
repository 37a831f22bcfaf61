"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar

DESCRIPTOR: _Any

class ClusterDeviceFilters(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    JOBS_FIELD_NUMBER: _ClassVar[_int]
    @property
    def jobs(self) -> _RepeatedMessage[JobDeviceFilters]: ...
    def __init__(self, *, jobs: _Iterable[JobDeviceFilters | _Mapping[_str, _Any]] | None = ...) -> None: ...

class JobDeviceFilters(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    NAME_FIELD_NUMBER: _ClassVar[_int]
    TASKS_FIELD_NUMBER: _ClassVar[_int]
    name: _str
    @property
    def tasks(self) -> _MessageMap[_int, TaskDeviceFilters]: ...
    def __init__(self, *, name: _str | _bytes | None = ..., tasks: _Mapping[_int, TaskDeviceFilters | _Mapping[_str, _Any]] | None = ...) -> None: ...

class TaskDeviceFilters(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    DEVICE_FILTERS_FIELD_NUMBER: _ClassVar[_int]
    @property
    def device_filters(self) -> _RepeatedScalar[_str]: ...
    def __init__(self, *, device_filters: _Iterable[_str | _bytes] | None = ...) -> None: ...
