"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar

DESCRIPTOR: _Any

class CheckpointState(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    MODEL_CHECKPOINT_PATH_FIELD_NUMBER: _ClassVar[_int]
    ALL_MODEL_CHECKPOINT_PATHS_FIELD_NUMBER: _ClassVar[_int]
    ALL_MODEL_CHECKPOINT_TIMESTAMPS_FIELD_NUMBER: _ClassVar[_int]
    LAST_PRESERVED_TIMESTAMP_FIELD_NUMBER: _ClassVar[_int]
    model_checkpoint_path: _str
    @property
    def all_model_checkpoint_paths(self) -> _RepeatedScalar[_str]: ...
    @property
    def all_model_checkpoint_timestamps(self) -> _RepeatedScalar[_float]: ...
    last_preserved_timestamp: _float
    def __init__(self, *, model_checkpoint_path: _str | _bytes | None = ..., all_model_checkpoint_paths: _Iterable[_str | _bytes] | None = ..., all_model_checkpoint_timestamps: _Iterable[_float] | None = ..., last_preserved_timestamp: _float | None = ...) -> None: ...
