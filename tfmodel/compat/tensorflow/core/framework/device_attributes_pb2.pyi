"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar

DESCRIPTOR: _Any

class DeviceAttributes(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    NAME_FIELD_NUMBER: _ClassVar[_int]
    DEVICE_TYPE_FIELD_NUMBER: _ClassVar[_int]
    MEMORY_LIMIT_FIELD_NUMBER: _ClassVar[_int]
    LOCALITY_FIELD_NUMBER: _ClassVar[_int]
    INCARNATION_FIELD_NUMBER: _ClassVar[_int]
    PHYSICAL_DEVICE_DESC_FIELD_NUMBER: _ClassVar[_int]
    XLA_GLOBAL_ID_FIELD_NUMBER: _ClassVar[_int]
    name: _str
    device_type: _str
    memory_limit: _int
    @property
    def locality(self) -> DeviceLocality: ...
    incarnation: _int
    physical_device_desc: _str
    xla_global_id: _int
    def __init__(self, *, name: _str | _bytes | None = ..., device_type: _str | _bytes | None = ..., memory_limit: _int | None = ..., locality: DeviceLocality | _Mapping[_str, _Any] | None = ..., incarnation: _int | None = ..., physical_device_desc: _str | _bytes | None = ..., xla_global_id: _int | None = ...) -> None: ...

class DeviceLocality(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    BUS_ID_FIELD_NUMBER: _ClassVar[_int]
    NUMA_NODE_FIELD_NUMBER: _ClassVar[_int]
    LINKS_FIELD_NUMBER: _ClassVar[_int]
    bus_id: _int
    numa_node: _int
    @property
    def links(self) -> LocalLinks: ...
    def __init__(self, *, bus_id: _int | None = ..., numa_node: _int | None = ..., links: LocalLinks | _Mapping[_str, _Any] | None = ...) -> None: ...

class InterconnectLink(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    DEVICE_ID_FIELD_NUMBER: _ClassVar[_int]
    TYPE_FIELD_NUMBER: _ClassVar[_int]
    STRENGTH_FIELD_NUMBER: _ClassVar[_int]
    device_id: _int
    type: _str
    strength: _int
    def __init__(self, *, device_id: _int | None = ..., type: _str | _bytes | None = ..., strength: _int | None = ...) -> None: ...

class LocalLinks(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    LINK_FIELD_NUMBER: _ClassVar[_int]
    @property
    def link(self) -> _RepeatedMessage[InterconnectLink]: ...
    def __init__(self, *, link: _Iterable[InterconnectLink | _Mapping[_str, _Any]] | None = ...) -> None: ...
