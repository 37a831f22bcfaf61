"""Written by `python -m tests.stubs`."""

from ..._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar

DESCRIPTOR: _Any

class Empty(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    def __init__(self) -> None: ...
