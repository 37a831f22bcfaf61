"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar
from ....tensorflow.core.framework.versions_pb2 import VersionDef as _VersionDef_

DESCRIPTOR: _Any

class FingerprintDef(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    SAVED_MODEL_CHECKSUM_FIELD_NUMBER: _ClassVar[_int]
    GRAPH_DEF_PROGRAM_HASH_FIELD_NUMBER: _ClassVar[_int]
    SIGNATURE_DEF_HASH_FIELD_NUMBER: _ClassVar[_int]
    SAVED_OBJECT_GRAPH_HASH_FIELD_NUMBER: _ClassVar[_int]
    CHECKPOINT_HASH_FIELD_NUMBER: _ClassVar[_int]
    UUID_FIELD_NUMBER: _ClassVar[_int]
    VERSION_FIELD_NUMBER: _ClassVar[_int]
    saved_model_checksum: _int
    graph_def_program_hash: _int
    signature_def_hash: _int
    saved_object_graph_hash: _int
    checkpoint_hash: _int
    uuid: _str
    @property
    def version(self) -> _VersionDef_: ...
    def __init__(self, *, saved_model_checksum: _int | None = ..., graph_def_program_hash: _int | None = ..., signature_def_hash: _int | None = ..., saved_object_graph_hash: _int | None = ..., checkpoint_hash: _int | None = ..., uuid: _str | _bytes | None = ..., version: _VersionDef_ | _Mapping[_str, _Any] | None = ...) -> None: ...
