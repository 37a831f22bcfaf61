"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar

DESCRIPTOR: _Any

class BytesList(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    VALUE_FIELD_NUMBER: _ClassVar[_int]
    @property
    def value(self) -> _RepeatedScalar[_bytes]: ...
    def __init__(self, *, value: _Iterable[_bytes] | None = ...) -> None: ...

class Feature(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    BYTES_LIST_FIELD_NUMBER: _ClassVar[_int]
    FLOAT_LIST_FIELD_NUMBER: _ClassVar[_int]
    INT64_LIST_FIELD_NUMBER: _ClassVar[_int]
    @property
    def bytes_list(self) -> BytesList: ...
    @property
    def float_list(self) -> FloatList: ...
    @property
    def int64_list(self) -> Int64List: ...
    def __init__(self, *, bytes_list: BytesList | _Mapping[_str, _Any] | None = ..., float_list: FloatList | _Mapping[_str, _Any] | None = ..., int64_list: Int64List | _Mapping[_str, _Any] | None = ...) -> None: ...

class FeatureList(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    FEATURE_FIELD_NUMBER: _ClassVar[_int]
    @property
    def feature(self) -> _RepeatedMessage[Feature]: ...
    def __init__(self, *, feature: _Iterable[Feature | _Mapping[_str, _Any]] | None = ...) -> None: ...

class FeatureLists(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    FEATURE_LIST_FIELD_NUMBER: _ClassVar[_int]
    @property
    def feature_list(self) -> _MessageMap[_str, FeatureList]: ...
    def __init__(self, *, feature_list: _Mapping[_str, FeatureList | _Mapping[_str, _Any]] | None = ...) -> None: ...

class Features(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    FEATURE_FIELD_NUMBER: _ClassVar[_int]
    @property
    def feature(self) -> _MessageMap[_str, Feature]: ...
    def __init__(self, *, feature: _Mapping[_str, Feature | _Mapping[_str, _Any]] | None = ...) -> None: ...

class FloatList(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    VALUE_FIELD_NUMBER: _ClassVar[_int]
    @property
    def value(self) -> _RepeatedScalar[_float]: ...
    def __init__(self, *, value: _Iterable[_float] | None = ...) -> None: ...

class Int64List(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    VALUE_FIELD_NUMBER: _ClassVar[_int]
    @property
    def value(self) -> _RepeatedScalar[_int]: ...
    def __init__(self, *, value: _Iterable[_int] | None = ...) -> None: ...
