"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar
from ....tensorflow.core.framework.resource_handle_pb2 import ResourceHandleProto as _ResourceHandleProto_
from ....tensorflow.core.framework.tensor_shape_pb2 import TensorShapeProto as _TensorShapeProto_

DESCRIPTOR: _Any

class TensorProto(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    DTYPE_FIELD_NUMBER: _ClassVar[_int]
    TENSOR_SHAPE_FIELD_NUMBER: _ClassVar[_int]
    VERSION_NUMBER_FIELD_NUMBER: _ClassVar[_int]
    TENSOR_CONTENT_FIELD_NUMBER: _ClassVar[_int]
    HALF_VAL_FIELD_NUMBER: _ClassVar[_int]
    FLOAT_VAL_FIELD_NUMBER: _ClassVar[_int]
    DOUBLE_VAL_FIELD_NUMBER: _ClassVar[_int]
    INT_VAL_FIELD_NUMBER: _ClassVar[_int]
    STRING_VAL_FIELD_NUMBER: _ClassVar[_int]
    SCOMPLEX_VAL_FIELD_NUMBER: _ClassVar[_int]
    INT64_VAL_FIELD_NUMBER: _ClassVar[_int]
    BOOL_VAL_FIELD_NUMBER: _ClassVar[_int]
    DCOMPLEX_VAL_FIELD_NUMBER: _ClassVar[_int]
    RESOURCE_HANDLE_VAL_FIELD_NUMBER: _ClassVar[_int]
    VARIANT_VAL_FIELD_NUMBER: _ClassVar[_int]
    UINT32_VAL_FIELD_NUMBER: _ClassVar[_int]
    UINT64_VAL_FIELD_NUMBER: _ClassVar[_int]
    FLOAT8_VAL_FIELD_NUMBER: _ClassVar[_int]
    dtype: _int
    @property
    def tensor_shape(self) -> _TensorShapeProto_: ...
    version_number: _int
    tensor_content: _bytes
    @property
    def half_val(self) -> _RepeatedScalar[_int]: ...
    @property
    def float_val(self) -> _RepeatedScalar[_float]: ...
    @property
    def double_val(self) -> _RepeatedScalar[_float]: ...
    @property
    def int_val(self) -> _RepeatedScalar[_int]: ...
    @property
    def string_val(self) -> _RepeatedScalar[_bytes]: ...
    @property
    def scomplex_val(self) -> _RepeatedScalar[_float]: ...
    @property
    def int64_val(self) -> _RepeatedScalar[_int]: ...
    @property
    def bool_val(self) -> _RepeatedScalar[_bool]: ...
    @property
    def dcomplex_val(self) -> _RepeatedScalar[_float]: ...
    @property
    def resource_handle_val(self) -> _RepeatedMessage[_ResourceHandleProto_]: ...
    @property
    def variant_val(self) -> _RepeatedMessage[VariantTensorDataProto]: ...
    @property
    def uint32_val(self) -> _RepeatedScalar[_int]: ...
    @property
    def uint64_val(self) -> _RepeatedScalar[_int]: ...
    float8_val: _bytes
    def __init__(self, *, dtype: _int | _str | None = ..., tensor_shape: _TensorShapeProto_ | _Mapping[_str, _Any] | None = ..., version_number: _int | None = ..., tensor_content: _bytes | None = ..., half_val: _Iterable[_int] | None = ..., float_val: _Iterable[_float] | None = ..., double_val: _Iterable[_float] | None = ..., int_val: _Iterable[_int] | None = ..., string_val: _Iterable[_bytes] | None = ..., scomplex_val: _Iterable[_float] | None = ..., int64_val: _Iterable[_int] | None = ..., bool_val: _Iterable[_bool] | None = ..., dcomplex_val: _Iterable[_float] | None = ..., resource_handle_val: _Iterable[_ResourceHandleProto_ | _Mapping[_str, _Any]] | None = ..., variant_val: _Iterable[VariantTensorDataProto | _Mapping[_str, _Any]] | None = ..., uint32_val: _Iterable[_int] | None = ..., uint64_val: _Iterable[_int] | None = ..., float8_val: _bytes | None = ...) -> None: ...

class VariantTensorDataProto(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    TYPE_NAME_FIELD_NUMBER: _ClassVar[_int]
    METADATA_FIELD_NUMBER: _ClassVar[_int]
    TENSORS_FIELD_NUMBER: _ClassVar[_int]
    type_name: _str
    metadata: _bytes
    @property
    def tensors(self) -> _RepeatedMessage[TensorProto]: ...
    def __init__(self, *, type_name: _str | _bytes | None = ..., metadata: _bytes | None = ..., tensors: _Iterable[TensorProto | _Mapping[_str, _Any]] | None = ...) -> None: ...
