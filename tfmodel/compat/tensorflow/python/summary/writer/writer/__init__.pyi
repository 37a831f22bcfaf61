"""Written by `python -m tests.stubs`."""

from typing import Any
from ......facades.summaries import FileWriter as FileWriter

def __getattr__(name: str) -> Any: ...
