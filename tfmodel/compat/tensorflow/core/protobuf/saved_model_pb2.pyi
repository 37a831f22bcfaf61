"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar
from ....tensorflow.core.protobuf.meta_graph_pb2 import MetaGraphDef as _MetaGraphDef_

DESCRIPTOR: _Any

class SavedModel(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    SAVED_MODEL_SCHEMA_VERSION_FIELD_NUMBER: _ClassVar[_int]
    META_GRAPHS_FIELD_NUMBER: _ClassVar[_int]
    saved_model_schema_version: _int
    @property
    def meta_graphs(self) -> _RepeatedMessage[_MetaGraphDef_]: ...
    def __init__(self, *, saved_model_schema_version: _int | None = ..., meta_graphs: _Iterable[_MetaGraphDef_ | _Mapping[_str, _Any]] | None = ...) -> None: ...
