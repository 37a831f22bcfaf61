"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar
from ....tensorflow.core.framework.tensor_pb2 import TensorProto as _TensorProto_
from ....tensorflow.core.framework.tensor_shape_pb2 import TensorShapeProto as _TensorShapeProto_

DESCRIPTOR: _Any

class BoundedTensorSpecProto(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    NAME_FIELD_NUMBER: _ClassVar[_int]
    SHAPE_FIELD_NUMBER: _ClassVar[_int]
    DTYPE_FIELD_NUMBER: _ClassVar[_int]
    MINIMUM_FIELD_NUMBER: _ClassVar[_int]
    MAXIMUM_FIELD_NUMBER: _ClassVar[_int]
    name: _str
    @property
    def shape(self) -> _TensorShapeProto_: ...
    dtype: _int
    @property
    def minimum(self) -> _TensorProto_: ...
    @property
    def maximum(self) -> _TensorProto_: ...
    def __init__(self, *, name: _str | _bytes | None = ..., shape: _TensorShapeProto_ | _Mapping[_str, _Any] | None = ..., dtype: _int | _str | None = ..., minimum: _TensorProto_ | _Mapping[_str, _Any] | None = ..., maximum: _TensorProto_ | _Mapping[_str, _Any] | None = ...) -> None: ...

class DictValue(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    FIELDS_FIELD_NUMBER: _ClassVar[_int]
    @property
    def fields(self) -> _MessageMap[_str, StructuredValue]: ...
    def __init__(self, *, fields: _Mapping[_str, StructuredValue | _Mapping[_str, _Any]] | None = ...) -> None: ...

class ListValue(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    VALUES_FIELD_NUMBER: _ClassVar[_int]
    @property
    def values(self) -> _RepeatedMessage[StructuredValue]: ...
    def __init__(self, *, values: _Iterable[StructuredValue | _Mapping[_str, _Any]] | None = ...) -> None: ...

class NamedTupleValue(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    NAME_FIELD_NUMBER: _ClassVar[_int]
    VALUES_FIELD_NUMBER: _ClassVar[_int]
    name: _str
    @property
    def values(self) -> _RepeatedMessage[PairValue]: ...
    def __init__(self, *, name: _str | _bytes | None = ..., values: _Iterable[PairValue | _Mapping[_str, _Any]] | None = ...) -> None: ...

class NoneValue(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    def __init__(self) -> None: ...

class PairValue(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    KEY_FIELD_NUMBER: _ClassVar[_int]
    VALUE_FIELD_NUMBER: _ClassVar[_int]
    key: _str
    @property
    def value(self) -> StructuredValue: ...
    def __init__(self, *, key: _str | _bytes | None = ..., value: StructuredValue | _Mapping[_str, _Any] | None = ...) -> None: ...

class StructuredValue(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    NONE_VALUE_FIELD_NUMBER: _ClassVar[_int]
    FLOAT64_VALUE_FIELD_NUMBER: _ClassVar[_int]
    INT64_VALUE_FIELD_NUMBER: _ClassVar[_int]
    STRING_VALUE_FIELD_NUMBER: _ClassVar[_int]
    BOOL_VALUE_FIELD_NUMBER: _ClassVar[_int]
    TENSOR_SHAPE_VALUE_FIELD_NUMBER: _ClassVar[_int]
    TENSOR_DTYPE_VALUE_FIELD_NUMBER: _ClassVar[_int]
    TENSOR_SPEC_VALUE_FIELD_NUMBER: _ClassVar[_int]
    TYPE_SPEC_VALUE_FIELD_NUMBER: _ClassVar[_int]
    BOUNDED_TENSOR_SPEC_VALUE_FIELD_NUMBER: _ClassVar[_int]
    LIST_VALUE_FIELD_NUMBER: _ClassVar[_int]
    TUPLE_VALUE_FIELD_NUMBER: _ClassVar[_int]
    DICT_VALUE_FIELD_NUMBER: _ClassVar[_int]
    NAMED_TUPLE_VALUE_FIELD_NUMBER: _ClassVar[_int]
    TENSOR_VALUE_FIELD_NUMBER: _ClassVar[_int]
    NUMPY_VALUE_FIELD_NUMBER: _ClassVar[_int]
    @property
    def none_value(self) -> NoneValue: ...
    float64_value: _float
    int64_value: _int
    string_value: _str
    bool_value: _bool
    @property
    def tensor_shape_value(self) -> _TensorShapeProto_: ...
    tensor_dtype_value: _int
    @property
    def tensor_spec_value(self) -> TensorSpecProto: ...
    @property
    def type_spec_value(self) -> TypeSpecProto: ...
    @property
    def bounded_tensor_spec_value(self) -> BoundedTensorSpecProto: ...
    @property
    def list_value(self) -> ListValue: ...
    @property
    def tuple_value(self) -> TupleValue: ...
    @property
    def dict_value(self) -> DictValue: ...
    @property
    def named_tuple_value(self) -> NamedTupleValue: ...
    @property
    def tensor_value(self) -> _TensorProto_: ...
    @property
    def numpy_value(self) -> _TensorProto_: ...
    def __init__(self, *, none_value: NoneValue | _Mapping[_str, _Any] | None = ..., float64_value: _float | None = ..., int64_value: _int | None = ..., string_value: _str | _bytes | None = ..., bool_value: _bool | None = ..., tensor_shape_value: _TensorShapeProto_ | _Mapping[_str, _Any] | None = ..., tensor_dtype_value: _int | _str | None = ..., tensor_spec_value: TensorSpecProto | _Mapping[_str, _Any] | None = ..., type_spec_value: TypeSpecProto | _Mapping[_str, _Any] | None = ..., bounded_tensor_spec_value: BoundedTensorSpecProto | _Mapping[_str, _Any] | None = ..., list_value: ListValue | _Mapping[_str, _Any] | None = ..., tuple_value: TupleValue | _Mapping[_str, _Any] | None = ..., dict_value: DictValue | _Mapping[_str, _Any] | None = ..., named_tuple_value: NamedTupleValue | _Mapping[_str, _Any] | None = ..., tensor_value: _TensorProto_ | _Mapping[_str, _Any] | None = ..., numpy_value: _TensorProto_ | _Mapping[_str, _Any] | None = ...) -> None: ...

class TensorSpecProto(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    NAME_FIELD_NUMBER: _ClassVar[_int]
    SHAPE_FIELD_NUMBER: _ClassVar[_int]
    DTYPE_FIELD_NUMBER: _ClassVar[_int]
    name: _str
    @property
    def shape(self) -> _TensorShapeProto_: ...
    dtype: _int
    def __init__(self, *, name: _str | _bytes | None = ..., shape: _TensorShapeProto_ | _Mapping[_str, _Any] | None = ..., dtype: _int | _str | None = ...) -> None: ...

class TupleValue(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    VALUES_FIELD_NUMBER: _ClassVar[_int]
    @property
    def values(self) -> _RepeatedMessage[StructuredValue]: ...
    def __init__(self, *, values: _Iterable[StructuredValue | _Mapping[_str, _Any]] | None = ...) -> None: ...

class TypeSpecProto(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    TypeSpecClass: _ClassVar[_EnumWrapper]
    UNKNOWN: _ClassVar[_int]
    SPARSE_TENSOR_SPEC: _ClassVar[_int]
    INDEXED_SLICES_SPEC: _ClassVar[_int]
    RAGGED_TENSOR_SPEC: _ClassVar[_int]
    TENSOR_ARRAY_SPEC: _ClassVar[_int]
    DATA_DATASET_SPEC: _ClassVar[_int]
    DATA_ITERATOR_SPEC: _ClassVar[_int]
    OPTIONAL_SPEC: _ClassVar[_int]
    PER_REPLICA_SPEC: _ClassVar[_int]
    VARIABLE_SPEC: _ClassVar[_int]
    ROW_PARTITION_SPEC: _ClassVar[_int]
    REGISTERED_TYPE_SPEC: _ClassVar[_int]
    EXTENSION_TYPE_SPEC: _ClassVar[_int]
    TYPE_SPEC_CLASS_FIELD_NUMBER: _ClassVar[_int]
    TYPE_STATE_FIELD_NUMBER: _ClassVar[_int]
    TYPE_SPEC_CLASS_NAME_FIELD_NUMBER: _ClassVar[_int]
    NUM_FLAT_COMPONENTS_FIELD_NUMBER: _ClassVar[_int]
    type_spec_class: _int
    @property
    def type_state(self) -> StructuredValue: ...
    type_spec_class_name: _str
    num_flat_components: _int
    def __init__(self, *, type_spec_class: _int | _str | None = ..., type_state: StructuredValue | _Mapping[_str, _Any] | None = ..., type_spec_class_name: _str | _bytes | None = ..., num_flat_components: _int | None = ...) -> None: ...
