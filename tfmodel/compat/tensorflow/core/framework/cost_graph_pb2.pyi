"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar
from ....tensorflow.core.framework.tensor_shape_pb2 import TensorShapeProto as _TensorShapeProto_

DESCRIPTOR: _Any

class CostGraphDef(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    class Node(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        class InputInfo(_Message):
            DESCRIPTOR: _ClassVar[_Any]
            PRECEDING_NODE_FIELD_NUMBER: _ClassVar[_int]
            PRECEDING_PORT_FIELD_NUMBER: _ClassVar[_int]
            preceding_node: _int
            preceding_port: _int
            def __init__(self, *, preceding_node: _int | None = ..., preceding_port: _int | None = ...) -> None: ...
        class OutputInfo(_Message):
            DESCRIPTOR: _ClassVar[_Any]
            SIZE_FIELD_NUMBER: _ClassVar[_int]
            ALIAS_INPUT_PORT_FIELD_NUMBER: _ClassVar[_int]
            SHAPE_FIELD_NUMBER: _ClassVar[_int]
            DTYPE_FIELD_NUMBER: _ClassVar[_int]
            size: _int
            alias_input_port: _int
            @property
            def shape(self) -> _TensorShapeProto_: ...
            dtype: _int
            def __init__(self, *, size: _int | None = ..., alias_input_port: _int | None = ..., shape: _TensorShapeProto_ | _Mapping[_str, _Any] | None = ..., dtype: _int | _str | None = ...) -> None: ...
        NAME_FIELD_NUMBER: _ClassVar[_int]
        DEVICE_FIELD_NUMBER: _ClassVar[_int]
        ID_FIELD_NUMBER: _ClassVar[_int]
        INPUT_INFO_FIELD_NUMBER: _ClassVar[_int]
        OUTPUT_INFO_FIELD_NUMBER: _ClassVar[_int]
        TEMPORARY_MEMORY_SIZE_FIELD_NUMBER: _ClassVar[_int]
        PERSISTENT_MEMORY_SIZE_FIELD_NUMBER: _ClassVar[_int]
        HOST_TEMP_MEMORY_SIZE_FIELD_NUMBER: _ClassVar[_int]
        DEVICE_TEMP_MEMORY_SIZE_FIELD_NUMBER: _ClassVar[_int]
        DEVICE_PERSISTENT_MEMORY_SIZE_FIELD_NUMBER: _ClassVar[_int]
        COMPUTE_COST_FIELD_NUMBER: _ClassVar[_int]
        COMPUTE_TIME_FIELD_NUMBER: _ClassVar[_int]
        MEMORY_TIME_FIELD_NUMBER: _ClassVar[_int]
        IS_FINAL_FIELD_NUMBER: _ClassVar[_int]
        CONTROL_INPUT_FIELD_NUMBER: _ClassVar[_int]
        INACCURATE_FIELD_NUMBER: _ClassVar[_int]
        name: _str
        device: _str
        id: _int
        @property
        def input_info(self) -> _RepeatedMessage[CostGraphDef.Node.InputInfo]: ...
        @property
        def output_info(self) -> _RepeatedMessage[CostGraphDef.Node.OutputInfo]: ...
        temporary_memory_size: _int
        persistent_memory_size: _int
        host_temp_memory_size: _int
        device_temp_memory_size: _int
        device_persistent_memory_size: _int
        compute_cost: _int
        compute_time: _int
        memory_time: _int
        is_final: _bool
        @property
        def control_input(self) -> _RepeatedScalar[_int]: ...
        inaccurate: _bool
        def __init__(self, *, name: _str | _bytes | None = ..., device: _str | _bytes | None = ..., id: _int | None = ..., input_info: _Iterable[CostGraphDef.Node.InputInfo | _Mapping[_str, _Any]] | None = ..., output_info: _Iterable[CostGraphDef.Node.OutputInfo | _Mapping[_str, _Any]] | None = ..., temporary_memory_size: _int | None = ..., persistent_memory_size: _int | None = ..., host_temp_memory_size: _int | None = ..., device_temp_memory_size: _int | None = ..., device_persistent_memory_size: _int | None = ..., compute_cost: _int | None = ..., compute_time: _int | None = ..., memory_time: _int | None = ..., is_final: _bool | None = ..., control_input: _Iterable[_int] | None = ..., inaccurate: _bool | None = ...) -> None: ...
    class AggregatedCost(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        COST_FIELD_NUMBER: _ClassVar[_int]
        DIMENSION_FIELD_NUMBER: _ClassVar[_int]
        cost: _float
        dimension: _str
        def __init__(self, *, cost: _float | None = ..., dimension: _str | _bytes | None = ...) -> None: ...
    NODE_FIELD_NUMBER: _ClassVar[_int]
    COST_FIELD_NUMBER: _ClassVar[_int]
    @property
    def node(self) -> _RepeatedMessage[CostGraphDef.Node]: ...
    @property
    def cost(self) -> _RepeatedMessage[CostGraphDef.AggregatedCost]: ...
    def __init__(self, *, node: _Iterable[CostGraphDef.Node | _Mapping[_str, _Any]] | None = ..., cost: _Iterable[CostGraphDef.AggregatedCost | _Mapping[_str, _Any]] | None = ...) -> None: ...
