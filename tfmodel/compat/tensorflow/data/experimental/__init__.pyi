"""Written by `python -m tests.stubs`."""

from typing import Any
from ....facades.datasets import RecordWriter as TFRecordWriter

def __getattr__(name: str) -> Any: ...
