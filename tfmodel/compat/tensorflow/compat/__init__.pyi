"""Written by `python -m tests.stubs`."""

from typing import Any
from ...facades.text import *
from ...facades.tensor_shape import dimension_at_index as dimension_at_index
from ...facades.tensor_shape import dimension_value as dimension_value

def __getattr__(name: str) -> Any: ...
