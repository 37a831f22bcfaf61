"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar
from ....tensorflow.core.framework.tensor_pb2 import TensorProto as _TensorProto_
from ....tensorflow.core.framework.tensor_shape_pb2 import TensorShapeProto as _TensorShapeProto_

DESCRIPTOR: _Any

class AttrValue(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    class ListValue(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        S_FIELD_NUMBER: _ClassVar[_int]
        I_FIELD_NUMBER: _ClassVar[_int]
        F_FIELD_NUMBER: _ClassVar[_int]
        B_FIELD_NUMBER: _ClassVar[_int]
        TYPE_FIELD_NUMBER: _ClassVar[_int]
        SHAPE_FIELD_NUMBER: _ClassVar[_int]
        TENSOR_FIELD_NUMBER: _ClassVar[_int]
        FUNC_FIELD_NUMBER: _ClassVar[_int]
        @property
        def s(self) -> _RepeatedScalar[_bytes]: ...
        @property
        def i(self) -> _RepeatedScalar[_int]: ...
        @property
        def f(self) -> _RepeatedScalar[_float]: ...
        @property
        def b(self) -> _RepeatedScalar[_bool]: ...
        @property
        def type(self) -> _RepeatedScalar[_int]: ...
        @property
        def shape(self) -> _RepeatedMessage[_TensorShapeProto_]: ...
        @property
        def tensor(self) -> _RepeatedMessage[_TensorProto_]: ...
        @property
        def func(self) -> _RepeatedMessage[NameAttrList]: ...
        def __init__(self, *, s: _Iterable[_bytes] | None = ..., i: _Iterable[_int] | None = ..., f: _Iterable[_float] | None = ..., b: _Iterable[_bool] | None = ..., type: _Iterable[_int | _str] | None = ..., shape: _Iterable[_TensorShapeProto_ | _Mapping[_str, _Any]] | None = ..., tensor: _Iterable[_TensorProto_ | _Mapping[_str, _Any]] | None = ..., func: _Iterable[NameAttrList | _Mapping[_str, _Any]] | None = ...) -> None: ...
    S_FIELD_NUMBER: _ClassVar[_int]
    I_FIELD_NUMBER: _ClassVar[_int]
    F_FIELD_NUMBER: _ClassVar[_int]
    B_FIELD_NUMBER: _ClassVar[_int]
    TYPE_FIELD_NUMBER: _ClassVar[_int]
    SHAPE_FIELD_NUMBER: _ClassVar[_int]
    TENSOR_FIELD_NUMBER: _ClassVar[_int]
    LIST_FIELD_NUMBER: _ClassVar[_int]
    FUNC_FIELD_NUMBER: _ClassVar[_int]
    PLACEHOLDER_FIELD_NUMBER: _ClassVar[_int]
    s: _bytes
    i: _int
    f: _float
    b: _bool
    type: _int
    @property
    def shape(self) -> _TensorShapeProto_: ...
    @property
    def tensor(self) -> _TensorProto_: ...
    @property
    def list(self) -> AttrValue.ListValue: ...
    @property
    def func(self) -> NameAttrList: ...
    placeholder: _str
    def __init__(self, *, s: _bytes | None = ..., i: _int | None = ..., f: _float | None = ..., b: _bool | None = ..., type: _int | _str | None = ..., shape: _TensorShapeProto_ | _Mapping[_str, _Any] | None = ..., tensor: _TensorProto_ | _Mapping[_str, _Any] | None = ..., list: AttrValue.ListValue | _Mapping[_str, _Any] | None = ..., func: NameAttrList | _Mapping[_str, _Any] | None = ..., placeholder: _str | _bytes | None = ...) -> None: ...

class NameAttrList(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    NAME_FIELD_NUMBER: _ClassVar[_int]
    ATTR_FIELD_NUMBER: _ClassVar[_int]
    name: _str
    @property
    def attr(self) -> _MessageMap[_str, AttrValue]: ...
    def __init__(self, *, name: _str | _bytes | None = ..., attr: _Mapping[_str, AttrValue | _Mapping[_str, _Any]] | None = ...) -> None: ...
