"""Written by `python -m tests.stubs`."""

from ....._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar

DESCRIPTOR: _Any

class XEvent(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    METADATA_ID_FIELD_NUMBER: _ClassVar[_int]
    OFFSET_PS_FIELD_NUMBER: _ClassVar[_int]
    NUM_OCCURRENCES_FIELD_NUMBER: _ClassVar[_int]
    DURATION_PS_FIELD_NUMBER: _ClassVar[_int]
    STATS_FIELD_NUMBER: _ClassVar[_int]
    metadata_id: _int
    offset_ps: _int
    num_occurrences: _int
    duration_ps: _int
    @property
    def stats(self) -> _RepeatedMessage[XStat]: ...
    def __init__(self, *, metadata_id: _int | None = ..., offset_ps: _int | None = ..., num_occurrences: _int | None = ..., duration_ps: _int | None = ..., stats: _Iterable[XStat | _Mapping[_str, _Any]] | None = ...) -> None: ...

class XEventMetadata(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    ID_FIELD_NUMBER: _ClassVar[_int]
    NAME_FIELD_NUMBER: _ClassVar[_int]
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[_int]
    METADATA_FIELD_NUMBER: _ClassVar[_int]
    STATS_FIELD_NUMBER: _ClassVar[_int]
    CHILD_ID_FIELD_NUMBER: _ClassVar[_int]
    id: _int
    name: _str
    display_name: _str
    metadata: _bytes
    @property
    def stats(self) -> _RepeatedMessage[XStat]: ...
    @property
    def child_id(self) -> _RepeatedScalar[_int]: ...
    def __init__(self, *, id: _int | None = ..., name: _str | _bytes | None = ..., display_name: _str | _bytes | None = ..., metadata: _bytes | None = ..., stats: _Iterable[XStat | _Mapping[_str, _Any]] | None = ..., child_id: _Iterable[_int] | None = ...) -> None: ...

class XLine(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    ID_FIELD_NUMBER: _ClassVar[_int]
    DISPLAY_ID_FIELD_NUMBER: _ClassVar[_int]
    NAME_FIELD_NUMBER: _ClassVar[_int]
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[_int]
    TIMESTAMP_NS_FIELD_NUMBER: _ClassVar[_int]
    DURATION_PS_FIELD_NUMBER: _ClassVar[_int]
    EVENTS_FIELD_NUMBER: _ClassVar[_int]
    id: _int
    display_id: _int
    name: _str
    display_name: _str
    timestamp_ns: _int
    duration_ps: _int
    @property
    def events(self) -> _RepeatedMessage[XEvent]: ...
    def __init__(self, *, id: _int | None = ..., display_id: _int | None = ..., name: _str | _bytes | None = ..., display_name: _str | _bytes | None = ..., timestamp_ns: _int | None = ..., duration_ps: _int | None = ..., events: _Iterable[XEvent | _Mapping[_str, _Any]] | None = ...) -> None: ...

class XPlane(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    ID_FIELD_NUMBER: _ClassVar[_int]
    NAME_FIELD_NUMBER: _ClassVar[_int]
    LINES_FIELD_NUMBER: _ClassVar[_int]
    EVENT_METADATA_FIELD_NUMBER: _ClassVar[_int]
    STAT_METADATA_FIELD_NUMBER: _ClassVar[_int]
    STATS_FIELD_NUMBER: _ClassVar[_int]
    id: _int
    name: _str
    @property
    def lines(self) -> _RepeatedMessage[XLine]: ...
    @property
    def event_metadata(self) -> _MessageMap[_int, XEventMetadata]: ...
    @property
    def stat_metadata(self) -> _MessageMap[_int, XStatMetadata]: ...
    @property
    def stats(self) -> _RepeatedMessage[XStat]: ...
    def __init__(self, *, id: _int | None = ..., name: _str | _bytes | None = ..., lines: _Iterable[XLine | _Mapping[_str, _Any]] | None = ..., event_metadata: _Mapping[_int, XEventMetadata | _Mapping[_str, _Any]] | None = ..., stat_metadata: _Mapping[_int, XStatMetadata | _Mapping[_str, _Any]] | None = ..., stats: _Iterable[XStat | _Mapping[_str, _Any]] | None = ...) -> None: ...

class XSpace(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    PLANES_FIELD_NUMBER: _ClassVar[_int]
    ERRORS_FIELD_NUMBER: _ClassVar[_int]
    WARNINGS_FIELD_NUMBER: _ClassVar[_int]
    HOSTNAMES_FIELD_NUMBER: _ClassVar[_int]
    @property
    def planes(self) -> _RepeatedMessage[XPlane]: ...
    @property
    def errors(self) -> _RepeatedScalar[_str]: ...
    @property
    def warnings(self) -> _RepeatedScalar[_str]: ...
    @property
    def hostnames(self) -> _RepeatedScalar[_str]: ...
    def __init__(self, *, planes: _Iterable[XPlane | _Mapping[_str, _Any]] | None = ..., errors: _Iterable[_str | _bytes] | None = ..., warnings: _Iterable[_str | _bytes] | None = ..., hostnames: _Iterable[_str | _bytes] | None = ...) -> None: ...

class XStat(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    METADATA_ID_FIELD_NUMBER: _ClassVar[_int]
    DOUBLE_VALUE_FIELD_NUMBER: _ClassVar[_int]
    UINT64_VALUE_FIELD_NUMBER: _ClassVar[_int]
    INT64_VALUE_FIELD_NUMBER: _ClassVar[_int]
    STR_VALUE_FIELD_NUMBER: _ClassVar[_int]
    BYTES_VALUE_FIELD_NUMBER: _ClassVar[_int]
    REF_VALUE_FIELD_NUMBER: _ClassVar[_int]
    metadata_id: _int
    double_value: _float
    uint64_value: _int
    int64_value: _int
    str_value: _str
    bytes_value: _bytes
    ref_value: _int
    def __init__(self, *, metadata_id: _int | None = ..., double_value: _float | None = ..., uint64_value: _int | None = ..., int64_value: _int | None = ..., str_value: _str | _bytes | None = ..., bytes_value: _bytes | None = ..., ref_value: _int | None = ...) -> None: ...

class XStatMetadata(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    ID_FIELD_NUMBER: _ClassVar[_int]
    NAME_FIELD_NUMBER: _ClassVar[_int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[_int]
    id: _int
    name: _str
    description: _str
    def __init__(self, *, id: _int | None = ..., name: _str | _bytes | None = ..., description: _str | _bytes | None = ...) -> None: ...
