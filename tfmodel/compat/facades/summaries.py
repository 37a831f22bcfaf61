"""Write event files for TensorBoard: `tf.summary.FileWriter`.

Events are written at once. TensorFlow writes them in a thread of its own, every two minutes or after `flush`.
"""

from __future__ import annotations

import os
import socket
import time
from typing import Any, Self

import tfmodel
from pbwire.compat import compat_class, wrap

from ... import messages
from . import gfile, program, records
from .text import as_str

__all__ = ["FileWriter"]

_VERSION = "brain.Event:2"
_WRITER = "tensorflow.core.util.events_writer"


class FileWriter:
    """Writes Event messages to a new file in the folder `logdir`, which the first event creates.

    `graph` or `graph_def` is a GraphDef, which is written first, also as a MetaGraphDef. The name of the file ends with
    `filename_suffix`.
    """

    def __init__(
        self,
        logdir: Any,
        graph: Any = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        graph_def: Any = None,
        filename_suffix: Any = None,
        session: Any = None,
    ) -> None:
        self._logdir = as_str(os.fspath(logdir))
        self._suffix = as_str(filename_suffix or "")
        self._seen_tags: set[str] = set()
        self._run_tags: set[str] = set()
        self._writer: Any = None
        self._closed = False
        gfile.MakeDirs(self._logdir)
        if self._suffix:
            self._open()
        if graph is not None or graph_def is not None:
            self.add_graph(graph, graph_def=graph_def)
            self.add_meta_graph(wrap(tfmodel.make_meta_graph(graph if graph_def is None else graph_def)))

    def _open(self) -> None:
        """Create the file, which begins with its version."""
        name = f"events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}{self._suffix}"
        self._writer = records.TFRecordWriter(os.path.join(self._logdir, name))
        event = compat_class(messages.Event)(wall_time=time.time(), file_version=_VERSION)
        event.source_metadata.writer = _WRITER
        self._writer.write(event.SerializeToString())

    def get_logdir(self) -> str:
        """Return the folder of the file."""
        return self._logdir

    def add_event(self, event: Any) -> None:
        """Write an Event. Does nothing after `close`."""
        if not self._closed:
            if self._writer is None:
                self._open()
            self._writer.write(event.SerializeToString())

    def _add(self, event: Any, global_step: Any) -> None:
        event.wall_time = time.time()
        if global_step is not None:
            event.step = int(global_step)
        self.add_event(event)

    def add_summary(self, summary: Any, global_step: Any = None) -> None:
        """Write a Summary, which may be encoded. The metadata of a tag are written once, and removed from the rest."""
        if isinstance(summary, bytes):
            summary = compat_class(messages.Summary).FromString(summary)
        for value in summary.value:
            if value.tag in self._seen_tags:
                value.ClearField("metadata")
            self._seen_tags.add(value.tag)
        self._add(compat_class(messages.Event)(summary=summary), global_step)

    def add_session_log(self, session_log: Any, global_step: Any = None) -> None:
        """Write a SessionLog."""
        self._add(compat_class(messages.Event)(session_log=session_log), global_step)

    def add_graph(self, graph: Any, global_step: Any = None, graph_def: Any = None) -> None:
        """Write a GraphDef. Raises ValueError for two of them, and TypeError for anything else."""
        if graph is not None and graph_def is not None:
            raise ValueError("Please pass only graph, or graph_def (deprecated), but not both.")
        graph = graph_def if graph is None else graph
        if not isinstance(graph, compat_class(messages.GraphDef)):
            raise TypeError("The passed graph must be an instance of `Graph` or the deprecated `GraphDef`")
        program.warning("Passing a `GraphDef` to the SummaryWriter is deprecated.")
        self._add(compat_class(messages.Event)(graph_def=graph.SerializeToString()), global_step)

    def add_meta_graph(self, meta_graph_def: Any, global_step: Any = None) -> None:
        """Write a MetaGraphDef. Raises TypeError for anything else."""
        if not isinstance(meta_graph_def, compat_class(messages.MetaGraphDef)):
            raise TypeError(f"meta_graph_def must be type MetaGraphDef, saw type: {type(meta_graph_def)}")
        self._add(compat_class(messages.Event)(meta_graph_def=meta_graph_def.SerializeToString()), global_step)

    def add_run_metadata(self, run_metadata: Any, tag: str, global_step: Any = None) -> None:
        """Write a RunMetadata with a tag. Raises ValueError for a tag that was used before."""
        if tag in self._run_tags:
            raise ValueError("The provided tag was already used for this event type")
        self._run_tags.add(tag)
        event = compat_class(messages.Event)()
        event.tagged_run_metadata.tag = tag
        event.tagged_run_metadata.run_metadata = run_metadata.SerializeToString()
        self._add(event, global_step)

    def flush(self) -> None:
        """Pass all events on to the operating system."""
        if self._writer is not None:
            self._writer.flush()

    def close(self) -> None:
        """Close the file. Later events are dropped."""
        if self._writer is not None:
            self._writer.close()
        self._writer, self._closed = None, True

    def reopen(self) -> None:
        """Write later events to a new file, if the last one was closed."""
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()
