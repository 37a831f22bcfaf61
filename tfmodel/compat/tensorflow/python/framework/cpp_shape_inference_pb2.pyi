"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar
from ....tensorflow.core.framework.full_type_pb2 import FullTypeDef as _FullTypeDef_
from ....tensorflow.core.framework.tensor_shape_pb2 import TensorShapeProto as _TensorShapeProto_

DESCRIPTOR: _Any

class CppShapeInferenceInputsNeeded(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    INPUT_TENSORS_NEEDED_FIELD_NUMBER: _ClassVar[_int]
    INPUT_TENSORS_AS_SHAPES_NEEDED_FIELD_NUMBER: _ClassVar[_int]
    @property
    def input_tensors_needed(self) -> _RepeatedScalar[_int]: ...
    @property
    def input_tensors_as_shapes_needed(self) -> _RepeatedScalar[_int]: ...
    def __init__(self, *, input_tensors_needed: _Iterable[_int] | None = ..., input_tensors_as_shapes_needed: _Iterable[_int] | None = ...) -> None: ...

class CppShapeInferenceResult(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    class HandleShapeAndType(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        SHAPE_FIELD_NUMBER: _ClassVar[_int]
        DTYPE_FIELD_NUMBER: _ClassVar[_int]
        TYPE_FIELD_NUMBER: _ClassVar[_int]
        @property
        def shape(self) -> _TensorShapeProto_: ...
        dtype: _int
        @property
        def type(self) -> _FullTypeDef_: ...
        def __init__(self, *, shape: _TensorShapeProto_ | _Mapping[_str, _Any] | None = ..., dtype: _int | _str | None = ..., type: _FullTypeDef_ | _Mapping[_str, _Any] | None = ...) -> None: ...
    class HandleData(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        IS_SET_FIELD_NUMBER: _ClassVar[_int]
        SHAPE_AND_TYPE_FIELD_NUMBER: _ClassVar[_int]
        is_set: _bool
        @property
        def shape_and_type(self) -> _RepeatedMessage[CppShapeInferenceResult.HandleShapeAndType]: ...
        def __init__(self, *, is_set: _bool | None = ..., shape_and_type: _Iterable[CppShapeInferenceResult.HandleShapeAndType | _Mapping[_str, _Any]] | None = ...) -> None: ...
    SHAPE_FIELD_NUMBER: _ClassVar[_int]
    HANDLE_DATA_FIELD_NUMBER: _ClassVar[_int]
    @property
    def shape(self) -> _TensorShapeProto_: ...
    @property
    def handle_data(self) -> CppShapeInferenceResult.HandleData: ...
    def __init__(self, *, shape: _TensorShapeProto_ | _Mapping[_str, _Any] | None = ..., handle_data: CppShapeInferenceResult.HandleData | _Mapping[_str, _Any] | None = ...) -> None: ...
