"""Written by `python -m tests.stubs`."""

from typing import Any
from .....facades.strip_unused import *

def __getattr__(name: str) -> Any: ...
