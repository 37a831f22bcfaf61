"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar

DESCRIPTOR: _Any

class DebugOptions(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    DEBUG_TENSOR_WATCH_OPTS_FIELD_NUMBER: _ClassVar[_int]
    GLOBAL_STEP_FIELD_NUMBER: _ClassVar[_int]
    RESET_DISK_BYTE_USAGE_FIELD_NUMBER: _ClassVar[_int]
    @property
    def debug_tensor_watch_opts(self) -> _RepeatedMessage[DebugTensorWatch]: ...
    global_step: _int
    reset_disk_byte_usage: _bool
    def __init__(self, *, debug_tensor_watch_opts: _Iterable[DebugTensorWatch | _Mapping[_str, _Any]] | None = ..., global_step: _int | None = ..., reset_disk_byte_usage: _bool | None = ...) -> None: ...

class DebugTensorWatch(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    NODE_NAME_FIELD_NUMBER: _ClassVar[_int]
    OUTPUT_SLOT_FIELD_NUMBER: _ClassVar[_int]
    DEBUG_OPS_FIELD_NUMBER: _ClassVar[_int]
    DEBUG_URLS_FIELD_NUMBER: _ClassVar[_int]
    TOLERATE_DEBUG_OP_CREATION_FAILURES_FIELD_NUMBER: _ClassVar[_int]
    node_name: _str
    output_slot: _int
    @property
    def debug_ops(self) -> _RepeatedScalar[_str]: ...
    @property
    def debug_urls(self) -> _RepeatedScalar[_str]: ...
    tolerate_debug_op_creation_failures: _bool
    def __init__(self, *, node_name: _str | _bytes | None = ..., output_slot: _int | None = ..., debug_ops: _Iterable[_str | _bytes] | None = ..., debug_urls: _Iterable[_str | _bytes] | None = ..., tolerate_debug_op_creation_failures: _bool | None = ...) -> None: ...

class DebuggedSourceFile(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    HOST_FIELD_NUMBER: _ClassVar[_int]
    FILE_PATH_FIELD_NUMBER: _ClassVar[_int]
    LAST_MODIFIED_FIELD_NUMBER: _ClassVar[_int]
    BYTES_FIELD_NUMBER: _ClassVar[_int]
    LINES_FIELD_NUMBER: _ClassVar[_int]
    host: _str
    file_path: _str
    last_modified: _int
    bytes: _int
    @property
    def lines(self) -> _RepeatedScalar[_str]: ...
    def __init__(self, *, host: _str | _bytes | None = ..., file_path: _str | _bytes | None = ..., last_modified: _int | None = ..., bytes: _int | None = ..., lines: _Iterable[_str | _bytes] | None = ...) -> None: ...

class DebuggedSourceFiles(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    SOURCE_FILES_FIELD_NUMBER: _ClassVar[_int]
    @property
    def source_files(self) -> _RepeatedMessage[DebuggedSourceFile]: ...
    def __init__(self, *, source_files: _Iterable[DebuggedSourceFile | _Mapping[_str, _Any]] | None = ...) -> None: ...
