"""Written by `python -m tests.stubs`."""

from typing import Any
from .....facades.saved_model import contains_saved_model as contains_saved_model
from .....facades.saved_model import contains_saved_model as maybe_saved_model_directory
from .....facades.saved_model import read_saved_model as parse_saved_model

def __getattr__(name: str) -> Any: ...
