"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar

DESCRIPTOR: _Any

class TensorShapeProto(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    class Dim(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        SIZE_FIELD_NUMBER: _ClassVar[_int]
        NAME_FIELD_NUMBER: _ClassVar[_int]
        size: _int
        name: _str
        def __init__(self, *, size: _int | None = ..., name: _str | _bytes | None = ...) -> None: ...
    DIM_FIELD_NUMBER: _ClassVar[_int]
    UNKNOWN_RANK_FIELD_NUMBER: _ClassVar[_int]
    @property
    def dim(self) -> _RepeatedMessage[TensorShapeProto.Dim]: ...
    unknown_rank: _bool
    def __init__(self, *, dim: _Iterable[TensorShapeProto.Dim | _Mapping[_str, _Any]] | None = ..., unknown_rank: _bool | None = ...) -> None: ...
