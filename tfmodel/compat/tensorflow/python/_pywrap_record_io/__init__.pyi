"""Written by `python -m tests.stubs`."""

from typing import Any
from ....facades.records import RecordIterator as RecordIterator

def __getattr__(name: str) -> Any: ...
