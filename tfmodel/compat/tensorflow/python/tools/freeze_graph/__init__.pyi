"""Written by `python -m tests.stubs`."""

from typing import Any
from .....facades.saved_model import parse_graph as _parse_input_graph_proto
from .....facades.saved_model import parse_meta_graph as _parse_input_meta_graph_proto
from .....facades.saved_model import parse_saver as _parse_input_saver_proto

def __getattr__(name: str) -> Any: ...
