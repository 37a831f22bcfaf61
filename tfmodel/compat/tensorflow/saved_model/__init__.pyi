"""Written by `python -m tests.stubs`."""

from typing import Any
from ...tensorflow.saved_model import constants as constants
from ...facades.saved_model import contains_saved_model as contains_saved_model
from ...facades.saved_model import contains_saved_model as maybe_saved_model_directory
from ...tensorflow.saved_model import signature_constants as signature_constants
from ...tensorflow.saved_model import tag_constants as tag_constants

def __getattr__(name: str) -> Any: ...
