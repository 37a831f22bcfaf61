"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar
from ....google.protobuf.any_pb2 import Any as _Any_
from ....tensorflow.core.framework.tensor_shape_pb2 import TensorShapeProto as _TensorShapeProto_
from ....tensorflow.core.framework.versions_pb2 import VersionDef as _VersionDef_
from ....tensorflow.core.protobuf.struct_pb2 import StructuredValue as _StructuredValue_
from ....tensorflow.core.protobuf.trackable_object_graph_pb2 import TrackableObjectGraph as _TrackableObjectGraph_

DESCRIPTOR: _Any

class CapturedTensor(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    NAME_FIELD_NUMBER: _ClassVar[_int]
    CONCRETE_FUNCTION_FIELD_NUMBER: _ClassVar[_int]
    name: _str
    concrete_function: _str
    def __init__(self, *, name: _str | _bytes | None = ..., concrete_function: _str | _bytes | None = ...) -> None: ...

class FunctionSpec(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    JitCompile: _ClassVar[_EnumWrapper]
    DEFAULT: _ClassVar[_int]
    ON: _ClassVar[_int]
    OFF: _ClassVar[_int]
    FULLARGSPEC_FIELD_NUMBER: _ClassVar[_int]
    IS_METHOD_FIELD_NUMBER: _ClassVar[_int]
    INPUT_SIGNATURE_FIELD_NUMBER: _ClassVar[_int]
    JIT_COMPILE_FIELD_NUMBER: _ClassVar[_int]
    @property
    def fullargspec(self) -> _StructuredValue_: ...
    is_method: _bool
    @property
    def input_signature(self) -> _StructuredValue_: ...
    jit_compile: _int
    def __init__(self, *, fullargspec: _StructuredValue_ | _Mapping[_str, _Any] | None = ..., is_method: _bool | None = ..., input_signature: _StructuredValue_ | _Mapping[_str, _Any] | None = ..., jit_compile: _int | _str | None = ...) -> None: ...

class SaveableObject(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    SAVE_FUNCTION_FIELD_NUMBER: _ClassVar[_int]
    RESTORE_FUNCTION_FIELD_NUMBER: _ClassVar[_int]
    save_function: _int
    restore_function: _int
    def __init__(self, *, save_function: _int | None = ..., restore_function: _int | None = ...) -> None: ...

class SavedAsset(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    ASSET_FILE_DEF_INDEX_FIELD_NUMBER: _ClassVar[_int]
    asset_file_def_index: _int
    def __init__(self, *, asset_file_def_index: _int | None = ...) -> None: ...

class SavedBareConcreteFunction(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    CONCRETE_FUNCTION_NAME_FIELD_NUMBER: _ClassVar[_int]
    ARGUMENT_KEYWORDS_FIELD_NUMBER: _ClassVar[_int]
    ALLOWED_POSITIONAL_ARGUMENTS_FIELD_NUMBER: _ClassVar[_int]
    FUNCTION_SPEC_FIELD_NUMBER: _ClassVar[_int]
    concrete_function_name: _str
    @property
    def argument_keywords(self) -> _RepeatedScalar[_str]: ...
    allowed_positional_arguments: _int
    @property
    def function_spec(self) -> FunctionSpec: ...
    def __init__(self, *, concrete_function_name: _str | _bytes | None = ..., argument_keywords: _Iterable[_str | _bytes] | None = ..., allowed_positional_arguments: _int | None = ..., function_spec: FunctionSpec | _Mapping[_str, _Any] | None = ...) -> None: ...

class SavedConcreteFunction(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    BOUND_INPUTS_FIELD_NUMBER: _ClassVar[_int]
    CANONICALIZED_INPUT_SIGNATURE_FIELD_NUMBER: _ClassVar[_int]
    OUTPUT_SIGNATURE_FIELD_NUMBER: _ClassVar[_int]
    @property
    def bound_inputs(self) -> _RepeatedScalar[_int]: ...
    @property
    def canonicalized_input_signature(self) -> _StructuredValue_: ...
    @property
    def output_signature(self) -> _StructuredValue_: ...
    def __init__(self, *, bound_inputs: _Iterable[_int] | None = ..., canonicalized_input_signature: _StructuredValue_ | _Mapping[_str, _Any] | None = ..., output_signature: _StructuredValue_ | _Mapping[_str, _Any] | None = ...) -> None: ...

class SavedConstant(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    OPERATION_FIELD_NUMBER: _ClassVar[_int]
    operation: _str
    def __init__(self, *, operation: _str | _bytes | None = ...) -> None: ...

class SavedFunction(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    CONCRETE_FUNCTIONS_FIELD_NUMBER: _ClassVar[_int]
    FUNCTION_SPEC_FIELD_NUMBER: _ClassVar[_int]
    @property
    def concrete_functions(self) -> _RepeatedScalar[_str]: ...
    @property
    def function_spec(self) -> FunctionSpec: ...
    def __init__(self, *, concrete_functions: _Iterable[_str | _bytes] | None = ..., function_spec: FunctionSpec | _Mapping[_str, _Any] | None = ...) -> None: ...

class SavedObject(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    CHILDREN_FIELD_NUMBER: _ClassVar[_int]
    DEPENDENCIES_FIELD_NUMBER: _ClassVar[_int]
    SLOT_VARIABLES_FIELD_NUMBER: _ClassVar[_int]
    USER_OBJECT_FIELD_NUMBER: _ClassVar[_int]
    ASSET_FIELD_NUMBER: _ClassVar[_int]
    FUNCTION_FIELD_NUMBER: _ClassVar[_int]
    VARIABLE_FIELD_NUMBER: _ClassVar[_int]
    BARE_CONCRETE_FUNCTION_FIELD_NUMBER: _ClassVar[_int]
    CONSTANT_FIELD_NUMBER: _ClassVar[_int]
    RESOURCE_FIELD_NUMBER: _ClassVar[_int]
    CAPTURED_TENSOR_FIELD_NUMBER: _ClassVar[_int]
    SAVEABLE_OBJECTS_FIELD_NUMBER: _ClassVar[_int]
    REGISTERED_NAME_FIELD_NUMBER: _ClassVar[_int]
    SERIALIZED_USER_PROTO_FIELD_NUMBER: _ClassVar[_int]
    REGISTERED_SAVER_FIELD_NUMBER: _ClassVar[_int]
    @property
    def children(self) -> _RepeatedMessage[_TrackableObjectGraph_.TrackableObject.ObjectReference]: ...
    @property
    def dependencies(self) -> _RepeatedMessage[_TrackableObjectGraph_.TrackableObject.ObjectReference]: ...
    @property
    def slot_variables(self) -> _RepeatedMessage[_TrackableObjectGraph_.TrackableObject.SlotVariableReference]: ...
    @property
    def user_object(self) -> SavedUserObject: ...
    @property
    def asset(self) -> SavedAsset: ...
    @property
    def function(self) -> SavedFunction: ...
    @property
    def variable(self) -> SavedVariable: ...
    @property
    def bare_concrete_function(self) -> SavedBareConcreteFunction: ...
    @property
    def constant(self) -> SavedConstant: ...
    @property
    def resource(self) -> SavedResource: ...
    @property
    def captured_tensor(self) -> CapturedTensor: ...
    @property
    def saveable_objects(self) -> _MessageMap[_str, SaveableObject]: ...
    registered_name: _str
    @property
    def serialized_user_proto(self) -> _Any_: ...
    registered_saver: _str
    def __init__(self, *, children: _Iterable[_TrackableObjectGraph_.TrackableObject.ObjectReference | _Mapping[_str, _Any]] | None = ..., dependencies: _Iterable[_TrackableObjectGraph_.TrackableObject.ObjectReference | _Mapping[_str, _Any]] | None = ..., slot_variables: _Iterable[_TrackableObjectGraph_.TrackableObject.SlotVariableReference | _Mapping[_str, _Any]] | None = ..., user_object: SavedUserObject | _Mapping[_str, _Any] | None = ..., asset: SavedAsset | _Mapping[_str, _Any] | None = ..., function: SavedFunction | _Mapping[_str, _Any] | None = ..., variable: SavedVariable | _Mapping[_str, _Any] | None = ..., bare_concrete_function: SavedBareConcreteFunction | _Mapping[_str, _Any] | None = ..., constant: SavedConstant | _Mapping[_str, _Any] | None = ..., resource: SavedResource | _Mapping[_str, _Any] | None = ..., captured_tensor: CapturedTensor | _Mapping[_str, _Any] | None = ..., saveable_objects: _Mapping[_str, SaveableObject | _Mapping[_str, _Any]] | None = ..., registered_name: _str | _bytes | None = ..., serialized_user_proto: _Any_ | _Mapping[_str, _Any] | None = ..., registered_saver: _str | _bytes | None = ...) -> None: ...

class SavedObjectGraph(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    NODES_FIELD_NUMBER: _ClassVar[_int]
    CONCRETE_FUNCTIONS_FIELD_NUMBER: _ClassVar[_int]
    @property
    def nodes(self) -> _RepeatedMessage[SavedObject]: ...
    @property
    def concrete_functions(self) -> _MessageMap[_str, SavedConcreteFunction]: ...
    def __init__(self, *, nodes: _Iterable[SavedObject | _Mapping[_str, _Any]] | None = ..., concrete_functions: _Mapping[_str, SavedConcreteFunction | _Mapping[_str, _Any]] | None = ...) -> None: ...

class SavedResource(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    DEVICE_FIELD_NUMBER: _ClassVar[_int]
    device: _str
    def __init__(self, *, device: _str | _bytes | None = ...) -> None: ...

class SavedUserObject(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    IDENTIFIER_FIELD_NUMBER: _ClassVar[_int]
    VERSION_FIELD_NUMBER: _ClassVar[_int]
    METADATA_FIELD_NUMBER: _ClassVar[_int]
    identifier: _str
    @property
    def version(self) -> _VersionDef_: ...
    metadata: _str
    def __init__(self, *, identifier: _str | _bytes | None = ..., version: _VersionDef_ | _Mapping[_str, _Any] | None = ..., metadata: _str | _bytes | None = ...) -> None: ...

class SavedVariable(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    DTYPE_FIELD_NUMBER: _ClassVar[_int]
    SHAPE_FIELD_NUMBER: _ClassVar[_int]
    TRAINABLE_FIELD_NUMBER: _ClassVar[_int]
    SYNCHRONIZATION_FIELD_NUMBER: _ClassVar[_int]
    AGGREGATION_FIELD_NUMBER: _ClassVar[_int]
    NAME_FIELD_NUMBER: _ClassVar[_int]
    DEVICE_FIELD_NUMBER: _ClassVar[_int]
    EXPERIMENTAL_DISTRIBUTED_VARIABLE_COMPONENTS_FIELD_NUMBER: _ClassVar[_int]
    dtype: _int
    @property
    def shape(self) -> _TensorShapeProto_: ...
    trainable: _bool
    synchronization: _int
    aggregation: _int
    name: _str
    device: _str
    @property
    def experimental_distributed_variable_components(self) -> _RepeatedMessage[SavedVariable]: ...
    def __init__(self, *, dtype: _int | _str | None = ..., shape: _TensorShapeProto_ | _Mapping[_str, _Any] | None = ..., trainable: _bool | None = ..., synchronization: _int | _str | None = ..., aggregation: _int | _str | None = ..., name: _str | _bytes | None = ..., device: _str | _bytes | None = ..., experimental_distributed_variable_components: _Iterable[SavedVariable | _Mapping[_str, _Any]] | None = ...) -> None: ...
