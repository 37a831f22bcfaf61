"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar

DESCRIPTOR: _Any

class VersionDef(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    PRODUCER_FIELD_NUMBER: _ClassVar[_int]
    MIN_CONSUMER_FIELD_NUMBER: _ClassVar[_int]
    BAD_CONSUMERS_FIELD_NUMBER: _ClassVar[_int]
    producer: _int
    min_consumer: _int
    @property
    def bad_consumers(self) -> _RepeatedScalar[_int]: ...
    def __init__(self, *, producer: _int | None = ..., min_consumer: _int | None = ..., bad_consumers: _Iterable[_int] | None = ...) -> None: ...
