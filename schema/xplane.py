"""tensorflow/tsl/profiler/protobuf/xplane.proto: a profile (`*.xplane.pb`), as TensorFlow and JAX write it."""

from __future__ import annotations

from pbwire import table as pb

__all__ = ["XEvent", "XEventMetadata", "XLine", "XPlane", "XSpace", "XStat", "XStatMetadata"]


@pb.message("tensorflow.profiler.XSpace")
class XSpace(pb.Message):
    """A profile: planes of several sources, such as the host and each accelerator."""

    planes: list[XPlane] = pb.repeated("XPlane", 1)
    errors: list[str] = pb.repeated(pb.string, 2)
    warnings: list[str] = pb.repeated(pb.string, 3)
    hostnames: list[str] = pb.repeated(pb.string, 4)


@pb.message("tensorflow.profiler.XPlane")
class XPlane(pb.Message):
    """The timelines of one source, and the names of their events and statistics."""

    id: int = pb.int64(1)
    name: str = pb.string(2)
    lines: list[XLine] = pb.repeated("XLine", 3)  # lines with one id are one timeline
    event_metadata: dict[int, XEventMetadata] = pb.map(pb.int64, "XEventMetadata", 4)
    stat_metadata: dict[int, XStatMetadata] = pb.map(pb.int64, "XStatMetadata", 5)
    stats: list[XStat] = pb.repeated("XStat", 6)


@pb.message("tensorflow.profiler.XLine")
class XLine(pb.Message):
    """A timeline. Its events may be nested, but do not overlap otherwise."""

    id: int = pb.int64(1)
    display_id: int = pb.int64(10)  # lines that have it in common are shown in one row
    name: str = pb.string(2)
    display_name: str = pb.string(11)
    timestamp_ns: int = pb.int64(3)  # the start, in nanoseconds since 1970
    duration_ps: int = pb.int64(9)
    events: list[XEvent] = pb.repeated("XEvent", 4)


@pb.message("tensorflow.profiler.XEvent")
class XEvent(pb.Message):
    """An event, or the sum of several events of one kind."""

    metadata_id: int = pb.int64(1)  # a key of XPlane.event_metadata
    offset_ps: int | None = pb.int64(2, oneof="data")  # picoseconds since the start of the line
    num_occurrences: int | None = pb.int64(5, oneof="data")
    duration_ps: int = pb.int64(3)
    stats: list[XStat] = pb.repeated("XStat", 4)


@pb.message("tensorflow.profiler.XStat")
class XStat(pb.Message):
    """A named value of an event, of all events of one kind, or of a plane."""

    metadata_id: int = pb.int64(1)  # a key of XPlane.stat_metadata
    double_value: float | None = pb.double(2, oneof="value")
    uint64_value: int | None = pb.uint64(3, oneof="value")
    int64_value: int | None = pb.int64(4, oneof="value")
    str_value: str | None = pb.string(5, oneof="value")
    bytes_value: bytes | None = pb.bytes(6, oneof="value")
    ref_value: int | None = pb.uint64(7, oneof="value")  # the XStatMetadata whose name is the value


@pb.message("tensorflow.profiler.XEventMetadata")
class XEventMetadata(pb.Message):
    """The name of a kind of events, and the statistics that all its events have in common."""

    id: int = pb.int64(1)
    name: str = pb.string(2)
    display_name: str = pb.string(4)
    metadata: bytes = pb.bytes(3)
    stats: list[XStat] = pb.repeated(XStat, 5)
    child_id: list[int] = pb.repeated(pb.int64, 6)  # keys of XPlane.event_metadata


@pb.message("tensorflow.profiler.XStatMetadata")
class XStatMetadata(pb.Message):
    """The name of a statistic."""

    id: int = pb.int64(1)
    name: str = pb.string(2)
    description: str = pb.string(3)
