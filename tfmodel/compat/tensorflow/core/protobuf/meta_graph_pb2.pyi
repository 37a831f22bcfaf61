"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar
from ....google.protobuf.any_pb2 import Any as _Any_
from ....tensorflow.core.framework.graph_pb2 import GraphDef as _GraphDef_
from ....tensorflow.core.framework.op_def_pb2 import OpList as _OpList_
from ....tensorflow.core.framework.tensor_pb2 import TensorProto as _TensorProto_
from ....tensorflow.core.framework.tensor_shape_pb2 import TensorShapeProto as _TensorShapeProto_
from ....tensorflow.core.protobuf.saved_object_graph_pb2 import SavedObjectGraph as _SavedObjectGraph_
from ....tensorflow.core.protobuf.saver_pb2 import SaverDef as _SaverDef_
from ....tensorflow.core.protobuf.struct_pb2 import TypeSpecProto as _TypeSpecProto_

DESCRIPTOR: _Any

class AssetFileDef(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    TENSOR_INFO_FIELD_NUMBER: _ClassVar[_int]
    FILENAME_FIELD_NUMBER: _ClassVar[_int]
    @property
    def tensor_info(self) -> TensorInfo: ...
    filename: _str
    def __init__(self, *, tensor_info: TensorInfo | _Mapping[_str, _Any] | None = ..., filename: _str | _bytes | None = ...) -> None: ...

class CollectionDef(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    class NodeList(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        VALUE_FIELD_NUMBER: _ClassVar[_int]
        @property
        def value(self) -> _RepeatedScalar[_str]: ...
        def __init__(self, *, value: _Iterable[_str | _bytes] | None = ...) -> None: ...
    class BytesList(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        VALUE_FIELD_NUMBER: _ClassVar[_int]
        @property
        def value(self) -> _RepeatedScalar[_bytes]: ...
        def __init__(self, *, value: _Iterable[_bytes] | None = ...) -> None: ...
    class Int64List(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        VALUE_FIELD_NUMBER: _ClassVar[_int]
        @property
        def value(self) -> _RepeatedScalar[_int]: ...
        def __init__(self, *, value: _Iterable[_int] | None = ...) -> None: ...
    class FloatList(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        VALUE_FIELD_NUMBER: _ClassVar[_int]
        @property
        def value(self) -> _RepeatedScalar[_float]: ...
        def __init__(self, *, value: _Iterable[_float] | None = ...) -> None: ...
    class AnyList(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        VALUE_FIELD_NUMBER: _ClassVar[_int]
        @property
        def value(self) -> _RepeatedMessage[_Any_]: ...
        def __init__(self, *, value: _Iterable[_Any_ | _Mapping[_str, _Any]] | None = ...) -> None: ...
    NODE_LIST_FIELD_NUMBER: _ClassVar[_int]
    BYTES_LIST_FIELD_NUMBER: _ClassVar[_int]
    INT64_LIST_FIELD_NUMBER: _ClassVar[_int]
    FLOAT_LIST_FIELD_NUMBER: _ClassVar[_int]
    ANY_LIST_FIELD_NUMBER: _ClassVar[_int]
    @property
    def node_list(self) -> CollectionDef.NodeList: ...
    @property
    def bytes_list(self) -> CollectionDef.BytesList: ...
    @property
    def int64_list(self) -> CollectionDef.Int64List: ...
    @property
    def float_list(self) -> CollectionDef.FloatList: ...
    @property
    def any_list(self) -> CollectionDef.AnyList: ...
    def __init__(self, *, node_list: CollectionDef.NodeList | _Mapping[_str, _Any] | None = ..., bytes_list: CollectionDef.BytesList | _Mapping[_str, _Any] | None = ..., int64_list: CollectionDef.Int64List | _Mapping[_str, _Any] | None = ..., float_list: CollectionDef.FloatList | _Mapping[_str, _Any] | None = ..., any_list: CollectionDef.AnyList | _Mapping[_str, _Any] | None = ...) -> None: ...

class MetaGraphDef(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    class MetaInfoDef(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        META_GRAPH_VERSION_FIELD_NUMBER: _ClassVar[_int]
        STRIPPED_OP_LIST_FIELD_NUMBER: _ClassVar[_int]
        ANY_INFO_FIELD_NUMBER: _ClassVar[_int]
        TAGS_FIELD_NUMBER: _ClassVar[_int]
        TENSORFLOW_VERSION_FIELD_NUMBER: _ClassVar[_int]
        TENSORFLOW_GIT_VERSION_FIELD_NUMBER: _ClassVar[_int]
        STRIPPED_DEFAULT_ATTRS_FIELD_NUMBER: _ClassVar[_int]
        FUNCTION_ALIASES_FIELD_NUMBER: _ClassVar[_int]
        meta_graph_version: _str
        @property
        def stripped_op_list(self) -> _OpList_: ...
        @property
        def any_info(self) -> _Any_: ...
        @property
        def tags(self) -> _RepeatedScalar[_str]: ...
        tensorflow_version: _str
        tensorflow_git_version: _str
        stripped_default_attrs: _bool
        @property
        def function_aliases(self) -> _ScalarMap[_str, _str]: ...
        def __init__(self, *, meta_graph_version: _str | _bytes | None = ..., stripped_op_list: _OpList_ | _Mapping[_str, _Any] | None = ..., any_info: _Any_ | _Mapping[_str, _Any] | None = ..., tags: _Iterable[_str | _bytes] | None = ..., tensorflow_version: _str | _bytes | None = ..., tensorflow_git_version: _str | _bytes | None = ..., stripped_default_attrs: _bool | None = ..., function_aliases: _Mapping[_str, _str] | None = ...) -> None: ...
    META_INFO_DEF_FIELD_NUMBER: _ClassVar[_int]
    GRAPH_DEF_FIELD_NUMBER: _ClassVar[_int]
    SAVER_DEF_FIELD_NUMBER: _ClassVar[_int]
    COLLECTION_DEF_FIELD_NUMBER: _ClassVar[_int]
    SIGNATURE_DEF_FIELD_NUMBER: _ClassVar[_int]
    ASSET_FILE_DEF_FIELD_NUMBER: _ClassVar[_int]
    OBJECT_GRAPH_DEF_FIELD_NUMBER: _ClassVar[_int]
    @property
    def meta_info_def(self) -> MetaGraphDef.MetaInfoDef: ...
    @property
    def graph_def(self) -> _GraphDef_: ...
    @property
    def saver_def(self) -> _SaverDef_: ...
    @property
    def collection_def(self) -> _MessageMap[_str, CollectionDef]: ...
    @property
    def signature_def(self) -> _MessageMap[_str, SignatureDef]: ...
    @property
    def asset_file_def(self) -> _RepeatedMessage[AssetFileDef]: ...
    @property
    def object_graph_def(self) -> _SavedObjectGraph_: ...
    def __init__(self, *, meta_info_def: MetaGraphDef.MetaInfoDef | _Mapping[_str, _Any] | None = ..., graph_def: _GraphDef_ | _Mapping[_str, _Any] | None = ..., saver_def: _SaverDef_ | _Mapping[_str, _Any] | None = ..., collection_def: _Mapping[_str, CollectionDef | _Mapping[_str, _Any]] | None = ..., signature_def: _Mapping[_str, SignatureDef | _Mapping[_str, _Any]] | None = ..., asset_file_def: _Iterable[AssetFileDef | _Mapping[_str, _Any]] | None = ..., object_graph_def: _SavedObjectGraph_ | _Mapping[_str, _Any] | None = ...) -> None: ...

class SignatureDef(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    INPUTS_FIELD_NUMBER: _ClassVar[_int]
    OUTPUTS_FIELD_NUMBER: _ClassVar[_int]
    METHOD_NAME_FIELD_NUMBER: _ClassVar[_int]
    DEFAULTS_FIELD_NUMBER: _ClassVar[_int]
    @property
    def inputs(self) -> _MessageMap[_str, TensorInfo]: ...
    @property
    def outputs(self) -> _MessageMap[_str, TensorInfo]: ...
    method_name: _str
    @property
    def defaults(self) -> _MessageMap[_str, _TensorProto_]: ...
    def __init__(self, *, inputs: _Mapping[_str, TensorInfo | _Mapping[_str, _Any]] | None = ..., outputs: _Mapping[_str, TensorInfo | _Mapping[_str, _Any]] | None = ..., method_name: _str | _bytes | None = ..., defaults: _Mapping[_str, _TensorProto_ | _Mapping[_str, _Any]] | None = ...) -> None: ...

class TensorInfo(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    class CooSparse(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        VALUES_TENSOR_NAME_FIELD_NUMBER: _ClassVar[_int]
        INDICES_TENSOR_NAME_FIELD_NUMBER: _ClassVar[_int]
        DENSE_SHAPE_TENSOR_NAME_FIELD_NUMBER: _ClassVar[_int]
        values_tensor_name: _str
        indices_tensor_name: _str
        dense_shape_tensor_name: _str
        def __init__(self, *, values_tensor_name: _str | _bytes | None = ..., indices_tensor_name: _str | _bytes | None = ..., dense_shape_tensor_name: _str | _bytes | None = ...) -> None: ...
    class CompositeTensor(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        TYPE_SPEC_FIELD_NUMBER: _ClassVar[_int]
        COMPONENTS_FIELD_NUMBER: _ClassVar[_int]
        @property
        def type_spec(self) -> _TypeSpecProto_: ...
        @property
        def components(self) -> _RepeatedMessage[TensorInfo]: ...
        def __init__(self, *, type_spec: _TypeSpecProto_ | _Mapping[_str, _Any] | None = ..., components: _Iterable[TensorInfo | _Mapping[_str, _Any]] | None = ...) -> None: ...
    NAME_FIELD_NUMBER: _ClassVar[_int]
    COO_SPARSE_FIELD_NUMBER: _ClassVar[_int]
    COMPOSITE_TENSOR_FIELD_NUMBER: _ClassVar[_int]
    DTYPE_FIELD_NUMBER: _ClassVar[_int]
    TENSOR_SHAPE_FIELD_NUMBER: _ClassVar[_int]
    name: _str
    @property
    def coo_sparse(self) -> TensorInfo.CooSparse: ...
    @property
    def composite_tensor(self) -> TensorInfo.CompositeTensor: ...
    dtype: _int
    @property
    def tensor_shape(self) -> _TensorShapeProto_: ...
    def __init__(self, *, name: _str | _bytes | None = ..., coo_sparse: TensorInfo.CooSparse | _Mapping[_str, _Any] | None = ..., composite_tensor: TensorInfo.CompositeTensor | _Mapping[_str, _Any] | None = ..., dtype: _int | _str | None = ..., tensor_shape: _TensorShapeProto_ | _Mapping[_str, _Any] | None = ...) -> None: ...
