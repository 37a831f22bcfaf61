"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar

DESCRIPTOR: _Any

class AllocationDescription(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    REQUESTED_BYTES_FIELD_NUMBER: _ClassVar[_int]
    ALLOCATED_BYTES_FIELD_NUMBER: _ClassVar[_int]
    ALLOCATOR_NAME_FIELD_NUMBER: _ClassVar[_int]
    ALLOCATION_ID_FIELD_NUMBER: _ClassVar[_int]
    HAS_SINGLE_REFERENCE_FIELD_NUMBER: _ClassVar[_int]
    PTR_FIELD_NUMBER: _ClassVar[_int]
    requested_bytes: _int
    allocated_bytes: _int
    allocator_name: _str
    allocation_id: _int
    has_single_reference: _bool
    ptr: _int
    def __init__(self, *, requested_bytes: _int | None = ..., allocated_bytes: _int | None = ..., allocator_name: _str | _bytes | None = ..., allocation_id: _int | None = ..., has_single_reference: _bool | None = ..., ptr: _int | None = ...) -> None: ...
