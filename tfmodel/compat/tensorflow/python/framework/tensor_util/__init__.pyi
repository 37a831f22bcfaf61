"""Written by `python -m tests.stubs`."""

from typing import Any
from .....facades.tensor_util import *

def __getattr__(name: str) -> Any: ...
