"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar

DESCRIPTOR: _Any

class RPCOptions(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    USE_RPC_FOR_INPROCESS_MASTER_FIELD_NUMBER: _ClassVar[_int]
    COMPRESSION_ALGORITHM_FIELD_NUMBER: _ClassVar[_int]
    COMPRESSION_LEVEL_FIELD_NUMBER: _ClassVar[_int]
    CACHE_RPC_RESPONSE_FIELD_NUMBER: _ClassVar[_int]
    DISABLE_SESSION_CONNECTION_SHARING_FIELD_NUMBER: _ClassVar[_int]
    NUM_CHANNELS_PER_TARGET_FIELD_NUMBER: _ClassVar[_int]
    use_rpc_for_inprocess_master: _bool
    compression_algorithm: _str
    compression_level: _int
    cache_rpc_response: _bool
    disable_session_connection_sharing: _bool
    num_channels_per_target: _int
    def __init__(self, *, use_rpc_for_inprocess_master: _bool | None = ..., compression_algorithm: _str | _bytes | None = ..., compression_level: _int | None = ..., cache_rpc_response: _bool | None = ..., disable_session_connection_sharing: _bool | None = ..., num_channels_per_target: _int | None = ...) -> None: ...
