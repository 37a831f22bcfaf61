"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar

DESCRIPTOR: _Any

class SaveSliceInfoDef(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    FULL_NAME_FIELD_NUMBER: _ClassVar[_int]
    FULL_SHAPE_FIELD_NUMBER: _ClassVar[_int]
    VAR_OFFSET_FIELD_NUMBER: _ClassVar[_int]
    VAR_SHAPE_FIELD_NUMBER: _ClassVar[_int]
    full_name: _str
    @property
    def full_shape(self) -> _RepeatedScalar[_int]: ...
    @property
    def var_offset(self) -> _RepeatedScalar[_int]: ...
    @property
    def var_shape(self) -> _RepeatedScalar[_int]: ...
    def __init__(self, *, full_name: _str | _bytes | None = ..., full_shape: _Iterable[_int] | None = ..., var_offset: _Iterable[_int] | None = ..., var_shape: _Iterable[_int] | None = ...) -> None: ...

VariableAggregation: _EnumWrapper
VARIABLE_AGGREGATION_NONE: _int
VARIABLE_AGGREGATION_SUM: _int
VARIABLE_AGGREGATION_MEAN: _int
VARIABLE_AGGREGATION_ONLY_FIRST_REPLICA: _int

class VariableDef(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    VARIABLE_NAME_FIELD_NUMBER: _ClassVar[_int]
    INITIAL_VALUE_NAME_FIELD_NUMBER: _ClassVar[_int]
    INITIALIZER_NAME_FIELD_NUMBER: _ClassVar[_int]
    SNAPSHOT_NAME_FIELD_NUMBER: _ClassVar[_int]
    SAVE_SLICE_INFO_DEF_FIELD_NUMBER: _ClassVar[_int]
    IS_RESOURCE_FIELD_NUMBER: _ClassVar[_int]
    TRAINABLE_FIELD_NUMBER: _ClassVar[_int]
    SYNCHRONIZATION_FIELD_NUMBER: _ClassVar[_int]
    AGGREGATION_FIELD_NUMBER: _ClassVar[_int]
    variable_name: _str
    initial_value_name: _str
    initializer_name: _str
    snapshot_name: _str
    @property
    def save_slice_info_def(self) -> SaveSliceInfoDef: ...
    is_resource: _bool
    trainable: _bool
    synchronization: _int
    aggregation: _int
    def __init__(self, *, variable_name: _str | _bytes | None = ..., initial_value_name: _str | _bytes | None = ..., initializer_name: _str | _bytes | None = ..., snapshot_name: _str | _bytes | None = ..., save_slice_info_def: SaveSliceInfoDef | _Mapping[_str, _Any] | None = ..., is_resource: _bool | None = ..., trainable: _bool | None = ..., synchronization: _int | _str | None = ..., aggregation: _int | _str | None = ...) -> None: ...

VariableSynchronization: _EnumWrapper
VARIABLE_SYNCHRONIZATION_AUTO: _int
VARIABLE_SYNCHRONIZATION_NONE: _int
VARIABLE_SYNCHRONIZATION_ON_WRITE: _int
VARIABLE_SYNCHRONIZATION_ON_READ: _int
