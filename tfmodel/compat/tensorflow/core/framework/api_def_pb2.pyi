"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar
from ....tensorflow.core.framework.attr_value_pb2 import AttrValue as _AttrValue_

DESCRIPTOR: _Any

class ApiDef(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    Visibility: _ClassVar[_EnumWrapper]
    DEFAULT_VISIBILITY: _ClassVar[_int]
    VISIBLE: _ClassVar[_int]
    SKIP: _ClassVar[_int]
    HIDDEN: _ClassVar[_int]
    class Endpoint(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        NAME_FIELD_NUMBER: _ClassVar[_int]
        DEPRECATED_FIELD_NUMBER: _ClassVar[_int]
        DEPRECATION_VERSION_FIELD_NUMBER: _ClassVar[_int]
        name: _str
        deprecated: _bool
        deprecation_version: _int
        def __init__(self, *, name: _str | _bytes | None = ..., deprecated: _bool | None = ..., deprecation_version: _int | None = ...) -> None: ...
    class Arg(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        NAME_FIELD_NUMBER: _ClassVar[_int]
        RENAME_TO_FIELD_NUMBER: _ClassVar[_int]
        DESCRIPTION_FIELD_NUMBER: _ClassVar[_int]
        name: _str
        rename_to: _str
        description: _str
        def __init__(self, *, name: _str | _bytes | None = ..., rename_to: _str | _bytes | None = ..., description: _str | _bytes | None = ...) -> None: ...
    class Attr(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        NAME_FIELD_NUMBER: _ClassVar[_int]
        RENAME_TO_FIELD_NUMBER: _ClassVar[_int]
        DEFAULT_VALUE_FIELD_NUMBER: _ClassVar[_int]
        DESCRIPTION_FIELD_NUMBER: _ClassVar[_int]
        name: _str
        rename_to: _str
        @property
        def default_value(self) -> _AttrValue_: ...
        description: _str
        def __init__(self, *, name: _str | _bytes | None = ..., rename_to: _str | _bytes | None = ..., default_value: _AttrValue_ | _Mapping[_str, _Any] | None = ..., description: _str | _bytes | None = ...) -> None: ...
    GRAPH_OP_NAME_FIELD_NUMBER: _ClassVar[_int]
    DEPRECATION_MESSAGE_FIELD_NUMBER: _ClassVar[_int]
    DEPRECATION_VERSION_FIELD_NUMBER: _ClassVar[_int]
    VISIBILITY_FIELD_NUMBER: _ClassVar[_int]
    ENDPOINT_FIELD_NUMBER: _ClassVar[_int]
    IN_ARG_FIELD_NUMBER: _ClassVar[_int]
    OUT_ARG_FIELD_NUMBER: _ClassVar[_int]
    ARG_ORDER_FIELD_NUMBER: _ClassVar[_int]
    ATTR_FIELD_NUMBER: _ClassVar[_int]
    SUMMARY_FIELD_NUMBER: _ClassVar[_int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[_int]
    DESCRIPTION_PREFIX_FIELD_NUMBER: _ClassVar[_int]
    DESCRIPTION_SUFFIX_FIELD_NUMBER: _ClassVar[_int]
    graph_op_name: _str
    deprecation_message: _str
    deprecation_version: _int
    visibility: _int
    @property
    def endpoint(self) -> _RepeatedMessage[ApiDef.Endpoint]: ...
    @property
    def in_arg(self) -> _RepeatedMessage[ApiDef.Arg]: ...
    @property
    def out_arg(self) -> _RepeatedMessage[ApiDef.Arg]: ...
    @property
    def arg_order(self) -> _RepeatedScalar[_str]: ...
    @property
    def attr(self) -> _RepeatedMessage[ApiDef.Attr]: ...
    summary: _str
    description: _str
    description_prefix: _str
    description_suffix: _str
    def __init__(self, *, graph_op_name: _str | _bytes | None = ..., deprecation_message: _str | _bytes | None = ..., deprecation_version: _int | None = ..., visibility: _int | _str | None = ..., endpoint: _Iterable[ApiDef.Endpoint | _Mapping[_str, _Any]] | None = ..., in_arg: _Iterable[ApiDef.Arg | _Mapping[_str, _Any]] | None = ..., out_arg: _Iterable[ApiDef.Arg | _Mapping[_str, _Any]] | None = ..., arg_order: _Iterable[_str | _bytes] | None = ..., attr: _Iterable[ApiDef.Attr | _Mapping[_str, _Any]] | None = ..., summary: _str | _bytes | None = ..., description: _str | _bytes | None = ..., description_prefix: _str | _bytes | None = ..., description_suffix: _str | _bytes | None = ...) -> None: ...

class ApiDefs(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    OP_FIELD_NUMBER: _ClassVar[_int]
    @property
    def op(self) -> _RepeatedMessage[ApiDef]: ...
    def __init__(self, *, op: _Iterable[ApiDef | _Mapping[_str, _Any]] | None = ...) -> None: ...
