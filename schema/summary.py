"""tensorflow/core/framework/summary.proto: the records that training writes for TensorBoard."""

from __future__ import annotations

from pbwire import table as pb

from .histogram import HistogramProto
from .tensor import TensorProto

__all__ = ["DataClass", "Summary", "SummaryDescription", "SummaryMetadata"]


@pb.enum("tensorflow.DataClass")
class DataClass(pb.Enum):
    """The kind of time series of a summary, which determines the form of its tensors."""

    DATA_CLASS_UNKNOWN = 0  # old data
    DATA_CLASS_SCALAR = 1  # float32 tensors of rank 0
    DATA_CLASS_TENSOR = 2  # any tensor, of a few kilobytes at most
    DATA_CLASS_BLOB_SEQUENCE = 3  # rank 1 tensors of byte strings


@pb.message("tensorflow.SummaryMetadata")
class SummaryMetadata(pb.Message):
    """The display of a series. It is written only with the first value of each tag."""

    @pb.message("tensorflow.SummaryMetadata.PluginData")
    class PluginData(pb.Message):
        """The TensorBoard plugin of the series, with data that only the plugin understands."""

        plugin_name: str = pb.string(1)
        content: bytes = pb.bytes(2)  # usually a serialized message

    plugin_data: PluginData | None = pb.field(PluginData, 1)
    display_name: str = pb.string(2)
    summary_description: str = pb.string(3)  # Markdown
    data_class: DataClass = pb.field(DataClass, 4)


@pb.message("tensorflow.Summary")
class Summary(pb.Message):
    """Values recorded at one step. Events in event files hold one each."""

    @pb.message("tensorflow.Summary.Image")
    class Image(pb.Message):
        """A picture."""

        height: int = pb.int32(1)  # in pixels
        width: int = pb.int32(2)  # in pixels
        colorspace: int = pb.int32(3)  # 1 gray, 2 gray and alpha, 3 RGB, 4 RGBA, 5 digital YUV, 6 BGRA
        encoded_image_string: bytes = pb.bytes(4)  # a PNG, JPEG or GIF file

    @pb.message("tensorflow.Summary.Audio")
    class Audio(pb.Message):
        """A sound."""

        sample_rate: float = pb.float(1)  # in Hz
        num_channels: int = pb.int64(2)
        length_frames: int = pb.int64(3)  # samples in each channel
        encoded_audio_string: bytes = pb.bytes(4)
        content_type: str = pb.string(5)  # MIME type, such as "audio/wav"

    @pb.message("tensorflow.Summary.Value")
    class Value(pb.Message):
        """One value of one series. TF1 uses the field of the kind, TF2 always `tensor`."""

        node_name: str = pb.string(7)  # deprecated
        tag: str = pb.string(1)  # name of the series; slashes make groups
        metadata: SummaryMetadata | None = pb.field(SummaryMetadata, 9)  # with the first value of the tag only
        simple_value: float | None = pb.float(2, oneof="value")  # a scalar
        obsolete_old_style_histogram: bytes | None = pb.bytes(3, oneof="value")  # no longer written
        image: Summary.Image | None = pb.field("Summary.Image", 4, oneof="value")
        histo: HistogramProto | None = pb.field(HistogramProto, 5, oneof="value")
        audio: Summary.Audio | None = pb.field("Summary.Audio", 6, oneof="value")
        tensor: TensorProto | None = pb.field(TensorProto, 8, oneof="value")

    value: list[Value] = pb.repeated(Value, 1)


@pb.message("tensorflow.SummaryDescription")
class SummaryDescription(pb.Message):
    """How the values of a summary op are to be interpreted."""

    type_hint: str = pb.string(1)
