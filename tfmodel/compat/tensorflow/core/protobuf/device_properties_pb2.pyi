"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar

DESCRIPTOR: _Any

class DeviceProperties(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    TYPE_FIELD_NUMBER: _ClassVar[_int]
    VENDOR_FIELD_NUMBER: _ClassVar[_int]
    MODEL_FIELD_NUMBER: _ClassVar[_int]
    FREQUENCY_FIELD_NUMBER: _ClassVar[_int]
    NUM_CORES_FIELD_NUMBER: _ClassVar[_int]
    ENVIRONMENT_FIELD_NUMBER: _ClassVar[_int]
    NUM_REGISTERS_FIELD_NUMBER: _ClassVar[_int]
    L1_CACHE_SIZE_FIELD_NUMBER: _ClassVar[_int]
    L2_CACHE_SIZE_FIELD_NUMBER: _ClassVar[_int]
    L3_CACHE_SIZE_FIELD_NUMBER: _ClassVar[_int]
    SHARED_MEMORY_SIZE_PER_MULTIPROCESSOR_FIELD_NUMBER: _ClassVar[_int]
    MEMORY_SIZE_FIELD_NUMBER: _ClassVar[_int]
    BANDWIDTH_FIELD_NUMBER: _ClassVar[_int]
    type: _str
    vendor: _str
    model: _str
    frequency: _int
    num_cores: _int
    @property
    def environment(self) -> _ScalarMap[_str, _str]: ...
    num_registers: _int
    l1_cache_size: _int
    l2_cache_size: _int
    l3_cache_size: _int
    shared_memory_size_per_multiprocessor: _int
    memory_size: _int
    bandwidth: _int
    def __init__(self, *, type: _str | _bytes | None = ..., vendor: _str | _bytes | None = ..., model: _str | _bytes | None = ..., frequency: _int | None = ..., num_cores: _int | None = ..., environment: _Mapping[_str, _str] | None = ..., num_registers: _int | None = ..., l1_cache_size: _int | None = ..., l2_cache_size: _int | None = ..., l3_cache_size: _int | None = ..., shared_memory_size_per_multiprocessor: _int | None = ..., memory_size: _int | None = ..., bandwidth: _int | None = ...) -> None: ...

class NamedDevice(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    NAME_FIELD_NUMBER: _ClassVar[_int]
    PROPERTIES_FIELD_NUMBER: _ClassVar[_int]
    name: _str
    @property
    def properties(self) -> DeviceProperties: ...
    def __init__(self, *, name: _str | _bytes | None = ..., properties: DeviceProperties | _Mapping[_str, _Any] | None = ...) -> None: ...
