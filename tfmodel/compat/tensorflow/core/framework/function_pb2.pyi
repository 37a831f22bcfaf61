"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar
from ....tensorflow.core.framework.attr_value_pb2 import AttrValue as _AttrValue_
from ....tensorflow.core.framework.node_def_pb2 import NodeDef as _NodeDef_
from ....tensorflow.core.framework.op_def_pb2 import OpDef as _OpDef_

DESCRIPTOR: _Any

class FunctionDef(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    class ArgAttrs(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        ATTR_FIELD_NUMBER: _ClassVar[_int]
        @property
        def attr(self) -> _MessageMap[_str, _AttrValue_]: ...
        def __init__(self, *, attr: _Mapping[_str, _AttrValue_ | _Mapping[_str, _Any]] | None = ...) -> None: ...
    SIGNATURE_FIELD_NUMBER: _ClassVar[_int]
    ATTR_FIELD_NUMBER: _ClassVar[_int]
    ARG_ATTR_FIELD_NUMBER: _ClassVar[_int]
    RESOURCE_ARG_UNIQUE_ID_FIELD_NUMBER: _ClassVar[_int]
    NODE_DEF_FIELD_NUMBER: _ClassVar[_int]
    RET_FIELD_NUMBER: _ClassVar[_int]
    CONTROL_RET_FIELD_NUMBER: _ClassVar[_int]
    @property
    def signature(self) -> _OpDef_: ...
    @property
    def attr(self) -> _MessageMap[_str, _AttrValue_]: ...
    @property
    def arg_attr(self) -> _MessageMap[_int, FunctionDef.ArgAttrs]: ...
    @property
    def resource_arg_unique_id(self) -> _ScalarMap[_int, _int]: ...
    @property
    def node_def(self) -> _RepeatedMessage[_NodeDef_]: ...
    @property
    def ret(self) -> _ScalarMap[_str, _str]: ...
    @property
    def control_ret(self) -> _ScalarMap[_str, _str]: ...
    def __init__(self, *, signature: _OpDef_ | _Mapping[_str, _Any] | None = ..., attr: _Mapping[_str, _AttrValue_ | _Mapping[_str, _Any]] | None = ..., arg_attr: _Mapping[_int, FunctionDef.ArgAttrs | _Mapping[_str, _Any]] | None = ..., resource_arg_unique_id: _Mapping[_int, _int] | None = ..., node_def: _Iterable[_NodeDef_ | _Mapping[_str, _Any]] | None = ..., ret: _Mapping[_str, _str] | None = ..., control_ret: _Mapping[_str, _str] | None = ...) -> None: ...

class FunctionDefLibrary(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    FUNCTION_FIELD_NUMBER: _ClassVar[_int]
    GRADIENT_FIELD_NUMBER: _ClassVar[_int]
    REGISTERED_GRADIENTS_FIELD_NUMBER: _ClassVar[_int]
    @property
    def function(self) -> _RepeatedMessage[FunctionDef]: ...
    @property
    def gradient(self) -> _RepeatedMessage[GradientDef]: ...
    @property
    def registered_gradients(self) -> _RepeatedMessage[RegisteredGradient]: ...
    def __init__(self, *, function: _Iterable[FunctionDef | _Mapping[_str, _Any]] | None = ..., gradient: _Iterable[GradientDef | _Mapping[_str, _Any]] | None = ..., registered_gradients: _Iterable[RegisteredGradient | _Mapping[_str, _Any]] | None = ...) -> None: ...

class GradientDef(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    FUNCTION_NAME_FIELD_NUMBER: _ClassVar[_int]
    GRADIENT_FUNC_FIELD_NUMBER: _ClassVar[_int]
    function_name: _str
    gradient_func: _str
    def __init__(self, *, function_name: _str | _bytes | None = ..., gradient_func: _str | _bytes | None = ...) -> None: ...

class RegisteredGradient(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    GRADIENT_FUNC_FIELD_NUMBER: _ClassVar[_int]
    REGISTERED_OP_TYPE_FIELD_NUMBER: _ClassVar[_int]
    gradient_func: _str
    registered_op_type: _str
    def __init__(self, *, gradient_func: _str | _bytes | None = ..., registered_op_type: _str | _bytes | None = ...) -> None: ...
