"""Written by `python -m tests.stubs`."""

from ..._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar

DESCRIPTOR: _Any

class Struct(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    FIELDS_FIELD_NUMBER: _ClassVar[_int]
    @property
    def fields(self) -> _MessageMap[_str, Value]: ...
    def __init__(self, *, fields: _Mapping[_str, Value | _Mapping[_str, _Any]] | None = ...) -> None: ...

class Value(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    NULL_VALUE_FIELD_NUMBER: _ClassVar[_int]
    NUMBER_VALUE_FIELD_NUMBER: _ClassVar[_int]
    STRING_VALUE_FIELD_NUMBER: _ClassVar[_int]
    BOOL_VALUE_FIELD_NUMBER: _ClassVar[_int]
    STRUCT_VALUE_FIELD_NUMBER: _ClassVar[_int]
    LIST_VALUE_FIELD_NUMBER: _ClassVar[_int]
    null_value: _int
    number_value: _float
    string_value: _str
    bool_value: _bool
    @property
    def struct_value(self) -> Struct: ...
    @property
    def list_value(self) -> ListValue: ...
    def __init__(self, *, null_value: _int | _str | None = ..., number_value: _float | None = ..., string_value: _str | _bytes | None = ..., bool_value: _bool | None = ..., struct_value: Struct | _Mapping[_str, _Any] | None = ..., list_value: ListValue | _Mapping[_str, _Any] | None = ...) -> None: ...

class ListValue(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    VALUES_FIELD_NUMBER: _ClassVar[_int]
    @property
    def values(self) -> _RepeatedMessage[Value]: ...
    def __init__(self, *, values: _Iterable[Value | _Mapping[_str, _Any]] | None = ...) -> None: ...

NullValue: _EnumWrapper
NULL_VALUE: _int
