"""Small event files and TFRecord files for the tests, made with the writer of the library."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable

from tests.tfmodel import models
from tfmodel.files.tfrecords.sources import record_bytes
from tfmodel.messages import (
    BytesList,
    DataType,
    Event,
    Example,
    Feature,
    FeatureList,
    FeatureLists,
    Features,
    FloatList,
    HistogramProto,
    Int64List,
    SequenceExample,
    SessionLog,
    SourceMetadata,
    Summary,
    SummaryMetadata,
    TensorProto,
)

__all__ = [
    "START",
    "event_file",
    "example",
    "examples",
    "png",
    "record_file",
    "scalar",
    "sequence_example",
    "tensor_value",
    "training_log",
]

START = 1_700_000_000.0  # 2023-11-14 22:13:20


def record_file(records: Iterable[bytes]) -> bytes:
    return b"".join(piece for record in records for piece in map(bytes, record_bytes(record)))


def event_file(*events: Event) -> bytes:
    first = Event(wall_time=START, file_version="brain.Event:2", source_metadata=SourceMetadata(writer="tests"))
    return record_file(event.to_bytes() for event in (first, *events))


def summary(step: int, *values: Summary.Value) -> Event:
    return Event(wall_time=START + step, step=step, summary=Summary(value=list(values)))


def scalar(step: int, tag: str, value: float) -> Event:
    """A scalar as TensorFlow 1 writes it."""
    return summary(step, Summary.Value(tag=tag, simple_value=value))


def tensor_value(step: int, tag: str, plugin: str, tensor: TensorProto) -> Event:
    """A value as TensorFlow 2 writes it."""
    metadata = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name=plugin)) if plugin else None
    return summary(step, Summary.Value(tag=tag, tensor=tensor, metadata=metadata))


def strings(*values: bytes) -> TensorProto:
    return TensorProto(dtype=DataType.DT_STRING, tensor_shape=models.shape(len(values)), string_val=list(values))


def png() -> bytes:
    """A picture of one gray pixel."""
    chunks = [
        (b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(b"\0\x80")),
        (b"IEND", b""),
    ]
    parts = (
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def training_log() -> bytes:
    """An event file with a graph, and a series of each kind, some in the form of TensorFlow 1, some of TensorFlow 2."""
    histogram = HistogramProto(min=-1, max=1, num=3, bucket_limit=[0.0, 1.0], bucket=[1.0, 2.0])
    counts = TensorProto(dtype=DataType.DT_DOUBLE, tensor_shape=models.shape(2, 3), double_val=[-1, 0, 1, 0, 1, 2])
    return event_file(
        Event(wall_time=START, graph_def=models.graph().to_bytes()),
        Event(wall_time=START, session_log=SessionLog(status=SessionLog.SessionStatus.START)),
        *(scalar(step, "loss", 1 / (step + 1)) for step in range(4)),
        tensor_value(0, "accuracy", "scalars", TensorProto(dtype=DataType.DT_FLOAT, float_val=[0.25])),
        tensor_value(1, "accuracy", "", TensorProto(dtype=DataType.DT_FLOAT, tensor_content=struct.pack("<f", 0.5))),
        summary(3, Summary.Value(tag="weights", histo=histogram)),
        tensor_value(3, "weights/2", "histograms", counts),
        tensor_value(3, "image", "images", strings(b"1", b"1", png())),
        tensor_value(3, "notes", "text", strings(b"first", b"second")),
        tensor_value(3, "raw", "", TensorProto(dtype=DataType.DT_INT32, tensor_shape=models.shape(2), int_val=[5, 6])),
    )


# --- examples --------------------------------------------------------------------------------------------------------


def example(number: int) -> Example:
    features = {
        "image": Feature(bytes_list=BytesList(value=[bytes([number, 0, 255])])),
        "label": Feature(int64_list=Int64List(value=[number])),
        "x": Feature(float_list=FloatList(value=[number + place / 4 for place in range(4)])),
    }
    return Example(features=Features(feature=features))


def examples(count: int) -> bytes:
    return record_file(example(number).to_bytes(deterministic=True) for number in range(count))


def sequence_example(number: int) -> SequenceExample:
    """A sequence with `number` steps."""
    steps = [Feature(int64_list=Int64List(value=[step])) for step in range(number)]
    context = Features(feature={"id": Feature(int64_list=Int64List(value=[number]))})
    return SequenceExample(
        context=context, feature_lists=FeatureLists(feature_list={"token": FeatureList(feature=steps)} if steps else {})
    )
