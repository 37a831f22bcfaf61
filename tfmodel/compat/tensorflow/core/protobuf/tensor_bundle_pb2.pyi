"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar
from ....tensorflow.core.framework.tensor_shape_pb2 import TensorShapeProto as _TensorShapeProto_
from ....tensorflow.core.framework.tensor_slice_pb2 import TensorSliceProto as _TensorSliceProto_
from ....tensorflow.core.framework.versions_pb2 import VersionDef as _VersionDef_

DESCRIPTOR: _Any

class BundleEntryProto(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    DTYPE_FIELD_NUMBER: _ClassVar[_int]
    SHAPE_FIELD_NUMBER: _ClassVar[_int]
    SHARD_ID_FIELD_NUMBER: _ClassVar[_int]
    OFFSET_FIELD_NUMBER: _ClassVar[_int]
    SIZE_FIELD_NUMBER: _ClassVar[_int]
    CRC32C_FIELD_NUMBER: _ClassVar[_int]
    SLICES_FIELD_NUMBER: _ClassVar[_int]
    dtype: _int
    @property
    def shape(self) -> _TensorShapeProto_: ...
    shard_id: _int
    offset: _int
    size: _int
    crc32c: _int
    @property
    def slices(self) -> _RepeatedMessage[_TensorSliceProto_]: ...
    def __init__(self, *, dtype: _int | _str | None = ..., shape: _TensorShapeProto_ | _Mapping[_str, _Any] | None = ..., shard_id: _int | None = ..., offset: _int | None = ..., size: _int | None = ..., crc32c: _int | None = ..., slices: _Iterable[_TensorSliceProto_ | _Mapping[_str, _Any]] | None = ...) -> None: ...

class BundleHeaderProto(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    Endianness: _ClassVar[_EnumWrapper]
    LITTLE: _ClassVar[_int]
    BIG: _ClassVar[_int]
    NUM_SHARDS_FIELD_NUMBER: _ClassVar[_int]
    ENDIANNESS_FIELD_NUMBER: _ClassVar[_int]
    VERSION_FIELD_NUMBER: _ClassVar[_int]
    num_shards: _int
    endianness: _int
    @property
    def version(self) -> _VersionDef_: ...
    def __init__(self, *, num_shards: _int | None = ..., endianness: _int | _str | None = ..., version: _VersionDef_ | _Mapping[_str, _Any] | None = ...) -> None: ...
