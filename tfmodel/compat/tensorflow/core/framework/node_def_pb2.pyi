"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar
from ....tensorflow.core.framework.attr_value_pb2 import AttrValue as _AttrValue_
from ....tensorflow.core.framework.full_type_pb2 import FullTypeDef as _FullTypeDef_

DESCRIPTOR: _Any

class NodeDef(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    class ExperimentalDebugInfo(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        ORIGINAL_NODE_NAMES_FIELD_NUMBER: _ClassVar[_int]
        ORIGINAL_FUNC_NAMES_FIELD_NUMBER: _ClassVar[_int]
        @property
        def original_node_names(self) -> _RepeatedScalar[_str]: ...
        @property
        def original_func_names(self) -> _RepeatedScalar[_str]: ...
        def __init__(self, *, original_node_names: _Iterable[_str | _bytes] | None = ..., original_func_names: _Iterable[_str | _bytes] | None = ...) -> None: ...
    NAME_FIELD_NUMBER: _ClassVar[_int]
    OP_FIELD_NUMBER: _ClassVar[_int]
    INPUT_FIELD_NUMBER: _ClassVar[_int]
    DEVICE_FIELD_NUMBER: _ClassVar[_int]
    ATTR_FIELD_NUMBER: _ClassVar[_int]
    EXPERIMENTAL_DEBUG_INFO_FIELD_NUMBER: _ClassVar[_int]
    EXPERIMENTAL_TYPE_FIELD_NUMBER: _ClassVar[_int]
    name: _str
    op: _str
    @property
    def input(self) -> _RepeatedScalar[_str]: ...
    device: _str
    @property
    def attr(self) -> _MessageMap[_str, _AttrValue_]: ...
    @property
    def experimental_debug_info(self) -> NodeDef.ExperimentalDebugInfo: ...
    @property
    def experimental_type(self) -> _FullTypeDef_: ...
    def __init__(self, *, name: _str | _bytes | None = ..., op: _str | _bytes | None = ..., input: _Iterable[_str | _bytes] | None = ..., device: _str | _bytes | None = ..., attr: _Mapping[_str, _AttrValue_ | _Mapping[_str, _Any]] | None = ..., experimental_debug_info: NodeDef.ExperimentalDebugInfo | _Mapping[_str, _Any] | None = ..., experimental_type: _FullTypeDef_ | _Mapping[_str, _Any] | None = ...) -> None: ...
