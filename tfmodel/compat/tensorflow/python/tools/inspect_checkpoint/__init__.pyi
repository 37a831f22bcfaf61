"""Written by `python -m tests.stubs`."""

from typing import Any
from .....facades.inspect_checkpoint import *

def __getattr__(name: str) -> Any: ...
