"""Written by `python -m tests.stubs`."""

from typing import Any
from ...facades.records import TFRecordCompressionType as TFRecordCompressionType
from ...facades.records import TFRecordOptions as TFRecordOptions
from ...facades.records import TFRecordWriter as TFRecordWriter
from ...facades.records import tf_record_iterator as tf_record_iterator

def __getattr__(name: str) -> Any: ...
