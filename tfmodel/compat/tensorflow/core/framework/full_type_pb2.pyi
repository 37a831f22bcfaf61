"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar

DESCRIPTOR: _Any

class FullTypeDef(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    TYPE_ID_FIELD_NUMBER: _ClassVar[_int]
    ARGS_FIELD_NUMBER: _ClassVar[_int]
    S_FIELD_NUMBER: _ClassVar[_int]
    I_FIELD_NUMBER: _ClassVar[_int]
    type_id: _int
    @property
    def args(self) -> _RepeatedMessage[FullTypeDef]: ...
    s: _str
    i: _int
    def __init__(self, *, type_id: _int | _str | None = ..., args: _Iterable[FullTypeDef | _Mapping[_str, _Any]] | None = ..., s: _str | _bytes | None = ..., i: _int | None = ...) -> None: ...

FullTypeId: _EnumWrapper
TFT_UNSET: _int
TFT_VAR: _int
TFT_ANY: _int
TFT_PRODUCT: _int
TFT_NAMED: _int
TFT_FOR_EACH: _int
TFT_CALLABLE: _int
TFT_TENSOR: _int
TFT_ARRAY: _int
TFT_OPTIONAL: _int
TFT_LITERAL: _int
TFT_ENCODED: _int
TFT_SHAPE_TENSOR: _int
TFT_BOOL: _int
TFT_UINT8: _int
TFT_UINT16: _int
TFT_UINT32: _int
TFT_UINT64: _int
TFT_INT8: _int
TFT_INT16: _int
TFT_INT32: _int
TFT_INT64: _int
TFT_HALF: _int
TFT_FLOAT: _int
TFT_DOUBLE: _int
TFT_BFLOAT16: _int
TFT_COMPLEX64: _int
TFT_COMPLEX128: _int
TFT_STRING: _int
TFT_DATASET: _int
TFT_RAGGED: _int
TFT_ITERATOR: _int
TFT_MUTEX_LOCK: _int
TFT_LEGACY_VARIANT: _int
