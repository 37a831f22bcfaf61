"""tensorflow/core/util/event.proto: the records of the event files that TensorBoard reads."""

from __future__ import annotations

from pbwire import table as pb

from .summary import Summary

__all__ = ["Event", "LogMessage", "SessionLog", "SourceMetadata", "TaggedRunMetadata"]


@pb.message("tensorflow.Event")
class Event(pb.Message):
    """One record of an `events.out.tfevents...` file. The first has `file_version`."""

    wall_time: float = pb.double(1)  # seconds since the epoch
    step: int = pb.int64(2)  # training step
    file_version: str | None = pb.string(3, oneof="what")  # "brain.Event:2"
    graph_def: bytes | None = pb.bytes(4, oneof="what")  # a serialized GraphDef
    summary: Summary | None = pb.field(Summary, 5, oneof="what")
    log_message: LogMessage | None = pb.field("LogMessage", 6, oneof="what")  # deprecated
    session_log: SessionLog | None = pb.field("SessionLog", 7, oneof="what")
    tagged_run_metadata: TaggedRunMetadata | None = pb.field("TaggedRunMetadata", 8, oneof="what")
    meta_graph_def: bytes | None = pb.bytes(9, oneof="what")  # a serialized MetaGraphDef
    source_metadata: SourceMetadata | None = pb.field("SourceMetadata", 10)  # in the first record only


@pb.message("tensorflow.SourceMetadata")
class SourceMetadata(pb.Message):
    """The code that wrote an event file."""

    writer: str = pb.string(1)  # name of the module


@pb.message("tensorflow.LogMessage")
class LogMessage(pb.Message):
    """A line of a log. Deprecated: it is no longer written."""

    @pb.enum("tensorflow.LogMessage.Level")
    class Level(pb.Enum):
        """The severity of a log line, with Python's numbers. Deprecated."""

        UNKNOWN = 0
        DEBUGGING = 10  # not DEBUG, which C programs like to define as a macro
        INFO = 20
        WARN = 30
        ERROR = 40
        FATAL = 50

    level: Level = pb.field(Level, 1)
    message: str = pb.string(2)


@pb.message("tensorflow.SessionLog")
class SessionLog(pb.Message):
    """An event in the life of a training session."""

    @pb.enum("tensorflow.SessionLog.SessionStatus")
    class SessionStatus(pb.Enum):
        """The state that a session reached."""

        STATUS_UNSPECIFIED = 0
        START = 1
        STOP = 2
        CHECKPOINT = 3  # a checkpoint was saved

    status: SessionStatus = pb.field(SessionStatus, 1)
    checkpoint_path: str = pb.string(2)  # with CHECKPOINT: the prefix that was saved
    msg: str = pb.string(3)


@pb.message("tensorflow.TaggedRunMetadata")
class TaggedRunMetadata(pb.Message):
    """The trace of one run under a name."""

    tag: str = pb.string(1)
    run_metadata: bytes = pb.bytes(2)  # a serialized RunMetadata
