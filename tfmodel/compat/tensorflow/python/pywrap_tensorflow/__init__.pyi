"""Written by `python -m tests.stubs`."""

from typing import Any
from ....facades.checkpoints import CheckpointReader as CheckpointReader
from ....facades.checkpoints import NewCheckpointReader as NewCheckpointReader

def __getattr__(name: str) -> Any: ...
