"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar

DESCRIPTOR: _Any

class SaverDef(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    CheckpointFormatVersion: _ClassVar[_EnumWrapper]
    LEGACY: _ClassVar[_int]
    V1: _ClassVar[_int]
    V2: _ClassVar[_int]
    FILENAME_TENSOR_NAME_FIELD_NUMBER: _ClassVar[_int]
    SAVE_TENSOR_NAME_FIELD_NUMBER: _ClassVar[_int]
    RESTORE_OP_NAME_FIELD_NUMBER: _ClassVar[_int]
    MAX_TO_KEEP_FIELD_NUMBER: _ClassVar[_int]
    SHARDED_FIELD_NUMBER: _ClassVar[_int]
    KEEP_CHECKPOINT_EVERY_N_HOURS_FIELD_NUMBER: _ClassVar[_int]
    VERSION_FIELD_NUMBER: _ClassVar[_int]
    filename_tensor_name: _str
    save_tensor_name: _str
    restore_op_name: _str
    max_to_keep: _int
    sharded: _bool
    keep_checkpoint_every_n_hours: _float
    version: _int
    def __init__(self, *, filename_tensor_name: _str | _bytes | None = ..., save_tensor_name: _str | _bytes | None = ..., restore_op_name: _str | _bytes | None = ..., max_to_keep: _int | None = ..., sharded: _bool | None = ..., keep_checkpoint_every_n_hours: _float | None = ..., version: _int | _str | None = ...) -> None: ...
