"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar

DESCRIPTOR: _Any

class TensorSliceProto(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    class Extent(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        START_FIELD_NUMBER: _ClassVar[_int]
        LENGTH_FIELD_NUMBER: _ClassVar[_int]
        start: _int
        length: _int
        def __init__(self, *, start: _int | None = ..., length: _int | None = ...) -> None: ...
    EXTENT_FIELD_NUMBER: _ClassVar[_int]
    @property
    def extent(self) -> _RepeatedMessage[TensorSliceProto.Extent]: ...
    def __init__(self, *, extent: _Iterable[TensorSliceProto.Extent | _Mapping[_str, _Any]] | None = ...) -> None: ...
