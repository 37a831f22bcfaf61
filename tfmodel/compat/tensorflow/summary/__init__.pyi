"""Written by `python -m tests.stubs`."""

from typing import Any
from ...tensorflow.core.util.event_pb2 import Event as Event
from ...facades.summaries import FileWriter as FileWriter
from ...tensorflow.core.util.event_pb2 import SessionLog as SessionLog
from ...tensorflow.core.framework.summary_pb2 import Summary as Summary
from ...tensorflow.core.util.event_pb2 import TaggedRunMetadata as TaggedRunMetadata

def __getattr__(name: str) -> Any: ...
