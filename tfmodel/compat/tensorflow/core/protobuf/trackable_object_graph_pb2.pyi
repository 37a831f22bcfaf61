"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar
from ....google.protobuf.wrappers_pb2 import BoolValue as _BoolValue_

DESCRIPTOR: _Any

class RegisteredSaver(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    NAME_FIELD_NUMBER: _ClassVar[_int]
    OBJECT_NAME_FIELD_NUMBER: _ClassVar[_int]
    name: _str
    object_name: _str
    def __init__(self, *, name: _str | _bytes | None = ..., object_name: _str | _bytes | None = ...) -> None: ...

class TrackableObjectGraph(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    class TrackableObject(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        class ObjectReference(_Message):
            DESCRIPTOR: _ClassVar[_Any]
            NODE_ID_FIELD_NUMBER: _ClassVar[_int]
            LOCAL_NAME_FIELD_NUMBER: _ClassVar[_int]
            node_id: _int
            local_name: _str
            def __init__(self, *, node_id: _int | None = ..., local_name: _str | _bytes | None = ...) -> None: ...
        class SerializedTensor(_Message):
            DESCRIPTOR: _ClassVar[_Any]
            NAME_FIELD_NUMBER: _ClassVar[_int]
            FULL_NAME_FIELD_NUMBER: _ClassVar[_int]
            CHECKPOINT_KEY_FIELD_NUMBER: _ClassVar[_int]
            name: _str
            full_name: _str
            checkpoint_key: _str
            def __init__(self, *, name: _str | _bytes | None = ..., full_name: _str | _bytes | None = ..., checkpoint_key: _str | _bytes | None = ...) -> None: ...
        class SlotVariableReference(_Message):
            DESCRIPTOR: _ClassVar[_Any]
            ORIGINAL_VARIABLE_NODE_ID_FIELD_NUMBER: _ClassVar[_int]
            SLOT_NAME_FIELD_NUMBER: _ClassVar[_int]
            SLOT_VARIABLE_NODE_ID_FIELD_NUMBER: _ClassVar[_int]
            original_variable_node_id: _int
            slot_name: _str
            slot_variable_node_id: _int
            def __init__(self, *, original_variable_node_id: _int | None = ..., slot_name: _str | _bytes | None = ..., slot_variable_node_id: _int | None = ...) -> None: ...
        CHILDREN_FIELD_NUMBER: _ClassVar[_int]
        ATTRIBUTES_FIELD_NUMBER: _ClassVar[_int]
        SLOT_VARIABLES_FIELD_NUMBER: _ClassVar[_int]
        REGISTERED_SAVER_FIELD_NUMBER: _ClassVar[_int]
        HAS_CHECKPOINT_VALUES_FIELD_NUMBER: _ClassVar[_int]
        @property
        def children(self) -> _RepeatedMessage[TrackableObjectGraph.TrackableObject.ObjectReference]: ...
        @property
        def attributes(self) -> _RepeatedMessage[TrackableObjectGraph.TrackableObject.SerializedTensor]: ...
        @property
        def slot_variables(self) -> _RepeatedMessage[TrackableObjectGraph.TrackableObject.SlotVariableReference]: ...
        @property
        def registered_saver(self) -> RegisteredSaver: ...
        @property
        def has_checkpoint_values(self) -> _BoolValue_: ...
        def __init__(self, *, children: _Iterable[TrackableObjectGraph.TrackableObject.ObjectReference | _Mapping[_str, _Any]] | None = ..., attributes: _Iterable[TrackableObjectGraph.TrackableObject.SerializedTensor | _Mapping[_str, _Any]] | None = ..., slot_variables: _Iterable[TrackableObjectGraph.TrackableObject.SlotVariableReference | _Mapping[_str, _Any]] | None = ..., registered_saver: RegisteredSaver | _Mapping[_str, _Any] | None = ..., has_checkpoint_values: _BoolValue_ | _Mapping[_str, _Any] | None = ...) -> None: ...
    NODES_FIELD_NUMBER: _ClassVar[_int]
    @property
    def nodes(self) -> _RepeatedMessage[TrackableObjectGraph.TrackableObject]: ...
    def __init__(self, *, nodes: _Iterable[TrackableObjectGraph.TrackableObject | _Mapping[_str, _Any]] | None = ...) -> None: ...
