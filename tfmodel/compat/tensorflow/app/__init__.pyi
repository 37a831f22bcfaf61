"""Written by `python -m tests.stubs`."""

from typing import Any
from ...facades.program import *

def __getattr__(name: str) -> Any: ...
