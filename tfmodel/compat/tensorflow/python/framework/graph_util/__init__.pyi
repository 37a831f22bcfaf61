"""Written by `python -m tests.stubs`."""

from typing import Any
from .....facades.graph_util import *

def __getattr__(name: str) -> Any: ...
