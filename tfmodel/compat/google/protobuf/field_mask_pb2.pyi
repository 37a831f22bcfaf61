"""Written by `python -m tests.stubs`."""

from ..._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar

DESCRIPTOR: _Any

class FieldMask(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    PATHS_FIELD_NUMBER: _ClassVar[_int]
    @property
    def paths(self) -> _RepeatedScalar[_str]: ...
    def __init__(self, *, paths: _Iterable[_str | _bytes] | None = ...) -> None: ...
