"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar
from ....tensorflow.core.framework.tensor_pb2 import TensorProto as _TensorProto_
from ....xla.tsl.protobuf.histogram_pb2 import HistogramProto as _HistogramProto_
from ....xla.tsl.protobuf.histogram_pb2 import HistogramProto as HistogramProto

DESCRIPTOR: _Any

DataClass: _EnumWrapper
DATA_CLASS_UNKNOWN: _int
DATA_CLASS_SCALAR: _int
DATA_CLASS_TENSOR: _int
DATA_CLASS_BLOB_SEQUENCE: _int

class Summary(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    class Image(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        HEIGHT_FIELD_NUMBER: _ClassVar[_int]
        WIDTH_FIELD_NUMBER: _ClassVar[_int]
        COLORSPACE_FIELD_NUMBER: _ClassVar[_int]
        ENCODED_IMAGE_STRING_FIELD_NUMBER: _ClassVar[_int]
        height: _int
        width: _int
        colorspace: _int
        encoded_image_string: _bytes
        def __init__(self, *, height: _int | None = ..., width: _int | None = ..., colorspace: _int | None = ..., encoded_image_string: _bytes | None = ...) -> None: ...
    class Audio(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        SAMPLE_RATE_FIELD_NUMBER: _ClassVar[_int]
        NUM_CHANNELS_FIELD_NUMBER: _ClassVar[_int]
        LENGTH_FRAMES_FIELD_NUMBER: _ClassVar[_int]
        ENCODED_AUDIO_STRING_FIELD_NUMBER: _ClassVar[_int]
        CONTENT_TYPE_FIELD_NUMBER: _ClassVar[_int]
        sample_rate: _float
        num_channels: _int
        length_frames: _int
        encoded_audio_string: _bytes
        content_type: _str
        def __init__(self, *, sample_rate: _float | None = ..., num_channels: _int | None = ..., length_frames: _int | None = ..., encoded_audio_string: _bytes | None = ..., content_type: _str | _bytes | None = ...) -> None: ...
    class Value(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        NODE_NAME_FIELD_NUMBER: _ClassVar[_int]
        TAG_FIELD_NUMBER: _ClassVar[_int]
        METADATA_FIELD_NUMBER: _ClassVar[_int]
        SIMPLE_VALUE_FIELD_NUMBER: _ClassVar[_int]
        OBSOLETE_OLD_STYLE_HISTOGRAM_FIELD_NUMBER: _ClassVar[_int]
        IMAGE_FIELD_NUMBER: _ClassVar[_int]
        HISTO_FIELD_NUMBER: _ClassVar[_int]
        AUDIO_FIELD_NUMBER: _ClassVar[_int]
        TENSOR_FIELD_NUMBER: _ClassVar[_int]
        node_name: _str
        tag: _str
        @property
        def metadata(self) -> SummaryMetadata: ...
        simple_value: _float
        obsolete_old_style_histogram: _bytes
        @property
        def image(self) -> Summary.Image: ...
        @property
        def histo(self) -> _HistogramProto_: ...
        @property
        def audio(self) -> Summary.Audio: ...
        @property
        def tensor(self) -> _TensorProto_: ...
        def __init__(self, *, node_name: _str | _bytes | None = ..., tag: _str | _bytes | None = ..., metadata: SummaryMetadata | _Mapping[_str, _Any] | None = ..., simple_value: _float | None = ..., obsolete_old_style_histogram: _bytes | None = ..., image: Summary.Image | _Mapping[_str, _Any] | None = ..., histo: _HistogramProto_ | _Mapping[_str, _Any] | None = ..., audio: Summary.Audio | _Mapping[_str, _Any] | None = ..., tensor: _TensorProto_ | _Mapping[_str, _Any] | None = ...) -> None: ...
    VALUE_FIELD_NUMBER: _ClassVar[_int]
    @property
    def value(self) -> _RepeatedMessage[Summary.Value]: ...
    def __init__(self, *, value: _Iterable[Summary.Value | _Mapping[_str, _Any]] | None = ...) -> None: ...

class SummaryDescription(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    TYPE_HINT_FIELD_NUMBER: _ClassVar[_int]
    type_hint: _str
    def __init__(self, *, type_hint: _str | _bytes | None = ...) -> None: ...

class SummaryMetadata(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    class PluginData(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        PLUGIN_NAME_FIELD_NUMBER: _ClassVar[_int]
        CONTENT_FIELD_NUMBER: _ClassVar[_int]
        plugin_name: _str
        content: _bytes
        def __init__(self, *, plugin_name: _str | _bytes | None = ..., content: _bytes | None = ...) -> None: ...
    PLUGIN_DATA_FIELD_NUMBER: _ClassVar[_int]
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[_int]
    SUMMARY_DESCRIPTION_FIELD_NUMBER: _ClassVar[_int]
    DATA_CLASS_FIELD_NUMBER: _ClassVar[_int]
    @property
    def plugin_data(self) -> SummaryMetadata.PluginData: ...
    display_name: _str
    summary_description: _str
    data_class: _int
    def __init__(self, *, plugin_data: SummaryMetadata.PluginData | _Mapping[_str, _Any] | None = ..., display_name: _str | _bytes | None = ..., summary_description: _str | _bytes | None = ..., data_class: _int | _str | None = ...) -> None: ...
