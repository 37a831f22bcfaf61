"""Written by `python -m tests.stubs`."""

from typing import Any
from .....facades.dtypes import *

def __getattr__(name: str) -> Any: ...
