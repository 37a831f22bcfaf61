"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar
from ....tensorflow.core.framework.tensor_shape_pb2 import TensorShapeProto as _TensorShapeProto_

DESCRIPTOR: _Any

class ResourceHandleProto(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    class DtypeAndShape(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        DTYPE_FIELD_NUMBER: _ClassVar[_int]
        SHAPE_FIELD_NUMBER: _ClassVar[_int]
        dtype: _int
        @property
        def shape(self) -> _TensorShapeProto_: ...
        def __init__(self, *, dtype: _int | _str | None = ..., shape: _TensorShapeProto_ | _Mapping[_str, _Any] | None = ...) -> None: ...
    DEVICE_FIELD_NUMBER: _ClassVar[_int]
    CONTAINER_FIELD_NUMBER: _ClassVar[_int]
    NAME_FIELD_NUMBER: _ClassVar[_int]
    HASH_CODE_FIELD_NUMBER: _ClassVar[_int]
    MAYBE_TYPE_NAME_FIELD_NUMBER: _ClassVar[_int]
    DTYPES_AND_SHAPES_FIELD_NUMBER: _ClassVar[_int]
    device: _str
    container: _str
    name: _str
    hash_code: _int
    maybe_type_name: _str
    @property
    def dtypes_and_shapes(self) -> _RepeatedMessage[ResourceHandleProto.DtypeAndShape]: ...
    def __init__(self, *, device: _str | _bytes | None = ..., container: _str | _bytes | None = ..., name: _str | _bytes | None = ..., hash_code: _int | None = ..., maybe_type_name: _str | _bytes | None = ..., dtypes_and_shapes: _Iterable[ResourceHandleProto.DtypeAndShape | _Mapping[_str, _Any]] | None = ...) -> None: ...
