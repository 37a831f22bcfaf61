"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar

DESCRIPTOR: _Any

class ClusterDef(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    JOB_FIELD_NUMBER: _ClassVar[_int]
    @property
    def job(self) -> _RepeatedMessage[JobDef]: ...
    def __init__(self, *, job: _Iterable[JobDef | _Mapping[_str, _Any]] | None = ...) -> None: ...

class JobDef(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    NAME_FIELD_NUMBER: _ClassVar[_int]
    TASKS_FIELD_NUMBER: _ClassVar[_int]
    name: _str
    @property
    def tasks(self) -> _ScalarMap[_int, _str]: ...
    def __init__(self, *, name: _str | _bytes | None = ..., tasks: _Mapping[_int, _str] | None = ...) -> None: ...
