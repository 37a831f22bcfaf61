"""Written by `python -m tests.stubs`."""

from typing import Any
from ...facades.datasets import FixedLenFeature as FixedLenFeature
from ...facades.datasets import FixedLenSequenceFeature as FixedLenSequenceFeature
from ...facades.records import TFRecordCompressionType as TFRecordCompressionType
from ...facades.records import TFRecordOptions as TFRecordOptions
from ...facades.records import TFRecordWriter as TFRecordWriter
from ...facades.datasets import VarLenFeature as VarLenFeature
from ...tensorflow import gfile as gfile
from ...facades.records import tf_record_iterator as tf_record_iterator
from ...facades.saved_model import write_graph as write_graph

def __getattr__(name: str) -> Any: ...
