"""Written by `python -m tests.stubs`."""

from typing import Any

def __getattr__(name: str) -> Any: ...
