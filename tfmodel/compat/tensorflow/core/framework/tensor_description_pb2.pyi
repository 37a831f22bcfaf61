"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar
from ....tensorflow.core.framework.allocation_description_pb2 import AllocationDescription as _AllocationDescription_
from ....tensorflow.core.framework.tensor_shape_pb2 import TensorShapeProto as _TensorShapeProto_

DESCRIPTOR: _Any

class TensorDescription(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    DTYPE_FIELD_NUMBER: _ClassVar[_int]
    SHAPE_FIELD_NUMBER: _ClassVar[_int]
    ALLOCATION_DESCRIPTION_FIELD_NUMBER: _ClassVar[_int]
    dtype: _int
    @property
    def shape(self) -> _TensorShapeProto_: ...
    @property
    def allocation_description(self) -> _AllocationDescription_: ...
    def __init__(self, *, dtype: _int | _str | None = ..., shape: _TensorShapeProto_ | _Mapping[_str, _Any] | None = ..., allocation_description: _AllocationDescription_ | _Mapping[_str, _Any] | None = ...) -> None: ...
