"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar
from ....tensorflow.core.framework.summary_pb2 import Summary as _Summary_

DESCRIPTOR: _Any

class Event(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    WALL_TIME_FIELD_NUMBER: _ClassVar[_int]
    STEP_FIELD_NUMBER: _ClassVar[_int]
    FILE_VERSION_FIELD_NUMBER: _ClassVar[_int]
    GRAPH_DEF_FIELD_NUMBER: _ClassVar[_int]
    SUMMARY_FIELD_NUMBER: _ClassVar[_int]
    LOG_MESSAGE_FIELD_NUMBER: _ClassVar[_int]
    SESSION_LOG_FIELD_NUMBER: _ClassVar[_int]
    TAGGED_RUN_METADATA_FIELD_NUMBER: _ClassVar[_int]
    META_GRAPH_DEF_FIELD_NUMBER: _ClassVar[_int]
    SOURCE_METADATA_FIELD_NUMBER: _ClassVar[_int]
    wall_time: _float
    step: _int
    file_version: _str
    graph_def: _bytes
    @property
    def summary(self) -> _Summary_: ...
    @property
    def log_message(self) -> LogMessage: ...
    @property
    def session_log(self) -> SessionLog: ...
    @property
    def tagged_run_metadata(self) -> TaggedRunMetadata: ...
    meta_graph_def: _bytes
    @property
    def source_metadata(self) -> SourceMetadata: ...
    def __init__(self, *, wall_time: _float | None = ..., step: _int | None = ..., file_version: _str | _bytes | None = ..., graph_def: _bytes | None = ..., summary: _Summary_ | _Mapping[_str, _Any] | None = ..., log_message: LogMessage | _Mapping[_str, _Any] | None = ..., session_log: SessionLog | _Mapping[_str, _Any] | None = ..., tagged_run_metadata: TaggedRunMetadata | _Mapping[_str, _Any] | None = ..., meta_graph_def: _bytes | None = ..., source_metadata: SourceMetadata | _Mapping[_str, _Any] | None = ...) -> None: ...

class LogMessage(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    Level: _ClassVar[_EnumWrapper]
    UNKNOWN: _ClassVar[_int]
    DEBUGGING: _ClassVar[_int]
    INFO: _ClassVar[_int]
    WARN: _ClassVar[_int]
    ERROR: _ClassVar[_int]
    FATAL: _ClassVar[_int]
    LEVEL_FIELD_NUMBER: _ClassVar[_int]
    MESSAGE_FIELD_NUMBER: _ClassVar[_int]
    level: _int
    message: _str
    def __init__(self, *, level: _int | _str | None = ..., message: _str | _bytes | None = ...) -> None: ...

class SessionLog(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    SessionStatus: _ClassVar[_EnumWrapper]
    STATUS_UNSPECIFIED: _ClassVar[_int]
    START: _ClassVar[_int]
    STOP: _ClassVar[_int]
    CHECKPOINT: _ClassVar[_int]
    STATUS_FIELD_NUMBER: _ClassVar[_int]
    CHECKPOINT_PATH_FIELD_NUMBER: _ClassVar[_int]
    MSG_FIELD_NUMBER: _ClassVar[_int]
    status: _int
    checkpoint_path: _str
    msg: _str
    def __init__(self, *, status: _int | _str | None = ..., checkpoint_path: _str | _bytes | None = ..., msg: _str | _bytes | None = ...) -> None: ...

class SourceMetadata(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    WRITER_FIELD_NUMBER: _ClassVar[_int]
    writer: _str
    def __init__(self, *, writer: _str | _bytes | None = ...) -> None: ...

class TaggedRunMetadata(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    TAG_FIELD_NUMBER: _ClassVar[_int]
    RUN_METADATA_FIELD_NUMBER: _ClassVar[_int]
    tag: _str
    run_metadata: _bytes
    def __init__(self, *, tag: _str | _bytes | None = ..., run_metadata: _bytes | None = ...) -> None: ...
