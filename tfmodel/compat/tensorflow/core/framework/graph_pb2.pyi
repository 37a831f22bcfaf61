"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar
from ....tensorflow.core.framework.function_pb2 import FunctionDefLibrary as _FunctionDefLibrary_
from ....tensorflow.core.framework.graph_debug_info_pb2 import GraphDebugInfo as _GraphDebugInfo_
from ....tensorflow.core.framework.node_def_pb2 import NodeDef as _NodeDef_
from ....tensorflow.core.framework.versions_pb2 import VersionDef as _VersionDef_

DESCRIPTOR: _Any

class GraphDef(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    NODE_FIELD_NUMBER: _ClassVar[_int]
    VERSIONS_FIELD_NUMBER: _ClassVar[_int]
    VERSION_FIELD_NUMBER: _ClassVar[_int]
    LIBRARY_FIELD_NUMBER: _ClassVar[_int]
    DEBUG_INFO_FIELD_NUMBER: _ClassVar[_int]
    @property
    def node(self) -> _RepeatedMessage[_NodeDef_]: ...
    @property
    def versions(self) -> _VersionDef_: ...
    version: _int
    @property
    def library(self) -> _FunctionDefLibrary_: ...
    @property
    def debug_info(self) -> _GraphDebugInfo_: ...
    def __init__(self, *, node: _Iterable[_NodeDef_ | _Mapping[_str, _Any]] | None = ..., versions: _VersionDef_ | _Mapping[_str, _Any] | None = ..., version: _int | None = ..., library: _FunctionDefLibrary_ | _Mapping[_str, _Any] | None = ..., debug_info: _GraphDebugInfo_ | _Mapping[_str, _Any] | None = ...) -> None: ...
