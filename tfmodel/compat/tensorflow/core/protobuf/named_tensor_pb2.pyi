"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar
from ....tensorflow.core.framework.tensor_pb2 import TensorProto as _TensorProto_

DESCRIPTOR: _Any

class NamedTensorProto(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    NAME_FIELD_NUMBER: _ClassVar[_int]
    TENSOR_FIELD_NUMBER: _ClassVar[_int]
    name: _str
    @property
    def tensor(self) -> _TensorProto_: ...
    def __init__(self, *, name: _str | _bytes | None = ..., tensor: _TensorProto_ | _Mapping[_str, _Any] | None = ...) -> None: ...
