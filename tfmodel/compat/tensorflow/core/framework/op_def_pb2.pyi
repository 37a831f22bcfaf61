"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar
from ....tensorflow.core.framework.attr_value_pb2 import AttrValue as _AttrValue_
from ....tensorflow.core.framework.full_type_pb2 import FullTypeDef as _FullTypeDef_
from ....tensorflow.core.framework.resource_handle_pb2 import ResourceHandleProto as _ResourceHandleProto_

DESCRIPTOR: _Any

class OpDef(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    class ArgDef(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        NAME_FIELD_NUMBER: _ClassVar[_int]
        DESCRIPTION_FIELD_NUMBER: _ClassVar[_int]
        TYPE_FIELD_NUMBER: _ClassVar[_int]
        TYPE_ATTR_FIELD_NUMBER: _ClassVar[_int]
        NUMBER_ATTR_FIELD_NUMBER: _ClassVar[_int]
        TYPE_LIST_ATTR_FIELD_NUMBER: _ClassVar[_int]
        HANDLE_DATA_FIELD_NUMBER: _ClassVar[_int]
        IS_REF_FIELD_NUMBER: _ClassVar[_int]
        EXPERIMENTAL_FULL_TYPE_FIELD_NUMBER: _ClassVar[_int]
        name: _str
        description: _str
        type: _int
        type_attr: _str
        number_attr: _str
        type_list_attr: _str
        @property
        def handle_data(self) -> _RepeatedMessage[_ResourceHandleProto_.DtypeAndShape]: ...
        is_ref: _bool
        @property
        def experimental_full_type(self) -> _FullTypeDef_: ...
        def __init__(self, *, name: _str | _bytes | None = ..., description: _str | _bytes | None = ..., type: _int | _str | None = ..., type_attr: _str | _bytes | None = ..., number_attr: _str | _bytes | None = ..., type_list_attr: _str | _bytes | None = ..., handle_data: _Iterable[_ResourceHandleProto_.DtypeAndShape | _Mapping[_str, _Any]] | None = ..., is_ref: _bool | None = ..., experimental_full_type: _FullTypeDef_ | _Mapping[_str, _Any] | None = ...) -> None: ...
    class AttrDef(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        NAME_FIELD_NUMBER: _ClassVar[_int]
        TYPE_FIELD_NUMBER: _ClassVar[_int]
        DEFAULT_VALUE_FIELD_NUMBER: _ClassVar[_int]
        DESCRIPTION_FIELD_NUMBER: _ClassVar[_int]
        HAS_MINIMUM_FIELD_NUMBER: _ClassVar[_int]
        MINIMUM_FIELD_NUMBER: _ClassVar[_int]
        ALLOWED_VALUES_FIELD_NUMBER: _ClassVar[_int]
        name: _str
        type: _str
        @property
        def default_value(self) -> _AttrValue_: ...
        description: _str
        has_minimum: _bool
        minimum: _int
        @property
        def allowed_values(self) -> _AttrValue_: ...
        def __init__(self, *, name: _str | _bytes | None = ..., type: _str | _bytes | None = ..., default_value: _AttrValue_ | _Mapping[_str, _Any] | None = ..., description: _str | _bytes | None = ..., has_minimum: _bool | None = ..., minimum: _int | None = ..., allowed_values: _AttrValue_ | _Mapping[_str, _Any] | None = ...) -> None: ...
    NAME_FIELD_NUMBER: _ClassVar[_int]
    INPUT_ARG_FIELD_NUMBER: _ClassVar[_int]
    OUTPUT_ARG_FIELD_NUMBER: _ClassVar[_int]
    CONTROL_OUTPUT_FIELD_NUMBER: _ClassVar[_int]
    ATTR_FIELD_NUMBER: _ClassVar[_int]
    DEPRECATION_FIELD_NUMBER: _ClassVar[_int]
    SUMMARY_FIELD_NUMBER: _ClassVar[_int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[_int]
    IS_COMMUTATIVE_FIELD_NUMBER: _ClassVar[_int]
    IS_AGGREGATE_FIELD_NUMBER: _ClassVar[_int]
    IS_STATEFUL_FIELD_NUMBER: _ClassVar[_int]
    ALLOWS_UNINITIALIZED_INPUT_FIELD_NUMBER: _ClassVar[_int]
    IS_DISTRIBUTED_COMMUNICATION_FIELD_NUMBER: _ClassVar[_int]
    name: _str
    @property
    def input_arg(self) -> _RepeatedMessage[OpDef.ArgDef]: ...
    @property
    def output_arg(self) -> _RepeatedMessage[OpDef.ArgDef]: ...
    @property
    def control_output(self) -> _RepeatedScalar[_str]: ...
    @property
    def attr(self) -> _RepeatedMessage[OpDef.AttrDef]: ...
    @property
    def deprecation(self) -> OpDeprecation: ...
    summary: _str
    description: _str
    is_commutative: _bool
    is_aggregate: _bool
    is_stateful: _bool
    allows_uninitialized_input: _bool
    is_distributed_communication: _bool
    def __init__(self, *, name: _str | _bytes | None = ..., input_arg: _Iterable[OpDef.ArgDef | _Mapping[_str, _Any]] | None = ..., output_arg: _Iterable[OpDef.ArgDef | _Mapping[_str, _Any]] | None = ..., control_output: _Iterable[_str | _bytes] | None = ..., attr: _Iterable[OpDef.AttrDef | _Mapping[_str, _Any]] | None = ..., deprecation: OpDeprecation | _Mapping[_str, _Any] | None = ..., summary: _str | _bytes | None = ..., description: _str | _bytes | None = ..., is_commutative: _bool | None = ..., is_aggregate: _bool | None = ..., is_stateful: _bool | None = ..., allows_uninitialized_input: _bool | None = ..., is_distributed_communication: _bool | None = ...) -> None: ...

class OpDeprecation(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    VERSION_FIELD_NUMBER: _ClassVar[_int]
    EXPLANATION_FIELD_NUMBER: _ClassVar[_int]
    version: _int
    explanation: _str
    def __init__(self, *, version: _int | None = ..., explanation: _str | _bytes | None = ...) -> None: ...

class OpList(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    OP_FIELD_NUMBER: _ClassVar[_int]
    @property
    def op(self) -> _RepeatedMessage[OpDef]: ...
    def __init__(self, *, op: _Iterable[OpDef | _Mapping[_str, _Any]] | None = ...) -> None: ...
