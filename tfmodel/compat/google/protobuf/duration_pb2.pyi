"""Written by `python -m tests.stubs`."""

from ..._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar

DESCRIPTOR: _Any

class Duration(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    SECONDS_FIELD_NUMBER: _ClassVar[_int]
    NANOS_FIELD_NUMBER: _ClassVar[_int]
    seconds: _int
    nanos: _int
    def __init__(self, *, seconds: _int | None = ..., nanos: _int | None = ...) -> None: ...
