"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar
from ....tensorflow.core.framework.attr_value_pb2 import AttrValue as _AttrValue_

DESCRIPTOR: _Any

class KernelDef(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    class AttrConstraint(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        NAME_FIELD_NUMBER: _ClassVar[_int]
        ALLOWED_VALUES_FIELD_NUMBER: _ClassVar[_int]
        name: _str
        @property
        def allowed_values(self) -> _AttrValue_: ...
        def __init__(self, *, name: _str | _bytes | None = ..., allowed_values: _AttrValue_ | _Mapping[_str, _Any] | None = ...) -> None: ...
    OP_FIELD_NUMBER: _ClassVar[_int]
    DEVICE_TYPE_FIELD_NUMBER: _ClassVar[_int]
    CONSTRAINT_FIELD_NUMBER: _ClassVar[_int]
    HOST_MEMORY_ARG_FIELD_NUMBER: _ClassVar[_int]
    LABEL_FIELD_NUMBER: _ClassVar[_int]
    PRIORITY_FIELD_NUMBER: _ClassVar[_int]
    op: _str
    device_type: _str
    @property
    def constraint(self) -> _RepeatedMessage[KernelDef.AttrConstraint]: ...
    @property
    def host_memory_arg(self) -> _RepeatedScalar[_str]: ...
    label: _str
    priority: _int
    def __init__(self, *, op: _str | _bytes | None = ..., device_type: _str | _bytes | None = ..., constraint: _Iterable[KernelDef.AttrConstraint | _Mapping[_str, _Any]] | None = ..., host_memory_arg: _Iterable[_str | _bytes] | None = ..., label: _str | _bytes | None = ..., priority: _int | None = ...) -> None: ...

class KernelList(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    KERNEL_FIELD_NUMBER: _ClassVar[_int]
    @property
    def kernel(self) -> _RepeatedMessage[KernelDef]: ...
    def __init__(self, *, kernel: _Iterable[KernelDef | _Mapping[_str, _Any]] | None = ...) -> None: ...
