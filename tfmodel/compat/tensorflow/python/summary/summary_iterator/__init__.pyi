"""Written by `python -m tests.stubs`."""

from typing import Any
from .....facades.records import summary_iterator as summary_iterator

def __getattr__(name: str) -> Any: ...
