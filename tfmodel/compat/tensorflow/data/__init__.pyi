"""Written by `python -m tests.stubs`."""

from typing import Any
from ...facades.datasets import Dataset as Dataset
from ...facades.datasets import Options as Options
from ...facades.datasets import TFRecordDataset as TFRecordDataset
from ...tensorflow.data import experimental as experimental

def __getattr__(name: str) -> Any: ...
