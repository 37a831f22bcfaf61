"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar
from ....tensorflow.core.framework.tensor_pb2 import TensorProto as _TensorProto_
from ....tensorflow.core.framework.tensor_shape_pb2 import TensorShapeProto as _TensorShapeProto_
from ....tensorflow.core.framework.tensor_slice_pb2 import TensorSliceProto as _TensorSliceProto_
from ....tensorflow.core.framework.versions_pb2 import VersionDef as _VersionDef_

DESCRIPTOR: _Any

class SavedSlice(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    NAME_FIELD_NUMBER: _ClassVar[_int]
    SLICE_FIELD_NUMBER: _ClassVar[_int]
    DATA_FIELD_NUMBER: _ClassVar[_int]
    name: _str
    @property
    def slice(self) -> _TensorSliceProto_: ...
    @property
    def data(self) -> _TensorProto_: ...
    def __init__(self, *, name: _str | _bytes | None = ..., slice: _TensorSliceProto_ | _Mapping[_str, _Any] | None = ..., data: _TensorProto_ | _Mapping[_str, _Any] | None = ...) -> None: ...

class SavedSliceMeta(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    NAME_FIELD_NUMBER: _ClassVar[_int]
    SHAPE_FIELD_NUMBER: _ClassVar[_int]
    TYPE_FIELD_NUMBER: _ClassVar[_int]
    SLICE_FIELD_NUMBER: _ClassVar[_int]
    name: _str
    @property
    def shape(self) -> _TensorShapeProto_: ...
    type: _int
    @property
    def slice(self) -> _RepeatedMessage[_TensorSliceProto_]: ...
    def __init__(self, *, name: _str | _bytes | None = ..., shape: _TensorShapeProto_ | _Mapping[_str, _Any] | None = ..., type: _int | _str | None = ..., slice: _Iterable[_TensorSliceProto_ | _Mapping[_str, _Any]] | None = ...) -> None: ...

class SavedTensorSliceMeta(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    TENSOR_FIELD_NUMBER: _ClassVar[_int]
    VERSIONS_FIELD_NUMBER: _ClassVar[_int]
    @property
    def tensor(self) -> _RepeatedMessage[SavedSliceMeta]: ...
    @property
    def versions(self) -> _VersionDef_: ...
    def __init__(self, *, tensor: _Iterable[SavedSliceMeta | _Mapping[_str, _Any]] | None = ..., versions: _VersionDef_ | _Mapping[_str, _Any] | None = ...) -> None: ...

class SavedTensorSlices(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    META_FIELD_NUMBER: _ClassVar[_int]
    DATA_FIELD_NUMBER: _ClassVar[_int]
    @property
    def meta(self) -> SavedTensorSliceMeta: ...
    @property
    def data(self) -> SavedSlice: ...
    def __init__(self, *, meta: SavedTensorSliceMeta | _Mapping[_str, _Any] | None = ..., data: SavedSlice | _Mapping[_str, _Any] | None = ...) -> None: ...
