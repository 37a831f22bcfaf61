"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar

DESCRIPTOR: _Any

class HistogramProto(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    MIN_FIELD_NUMBER: _ClassVar[_int]
    MAX_FIELD_NUMBER: _ClassVar[_int]
    NUM_FIELD_NUMBER: _ClassVar[_int]
    SUM_FIELD_NUMBER: _ClassVar[_int]
    SUM_SQUARES_FIELD_NUMBER: _ClassVar[_int]
    BUCKET_LIMIT_FIELD_NUMBER: _ClassVar[_int]
    BUCKET_FIELD_NUMBER: _ClassVar[_int]
    min: _float
    max: _float
    num: _float
    sum: _float
    sum_squares: _float
    @property
    def bucket_limit(self) -> _RepeatedScalar[_float]: ...
    @property
    def bucket(self) -> _RepeatedScalar[_float]: ...
    def __init__(self, *, min: _float | None = ..., max: _float | None = ..., num: _float | None = ..., sum: _float | None = ..., sum_squares: _float | None = ..., bucket_limit: _Iterable[_float] | None = ..., bucket: _Iterable[_float] | None = ...) -> None: ...
