"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar
from ....tensorflow.core.example.feature_pb2 import FeatureLists as _FeatureLists_
from ....tensorflow.core.example.feature_pb2 import Features as _Features_

DESCRIPTOR: _Any

class Example(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    FEATURES_FIELD_NUMBER: _ClassVar[_int]
    @property
    def features(self) -> _Features_: ...
    def __init__(self, *, features: _Features_ | _Mapping[_str, _Any] | None = ...) -> None: ...

class SequenceExample(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    CONTEXT_FIELD_NUMBER: _ClassVar[_int]
    FEATURE_LISTS_FIELD_NUMBER: _ClassVar[_int]
    @property
    def context(self) -> _Features_: ...
    @property
    def feature_lists(self) -> _FeatureLists_: ...
    def __init__(self, *, context: _Features_ | _Mapping[_str, _Any] | None = ..., feature_lists: _FeatureLists_ | _Mapping[_str, _Any] | None = ...) -> None: ...
