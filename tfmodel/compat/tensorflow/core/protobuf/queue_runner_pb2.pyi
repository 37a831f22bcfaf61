"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar

DESCRIPTOR: _Any

class QueueRunnerDef(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    QUEUE_NAME_FIELD_NUMBER: _ClassVar[_int]
    ENQUEUE_OP_NAME_FIELD_NUMBER: _ClassVar[_int]
    CLOSE_OP_NAME_FIELD_NUMBER: _ClassVar[_int]
    CANCEL_OP_NAME_FIELD_NUMBER: _ClassVar[_int]
    QUEUE_CLOSED_EXCEPTION_TYPES_FIELD_NUMBER: _ClassVar[_int]
    queue_name: _str
    @property
    def enqueue_op_name(self) -> _RepeatedScalar[_str]: ...
    close_op_name: _str
    cancel_op_name: _str
    @property
    def queue_closed_exception_types(self) -> _RepeatedScalar[_int]: ...
    def __init__(self, *, queue_name: _str | _bytes | None = ..., enqueue_op_name: _Iterable[_str | _bytes] | None = ..., close_op_name: _str | _bytes | None = ..., cancel_op_name: _str | _bytes | None = ..., queue_closed_exception_types: _Iterable[_int | _str] | None = ...) -> None: ...
