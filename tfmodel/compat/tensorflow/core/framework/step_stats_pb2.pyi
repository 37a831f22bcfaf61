"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar
from ....tensorflow.core.framework.allocation_description_pb2 import AllocationDescription as _AllocationDescription_
from ....tensorflow.core.framework.tensor_description_pb2 import TensorDescription as _TensorDescription_

DESCRIPTOR: _Any

class AllocationRecord(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    ALLOC_MICROS_FIELD_NUMBER: _ClassVar[_int]
    ALLOC_BYTES_FIELD_NUMBER: _ClassVar[_int]
    alloc_micros: _int
    alloc_bytes: _int
    def __init__(self, *, alloc_micros: _int | None = ..., alloc_bytes: _int | None = ...) -> None: ...

class AllocatorMemoryUsed(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    ALLOCATOR_NAME_FIELD_NUMBER: _ClassVar[_int]
    TOTAL_BYTES_FIELD_NUMBER: _ClassVar[_int]
    PEAK_BYTES_FIELD_NUMBER: _ClassVar[_int]
    LIVE_BYTES_FIELD_NUMBER: _ClassVar[_int]
    ALLOCATION_RECORDS_FIELD_NUMBER: _ClassVar[_int]
    ALLOCATOR_BYTES_IN_USE_FIELD_NUMBER: _ClassVar[_int]
    allocator_name: _str
    total_bytes: _int
    peak_bytes: _int
    live_bytes: _int
    @property
    def allocation_records(self) -> _RepeatedMessage[AllocationRecord]: ...
    allocator_bytes_in_use: _int
    def __init__(self, *, allocator_name: _str | _bytes | None = ..., total_bytes: _int | None = ..., peak_bytes: _int | None = ..., live_bytes: _int | None = ..., allocation_records: _Iterable[AllocationRecord | _Mapping[_str, _Any]] | None = ..., allocator_bytes_in_use: _int | None = ...) -> None: ...

class DeviceStepStats(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    DEVICE_FIELD_NUMBER: _ClassVar[_int]
    NODE_STATS_FIELD_NUMBER: _ClassVar[_int]
    THREAD_NAMES_FIELD_NUMBER: _ClassVar[_int]
    device: _str
    @property
    def node_stats(self) -> _RepeatedMessage[NodeExecStats]: ...
    @property
    def thread_names(self) -> _ScalarMap[_int, _str]: ...
    def __init__(self, *, device: _str | _bytes | None = ..., node_stats: _Iterable[NodeExecStats | _Mapping[_str, _Any]] | None = ..., thread_names: _Mapping[_int, _str] | None = ...) -> None: ...

class MemoryStats(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    TEMP_MEMORY_SIZE_FIELD_NUMBER: _ClassVar[_int]
    PERSISTENT_MEMORY_SIZE_FIELD_NUMBER: _ClassVar[_int]
    PERSISTENT_TENSOR_ALLOC_IDS_FIELD_NUMBER: _ClassVar[_int]
    DEVICE_TEMP_MEMORY_SIZE_FIELD_NUMBER: _ClassVar[_int]
    DEVICE_PERSISTENT_MEMORY_SIZE_FIELD_NUMBER: _ClassVar[_int]
    DEVICE_PERSISTENT_TENSOR_ALLOC_IDS_FIELD_NUMBER: _ClassVar[_int]
    temp_memory_size: _int
    persistent_memory_size: _int
    @property
    def persistent_tensor_alloc_ids(self) -> _RepeatedScalar[_int]: ...
    device_temp_memory_size: _int
    device_persistent_memory_size: _int
    @property
    def device_persistent_tensor_alloc_ids(self) -> _RepeatedScalar[_int]: ...
    def __init__(self, *, temp_memory_size: _int | None = ..., persistent_memory_size: _int | None = ..., persistent_tensor_alloc_ids: _Iterable[_int] | None = ..., device_temp_memory_size: _int | None = ..., device_persistent_memory_size: _int | None = ..., device_persistent_tensor_alloc_ids: _Iterable[_int] | None = ...) -> None: ...

class NodeExecStats(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    NODE_NAME_FIELD_NUMBER: _ClassVar[_int]
    ALL_START_MICROS_FIELD_NUMBER: _ClassVar[_int]
    OP_START_REL_MICROS_FIELD_NUMBER: _ClassVar[_int]
    OP_END_REL_MICROS_FIELD_NUMBER: _ClassVar[_int]
    ALL_END_REL_MICROS_FIELD_NUMBER: _ClassVar[_int]
    MEMORY_FIELD_NUMBER: _ClassVar[_int]
    OUTPUT_FIELD_NUMBER: _ClassVar[_int]
    TIMELINE_LABEL_FIELD_NUMBER: _ClassVar[_int]
    SCHEDULED_MICROS_FIELD_NUMBER: _ClassVar[_int]
    THREAD_ID_FIELD_NUMBER: _ClassVar[_int]
    REFERENCED_TENSOR_FIELD_NUMBER: _ClassVar[_int]
    MEMORY_STATS_FIELD_NUMBER: _ClassVar[_int]
    ALL_START_NANOS_FIELD_NUMBER: _ClassVar[_int]
    OP_START_REL_NANOS_FIELD_NUMBER: _ClassVar[_int]
    OP_END_REL_NANOS_FIELD_NUMBER: _ClassVar[_int]
    ALL_END_REL_NANOS_FIELD_NUMBER: _ClassVar[_int]
    SCHEDULED_NANOS_FIELD_NUMBER: _ClassVar[_int]
    node_name: _str
    all_start_micros: _int
    op_start_rel_micros: _int
    op_end_rel_micros: _int
    all_end_rel_micros: _int
    @property
    def memory(self) -> _RepeatedMessage[AllocatorMemoryUsed]: ...
    @property
    def output(self) -> _RepeatedMessage[NodeOutput]: ...
    timeline_label: _str
    scheduled_micros: _int
    thread_id: _int
    @property
    def referenced_tensor(self) -> _RepeatedMessage[_AllocationDescription_]: ...
    @property
    def memory_stats(self) -> MemoryStats: ...
    all_start_nanos: _int
    op_start_rel_nanos: _int
    op_end_rel_nanos: _int
    all_end_rel_nanos: _int
    scheduled_nanos: _int
    def __init__(self, *, node_name: _str | _bytes | None = ..., all_start_micros: _int | None = ..., op_start_rel_micros: _int | None = ..., op_end_rel_micros: _int | None = ..., all_end_rel_micros: _int | None = ..., memory: _Iterable[AllocatorMemoryUsed | _Mapping[_str, _Any]] | None = ..., output: _Iterable[NodeOutput | _Mapping[_str, _Any]] | None = ..., timeline_label: _str | _bytes | None = ..., scheduled_micros: _int | None = ..., thread_id: _int | None = ..., referenced_tensor: _Iterable[_AllocationDescription_ | _Mapping[_str, _Any]] | None = ..., memory_stats: MemoryStats | _Mapping[_str, _Any] | None = ..., all_start_nanos: _int | None = ..., op_start_rel_nanos: _int | None = ..., op_end_rel_nanos: _int | None = ..., all_end_rel_nanos: _int | None = ..., scheduled_nanos: _int | None = ...) -> None: ...

class NodeOutput(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    SLOT_FIELD_NUMBER: _ClassVar[_int]
    TENSOR_DESCRIPTION_FIELD_NUMBER: _ClassVar[_int]
    slot: _int
    @property
    def tensor_description(self) -> _TensorDescription_: ...
    def __init__(self, *, slot: _int | None = ..., tensor_description: _TensorDescription_ | _Mapping[_str, _Any] | None = ...) -> None: ...

class StepStats(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    DEV_STATS_FIELD_NUMBER: _ClassVar[_int]
    @property
    def dev_stats(self) -> _RepeatedMessage[DeviceStepStats]: ...
    def __init__(self, *, dev_stats: _Iterable[DeviceStepStats | _Mapping[_str, _Any]] | None = ...) -> None: ...
