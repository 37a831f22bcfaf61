"""Written by `python -m tests.stubs`."""

from ..._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar

DESCRIPTOR: _Any

class DoubleValue(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    VALUE_FIELD_NUMBER: _ClassVar[_int]
    value: _float
    def __init__(self, *, value: _float | None = ...) -> None: ...

class FloatValue(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    VALUE_FIELD_NUMBER: _ClassVar[_int]
    value: _float
    def __init__(self, *, value: _float | None = ...) -> None: ...

class Int64Value(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    VALUE_FIELD_NUMBER: _ClassVar[_int]
    value: _int
    def __init__(self, *, value: _int | None = ...) -> None: ...

class UInt64Value(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    VALUE_FIELD_NUMBER: _ClassVar[_int]
    value: _int
    def __init__(self, *, value: _int | None = ...) -> None: ...

class Int32Value(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    VALUE_FIELD_NUMBER: _ClassVar[_int]
    value: _int
    def __init__(self, *, value: _int | None = ...) -> None: ...

class UInt32Value(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    VALUE_FIELD_NUMBER: _ClassVar[_int]
    value: _int
    def __init__(self, *, value: _int | None = ...) -> None: ...

class BoolValue(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    VALUE_FIELD_NUMBER: _ClassVar[_int]
    value: _bool
    def __init__(self, *, value: _bool | None = ...) -> None: ...

class StringValue(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    VALUE_FIELD_NUMBER: _ClassVar[_int]
    value: _str
    def __init__(self, *, value: _str | _bytes | None = ...) -> None: ...

class BytesValue(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    VALUE_FIELD_NUMBER: _ClassVar[_int]
    value: _bytes
    def __init__(self, *, value: _bytes | None = ...) -> None: ...
