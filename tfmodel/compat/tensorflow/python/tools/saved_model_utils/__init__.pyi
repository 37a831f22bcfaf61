"""Written by `python -m tests.stubs`."""

from typing import Any
from .....facades.saved_model import *

def __getattr__(name: str) -> Any: ...
