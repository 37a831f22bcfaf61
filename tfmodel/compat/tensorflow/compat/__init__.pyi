"""Written by `python -m tests.stubs`."""

from typing import Any
from ...facades.text import *

def __getattr__(name: str) -> Any: ...
