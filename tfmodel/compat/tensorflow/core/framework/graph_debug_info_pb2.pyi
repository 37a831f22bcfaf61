"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar

DESCRIPTOR: _Any

class GraphDebugInfo(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    class FileLineCol(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        FILE_INDEX_FIELD_NUMBER: _ClassVar[_int]
        LINE_FIELD_NUMBER: _ClassVar[_int]
        COL_FIELD_NUMBER: _ClassVar[_int]
        FUNC_FIELD_NUMBER: _ClassVar[_int]
        CODE_FIELD_NUMBER: _ClassVar[_int]
        file_index: _int
        line: _int
        col: _int
        func: _str
        code: _str
        def __init__(self, *, file_index: _int | None = ..., line: _int | None = ..., col: _int | None = ..., func: _str | _bytes | None = ..., code: _str | _bytes | None = ...) -> None: ...
    class StackTrace(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        FILE_LINE_COLS_FIELD_NUMBER: _ClassVar[_int]
        FRAME_ID_FIELD_NUMBER: _ClassVar[_int]
        @property
        def file_line_cols(self) -> _RepeatedMessage[GraphDebugInfo.FileLineCol]: ...
        @property
        def frame_id(self) -> _RepeatedScalar[_int]: ...
        def __init__(self, *, file_line_cols: _Iterable[GraphDebugInfo.FileLineCol | _Mapping[_str, _Any]] | None = ..., frame_id: _Iterable[_int] | None = ...) -> None: ...
    FILES_FIELD_NUMBER: _ClassVar[_int]
    FRAMES_BY_ID_FIELD_NUMBER: _ClassVar[_int]
    TRACES_BY_ID_FIELD_NUMBER: _ClassVar[_int]
    TRACES_FIELD_NUMBER: _ClassVar[_int]
    NAME_TO_TRACE_ID_FIELD_NUMBER: _ClassVar[_int]
    @property
    def files(self) -> _RepeatedScalar[_str]: ...
    @property
    def frames_by_id(self) -> _MessageMap[_int, GraphDebugInfo.FileLineCol]: ...
    @property
    def traces_by_id(self) -> _MessageMap[_int, GraphDebugInfo.StackTrace]: ...
    @property
    def traces(self) -> _MessageMap[_str, GraphDebugInfo.StackTrace]: ...
    @property
    def name_to_trace_id(self) -> _ScalarMap[_str, _int]: ...
    def __init__(self, *, files: _Iterable[_str | _bytes] | None = ..., frames_by_id: _Mapping[_int, GraphDebugInfo.FileLineCol | _Mapping[_str, _Any]] | None = ..., traces_by_id: _Mapping[_int, GraphDebugInfo.StackTrace | _Mapping[_str, _Any]] | None = ..., traces: _Mapping[_str, GraphDebugInfo.StackTrace | _Mapping[_str, _Any]] | None = ..., name_to_trace_id: _Mapping[_str, _int] | None = ...) -> None: ...
